"""All patterns of one label as one Python function from an event to what its rows set off.

A flat pattern (plain labels, each child a value or a variable) is read directly off the content of a flat event. For
all other events and patterns the matching of the model decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cera.engines.local.network import Emit, Feed, Step
from cera.engines.local.occurrence import Occurrence
from cera.engines.local.patterns import compile_pattern
from cera.engines.local.stages import PRELUDE, Scope, Stage, indented, write
from cera.model.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.values import is_number


def compile_feeds(queries: Sequence[tuple[Pattern, Emit]]) -> Feed:
    """A function that matches an event with the patterns, in their order, and emits the rows of each."""
    general = [_matching(pattern, emit) for pattern, emit in queries]

    def each(step: Step, event: Occurrence) -> None:
        for feed in general:
            feed(step, event)

    scope = Scope()
    body = ["c = event.content", "if c is None:", f"    return {scope.name(each)}(step, event)"]
    if any(isinstance(emit, Stage) for _, emit in queries):
        body += PRELUDE
    for (pattern, emit), otherwise in zip(queries, general, strict=True):
        body += _flat(pattern, emit, scope) or [f"{scope.name(otherwise)}(step, event)"]
    feed: Feed = scope.function("feed", ["def feed(step, event):", *indented(body)])
    return feed


def _matching(pattern: Pattern, emit: Emit) -> Feed:
    matcher = compile_pattern(pattern)

    def feed(step: Step, event: Occurrence) -> None:
        for row in matcher(event):
            emit(step, row)

    return feed


def _flat(pattern: Pattern, emit: Emit, scope: Scope) -> list[str] | None:
    """The lines for a flat pattern on the content `c` of a flat event; None for other patterns."""
    if not isinstance(pattern, TermPattern) or pattern.ordered or not isinstance(pattern.label, str):
        return None
    labels: list[str] = []
    cells: dict[str, str] = {}
    constants: dict[str, Any] = {}
    for number, child in enumerate(pattern.children):
        if not isinstance(child, TermPattern) or not isinstance(child.label, str) or child.label in labels:
            return None
        labels.append(child.label)
        match child.children:
            case (VariablePattern(pattern=None, name=name),) if name not in cells:
                cells[name] = f"v{number}"
            case (ScalarPattern(value=value),) if isinstance(value, str) or is_number(value):
                constants[f"v{number}"] = value
            case () if not child.total:
                pass
            case _:
                return None
    tests = [f"len(c) == {len(labels)}"] if pattern.total else []
    tests += [f"{cell} == {scope.name(value)}" for cell, value in constants.items()]
    found = [
        f"if {' and '.join(tests) or 'True'}:",
        f"    row = ({', '.join([*(cells[name] for name in sorted(cells)), 'event'])},)",
        *indented(write(emit, "row", scope)),
    ]
    if not labels:
        return found
    read = [f"v{i} = c[{label!r}]" for i, label in enumerate(labels)]
    return [
        "try:",
        *(f"    {line}" for line in read),
        "except KeyError: pass",
        "else:",
        *(f"    {line}" for line in found),
    ]
