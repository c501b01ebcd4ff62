"""Rows that wait for the end of a window and can be settled before, because nothing more can come that changes it.

A slot whose rule has settlements keeps its waiting rows by the values of the variables that the settlements name.
When one of them is settled, the rows are finished as if the end of their window had come: the answers have that end,
and are known now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cera.engines.local.forgetting import closing_positions
from cera.engines.local.group_keys import part_of_key
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.rows import Layout, Row
from cera.engines.local.state import State
from cera.model.time.interval import Time
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, Settlement

if TYPE_CHECKING:
    from cera.engines.local.network import Network


@dataclass(frozen=True)
class SettledSlot:
    """The settlements of a slot over the layout of its rows. A group has the values of all variables they name."""

    layout: Layout
    settlements: tuple[Settlement, ...]
    #: The slot, once it is known.
    slots: list[int] = field(default_factory=list)
    #: Whether a row waits for one periodic window, and so for the end of it.
    of_one_window: bool = False

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
    def is_closed_only(self) -> bool:
        """Whether only events that come last settle rows, so that a row of its own settles nothing."""
        return not self.bounds and not self.deciding

    @cached_property
    def has_one_trace(self) -> bool:
        """Whether all rows of a group with one end have the same event trace: nothing but a window of the clock."""
        return self.of_one_window and len(self.layout.identifiers) == 1


class SettlingRows:
    """The waiting rows of a slot with settlements. They are plain data in the state, which the methods are given:

    `groups` has the rows of each group by the ends of their windows, `members` the groups in which a settlement's
    variables have some values, for settlements that name fewer variables than others; `counts` how many events there
    are of each end, with the number of the last one: an event may match in several ways; `ends` the groups of each end,
    and `decided` the values with which a first match has decided the answers of an end, until that has passed.
    """

    def __init__(self, slot: SettledSlot) -> None:
        self.slot = slot

    @staticmethod
    def empty() -> list[Any]:
        return [{}, {}, {}, {}, {}]

    def add(self, state: State, data: list[Any], group: Any, until: Time, row: Row) -> None:
        """Adds a row, and notes what is settled by it."""
        slot = self.slot
        groups, members, counts, ends, all_decided = data
        waiting = groups.get(group)
        if waiting is None:
            waiting = groups[group] = {}
            for number, part in slot.partial:
                members.setdefault((number, part(group)), {})[group] = None
        rows = waiting.get(until)
        if rows is None:
            waiting[until] = [row]
            with_end = ends.get(until)
            if with_end is None:
                ends[until] = {group: None}
                state.wait_for_groups(until, slot.number)
            else:
                if not with_end:
                    state.stale -= 1
                with_end[group] = None
        else:
            rows.append(row)
        state.in_groups += 1
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

    def settled(self, data: list[Any], number: int, values: Any, until: Time | None) -> list[tuple[Any, Time]]:
        """Returns the groups and ends that a settlement concerns: those of one end, or of all."""
        groups = data[0]
        if self.slot.parts[number] is None:
            concerned = (values,) if values in groups else ()
        else:
            concerned = data[1].get((number, values), ())
        if until is None:
            return [(group, end) for group in concerned for end in groups[group]]
        return [(group, until) for group in concerned if until in groups[group]]

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

    def take(self, data: list[Any], group: Any, until: Time) -> list[Row]:
        """Takes the rows of a group whose windows have one end."""
        groups = data[0]
        waiting = groups[group]
        rows: list[Row] = waiting.pop(until)
        del data[3][until][group]
        if self.slot.limits:
            events = len({row[self.slot.counted].number for row in rows})
            for number, _ in self.slot.limits:
                _uncount(data[2], (number, self._values(number, group), until), events)
        if not waiting:
            del groups[group]
            for number, part in self.slot.partial:
                key = number, part(group)
                members = data[1][key]
                del members[group]
                if not members:
                    del data[1][key]
        return rows


def _uncount(counts: dict[Any, tuple[int, int]], key: tuple[int, Any, Time], events: int) -> None:
    count, last = counts.get(key, (0, -1))
    if count > events:
        counts[key] = count - events, last
    else:
        counts.pop(key, None)


class SettlingStage(Stage):
    """The stage that keeps a row until its timers end, or until it is settled."""

    def __init__(self, slot: SettledSlot, timers: Sequence[int]) -> None:
        self.slot = slot
        self.timers = timers
        self._rows = SettlingRows(slot)

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns lines that keep the row; one more of a group with the same end, which is settled by an event, is only
        added to the others.
        """
        ends = [cells.end(position) for position in self.timers]
        until = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
        group = key_of([cells[self.slot.layout.data(name)] for name in self.slot.variables])
        keep = f"{writer.name(self._keep)}(state, {until}, {group}, {cells.tuple})"
        if not self.slot.is_closed_only:
            return [keep]
        kept = writer.fresh("kept")
        others = f"({kept} := {kept}[0].get({group})) is not None and ({kept} := {kept}.get({until})) is not None"
        return [
            f"{kept} = state.settling.get({self.slot.number})",
            f"if {kept} is not None and {others}:",
            f"    {kept}.append({cells.tuple})",
            "    state.in_groups += 1",
            f"else: {keep}",
        ]

    def _keep(self, state: State, until: Time, group: Any, row: Row) -> None:
        slot = self.slot.number
        data = state.settling.get(slot)
        if data is not None and self.slot.deciding and self._rows.is_decided(data, group, until):
            return
        if state.now is not None and until <= state.now:
            state.make_ready(slot, row)
            return
        if data is None:
            data = state.settling[slot] = SettlingRows.empty()
        self._rows.add(state, data, group, until, row)


class ClosingStage(Stage):
    """The stage of a closing event: at the end of the step, the rows that wait with its values are settled."""

    def __init__(self, slot: SettledSlot, number: int, closing: ClosingEvent, network: Network) -> None:
        self.slot = slot
        self.number = number
        self.positions = closing_positions(closing)
        self.network = network

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns lines that settle rows at the end of the step. Where the event is all that the step has, they only do
        so if rows wait for it: it is connected after all that gives some.
        """
        slot, number = self.slot.number, self.number
        values = key_of([cells[position] for position in self.positions])
        settled = f"state.settled.append(({slot}, {number}, {values}, None))"
        if not writer.alone or self.network.queries_what_it_derives:
            return [settled]
        waiting = f"{values} in closed[0]" if self.slot.parts[number] is None else f"({number}, {values}) in closed[1]"
        return [f"if (closed := state.settling.get({slot})) is not None and {waiting}: {settled}"]
