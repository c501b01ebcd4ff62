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
from cera.engines.local.network import Step
from cera.engines.local.rows import Column, Layout, Row
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
    excluded = [left.event(identifier) for identifier in sorted(operator.excluded)]
    conditions = [
        "(event := other[-1]).begin >= begin",
        *(f"event.number != x{slot}" for slot in excluded),
        *([f"test((*row, {_cells([i for i, c in enumerate(right.columns) if c not in left])}))"] if test else []),
    ]
    inside = " and ".join(conditions)
    if isinstance(operator, AntiSemiJoin):
        nothing = "False"
        answer = ["for other in bucket.rows[low:high]:", f"    if {inside}: return True", "return False"]
    else:
        nothing = "()"
        new = [i for i, c in enumerate(right.columns) if (c.kind == "data" and c not in left) or c.kind == "event"]
        answer = [f"return [(*row, {_cells(new)}) for other in bucket.rows[low:high] if {inside}]"]
    lines = [
        f"bucket = step.state.stores[{store}].buckets.get({_key(left, shared)})",
        f"if bucket is None: return {nothing}",
        f"window = row[{left.event(operator.window)}]",
        "begin, end = window.begin, window.end",
        *(f"x{slot} = row[{slot}].number" for slot in excluded),
        "ends, low = bucket.ends, bucket.start",
        "if ends[low] < begin: low = bisect_left(ends, begin, low)",
        "high = len(ends) if ends[-1] <= end else bisect_right(ends, end, low)",
        *answer,
    ]
    scope: dict[str, Any] = {"bisect_left": bisect_left, "bisect_right": bisect_right, "test": test}
    source = "def window(step, row):\n" + "\n".join(f"    {line}" for line in lines)
    exec(source, scope)  # source made here from a checked program
    function: Callable[[Step, Row], Any] = scope["window"]
    return function


def _key(layout: Layout, variables: Sequence[str]) -> str:
    """The source of a row's key, as `compiler._key` computes it."""
    cells = [f"row[{layout.data(name)}]" for name in variables]
    return f"({', '.join(cells)})" if cells else "None"


def _cells(positions: Sequence[int]) -> str:
    return ", ".join(f"other[{i}]" for i in positions)
