"""Windows as Python source: what lies in the window of a row, and whether anything does.

These functions run for every row that comes to an accumulation, so the few values that are known beforehand (the
store, the columns, the excluded events) are written into them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from cera.algebra.operators import AntiSemiJoin, TemporalJoin
from cera.engines.local.conditions import compile_conditions
from cera.engines.local.deriving import Deriving
from cera.engines.local.head_source import flat_head
from cera.engines.local.heads import Joined
from cera.engines.local.network import Step
from cera.engines.local.rows import Column, Layout, Row
from cera.model.constructs import free_variables
from cera.model.evaluation import Evaluator


def compile_window(
    operator: TemporalJoin | AntiSemiJoin,
    left: Layout,
    right: Layout,
    shared: Sequence[str],
    store: int,
    evaluator: Evaluator,
) -> Callable[[Step, Row], Any]:
    """For ⋈_{i⊒j} the rows that a row is joined to, for ▷_{i⊒j} whether there are any.

    A window holds the stored rows of the same key whose event lies inside it and is none of the excluded ones.
    """
    both = left.with_(*(c if c.kind == "data" else Column("match", c.name) for c in right.columns if c not in left))
    test = compile_conditions(operator.condition, both, evaluator)
    inside = _inside(operator, left)
    if test:
        inside += f" and test((*row, {_cells([i for i, c in enumerate(right.columns) if c not in left])}))"
    if isinstance(operator, AntiSemiJoin):
        answer = ["for other in bucket.rows[low:high]:", f"    if {inside}: return True", "return False"]
    else:
        answer = [f"return [(*row, {_cells(new_columns(left, right))}) for other in bucket.rows[low:high] if {inside}]"]
    lines = [*_found(operator, left, shared, store, "False" if isinstance(operator, AntiSemiJoin) else "()"), *answer]
    return _function(lines, {"test": test})


def compile_collection(
    operator: TemporalJoin, left: Layout, right: Layout, shared: Sequence[str], store: int, deriving: Deriving
) -> Callable[[Step, Row], Any] | None:
    """Collects what lies in the window of a row and derives the head's event of it at once, for simple heads.

    Buckets that are not plain are left to `compile_window`, from which this differs in speed only: no row is made of
    the pairs before someone asks for the causes of the event.
    """
    head = deriving.head
    excluded = [left.event(identifier) for identifier in sorted(operator.excluded)]
    source = flat_head(
        head.construction.head,
        lambda name: f"row[{left.data(name)}]" if name in left.variables else "None",
        lambda name: f"row[{left.data(name)}]" if name in left.variables else f"other[{right.data(name)}]",
    )
    in_left = free_variables(head.construction.head).issubset(left.variables)
    if source is None or head.formal or operator.condition or len(excluded) > 1 or not in_left:
        return None
    begins = [f"row[{left.event(identifier)}].begin" for identifier in left.identifiers]
    lines = [
        *_found(operator, left, shared, store, "None"),
        "if not bucket.plain:",
        "    joined = window(step, row)",
        "    return make(step, joined) if joined else None",
        "others = bucket.rows[low:high]",
        *(_without_own(operator, left, excluded[0]) if excluded else []),
        "if not others: return None",
        *(line[4:] for line in source.lines),
        f"begin = min({', '.join(begins)})" if len(begins) > 1 else f"begin = {begins[0]}",
        f"derive(step, begin, {source.draft}, Joined(row, others, columns))",
    ]
    scope = {
        "window": compile_window(operator, left, right, shared, store, head.evaluator),
        "make": deriving.window(left),
        "derive": deriving.derive,
        "Joined": Joined,
        "columns": new_columns(left, right),
        "evaluator": head.evaluator,
    }
    return _function(lines, {**scope, **source.constants})


def _without_own(operator: TemporalJoin, left: Layout, slot: int) -> list[str]:
    """Takes out the event that the window is relative to, which most often is the last one, just added."""
    return [
        f"if others and others[-1][-1] is row[{slot}]: del others[-1]",
        f"else: others = [other for other in others if {_inside(operator, left)}]",
    ]


def new_columns(left: Layout, right: Layout) -> list[int]:
    """The columns of the right side that a row of the left side gets by the join: new data, and the match."""
    return [i for i, c in enumerate(right.columns) if (c.kind == "data" and c not in left) or c.kind == "event"]


def _found(
    operator: TemporalJoin | AntiSemiJoin, left: Layout, shared: Sequence[str], store: int, nothing: str
) -> list[str]:
    """Lines that find the stretch [low, high) of the bucket of a row's key whose ends lie in its window."""
    return [
        f"bucket = step.state.stores[{store}].buckets.get({_key(left, shared)})",
        f"if bucket is None: return {nothing}",
        f"window_ = row[{left.event(operator.window)}]",
        "begin, end = window_.begin, window_.end",
        *(f"x{slot} = row[{slot}].number" for slot in _excluded(operator, left)),
        "ends, low = bucket.ends, bucket.start",
        "if ends[low] < begin: low = bisect_left(ends, begin, low)",
        "high = len(ends) if ends[-1] <= end else bisect_right(ends, end, low)",
    ]


def _inside(operator: TemporalJoin | AntiSemiJoin, left: Layout) -> str:
    """The test that a row of the stretch lies in the window and is not excluded."""
    excluded = [f"event.number != x{slot}" for slot in _excluded(operator, left)]
    return " and ".join(["(event := other[-1]).begin >= begin", *excluded])


def _excluded(operator: TemporalJoin | AntiSemiJoin, left: Layout) -> list[int]:
    return [left.event(identifier) for identifier in sorted(operator.excluded)]


def _function(lines: Sequence[str], scope: dict[str, Any]) -> Callable[[Step, Row], Any]:
    scope |= {"bisect_left": bisect_left, "bisect_right": bisect_right}
    exec("\n".join(["def found(step, row):", *(f"    {line}" for line in lines)]), scope)  # of a checked program
    function: Callable[[Step, Row], Any] = scope["found"]
    return function


def _key(layout: Layout, variables: Sequence[str]) -> str:
    """The source of a row's key, as `compiler._key` computes it."""
    cells = [f"row[{layout.data(name)}]" for name in variables]
    return f"({', '.join(cells)})" if cells else "None"


def _cells(positions: Sequence[int]) -> str:
    return ", ".join(f"other[{i}]" for i in positions)
