"""Python's recursion limit for deep expressions.

The literals of a body become a chain of operators, and functions that walk along it call themselves for each of them.
Python's limit on that, a thousand calls, is meant to catch recursion without end; the depth of an expression is bounded
anyway, as a branch has at most 400 literals (XC112). The limit is raised only for programs that need it, and not
lowered.
"""

from __future__ import annotations

import sys

from cera.algebra.operators import Expression, inputs
from cera.algebra.plan import Plan

#: The depth up to which Python's own limit is enough.
_SHALLOW = 40

#: The most calls that one more operator can need.
_CALLS = 16


def make_room(plan: Plan) -> None:
    """Lets functions call themselves as deep as the expressions of a plan are."""
    depth = sum(depth_of(point.expression) for point in plan.points if not point.result)  # behind references
    depth += max((depth_of(point.expression) for point in plan.points), default=0)
    make_room_for(depth)


def make_room_for(depth: int) -> None:
    """Lets functions call themselves for expressions of this depth."""
    if depth > _SHALLOW:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 1_000 + _CALLS * depth))


def depth_of(expression: Expression) -> int:
    """Returns the number of operators on the longest way down."""
    deepest = 0
    waiting = [(expression, 1)]
    while waiting:
        part, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(below, depth + 1) for below in inputs(part)]
    return deepest
