"""Windows as Python source: the rows in the window of a row, and whether there are any.

These lines run for every row that comes to an accumulation, so the few values that are known beforehand (the store,
the columns, the excluded events) are written into them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cera.algebra.layouts import Column, Layout, Row, shared_variables
from cera.algebra.operators import AntiSemiJoin, TemporalJoin
from cera.algebra.physical import Store
from cera.engines.local.conditions import compile_conditions
from cera.engines.local.python_source import Cells, SourceWriter, key_of
from cera.engines.local.state import State
from cera.model.evaluation.evaluator import Evaluator
from cera.model.time.containment import Containment

#: The tests of a row in the stretch of a window, which has set `begin` and `end`.
_CONTAINMENTS: Mapping[Containment, str] = {
    "inside": "(event_ := other[-1]).begin >= {begin}",
    "in-state": "(event_ := other[-1]).begin >= {begin}",
    "holding": "(event_ := other[-1]).begin <= {begin} and event_.begin < end <= event_.until",
    "sharing": "({begin} < (event_ := other[-1]).until or {begin} <= event_.begin == event_.until)",
    "common": "({begin} < (event_ := other[-1]).until and event_.begin < end "
    "or {begin} <= event_.begin == event_.until)",
}


@dataclass(frozen=True)
class Window:
    """R ⋈_{i⊒j} S or R ▷_{i⊒j} S over the layouts of both sides. A window holds the stored rows of the same key whose
    event lies inside it and is not an excluded one.
    """

    operator: TemporalJoin | AntiSemiJoin
    left: Layout
    right: Layout
    store: Store

    @property
    def shared(self) -> list[str]:
        return shared_variables(self.left, self.right)

    @cached_property
    def excluded(self) -> list[int]:
        """The positions of the excluded events in a row of the left side."""
        return [self.left.event(identifier) for identifier in sorted(self.operator.excluded)]

    @cached_property
    def new_columns(self) -> list[int]:
        """The columns of the right side that a row of the left side gets by the join: new data, and the match."""
        element = Column("event", self.operator.element)
        return [
            i for i, c in enumerate(self.right.columns) if (c.kind == "data" and c not in self.left) or c == element
        ]

    def key(self, cells: Cells) -> str:
        return key_of([cells[self.left.data(name)] for name in self.shared])

    def edges(self, cells: Cells) -> tuple[str, str]:
        """Returns the sources of the begin and the end of the window."""
        position = self.left.event(self.operator.window)
        return cells.begin(position), cells.end(position)

    def stretch(self, bucket: str, begin: str, end: str) -> list[str]:
        """Returns lines that find the stretch [low, high) of a bucket whose ends lie in the window.

        Openings of states stand at their begins, and may lie before the window.
        """
        match self.operator.containment:
            case "inside":
                low = [f"if ends[low] < {begin}: low = bisect_left(ends, {begin}, low)"]
            case "in-state":
                low = [f"if ends[low] <= {begin}: low = bisect_right(ends, {begin}, low)"]
            case "holding" | "sharing" | "common":
                low = []
        return [
            f"ends, low = {bucket}.ends, {bucket}.start",
            *low,
            f"high = len(ends) if ends[-1] <= {end} else bisect_right(ends, {end}, low)",
        ]

    def inside(self, begin: str, cells: Cells) -> str:
        """Returns the test that the event of an `other` row of the stretch lies in the window and is not excluded."""
        own = "id" if self.operator.containment in ("holding", "sharing", "common") else "number"  # of a state
        excluded = [f"event_.{own} != {cells[position]}.{own}" for position in self.excluded]
        return " and ".join([_CONTAINMENTS[self.operator.containment].format(begin=begin), *excluded])


def compile_window(window: Window, evaluator: Evaluator) -> Callable[[State, Row], Any]:
    """Returns a function to the rows that a row is joined to for ⋈_{i⊒j}, and to whether there are any for ▷_{i⊒j}."""
    left, right, operator = window.left, window.right, window.operator
    writer = SourceWriter()
    cells = Cells.of("row", len(left.columns))
    absent = isinstance(operator, AntiSemiJoin)  # conditions may name what is not there
    own = (c if c.kind == "data" or absent else Column("match", c.name) for c in right.columns if c not in left)
    both = left.with_(*own)
    test = compile_conditions(operator.condition, both, evaluator)
    inside = window.inside("begin", cells)
    if test:
        new = [i for i, column in enumerate(right.columns) if column not in left]
        inside += f" and {writer.name(test)}((*row, {_cells(new)}))"
    if isinstance(operator, AntiSemiJoin):
        nothing = "False"
        answer = ["for other in bucket.rows[low:high]:", f"    if {inside}: return True", "return False"]
    else:
        nothing = "()"
        joined = f"(*row, {_cells(window.new_columns)})"
        answer = [f"return [{joined} for other in bucket.rows[low:high] if {inside}]"]
    begin, end = window.edges(cells)
    body = [
        f"bucket = state.stores[{window.store.number}].get({window.key(cells)})",
        f"if bucket is None: return {nothing}",
        f"begin, end = {begin}, {end}",
        *window.stretch("bucket", "begin", "end"),
        *answer,
    ]
    function: Callable[[State, Row], Any] = writer.function("window", "state, row", body)
    return function


def _cells(positions: list[int]) -> str:
    return ", ".join(f"other[{i}]" for i in positions)
