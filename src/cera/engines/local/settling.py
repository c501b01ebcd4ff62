"""Rows that wait for the end of a window and can be settled before, because nothing more can come that changes it.

A slot whose rule has settlements keeps its waiting rows by the values of the variables that the settlements name.
When one of them is settled, the rows are finished as if the end of their window had come: the answers have that end,
and are known now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.rows import Layout, Row
from cera.engines.local.state import State
from cera.model.matching import patterns
from cera.model.time.interval import Time
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, Settlement

#: The mark of a group whose answer is decided, in the place of a number of events.
_DECIDED = (-1, -1)

#: The rows of one group by the ends of their windows.
Waiting = dict[Time, list[Row]]


@dataclass(frozen=True)
class SettledSlot:
    """The settlements of a slot over the layout of its rows. A group has the values of all variables they name."""

    layout: Layout
    settlements: tuple[Settlement, ...]
    #: The slot, once it is known.
    slots: list[int] = field(default_factory=list)

    @property
    def number(self) -> int:
        [slot] = self.slots
        return slot

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(sorted({name for each in self.settlements for name in each.by}))

    @cached_property
    def counted(self) -> int:
        """The column of the event that is counted: the one that matches gather."""
        [match] = self.layout.matches
        return self.layout.match(match)

    @cached_property
    def decides(self) -> bool:
        """Whether the first match of a group decides its answer."""
        return any(isinstance(each, FirstMatch) for each in self.settlements)

    def part(self, settlement: Settlement, group: Any) -> Any:
        """Returns the values that a settlement names, of the key of a group."""
        names = self.variables
        values = (group,) if len(names) == 1 else group or ()
        found = tuple(values[names.index(name)] for name in sorted(settlement.by))
        return found[0] if len(found) == 1 else found or None


class SettlingRows:
    """The waiting rows of a slot with settlements, as plain data in the state.

    `groups` has the rows of each group; `members` the groups in which a settlement's variables have some values, for
    settlements that name fewer variables than others; `counts` how many events there are of each end, with the number
    of the last one: an event may match in several ways. What the first match has decided is counted as well, until the
    end has passed.
    """

    def __init__(self, slot: SettledSlot, data: list[Any]) -> None:
        self._slot = slot
        self._groups: dict[Any, Waiting] = data[0]
        self._members: dict[Any, dict[Any, None]] = data[1]
        self._counts: dict[Any, tuple[int, int]] = data[2]

    @staticmethod
    def empty() -> list[Any]:
        return [{}, {}, {}]

    def is_decided(self, group: Any, until: Time) -> bool:
        """Returns whether a match before has decided the answer of a group."""
        return any(key in self._counts for key in self._marks(group, until + 1))

    def _marks(self, group: Any, passed: Time) -> Iterator[tuple[int, Any, Time]]:
        """Yields the keys of what the first match has decided, by the time after the end."""
        for number, settlement in enumerate(self._slot.settlements):
            if isinstance(settlement, FirstMatch):
                yield number, self._slot.part(settlement, group), passed

    def add(self, group: Any, until: Time, row: Row) -> tuple[bool, list[tuple[int, Any, Time | None]]]:
        """Adds a row. Returns whether it is the first of its group and end, and what is settled by it."""
        waiting = self._groups.setdefault(group, {})
        rows = waiting.get(until)
        if rows is None:
            rows = waiting[until] = []
        rows.append(row)
        settled: list[tuple[int, Any, Time | None]] = []
        for number, settlement in enumerate(self._slot.settlements):
            part = self._slot.part(settlement, group)
            self._members.setdefault((number, part), {})[group] = None
            if isinstance(settlement, MostMatches):
                count, last = self._counts.get((number, part, until), (0, -1))
                event = row[self._slot.counted].number
                count += event != last
                self._counts[number, part, until] = count, event
                if count == settlement.most:
                    settled.append((number, part, until))
            elif isinstance(settlement, FirstMatch):
                self._counts[number, part, until + 1] = _DECIDED
                settled.append((number, part, until))
        return len(rows) == 1, settled

    def settled(self, number: int, part: Any, until: Time | None) -> Iterator[tuple[Time, list[Row]]]:
        """Takes the rows that a settlement concerns: those of one end, or of all."""
        for group in list(self._members.get((number, part), ())):
            for end in [until] if until is not None else list(self._groups[group]):
                rows = self.take(group, end)
                if rows:
                    yield end, rows

    def has(self, group: Any, until: Time) -> bool:
        """Returns whether rows of a group wait for a time, or what decided it is remembered until then."""
        return until in self._groups.get(group, ()) or any(key in self._counts for key in self._marks(group, until))

    def due(self, group: Any, until: Time) -> list[Row]:
        """Takes the rows of a group that have waited for a time, and forgets what was decided before it."""
        for key in self._marks(group, until):
            self._counts.pop(key, None)
        return self.take(group, until)

    def take(self, group: Any, until: Time) -> list[Row]:
        """Takes the rows of a group whose windows have one end."""
        waiting = self._groups.get(group)
        rows = [] if waiting is None else waiting.pop(until, [])
        for number, settlement in enumerate(self._slot.settlements):
            part = self._slot.part(settlement, group)
            if isinstance(settlement, MostMatches) and rows:
                self._forget(number, part, until, len({row[self._slot.counted].number for row in rows}))
            if not waiting:
                members = self._members.get((number, part), {})
                members.pop(group, None)
                if not members:
                    self._members.pop((number, part), None)
        if not waiting:
            self._groups.pop(group, None)
        return rows

    def _forget(self, number: int, part: Any, until: Time, events: int) -> None:
        count, last = self._counts.get((number, part, until), (0, -1))
        if count > events:
            self._counts[number, part, until] = count - events, last
        else:
            self._counts.pop((number, part, until), None)


class SettlingStage(Stage):
    """The stage that keeps a row until its timers end, or until it is settled."""

    def __init__(self, slot: SettledSlot, timers: Sequence[int]) -> None:
        self.slot = slot
        self.timers = timers

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        ends = [cells.end(position) for position in self.timers]
        until = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
        group = key_of([cells[self.slot.layout.data(name)] for name in self.slot.variables])
        return [f"{writer.name(self._keep)}(state, {until}, {group}, {cells.tuple})"]

    def _keep(self, state: State, until: Time, group: Any, row: Row) -> None:
        slot = self.slot.number
        data = state.settling.get(slot)
        if data is not None and self.slot.decides and SettlingRows(self.slot, data).is_decided(group, until):
            return
        if state.now is not None and until <= state.now:
            state.make_ready(slot, row)
            return
        if data is None:
            data = state.settling[slot] = SettlingRows.empty()
        first, settled = SettlingRows(self.slot, data).add(group, until, row)
        state.in_groups += 1
        if first:  # what is decided is remembered until no more can come that ends with the window
            state.wait_for_group(until + self.slot.decides, slot, group)
        state.settled += [(slot, *each) for each in settled]


class ClosingStage(Stage):
    """The stage of a closing event: at the end of the step, the rows that wait with its values are settled."""

    def __init__(self, slot: SettledSlot, number: int, closing: ClosingEvent) -> None:
        self.slot = slot
        self.number = number
        bound = sorted(patterns.bound_variables(closing.pattern) | patterns.optional_variables(closing.pattern))
        self.positions = [bound.index(name) for name in sorted(closing.by)]

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        slot = self.slot.number
        part = key_of([cells[position] for position in self.positions])
        return [f"if {slot} in state.settling: state.settled.append(({slot}, {self.number}, {part}, None))"]
