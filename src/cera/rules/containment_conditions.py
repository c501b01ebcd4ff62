"""Conditions that something lies in a time, as rules have them.

    an event x in an event or a timer i     b(i) <= b(x) and e(x) <= e(i)
    an event x in a state s                 x in s  (`cera.rules.states.in_state`)
    a state s in an event i                 i in s
    a state s in a window, timer or state   both share a point of time, or s has no length and lies inside

That a state holds at a point p is asked as `[p + 1us, p + 1us] in s`: it has begun by p and does not end with it, which
is known at p.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cera.model.expressions.expression import (
    And,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    InState,
    Not,
    Or,
)
from cera.model.time.durations import Duration

_NEXT = DurationLiteral(Duration(0, 1))


def begin_of(name: str) -> Expression:
    return Call("begin", (EventReference(name),))


def end_of(name: str) -> Expression:
    return Call("end", (EventReference(name),))


def events_inside(names: Iterable[str], begin: Expression, end: Expression) -> Iterator[Expression]:
    """Yields the conditions that events lie between two points of time, bounds included."""
    for name in names:
        yield Comparison("<=", begin, begin_of(name))
        yield Comparison("<=", end_of(name), end)


def state_in_state(state: str, time: str) -> Expression:
    """Returns the condition that a state and the one that it is evaluated in share a point of time."""
    holds_before = And((Comparison("<", begin_of(state), begin_of(time)), holds_at(state, begin_of(time))))
    begins_inside = And((Comparison("<=", begin_of(time), begin_of(state)), holds_at(time, begin_of(state))))
    at_its_end = Or(
        (
            Comparison("=", begin_of(time), begin_of(state)),
            InState(begin_of(state), EventReference(time)),
        )
    )
    without_length = And((Not(holds_at(state, begin_of(state))), at_its_end))
    return Or((holds_before, begins_inside, without_length))


def state_in_window(state: str, begin: Expression, end: Expression) -> Iterator[Expression]:
    """Yields the conditions that a state shares a point of time with a closed window or timer, which has bounds."""
    yield Comparison("<=", begin_of(state), end)
    holds = And((Comparison("<", begin_of(state), begin), holds_at(state, begin)))
    yield Or((Comparison("<=", begin, begin_of(state)), holds))


def holds_at(state: str, point: Expression) -> Expression:
    """Returns the condition that a state holds at a point of time."""
    return InState(Call("shift-forward", (point, _NEXT)), EventReference(state))
