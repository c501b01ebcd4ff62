"""The stages of rows that can be settled before their windows end, and of the events that settle them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cera.algebra.layouts import Row
from cera.engines.local.forgetting import closing_positions
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.settling import SettledSlot, SettlingRows
from cera.engines.local.state import State
from cera.model.time.interval import Time
from cera.rules.settlements import ClosingEvent

if TYPE_CHECKING:
    from cera.engines.local.network import Network


class SettlingStage(Stage):
    """The stage that keeps a row until its timers end, or until it is settled."""

    def __init__(self, slot: SettledSlot, timers: Sequence[int], network: Network, *, one_body: bool) -> None:
        self.slot = slot
        self.timers = timers
        self.network = network
        self.one_body = one_body
        self._rows = SettlingRows(slot)

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns lines that keep the row. One more of a group with the same end, which is settled by an event, is only
        added to the others. A row that settles itself, and is all that the step has, is not kept at all.
        """
        ends = [cells.end(position) for position in self.timers]
        until = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
        key = key_of([cells[self.slot.layout.data(name)] for name in self.slot.variables])
        group = writer.fresh("group")
        lines = [f"{group} = {key}"]
        keep = f"{writer.name(self._keep)}(state, {until}, {group}, {cells.tuple})"
        if self.slot.is_closed_only:
            kept = writer.fresh("kept")
            others = f"({kept} := {kept}[0].get({group})) is not None and ({kept} := {kept}.get({until})) is not None"
            return [
                *lines,
                f"{kept} = state.settling.get({self.slot.number})",
                f"if {kept} is not None and {others}: {kept}.append({cells.tuple})",
                f"else: {keep}",
            ]
        if self.slot.settles_itself and self.one_body and self.network.settles_at_once(writer):
            settle = writer.name(self.network.settlers[self.slot.number])
            return [
                *lines,
                f"if state.due or {until} <= now: {keep}",
                f"else: {settle}(state, {until}, [{cells.tuple}])",
            ]
        return [*lines, keep]

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
        """Returns lines that settle rows at the end of the step. Where the event is all that the step has, it is done
        at once, if rows wait for it: the stage is connected after all that gives some.
        """
        slot, number = self.slot.number, self.number
        values, closed = writer.fresh("values"), writer.fresh("closed")
        key = f"{values} = {key_of([cells[position] for position in self.positions])}"
        later = f"state.settled.append(({slot}, {number}, {values}, None))"
        if not self.network.settles_at_once(writer):
            return [key, later]
        is_group = self.slot.parts[number] is None
        waits = f"{values} in {closed}[0]" if is_group else f"({number}, {values}) in {closed}[1]"
        settle = f"{writer.name(self.network.closer(self.slot, number))}(state, {closed}, {values})"
        return [
            key,
            f"if ({closed} := state.settling.get({slot})) is not None and {waits}:",
            f"    if state.due: {later}",
            f"    else: {settle}",
        ]
