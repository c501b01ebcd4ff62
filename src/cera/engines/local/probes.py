"""Looks into windows as stages of a row, and as the finishers of slots."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from cera.algebra.layouts import Row
from cera.algebra.operators import AntiSemiJoin
from cera.codegen.functions import indented
from cera.engines.local.network import Finisher
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.row_stages import PRELUDE, Stage
from cera.engines.local.state import State
from cera.engines.local.windows import Window, compile_window
from cera.model.evaluation.evaluator import Evaluator


class RowProbe(Stage):
    """A look into the window of a row: the rows in it are joined to the row, or the row goes on if there are none."""

    def __init__(self, window: Window, evaluator: Evaluator, then: Stage) -> None:
        self.window = window
        self.then = then
        self._found: Callable[[State, Row], Any] = compile_window(window, evaluator)

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        found = f"{writer.name(self._found)}(state, {cells.tuple})"
        if isinstance(self.window.operator, AntiSemiJoin):
            return [f"if not {found}:", *indented(self.then.write(cells, writer))]
        row = writer.fresh("row")
        width = len(cells.columns) + len(self.window.new_columns)
        writer.depth += 1
        inner = self.then.write(Cells.of(row, width), writer)
        writer.depth -= 1
        return [f"for {row} in {found}:", *indented(inner)]


class SlotProbe(Finisher):
    """The finisher of a slot that looks into the windows of all its rows."""

    def __init__(self, probe: RowProbe) -> None:
        self.probe = probe

    def __call__(self, state: State, rows: list[Row]) -> None:
        self._probe(state, rows)

    @cached_property
    def _probe(self) -> Callable[[State, list[Row]], None]:
        writer = SourceWriter()
        writer.depth = 1
        lines = self.probe.lines(Cells.of("row", len(self.probe.window.left.columns)), writer)
        function: Callable[[State, list[Row]], None] = writer.function(
            "probe", "state, rows", [PRELUDE, "for row in rows:", *indented(lines)]
        )
        return function
