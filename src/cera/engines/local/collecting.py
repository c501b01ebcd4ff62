"""C[h](μ(R ⋈_{i⊒j} S)): a window whose rows go straight into a head.

The rows of one window are all those of one event trace, if R has no trace twice. Then they need not be gathered and
grouped again, and for simple heads a pair becomes a row only when the causes of the event are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from cera.algebra.layouts import Row
from cera.codegen.functions import indented, tuple_of
from cera.engines.local.derived import WindowDetection, WindowHead
from cera.engines.local.deriving import EventDeriver, begin_of
from cera.engines.local.head_source import HeadSource, flat_head, summed_variables
from cera.engines.local.heads import Trace
from cera.engines.local.network import Finisher
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.row_stages import PRELUDE
from cera.engines.local.state import State
from cera.engines.local.windows import Window, compile_window


class WindowCollector(Finisher):
    """The finisher of a slot that looks up the windows of its rows, and derives the events of what they hold."""

    def __init__(self, window: Window, deriver: EventDeriver) -> None:
        self.window = window
        self.deriver = deriver
        self._trace = Trace(window.left)
        self._found = compile_window(window, deriver.head.evaluator)

    def __call__(self, state: State, rows: list[Row]) -> None:
        if len(rows) == 1 or len({self._trace(row) for row in rows}) == len(rows):
            for row in rows:
                self._one_row(state, row)
        else:
            self.deriver(state, [joined for row in rows for joined in self._found(state, row)])

    def _one_by_one(self, state: State, row: Row) -> None:
        if found := self._found(state, row):
            self._make(state, found)

    @cached_property
    def _make(self) -> Callable[[State, list[Row]], None]:
        """What makes events of the rows in a window."""
        return self.deriver.window(self.window.left)

    @cached_property
    def _one_row(self) -> Callable[[State, Row], None]:
        if not self.deriver.written:
            return self._one_by_one
        writer = SourceWriter()
        lines = self.lines(Cells.of("row", len(self.window.left.columns)), writer)
        buckets = [f"{name} = None" for name in writer.buckets]
        function: Callable[[State, Row], None] = writer.function("collect", "state, row", [PRELUDE, *buckets, *lines])
        return function

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        """Returns the lines for one row. Buckets that are not plain are left to `_one_by_one`, which differs only in
        speed.
        """
        window = self.window
        source = self._head(cells, writer)
        key = window.key(cells)
        bucket = writer.bucket(window.store.number, key)
        begin, end = window.edges(cells)
        plain = [
            *window.stretch(bucket, begin, end),
            *self._others(bucket, begin, cells),
            "if others:",
            *indented(source.lines),
            f"    if {source.undefined}: {writer.name(self.deriver.head.evaluator)}.undefined += 1",
            "    else:",
            *indented(indented(self.deriver.added(self._derived(source, cells, writer), writer))),
        ]
        return [
            f"if {bucket} is None: {bucket} = stores[{window.store.number}].get({key})",
            f"if {bucket} is None: pass",
            f"elif not {bucket}.plain: {writer.name(self._one_by_one)}(state, {cells.tuple})",
            "else:",
            *indented(plain),
        ]

    def _head(self, cells: Cells, writer: SourceWriter) -> HeadSource:
        left, right = self.window.left, self.window.right

        def cell(name: str) -> str:
            return cells[left.data(name)] if name in left.variables else "None"

        def collected(name: str) -> str:
            return cells[left.data(name)] if name in left.variables else f"other[{right.data(name)}]"

        construct = self.deriver.head.construction.head
        ordinary = not (summed_variables(construct) & set(left.variables))
        source = flat_head(construct, cell, collected, writer, ordinary=ordinary)
        assert source is not None, "the plan says that the head is simple"
        return source

    def _others(self, bucket: str, begin: str, cells: Cells) -> list[str]:
        """Returns lines for the window's rows without its own event, which is mostly the last one, just added."""
        if not self.window.excluded:
            return [f"others = {bucket}.rows[low:high]"]
        [excluded] = self.window.excluded
        return [
            f"rows = {bucket}.rows",
            f"if low < high and rows[high - 1][-1] is {cells[excluded]}: others = rows[low:high - 1]",
            f"else: others = [other for other in rows[low:high] if {self.window.inside(begin, cells)}]",
        ]

    def _derived(self, source: HeadSource, cells: Cells, writer: SourceWriter) -> str:
        window_head = WindowHead(self.deriver.head, source, cells, self.window.new_columns, writer)
        values, parts = tuple_of(source.values), tuple_of(window_head.parts)
        momentary = self.deriver.head.construction.momentary
        first = "now" if momentary else begin_of(cells, self.window.left)
        return f"{writer.name(WindowDetection)}({first}, now, {writer.name(window_head)}, {values}, {parts}, others)"
