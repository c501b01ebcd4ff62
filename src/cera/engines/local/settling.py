"""Rows that wait for the end of a window and can be settled before, because nothing more can come that changes it.

A slot whose rule has settlements keeps its waiting rows by the values of the variables that the settlements name.
When one of them is settled, the rows are finished as if the end of their window had come: the answers have that end,
and are known now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cera.engines.local.forgetting import closing_positions
from cera.engines.local.group_keys import part_of_key
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.rows import Layout, Row
from cera.engines.local.state import State
from cera.model.time.interval import Time
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, Settlement

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

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return tuple(sorted({name for each in self.settlements for name in each.by}))

    @cached_property
    def counted(self) -> int:
        """The column of the event that is counted: the one that matches gather."""
        [match] = self.layout.matches
        return self.layout.match(match)

    @cached_property
    def parts(self) -> tuple[Callable[[Any], Any] | None, ...]:
        """For each settlement how the values that it names follow from the key of a group; None if it names all."""
        names = self.variables
        return tuple(part_of_key(names, sorted(each.by)) for each in self.settlements)

    @cached_property
    def deciding(self) -> tuple[int, ...]:
        """The settlements by which the first match of a group decides its answer."""
        return tuple(number for number, each in enumerate(self.settlements) if isinstance(each, FirstMatch))

    @cached_property
    def partial(self) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
        """The settlements that name fewer variables than a group has."""
        return tuple((number, part) for number, part in enumerate(self.parts) if part is not None)

    @cached_property
    def limits(self) -> tuple[tuple[int, int], ...]:
        """The settlements that bound the matches, each with its bound."""
        return tuple((n, each.most) for n, each in enumerate(self.settlements) if isinstance(each, MostMatches))


class SettlingRows:
    """The waiting rows of a slot with settlements, as plain data in the state.

    `groups` has the rows of each group by the ends of their windows, and `ends` the groups of each end; `members` the
    groups in which a settlement's variables have some values, for settlements that name fewer variables than others;
    `counts` how many events there are of each end, with the number of the last one: an event may match in several ways;
    `decided` the values with which a first match has decided the answers of an end, until that has passed.
    """

    def __init__(self, slot: SettledSlot, data: list[Any]) -> None:
        self._slot = slot
        self._groups: dict[Any, Waiting] = data[0]
        self._members: dict[Any, dict[Any, None]] = data[1]
        self._counts: dict[Any, tuple[int, int]] = data[2]
        self._ends: dict[Time, dict[Any, None]] = data[3]
        self._decided: dict[Time, dict[Any, None]] = data[4]

    @staticmethod
    def empty() -> list[Any]:
        return [{}, {}, {}, {}, {}]

    def add(self, state: State, group: Any, until: Time, row: Row) -> None:
        """Adds a row, and notes what is settled by it."""
        waiting = self._groups.get(group)
        if waiting is None:
            waiting = self._groups[group] = {}
            for number, part in self._slot.partial:
                self._members.setdefault((number, part(group)), {})[group] = None
        rows = waiting.get(until)
        if rows is None:
            waiting[until] = [row]
            groups = self._ends.get(until)
            if groups is None:
                self._ends[until] = {group: None}
                state.wait_for_groups(until, self._slot.number)
            else:
                if not groups:
                    state.stale -= 1
                groups[group] = None
        else:
            rows.append(row)
        for number, most in self._slot.limits:
            values = self._values(number, group)
            count, last = self._counts.get((number, values, until), (0, -1))
            event = row[self._slot.counted].number
            count += event != last
            self._counts[number, values, until] = count, event
            if count == most:
                state.settled.append((self._slot.number, number, values, until))

        for number in self._slot.deciding:
            decided = self._decided.get(until)
            if decided is None:  # it is remembered until no more can come that ends with the window
                decided = self._decided[until] = {}
                state.wait_for_groups(until + 1, self._slot.number)
            values = self._values(number, group)
            decided[number, values] = None
            state.settled.append((self._slot.number, number, values, until))

    def is_decided(self, group: Any, until: Time) -> bool:
        """Returns whether a match before has decided the answer of a group."""
        decided = self._decided.get(until, ())
        return any((number, self._values(number, group)) in decided for number in self._slot.deciding)

    def _values(self, number: int, group: Any) -> Any:
        """Returns the values that a settlement names, of the key of a group."""
        part = self._slot.parts[number]
        return group if part is None else part(group)

    def settled(self, number: int, values: Any, until: Time | None) -> Iterator[tuple[Any, Time]]:
        """Yields the groups and ends that a settlement concerns: those of one end, or of all."""
        if self._slot.parts[number] is None:
            groups = [values] if values in self._groups else []
        else:
            groups = list(self._members.get((number, values), ()))
        for group in groups:
            if until is None:
                yield from [(group, end) for end in self._groups[group]]
            elif until in self._groups[group]:
                yield group, until

    def due(self, until: Time) -> list[Row]:
        """Takes the rows whose windows have one end, in the order in which their events came, and forgets the end, and
        what was decided of the last one.
        """
        self._decided.pop(until - 1, None)
        rows = [row for group in list(self._ends.get(until, ())) for row in self.take(group, until)]
        if len(self._slot.layout.matches) == 1:
            counted = self._slot.counted
            rows.sort(key=lambda row: row[counted].number)
        self.forget(until)
        return rows

    def forget(self, until: Time) -> None:
        """Forgets an end of which all rows have been taken."""
        self._ends.pop(until, None)

    def has(self, until: Time) -> bool:
        """Returns whether rows wait for an end."""
        return bool(self._ends.get(until))

    def awaits(self, until: Time) -> bool:
        """Returns whether rows wait for an end, or what was decided before it; it is forgotten if there are none."""
        if self.has(until) or until - 1 in self._decided:
            return True
        self.forget(until)
        return False

    def take(self, group: Any, until: Time) -> list[Row]:
        """Takes the rows of a group whose windows have one end."""
        waiting = self._groups[group]
        rows = waiting.pop(until)
        del self._ends[until][group]
        if self._slot.limits:
            events = len({row[self._slot.counted].number for row in rows})
            for number, _ in self._slot.limits:
                self._uncount((number, self._values(number, group), until), events)
        if not waiting:
            del self._groups[group]
            for number, part in self._slot.partial:
                members = self._members[number, part(group)]
                del members[group]
                if not members:
                    del self._members[number, part(group)]
        return rows

    def _uncount(self, key: tuple[int, Any, Time], events: int) -> None:
        count, last = self._counts.get(key, (0, -1))
        if count > events:
            self._counts[key] = count - events, last
        else:
            self._counts.pop(key, None)


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
        if data is not None and self.slot.deciding and SettlingRows(self.slot, data).is_decided(group, until):
            return
        if state.now is not None and until <= state.now:
            state.make_ready(slot, row)
            return
        if data is None:
            data = state.settling[slot] = SettlingRows.empty()
        SettlingRows(self.slot, data).add(state, group, until, row)
        state.in_groups += 1


class ClosingStage(Stage):
    """The stage of a closing event: at the end of the step, the rows that wait with its values are settled."""

    def __init__(self, slot: SettledSlot, number: int, closing: ClosingEvent) -> None:
        self.slot = slot
        self.number = number
        self.positions = closing_positions(closing)

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        values = key_of([cells[position] for position in self.positions])
        return [f"state.settled.append(({self.slot.number}, {self.number}, {values}, None))"]
