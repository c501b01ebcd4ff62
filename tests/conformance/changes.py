"""Changes of a bank's accounts as events, and what a program of EPL detects in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cera
from cera.connectors.records.changes import Change
from cera.model.events.event import DerivedEvent, Event
from cera.testing import SECOND, event


def inserted(time: float, row: dict[str, Any], **more: Any) -> Event:
    return changed(time, "insert", None, row, **more)


def deleted(time: float, row: dict[str, Any], **more: Any) -> Event:
    return changed(time, "delete", row, None, **more)


def updated(time: float, row: dict[str, Any], balance: int, **more: Any) -> Event:
    """The account's balance becomes another."""
    return changed(time, "update", row, {**row, "Balance": balance}, **more)


def changed(
    time: float,
    operation: str,
    old: dict[str, Any] | None,
    new: dict[str, Any] | None,
    *,
    table: str = "ACC",
    position: int | None = None,
    transaction: str | None = None,
) -> Event:
    return Change(operation, table, round(time * SECOND), old, new, position, transaction).event()


def letters(text: str) -> list[Event]:
    """`A B A+C`: events with these labels at the times 1, 2, 3; simultaneous ones connected by `+`."""
    return [
        event(f"{letter}{{n{{{number}}}}}", number)
        for number, word in enumerate(text.split(), 1)
        for letter in word.split("+")
    ]


def detected(program: str, events: Sequence[Event], engine: Any) -> list[DerivedEvent]:
    loaded = cera.load(program)
    assert not loaded.errors, "\n".join(map(str, loaded.errors))
    return list(loaded.run(events, engine=engine).derived)


def told(program: str, events: Sequence[Event], engine: Any) -> list[tuple[str, float]]:
    """What is detected as its text, and the time in seconds."""
    return [(str(one.event.term), one.event.end / SECOND) for one in detected(program, events, engine)]


def times(program: str, events: Sequence[Event], engine: Any) -> list[float]:
    """The seconds at which something is detected."""
    return sorted({one.event.end / SECOND for one in detected(program, events, engine)})
