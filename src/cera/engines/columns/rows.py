"""Relations as columns: the values of variables, and the events of identifiers, with a place for each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from cera.model.columns.column_hashes import Hashes, timer_hashes

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

    def take(self, places: Places | Truths) -> Column:
        return Column(self.kind, self.values[places], self.bound)


@dataclass(frozen=True)
class InputEvents:
    """Events of a table, by their places in it."""

    table: EventTable
    places: Places

    def take(self, places: Places | Truths) -> InputEvents:
        return InputEvents(self.table, self.places[places])

    @property
    def ids(self) -> Hashes:
        return self.table.ids(self.places)


@dataclass(frozen=True)
class TimerEvents:
    """Relative timers on events."""

    kind: str
    duration: str
    anchors: Events

    def take(self, places: Places | Truths) -> TimerEvents:
        return TimerEvents(self.kind, self.duration, self.anchors.take(places))


@dataclass(frozen=True)
class Events:
    """The events of an identifier: their times, and what they are."""

    begin: Times
    end: Times
    source: InputEvents | TimerEvents

    def take(self, places: Places | Truths) -> Events:
        return Events(self.begin[places], self.end[places], self.source.take(places))

    @property
    def ids(self) -> Hashes:
        """The halves of the ids."""
        match self.source:
            case InputEvents():
                return self.source.ids
            case TimerEvents(kind=kind, duration=duration, anchors=anchors):
                return timer_hashes(f"timer:{kind}", anchors.ids, duration, self.begin, self.end)

    @property
    def numbers(self) -> Places:
        """Numbers that are different for different events of a table."""
        if not isinstance(self.source, InputEvents):
            raise OutsideColumnsError("a timer is excluded from a window")
        return self.source.places + self.source.table.first_number


@dataclass(frozen=True)
class Rows:
    """A relation: so many rows."""

    count: int
    events: Mapping[str, Events]
    data: Mapping[str, Column]

    def take(self, places: Places | Truths) -> Rows:
        count = int(places.sum()) if places.dtype == np.bool_ else len(places)
        events = {name: column.take(places) for name, column in self.events.items()}
        return Rows(count, events, {name: column.take(places) for name, column in self.data.items()})

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
