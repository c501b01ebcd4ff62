"""Rows that wait for the end of a window and can be settled before, because nothing more can come that changes it.

A slot whose rule has settlements keeps its waiting rows by the values of the variables that the settlements name.
When one of them is settled, the rows are finished as if the end of their window had come: the answers have that end,
and are known now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cera.algebra.layouts import Layout, Row
from cera.engines.local.group_keys import part_of_key
from cera.engines.local.state import State
from cera.model.events.occurrence import Opening
from cera.model.events.states import ENDING, OPENING
from cera.model.time.interval import Time
from cera.rules.settlements import FirstMatch, MostMatches, RefutingEvent, Settlement

#: What a row waits for: a time, or the end of the state with this id.
Until = Any


@dataclass(frozen=True)
class SettledSlot:
    """The settlements of a slot over the layout of its rows. A group has the values of all variables they name; those
    of an event that refutes rows distinguish the rows of a group.
    """

    number: int
    layout: Layout
    settlements: tuple[Settlement, ...]
    #: Whether a row waits for one periodic window, and so for the end of it.
    of_one_window: bool
    #: The places of the state for whose end a row waits, and of its opening.
    state: tuple[int, int] | None = None

    def ended(self, row: Row, until: Time) -> Row:
        """Returns a row with the state for whose end it waits, up to a time."""
        assert self.state is not None
        position, opened = self.state
        opening = row[opened]
        ending = opening.relabelled(ENDING + opening.label.removeprefix(OPENING), until)
        return (*row[:position], ending, *row[position + 1 :])

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return tuple(sorted({name for each in self.settlements if each is not self.refuting for name in each.by}))

    @cached_property
    def refuting(self) -> RefutingEvent | None:
        """What refutes rows; its variables are those of a group, and more."""
        return next((each for each in self.settlements if isinstance(each, RefutingEvent)), None)

    @cached_property
    def refuted(self) -> tuple[str, ...]:
        """The variables that a refuting event names beside those of a group."""
        return () if self.refuting is None else tuple(sorted({*self.refuting.by} - {*self.variables}))

    @cached_property
    def counted(self) -> int:
        """The column of the event that is counted: the one that matches gather."""
        [match] = self.layout.matches
        return self.layout.match(match)

    @cached_property
    def parts(self) -> tuple[Callable[[Any], Any] | None, ...]:
        """For each settlement how the values that it names follow from the key of a group; None if it names all."""
        names = self.variables
        return tuple(
            None if each is self.refuting else part_of_key(names, sorted(each.by)) for each in self.settlements
        )

    @cached_property
    def deciding(self) -> tuple[int, ...]:
        """The settlements by which the first match of a group decides its answer."""
        return tuple(number for number, each in enumerate(self.settlements) if isinstance(each, FirstMatch))

    @cached_property
    def partial(self) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
        """The settlements that name fewer variables than a group has."""
        return tuple((number, part) for number, part in enumerate(self.parts) if part is not None)

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """The settlements that bound the matches, each with its bound."""
        return tuple((n, each.most) for n, each in enumerate(self.settlements) if isinstance(each, MostMatches))

    @cached_property
    def limits(self) -> tuple[tuple[int, int], ...]:
        """The settlements for which matches must be counted, each with its bound."""
        return tuple((number, most) for number, most in self.bounds if most > 1)

    @cached_property
    def full_with_one(self) -> tuple[int, ...]:
        """The settlements of groups that are complete with their first event."""
        return tuple(number for number, most in self.bounds if most == 1)

    @cached_property
    def settles_itself(self) -> bool:
        """Whether every row is the only one of its group and end, so that nothing has to be kept of it."""
        bounded_only = not self.limits and not self.deciding
        return bounded_only and any(self.parts[number] is None for number in self.full_with_one)

    @cached_property
    def is_closed_only(self) -> bool:
        """Whether only events that come last settle rows, so that a row of its own settles nothing."""
        return not self.bounds and not self.deciding

    @cached_property
    def has_one_trace(self) -> bool:
        """Whether all rows of a group with one end have the same event trace: nothing but a window of the clock."""
        return self.of_one_window and len(self.layout.identifiers) == 1


class SettlingRows:
    """The waiting rows of a slot with settlements. They are plain data in the state, which the methods are given:

    `groups` has the rows of each group by the ends of their windows, and where they can be refuted also by the values
    that are refuted, `members` the groups in which a settlement's
    variables have some values, for settlements that name fewer variables than others; `counts` how many events there
    are of each end, with the number of the last one: an event may match in several ways; `ends` the groups of each end,
    and `decided` the values with which a first match has decided the answers of an end, until that has passed.
    """

    def __init__(self, slot: SettledSlot) -> None:
        self.slot = slot

    @staticmethod
    def empty() -> list[Any]:
        return [{}, {}, {}, {}, {}]

    @property
    def _waits(self) -> bool:
        """Whether ends are times, for which rows wait in the heap of the state."""
        return self.slot.state is None

    def add(self, state: State, data: list[Any], group: Any, until: Until, row: Row, refuted: Any) -> None:
        """Adds a row, and notes what is settled by it. `refuted` are the values with which it is refuted."""
        slot = self.slot
        groups, members, counts, ends, all_decided = data
        waiting = groups.get(group)
        if waiting is None:
            waiting = groups[group] = {}
            for number, part in slot.partial:
                members.setdefault((number, part(group)), {})[group] = None
        rows = waiting.get(until)
        if rows is None:
            waiting[until] = [row] if slot.refuting is None else {refuted: [row]}
            with_end = ends.get(until)
            if with_end is None:
                ends[until] = {group: None}
                if self._waits:
                    state.wait_for_groups(until, slot.number)
            else:
                if not with_end and self._waits:
                    state.stale -= 1
                with_end[group] = None
        elif slot.refuting is None:
            rows.append(row)
        else:
            rows.setdefault(refuted, []).append(row)
        if slot.is_closed_only:
            return
        for number in slot.full_with_one:
            state.settled.append((slot.number, number, self._values(number, group), until))
        for number, most in slot.limits:
            values = self._values(number, group)
            count, last = counts.get((number, values, until), (0, -1))
            event = row[slot.counted].number
            count += event != last
            counts[number, values, until] = count, event
            if count == most:
                state.settled.append((slot.number, number, values, until))
        for number in slot.deciding:
            decided = all_decided.get(until)
            if decided is None:  # it is remembered until no more can come that ends with the window
                decided = all_decided[until] = {}
                state.wait_for_groups(until + 1, slot.number)
            values = self._values(number, group)
            decided[number, values] = None
            state.settled.append((slot.number, number, values, until))

    def is_decided(self, data: list[Any], group: Any, until: Time) -> bool:
        """Returns whether a match before has decided the answer of a group."""
        decided = data[4].get(until, ())
        return any((number, self._values(number, group)) in decided for number in self.slot.deciding)

    def _values(self, number: int, group: Any) -> Any:
        """Returns the values that a settlement names, of the key of a group."""
        part = self.slot.parts[number]
        return group if part is None else part(group)

    def take_settled(
        self, state: State, data: list[Any], number: int, values: Any, until: Time | None
    ) -> list[tuple[Time, list[Row]]]:
        """Takes the rows that a settlement concerns, with the ends of their windows: one end, or all of them."""
        groups, members, _, ends, _ = data
        if self.slot.parts[number] is None:
            concerned = (values,) if values in groups else ()
        else:
            concerned = (*members.get((number, values), ()),)
        if until is not None:
            taken = [(until, self.take(data, group, until)) for group in concerned if until in groups[group]]
        elif self.slot.limits:
            taken = [(end, self.take(data, group, end)) for group in concerned for end in (*groups[group],)]
        else:
            taken = []
            for group in concerned:
                waiting = groups.pop(group)
                for end in waiting:
                    del ends[end][group]
                taken += self.of_ends(waiting)
                if self.slot.partial:
                    self._leave(members, group)
        for end, _ in taken:
            if self._waits:
                state.stale += not ends[end]
            elif not ends.get(end, True):
                del ends[end]
        return taken

    def refute(self, state: State, data: list[Any], group: Any, refuted: Any) -> None:
        """Drops the rows of a group that are refuted, and its ends that have no others."""
        waiting, ends = data[0][group], data[3]
        for until in [*waiting]:
            rows = waiting[until]
            rows.pop(refuted, None)
            if not rows:
                del waiting[until]
                with_end = ends[until]
                del with_end[group]
                if not with_end:
                    state.stale += 1
        if not waiting:
            del data[0][group]
            self._leave(data[1], group)

    def of_ends(self, waiting: dict[Time, Any]) -> Iterable[tuple[Time, list[Row]]]:
        """Returns the rows of a group by the ends of their windows, as they came."""
        if self.slot.refuting is None:
            return waiting.items()
        return [(until, self._as_they_came(rows)) for until, rows in waiting.items()]

    def _as_they_came(self, refutable: dict[Any, list[Row]]) -> list[Row]:
        rows = [row for several in refutable.values() for row in several]
        if len(self.slot.layout.matches) == 1:
            rows.sort(key=lambda row: row[self.slot.counted].number)
        return rows

    def due_state(self, data: list[Any], opening: Opening) -> list[Row]:
        """Takes the rows that wait for the end of a state, which is now known."""
        groups = [*data[3].get(opening.id, ())]
        rows = [row for group in groups for row in self.take(data, group, opening.id)]
        data[3].pop(opening.id, None)
        return [self.slot.ended(row, opening.until) for row in rows]

    def due(self, data: list[Any], until: Time) -> list[Row]:
        """Takes the rows whose windows have one end, in the order in which their events came, and forgets the end, and
        what was decided of the last one.
        """
        data[4].pop(until - 1, None)
        rows = [row for group in list(data[3].get(until, ())) for row in self.take(data, group, until)]
        if len(self.slot.layout.matches) == 1:
            counted = self.slot.counted
            rows.sort(key=lambda row: row[counted].number)
        data[3].pop(until, None)
        return rows

    def awaits(self, data: list[Any], until: Time) -> bool:
        """Returns whether rows wait for an end, or what was decided before it; it is forgotten if there are none."""
        if data[3].get(until) or until - 1 in data[4]:
            return True
        data[3].pop(until, None)
        return False

    def take(self, data: list[Any], group: Any, until: Until) -> list[Row]:
        """Takes the rows of a group whose windows have one end."""
        groups = data[0]
        waiting = groups[group]
        [(_, rows)] = self.of_ends({until: waiting.pop(until)})
        del data[3][until][group]
        if self.slot.limits:
            events = len({row[self.slot.counted].number for row in rows})
            for number, _ in self.slot.limits:
                _uncount(data[2], (number, self._values(number, group), until), events)
        if not waiting:
            del groups[group]
            self._leave(data[1], group)
        return rows

    def _leave(self, all_members: dict[Any, dict[Any, None]], group: Any) -> None:
        """Drops a group from those that settlements with fewer variables concern."""
        for number, part in self.slot.partial:
            key = number, part(group)
            members = all_members[key]
            del members[group]
            if not members:
                del all_members[key]


def _uncount(counts: dict[Any, tuple[int, int]], key: tuple[int, Any, Time], events: int) -> None:
    count, last = counts.get(key, (0, -1))
    if count > events:
        counts[key] = count - events, last
    else:
        counts.pop(key, None)
