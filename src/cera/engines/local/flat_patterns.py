"""Flat patterns: plain labels, each child a value or a variable. They are read directly off the content of an event."""

from __future__ import annotations

from typing import Any, NamedTuple

from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.terms.values import is_number


class FlatPattern(NamedTuple):
    """The local variable of each variable of a pattern, the constants that some must be equal to, and all that must be
    there.
    """

    cells: dict[str, str]
    constants: dict[str, Any]
    labels: list[str]


def is_flat(pattern: Pattern) -> bool:
    return flat_pattern(pattern, {}) is not None


def flat_pattern(pattern: Pattern, reading: dict[str, str]) -> FlatPattern | None:
    """Returns how a flat pattern is read; None if it is not flat. `reading` has the variables for the children that are
    read.
    """
    if not isinstance(pattern, TermPattern) or pattern.ordered or not isinstance(pattern.label, str):
        return None
    labels: list[str] = []
    cells: dict[str, str] = {}
    constants: dict[str, Any] = {}
    for child in pattern.children:
        if not isinstance(child, TermPattern) or not isinstance(child.label, str) or child.label in labels:
            return None
        labels.append(child.label)
        match child.children:
            case (VariablePattern(pattern=None, name=name),) if name not in cells:
                cells[name] = child.label
            case (ScalarPattern(value=value),) if isinstance(value, str) or is_number(value):
                constants[child.label] = value
            case () if not child.total:
                pass
            case _:
                return None
    names = {label: reading.setdefault(label, f"child_{len(reading)}") for label in labels}
    return FlatPattern(
        {variable: names[label] for variable, label in cells.items()},
        {names[label]: value for label, value in constants.items()},
        list(names.values()),
    )
