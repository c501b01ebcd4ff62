"""Programs written in tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cera.datalog import stages
from cera.datalog.syntax import Program
from cera.diagnostics import Source
from cera.languages.datalog.parser import parse
from cera.modules.tuples import EventTuple


def read(text: str) -> Program:
    parsed = parse(Source("test.dl1s", text))
    assert not parsed.diagnostics, "\n".join(map(str, parsed.diagnostics))
    return parsed.program


def event(number: int, **fields: Any) -> EventTuple:
    """The event of that number, which happens at that time."""
    return EventTuple(f"event {number}", fields, number)


def run(text: str, history: Sequence[Mapping[str, Any]], outputs: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The facts of stages 0, 1, …; the time of each is its number."""
    machine = stages.compile(read(text), outputs)
    state, facts = machine.begin()
    found = [{name: set(rows) for name, rows in facts.items()}]
    for time, events in enumerate(history, 1):
        found.append({name: set(rows) for name, rows in machine.step(state, events, time).items()})
    return found
