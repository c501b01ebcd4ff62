"""Patterns compiled to Python functions from an occurrence to the rows of Q[i: q].

A flat pattern (plain labels, each child a value or a variable) is read directly off the JSON of an event. Where the
event is not as simple as the pattern, and for all other patterns, the matching of the model decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cera.engines.local.occurrence import Occurrence, wrap
from cera.engines.local.rows import Column, Layout, Row
from cera.model import patterns
from cera.model.matching import match
from cera.model.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.values import is_number

Matcher = Callable[[Occurrence], Sequence[Row]]

_NONE: tuple[Row, ...] = ()


def pattern_layout(identifier: str, pattern: Pattern) -> Layout:
    """The columns of Q[i: q]: its variables by name, then the event."""
    names = sorted(patterns.bound_variables(pattern) | patterns.optional_variables(pattern))
    return Layout((*(Column("data", name) for name in names), Column("event", identifier)))


def compile_pattern(pattern: Pattern) -> Matcher:
    """{σ | σ(q) ≼ e} as rows, each with the occurrence at its end."""
    names = sorted(patterns.bound_variables(pattern) | patterns.optional_variables(pattern))

    def general(event: Occurrence) -> Sequence[Row]:
        answers = match(pattern, event.term)
        return [(*(wrap(a[name]) if name in a else None for name in names), event) for a in answers]

    return _flat_matcher(pattern, names, general) or general


def _flat_matcher(pattern: Pattern, names: Sequence[str], general: Matcher) -> Matcher | None:
    if not isinstance(pattern, TermPattern) or pattern.ordered or not isinstance(pattern.label, str):
        return None
    tests: list[str] = []
    cells: dict[str, str] = {}
    labels: list[str] = []
    constants: dict[str, Any] = {}
    for number, child in enumerate(pattern.children):
        if not isinstance(child, TermPattern) or not isinstance(child.label, str) or child.label in labels:
            return None
        labels.append(child.label)
        match child.children:
            case (VariablePattern(pattern=None, name=name),) if name not in cells:
                cells[name] = f"v{number}"
            case (ScalarPattern(value=value),) if isinstance(value, str) or is_number(value):
                constants[f"k{number}"] = value
                tests.append(f"v{number} != k{number}")
            case () if not child.total:
                pass
            case _:
                return None
    total = f" or len(c) != {len(labels)}" if pattern.total else ""
    lines = [
        "def matcher(event):",
        "    c = event.content",
        f"    if c.__class__ is not dict{total}:",
        "        return general(event)",
        *(["    try:", *(f"        v{i} = c[{label!r}]" for i, label in enumerate(labels))] if labels else []),
        *(["    except KeyError:", "        return general(event) if '{}' in c else NONE"] if labels else []),
        *(f"    if v{i}.__class__ not in PLAIN: return general(event)" for i in range(len(labels))),
        *(f"    if {test}: return NONE" for test in tests),
        f"    return (({', '.join([*(cells[name] for name in names), 'event'])},),)",
    ]
    scope: dict[str, Any] = {"general": general, "NONE": _NONE, "PLAIN": frozenset((str, int, float)), **constants}
    exec("\n".join(lines), scope)  # source made here from a checked program
    matcher: Matcher = scope["matcher"]
    return matcher
