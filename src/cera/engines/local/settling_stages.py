"""The stages of rows that can be settled before their windows end, and of the events that settle them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cera.algebra.layouts import Layout, Row
from cera.codegen.functions import indented
from cera.engines.local.forgetting import closing_positions
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.row_stages import Stage
from cera.engines.local.settling import SettledSlot, SettlingRows
from cera.engines.local.state import State
from cera.model.events.occurrence import Opening
from cera.model.events.states import OPEN
from cera.model.time.interval import Time
from cera.rules.settlements import ClosingEvent

if TYPE_CHECKING:
    from cera.engines.local.network import Network


class OpenStateStage(Stage):
    """R ⋈ X[s: as long as s#open holds]: the row with the state, whose end is not known yet."""

    def __init__(self, anchor: int, then: Stage) -> None:
        self.anchor = anchor
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        state = writer.fresh("open")
        timed = Cells((*cells.columns, state), (*cells.names, state), None, cells.edges)
        return [f"{state} = {cells[self.anchor]}.without_end()", *self.then.write(timed, writer)]


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
        if self.slot.state is not None:
            return self._until_state_ends(cells, writer)
        ends = [cells.end(position) for position in self.timers]
        until = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
        key = key_of([cells[self.slot.layout.data(name)] for name in self.slot.variables])
        group = writer.fresh("group")
        lines = [f"{group} = {key}"]
        refuted = key_of([cells[self.slot.layout.data(name)] for name in self.slot.refuted])
        keep = f"{writer.name(self._keep)}(state, {until}, {group}, {cells.tuple}, {refuted})"
        if self.slot.is_closed_only:
            return [*lines, *self._closed_only(cells, writer, until, group, refuted, keep)]
        if self.slot.settles_itself and self.one_body and self.network.settles_at_once(writer):
            settle = writer.name(self.network.settlers[self.slot.number])
            return [
                *lines,
                f"if state.due or {until} <= now: {keep}",
                f"else: {settle}(state, {until}, [{cells.tuple}])",
            ]
        return [*lines, keep]

    def _closed_only(
        self, cells: Cells, writer: SourceWriter, until: str, group: str, refuted: str, keep: str
    ) -> list[str]:
        """Returns lines that add the row to others of its group with the same end, or as the first one of its group to
        an end that others wait for.
        """
        kept, waiting, rows, ends = (writer.fresh(name) for name in ("kept", "waiting", "rows", "ends"))
        row = cells.tuple
        first, more = f"[{row}]", f"{rows}.append({row})"
        if self.slot.refuting is not None:
            first = f"{{{refuted}: [{row}]}}"
            more = f"if {refuted} in {rows}: {rows}[{refuted}].append({row})\n    else: {rows}[{refuted}] = [{row}]"
        lines = [
            f"{kept} = state.settling.get({self.slot.number})",
            f"{waiting} = None if {kept} is None else {kept}[0].get({group})",
            f"{rows} = None if {waiting} is None else {waiting}.get({until})",
            f"if {rows} is not None:",
            *indented(more.split("\n    ")),
        ]
        if not self.slot.partial:
            lines += [
                f"elif {waiting} is None and {kept} is not None and ({ends} := {kept}[3].get({until})):",
                f"    {kept}[0][{group}], {ends}[{group}] = {{{until}: {first}}}, None",
            ]
        return [*lines, f"else: {keep}"]

    def _until_state_ends(self, cells: Cells, writer: SourceWriter) -> list[str]:
        assert self.slot.state is not None
        opening = cells[self.slot.state[1]]
        key = key_of([cells[self.slot.layout.data(name)] for name in self.slot.variables])
        return [f"{writer.name(self._keep_open)}(state, {opening}, {key}, {cells.tuple})"]

    def _keep_open(self, state: State, opening: Opening, group: Any, row: Row) -> None:
        """Keeps a row until its state ends; it has ended if it ends in this step."""
        slot = self.slot.number
        if opening.until != OPEN:
            state.make_ready(slot, self.slot.ended(row, opening.until))
            return
        data = state.settling.get(slot)
        if data is None:
            data = state.settling[slot] = SettlingRows.empty()
        self._rows.add(state, data, group, opening.id, row, None)

    def _keep(self, state: State, until: Time, group: Any, row: Row, refuted: Any) -> None:
        slot = self.slot.number
        data = state.settling.get(slot)
        if data is not None and self.slot.deciding and self._rows.is_decided(data, group, until):
            return
        if state.now is not None and until <= state.now:
            state.make_ready(slot, row)
            return
        if data is None:
            data = state.settling[slot] = SettlingRows.empty()
        self._rows.add(state, data, group, until, row, refuted)


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
        if self.slot.state is not None or not self.network.settles_at_once(writer):
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


class RefutingStage(Stage):
    """The stage of an event that is alone in its step and refutes the rows that wait with its values: they go."""

    def __init__(self, slot: SettledSlot, layout: Layout, network: Network) -> None:
        self.slot = slot
        self.layout = layout
        self.network = network
        self._rows = SettlingRows(slot)

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns lines that drop the rows. None of them is complete: those whose windows end now have made a step of
        it.
        """
        group, refuted = (
            key_of([cells[self.layout.data(name)] for name in names])
            for names in (self.slot.variables, self.slot.refuted)
        )
        kept, waiting, rows = writer.fresh("kept"), writer.fresh("waiting"), writer.fresh("rows")
        refute = f"{writer.name(self._refute)}(state, {kept}, {group}, {refuted})"
        return [
            f"{kept} = state.settling.get({self.slot.number})",
            f"{waiting} = None if {kept} is None else {kept}[0].get({group})",
            f"if {waiting} is not None:",
            f"    for {rows} in {waiting}.values():",
            f"        if {refuted} in {rows}:",
            f"            if len({rows}) > 1: del {rows}[{refuted}]",
            f"            else: {refute}; break",
        ]

    def _refute(self, state: State, data: list[Any], group: Any, refuted: Any) -> None:
        self._rows.refute(state, data, group, refuted)
        if state.stale:
            self.network.drop_settled(state)
