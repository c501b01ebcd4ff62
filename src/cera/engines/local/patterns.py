"""Patterns compiled to Python functions from an occurrence to the rows of Q[i: q].

A flat pattern (plain labels, each child a value or a variable) is read directly off the content of a flat event. For
all other events and patterns the matching of the model decides.
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

    return general


def compile_feed(pattern: Pattern, emit: Callable[[Any, Row], None]) -> Callable[[Any, Occurrence], None]:
    """A function of a step and an event that emits the rows of the event."""
    matcher = compile_pattern(pattern)

    def general(step: Any, event: Occurrence) -> None:
        for row in matcher(event):
            emit(step, row)

    return _flat_feed(pattern, emit, general) or general


def _flat_feed(pattern: Pattern, emit: Any, general: Any) -> Callable[[Any, Occurrence], None] | None:
    """The function for a flat pattern as Python source: it is called for every event of its label."""
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
    row = ", ".join([*(cells[name] for name in sorted(cells)), "event"])
    lines = [
        "def feed(step, event):",
        "    c = event.content",
        "    if c is None:",
        "        general(step, event)",
        "        return",
        *([f"    if len(c) != {len(labels)}: return"] if pattern.total else []),
        *(["    try:", *(f"        v{i} = c[{label!r}]" for i, label in enumerate(labels))] if labels else []),
        *(["    except KeyError:", "        return"] if labels else []),
        *(f"    if {test}: return" for test in tests),
        f"    emit(step, ({row},))",
    ]
    scope: dict[str, Any] = {"general": general, "emit": emit, **constants}
    exec("\n".join(lines), scope)  # source made here from a checked program
    feed: Callable[[Any, Occurrence], None] = scope["feed"]
    return feed
