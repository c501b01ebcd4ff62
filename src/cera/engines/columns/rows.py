"""Relations as columns: the values of variables, and the events of identifiers, with a place for each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from cera.model.columns.column_hashes import Digits, Hashes, hashed_timers, id_digits

if TYPE_CHECKING:
    from cera.engines.columns.event_tables import EventTable

Array = npt.NDArray[Any]
Times = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
#: What the values of a column are; "nothing" where there are none.
Kind = Literal["number", "string", "boolean", "nothing"]


class OutsideColumnsError(Exception):
    """Events have something that is not evaluated exactly in columns; what was not written yet is left to the
    event-by-event engine."""


@dataclass(frozen=True)
class Column:
    """Values of one kind: doubles, the codes of strings (`Strings`), or truth values.

    `bound` is the most that a number of the column can be, whatever rows were selected, without its sign.
    """

    kind: Kind
    values: Array
    bound: float = 0.0

    def take(self, places: Places | slice) -> Column:
        return Column(self.kind, self.values[places], self.bound)


@dataclass(frozen=True)
class InputEvents:
    """Events of a table, by their places in it."""

    table: EventTable
    places: Places


@dataclass(frozen=True)
class TimerEvents:
    """Relative timers on events."""

    kind: str
    duration: str
    anchors: Events


@dataclass(frozen=True)
class Events:
    """The events of an identifier: their times, and what they are."""

    begin: Times
    end: Times
    source: InputEvents | TimerEvents

    def take(self, places: Places | slice) -> Events:
        return taken({"": self}, places)[""]

    @cached_property
    def ids(self) -> Hashes:
        """The halves of the ids."""
        match self.source:
            case InputEvents(table=table, places=places):
                return table.ids(places)
            case TimerEvents(kind=kind, duration=duration, anchors=anchors):
                return hashed_timers(f"timer:{kind}", anchors.digits, duration, self.begin, self.end)

    @cached_property
    def digits(self) -> Digits:
        """The digits of the ids."""
        return id_digits(self.ids)

    @cached_property
    def numbers(self) -> Places:
        """Numbers that are different for different events of a table."""
        if not isinstance(self.source, InputEvents):
            raise OutsideColumnsError("a timer is excluded from a window")
        return self.source.places + self.source.table.first_number


def taken(columns: Mapping[str, Events], places: Places | slice) -> dict[str, Events]:
    """Returns the events at some places. Events that are the anchors of timers stay the same objects as these."""
    known: dict[int, Events] = {}
    return {name: _taken(events, places, known) for name, events in columns.items()}


def _taken(events: Events, places: Places | slice, known: dict[int, Events]) -> Events:
    found = known.get(id(events))
    if found is None:
        end = events.end[places]
        begin = end if events.begin is events.end else events.begin[places]
        source = events.source
        if isinstance(source, InputEvents):
            found = Events(begin, end, InputEvents(source.table, source.places[places]))
        else:
            anchors = _taken(source.anchors, places, known)
            found = Events(begin, end, TimerEvents(source.kind, source.duration, anchors))
        known[id(events)] = found
    return found


@dataclass(frozen=True)
class Rows:
    """A relation: so many rows."""

    count: int
    events: Mapping[str, Events]
    data: Mapping[str, Column]

    def take(self, places: Places) -> Rows:
        data = {name: column.take(places) for name, column in self.data.items()}
        return Rows(len(places), taken(self.events, places), data)

    def where(self, true: Truths) -> Rows:
        """Returns the rows for which something is true."""
        return self if true.all() else self.take(np.flatnonzero(true))

    def beside(self, other: Rows) -> Rows:
        """Returns the rows of both, side by side."""
        return Rows(self.count, {**other.events, **self.events}, {**other.data, **self.data})


def concatenated(parts: list[Rows]) -> Rows:
    """Returns the rows of parts of one relation."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    events = {name: _joined([part.events[name] for part in parts]) for name in first.events}
    data = {
        name: Column(column.kind, np.concatenate([part.data[name].values for part in parts]), column.bound)
        for name, column in first.data.items()
    }
    return Rows(sum(part.count for part in parts), events, data)


def _joined(parts: list[Events]) -> Events:
    begin, end = (np.concatenate([getattr(part, edge) for part in parts]) for edge in ("begin", "end"))
    source = parts[0].source
    if isinstance(source, InputEvents):
        places = np.concatenate([part.source.places for part in parts if isinstance(part.source, InputEvents)])
        return Events(begin, end, InputEvents(source.table, places))
    anchors = [part.source.anchors for part in parts if isinstance(part.source, TimerEvents)]
    return Events(begin, end, TimerEvents(source.kind, source.duration, _joined(anchors)))
