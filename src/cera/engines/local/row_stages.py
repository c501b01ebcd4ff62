"""The stages of a new row on its way through the network; every stage writes itself as lines of Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from cera.algebra.layouts import Layout, Row
from cera.codegen.functions import indented
from cera.engines.local.conditions import write_conditions
from cera.engines.local.occurrence import TimerOccurrence, WindowOccurrence
from cera.engines.local.python_source import DEEPEST, MOST_NESTED, Cells, SourceWriter
from cera.engines.local.state import State
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import Expression
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval
from cera.model.time.periodic_windows import Period
from cera.model.time.timers import TIMERS, relative_timer

#: Fewer stages that wait for states are written out one after the other.
_FEW = 4

#: The first line of every generated function over a `state`.
PRELUDE = "stores, now = state.stores, state.now"


class Stage(ABC):
    """A step in the processing of a row, written as lines over `state`, `stores` and `now`; it can also be called."""

    #: The label of the openings of states of which one must hold for the stage to do anything; None if it always may.
    gate: str | None = None
    _function: Callable[[State, Row], None] | None = None

    @abstractmethod
    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns the lines that process a row with these cells."""

    def __call__(self, state: State, row: Row) -> None:
        if self._function is None:  # not earlier: consumers are connected after the stage was made
            writer = SourceWriter()
            body = self.lines(Cells.of("row", len(row)), writer)
            self._function = writer.function("stage", "state, row", [PRELUDE, *body])
        self._function(state, row)

    def write(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns the lines, or a call where they would be nested in too many loops or other stages."""
        if writer.depth < DEEPEST and writer.nested < MOST_NESTED:
            writer.nested += 1
            lines = self.lines(cells, writer)
            writer.nested -= 1
            return lines
        return [f"{writer.name(self)}(state, {cells.tuple})"]


def named_row(cells: Cells, writer: SourceWriter) -> tuple[list[str], Cells]:
    """Returns the row as a tuple under a name: the lines that make it, and its cells."""
    if cells.row is not None:
        return [], cells
    name = writer.fresh("row")
    return [f"{name} = {cells.tuple}"], replace(cells, row=name)


class Broadcast(Stage):
    """The stage that passes the row to all consumers of a materialization point.

    Many consumers that wait for states are suspended while none of their states holds: they cost nothing then.
    """

    def __init__(self, consumers: Sequence[Stage]) -> None:
        self.consumers = consumers

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        gated = [consumer for consumer in self.consumers if consumer.gate is not None]
        if len(gated) < _FEW:
            return [line for consumer in self.consumers for line in consumer.write(cells, writer)] or ["pass"]
        always = [consumer for consumer in self.consumers if consumer.gate is None]
        lines = [line for consumer in always for line in consumer.write(cells, writer)]
        return [*lines, f"if state.gates: {writer.name(self._pass_to_active)}(state, {cells.tuple})"]

    def _pass_to_active(self, state: State, row: Row) -> None:
        for gate in state.gates:
            for consumer in self._by_gate.get(gate, ()):
                consumer(state, row)

    @cached_property
    def _by_gate(self) -> Mapping[str, Sequence[Stage]]:
        found: dict[str, list[Stage]] = {}
        for consumer in self.consumers:
            if consumer.gate is not None:
                found.setdefault(consumer.gate, []).append(consumer)
        return found


class Fit(Stage):
    """The stage that picks other columns of the row: those at some positions, None where there is no position."""

    def __init__(self, positions: Sequence[int | None], then: Stage) -> None:
        self.positions = positions
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        return self.then.write(cells.picked(self.positions), writer)


class Select(Stage):
    """σ[c]"""

    def __init__(self, conditions: Sequence[Expression], layout: Layout, evaluator: Evaluator, then: Stage) -> None:
        self.conditions = conditions
        self.layout = layout
        self.evaluator = evaluator
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        condition = write_conditions(self.conditions, self.layout, self.evaluator, cells, writer)
        return [f"if {condition}:", *indented(self.then.write(cells, writer))]


class TimerStage(Stage):
    """R ⋈ X[i: kind[j, d]]: the row with its timer; dropped if the timer does not happen."""

    def __init__(self, kind: str, duration: Duration, anchor: int, then: Stage) -> None:
        self.kind = kind
        self.duration = duration
        self.anchor = anchor
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        if self.duration.months:
            return self._by_calendar(cells, writer)
        begin, end = writer.fresh("begin"), writer.fresh("end")
        edges = {"begin": cells.begin(self.anchor), "end": cells.end(self.anchor)}
        (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[self.kind]
        length = self.duration.microseconds
        kind, duration = writer.name(self.kind), writer.name(self.duration)
        timed = cells.with_timer(
            f"TimerOccurrence({begin}, {end}, {kind}, {duration}, {cells[self.anchor]})", begin, end
        )
        return [
            f"{begin} = {edges[begin_edge]} + {begin_sign * length}",
            f"{end} = {edges[end_edge]} + {end_sign * length}",
            f"if {MIN_TIME} <= {begin} <= {end} <= {MAX_TIME}:",
            *indented(self.then.write(timed, writer)),
        ]

    def _by_calendar(self, cells: Cells, writer: SourceWriter) -> list[str]:
        kind, duration = self.kind, self.duration

        def timer_of(anchor: TimerOccurrence) -> TimerOccurrence | None:
            interval = relative_timer(kind, Interval(anchor.begin, anchor.end), duration)
            return None if interval is None else TimerOccurrence(interval.begin, interval.end, kind, duration, anchor)

        timer = writer.fresh("timer")
        timed = Cells((*cells.columns, timer), (*cells.names, timer), None, cells.edges)
        return [
            f"{timer} = {writer.name(timer_of)}({cells[self.anchor]})",
            f"if {timer} is not None:",
            *indented(self.then.write(timed, writer)),
        ]


class WindowStage(Stage):
    """R ⋈ W[i: p ⊒ j1, …]: the row with each window of a period around its events at some positions."""

    def __init__(self, period: Period, over: Sequence[int], then: Stage) -> None:
        self.period = period
        self.over = over
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        if self.period.length == self.period.slide:
            return self._only_window(cells, writer)
        begin, end = writer.fresh("begin"), writer.fresh("end")
        first, last = writer.fresh("first"), writer.fresh("last")
        length, slide, origin = self.period
        begins = ", ".join([*(cells.begin(position) for position in self.over), str(MAX_TIME - length + 1)])
        ends = ", ".join(cells.end(position) for position in self.over)
        latest = f"max({ends})" if len(self.over) > 1 else ends
        windowed = cells.with_timer(f"WindowOccurrence({begin}, {end}, {slide})", begin, end)
        writer.depth += 1
        inner = self.then.write(windowed, writer)
        writer.depth -= 1
        return [
            f"{first} = max({latest} - {length - 1}, {MIN_TIME})",
            f"{last} = min({begins})",
            f"for {begin} in range({first} + ({origin} - {first}) % {slide}, {last} + 1, {slide}):",
            f"    {end} = {begin} + {length - 1}",
            *indented(inner),
        ]

    def _only_window(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns the lines for windows of which one begins where another ends; rows of one window share its event."""
        begin, end, window = writer.fresh("begin"), writer.fresh("end"), writer.fresh("window")
        length, _, origin = self.period
        ends = [cells.end(position) for position in self.over]
        latest = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
        last_window = writer.name([WindowOccurrence(MIN_TIME - 1, MIN_TIME - 1, length)])
        windowed = cells.with_timer(window, begin, end)
        windowed = replace(windowed, names=(*windowed.names, window))
        around = " and ".join(f"{begin} <= {cells.begin(position)}" for position in self.over)
        return [
            f"{begin} = {latest}",
            f"{begin} -= ({begin} - {origin}) % {length}" if origin else f"{begin} -= {begin} % {length}",
            f"if {MIN_TIME} <= {begin} <= {MAX_TIME - length + 1} and {around}:",
            f"    {end} = {begin} + {length - 1}",
            f"    {window} = {last_window}[0]",
            f"    if {window}.begin != {begin}:",
            f"        {window} = {last_window}[0] = WindowOccurrence({begin}, {end}, {length})",
            *indented(self.then.write(windowed, writer)),
        ]


class BoundedWindowStage(Stage):
    """R ⋈ W[i: [f, g]]: the row with the window between two times; dropped if that does not happen."""

    def __init__(self, bounds: Bounds, positions: Mapping[str, int], then: Stage) -> None:
        self.bounds = bounds
        self.positions = positions
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        begin, end = writer.fresh("begin"), writer.fresh("end")
        windowed = cells.with_timer(f"WindowOccurrence({begin}, {end}, 0)", begin, end)
        if any(edge.by.months for edge in (*self.bounds.begin, *self.bounds.end)):
            return self._by_calendar(cells, windowed, (begin, end), writer)
        bounds = [[self._edge(edge, cells) for edge in bound] for bound in (self.bounds.begin, self.bounds.end)]
        dated = [f"{MIN_TIME} <= {edge} <= {MAX_TIME}" for bound in bounds if len(bound) > 1 for edge in bound]
        latest = [bound[0] if len(bound) == 1 else f"max({', '.join(bound)})" for bound in bounds]
        return [
            f"{begin}, {end} = {latest[0]}, {latest[1]}",
            f"if {' and '.join([f'{MIN_TIME} <= {begin} <= {end} <= {MAX_TIME}', *dated])}:",
            *indented(self.then.write(windowed, writer)),
        ]

    def _edge(self, edge: MovedEdge, cells: Cells) -> str:
        if edge.identifier is None:
            return str(edge.by.microseconds)
        position = self.positions[edge.identifier]
        source = cells.begin(position) if edge.edge == "begin" else cells.end(position)
        return f"{source} + {edge.by.microseconds}" if edge.by.microseconds else source

    def _by_calendar(self, cells: Cells, windowed: Cells, edges: tuple[str, str], writer: SourceWriter) -> list[str]:
        bounds, names = self.bounds, tuple(self.positions)

        def window_of(*times: int) -> tuple[int, int] | None:
            known = {name: Interval(times[2 * i], times[2 * i + 1]) for i, name in enumerate(names)}
            return bounds.interval(known)

        window = writer.fresh("window")
        times = [edge for position in self.positions.values() for edge in (cells.begin(position), cells.end(position))]
        return [
            f"{window} = {writer.name(window_of)}({', '.join(times)})",
            f"if {window} is not None:",
            f"    {edges[0]}, {edges[1]} = {window}",
            *indented(self.then.write(windowed, writer)),
        ]


class SlotStage(Stage):
    """The stage that puts the row into a slot until the end of the step, and before that until its timers end, if any.

    In the function for the only event of a step the slot is finished at the end of the function itself.
    """

    def __init__(self, slot: int, timers: Sequence[int] = ()) -> None:
        self.slot = slot
        self.timers = timers

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        slot = self.slot
        if self.timers:
            ends = [cells.end(position) for position in self.timers]
            until = f"max({', '.join(ends)})" if len(ends) > 1 else ends[0]
            return [f"state.wait({until}, {slot}, {cells.tuple})"]
        if writer.depth == 0 and writer.finishes_itself(slot):
            return writer.finish_later(slot, cells)
        return [
            f"if {slot} in state.ready: state.ready[{slot}].append({cells.tuple})",
            f"else: state.ready[{slot}] = [{cells.tuple}]; heappush(state.due, {slot})",
        ]
