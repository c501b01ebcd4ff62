"""From the rows of a step to its derived events, which the rules that query them see in the same step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from cera.algebra.layouts import Layout, Row
from cera.algebra.physical import Collect, Derive
from cera.codegen.functions import indented
from cera.engines.local.derived import CompletedAnswer, HeadDetection, RuleDetection
from cera.engines.local.head_source import flat_head
from cera.engines.local.heads import Head
from cera.engines.local.network import Finisher, Network
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.recursion import RecursiveRule
from cera.engines.local.row_stages import PRELUDE, named_row
from cera.engines.local.state import State
from cera.model.events.occurrence import Draft
from cera.model.events.states import ENDING, OPENING
from cera.model.expressions.constructs import free_variables
from cera.model.terms.term import Term


class EventDeriver(Finisher):
    """A head in a network, which makes events of all rows of a step."""

    def __init__(self, head: Head, plan: Derive | Collect, network: Network) -> None:
        self.head = head
        self.network = network
        self.one_body = isinstance(plan, Collect) or len(plan.bodies) == 1
        #: Whether lines are written that make the event of one row, or of one window, by itself.
        self.written = plan.head.written
        #: Whether some rule may query what this one derives.
        self.heard = network.plan.hears(head.construction)

    def __call__(self, state: State, rows: list[Row]) -> None:
        if self._single_rows is not None:
            self._single_rows(state, rows)
            return
        for begin, draft, group in self.head.events(rows):
            self.derive(state, begin, draft, group)

    @cached_property
    def _single_rows(self) -> Callable[[State, list[Row]], None] | None:
        """The function for heads that make an event of each row by itself; None for others."""
        if not self.written or self.head.gathers:
            return None
        writer = SourceWriter()
        lines = self.lines(Cells.of("row", len(self.head.layout.columns)), writer)
        function: Callable[[State, list[Row]], None] = writer.function(
            "derive", "state, rows", [PRELUDE, "for row in rows:", *indented(lines)]
        )
        return function

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        head = self.head
        construct = head.construction.head
        source = flat_head(construct, lambda name: cells[head.layout.data(name)], _none, writer, fitting=head.fits)
        assert source is not None, "the plan says that the head is simple"
        made, cells = named_row(cells, writer)
        begin = "now" if head.construction.momentary else self._begin(cells, writer)
        arguments = f"{begin}, now, {writer.name(head)}, {source.draft}, ({cells.row},)"
        new = f"{writer.name(HeadDetection)}({arguments})"
        return [
            *source.lines,
            f"if {source.undefined}: {writer.name(head.evaluator)}.undefined += 1",
            "else:",
            *indented(made),
            *indented(self.added(new, writer)),
        ]

    def added(self, new: str, writer: SourceWriter) -> list[str]:
        """Returns lines that add a derived event to those of the step."""
        if self.heard:
            return [f"{writer.name(self.add)}(state, {new})"]
        return [f"if state.derived: {writer.name(self.add)}(state, {new})", f"else: state.derived.append({new})"]

    def window(self, left: Layout) -> Callable[[State, list[Row]], None]:
        """Returns a function that makes events of the rows that one row of the left side was joined to: one event
        trace.
        """
        return self._of_one_trace(left.variables)

    def of_one_trace(self, variables: Sequence[str]) -> Callable[[State, list[Row]], None] | None:
        return self._of_one_trace(variables) if self.one_body else None  # rows of several bodies may lack events

    def _of_one_trace(self, variables: Sequence[str]) -> Callable[[State, list[Row]], None]:
        head, derive = self.head, self.derive
        in_order, build, begin, group_by = head.in_order, head.build, head.begin, head.group_by
        one_group = free_variables(head.construction.head).issubset(variables)
        written = self._of_one_group() if one_group else None
        if written is not None:
            return written

        def make(state: State, rows: list[Row]) -> None:
            rows = in_order(rows)
            for group in (rows,) if one_group else group_by(rows):
                for draft in build(group) or ():
                    if draft.__class__ is tuple or draft.__class__ is Term:
                        derive(state, begin(rows[0]), draft, group)
                    else:  # a scalar is not an event
                        head.evaluator.undefined += 1

        return make

    def _of_one_group(self) -> Callable[[State, list[Row]], None] | None:
        """Returns a function that makes the event of rows that are one group; None if the head is not simple."""
        head, writer = self.head, SourceWriter()
        layout = head.layout
        source = flat_head(
            head.construction.head,
            lambda name: f"row[{layout.data(name)}]",
            lambda name: f"other[{layout.data(name)}]",
            writer,
            fitting=head.fits,
        )
        if source is None or head.construction.traced:
            return None
        begin = "now" if head.construction.momentary else self._begin(Cells.of("row", len(layout.columns)), writer)
        new = f"{writer.name(HeadDetection)}({begin}, now, {writer.name(head)}, {source.draft}, others)"
        function: Callable[[State, list[Row]], None] = writer.function(
            "derive",
            "state, rows",
            [
                f"others = rows if len(rows) == 1 else {writer.name(head.in_order)}(rows)",
                "row, now = others[0], state.now",
                *source.lines,
                f"if {source.undefined}: {writer.name(head.evaluator)}.undefined += 1",
                "else:",
                *indented(self.added(new, writer)),
            ],
        )
        return function

    def _begin(self, cells: Cells, writer: SourceWriter) -> str:
        """Returns the source of the begin of the event of a row, of one body."""
        head = self.head
        return f"{writer.name(head)}.begin({cells.row})" if head.has_openings else begin_of(cells, head.layout)

    def derive(self, state: State, begin: int, content: Draft | Term, group: Sequence[Row]) -> None:
        assert state.now is not None
        begin = state.now if self.head.construction.momentary else begin
        self.add(state, HeadDetection(begin, state.now, self.head, content, group))

    def add(self, state: State, new: RuleDetection) -> None:
        """Adds an event of the step; if it was derived already, it is one event with several derivations."""
        known = _known(state, new) if state.derived else new
        if self.head.recursive is not None:
            self._recur(state, known, new, self.head.recursive)
        if known is not new:
            if known.more is None:
                known.more = []
            known.more.append(new)
            return
        state.derived.append(new)
        if not self.heard or state.is_opening:
            return
        occurrence = new.occurrence
        if state.is_settling:
            state.hear_later(occurrence)
        elif not (state.base and state.is_incoming(occurrence)):
            self.network.take(state, occurrence)

    def complete(self, state: State, begin: int, content: Draft | Term, row: Row, places: tuple[int, int]) -> None:
        """Derives an answer that was certain before its state has ended, now that it has."""
        assert state.now is not None
        position, opened = places
        opening = row[opened]
        ended = opening.relabelled(ENDING + opening.label.removeprefix(OPENING), state.now)
        row = (*row[:position], ended, *row[position + 1 :])
        self.add(state, CompletedAnswer(begin, state.now, self.head, content, (row,), opening.id))

    def _recur(self, state: State, known: RuleDetection, new: RuleDetection, rule: RecursiveRule) -> None:
        """Keeps a derivation of a recursion to be ranked at the end of the step, and counts it, and a new event."""
        state.recursive.append((known, new))
        if len(state.recursive) > rule.most_ways:
            raise rule.dense()
        if known is new:
            state.recurred += 1
            if state.recurred > rule.limit:
                raise rule.endless()


def _none(name: str) -> str:
    raise AssertionError(f"{name} is not collected")


def begin_of(cells: Cells, layout: Layout) -> str:
    """Returns the source of the first begin of the events of a row."""
    begins = [cells.begin(layout.event(identifier)) for identifier in layout.identifiers]
    if len(begins) == 2:
        return "({0} if {0} <= {1} else {1})".format(*begins)
    return f"min({', '.join(begins)})" if len(begins) > 1 else begins[0]


def _known(state: State, new: RuleDetection) -> RuleDetection:
    """Returns the event of the step that equals this one: itself if it is new."""
    if state.index is None:
        state.index = {derived.identity: derived for derived in state.derived}
    return state.index.setdefault(new.identity, new)
