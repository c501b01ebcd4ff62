"""Temporal constraints of transitions: comparisons of sums of times, which are difference bounds on `now`.

    e(this) - e(last) < 30s        now - e(last) >= 30s        b(this) >= e(offer) + 1 min

All times are integers, so every constraint is a bound on a sum, and the first and the last time at which constraints
hold can be computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from cera.diagnostics import Span
from cera.model.tags import tagged
from cera.model.time.interval import Time

TimeOperator = Literal["=", "!=", "<", "<=", ">", ">="]
#: `b(j)` or `e(j)`.
Bound = Literal["b", "e"]


@tagged("AutomatonTime")
@dataclass(frozen=True)
class TimeConstraint:
    """`Σ factor · b/e(identifier) + now_factor · now  operator  bound`, in microseconds."""

    terms: tuple[tuple[int, Bound, str], ...]
    now_factor: int
    operator: TimeOperator
    bound: int
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def identifiers(self) -> frozenset[str]:
        return frozenset(name for _, _, name in self.terms)


class Timed(Protocol):
    """Something with an occurrence time."""

    @property
    def begin(self) -> Time: ...
    @property
    def end(self) -> Time: ...


class Times(NamedTuple):
    """The occurrence time of an event."""

    begin: Time
    end: Time


#: The events that identifiers stand for.
Known = Mapping[str, Timed]


def holds(constraint: TimeConstraint, known: Known, now: Time) -> bool:
    """Returns whether a constraint holds at a time; not if an identifier has no event."""
    total = constraint.now_factor * now
    for factor, bound, name in constraint.terms:
        times = known.get(name)
        if times is None:
            return False
        total += factor * (times.begin if bound == "b" else times.end)
    return compares(total, constraint.operator, constraint.bound)


def compares(left: int, operator: str, right: int) -> bool:
    """Returns whether two numbers are in this relation."""
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "=":
            return left == right
        case _:
            return left != right


class Stretch(NamedTuple):
    """The times from `first` to `last`, without some of them; no first or last one if None."""

    first: Time | None
    last: Time | None
    without: tuple[Time, ...] = ()

    def earliest(self, since: Time) -> Time | None:
        """Returns the first of the times that is not before another; None if there is none."""
        time = since if self.first is None else max(self.first, since)
        while time in self.without:
            time += 1
        return time if self.last is None or time <= self.last else None

    def until(self, last: Time) -> Stretch:
        """Returns those of the times that are not after another."""
        return Stretch(self.first, last if self.last is None else min(self.last, last), self.without)

    @property
    def latest(self) -> Time | None:
        """The last of the times; None if there is no last one."""
        last = self.last
        while last is not None and last in self.without:
            last -= 1
        return last


NEVER = Stretch(1, 0)


def times_of(constraints: Iterable[TimeConstraint], known: Known) -> Stretch:
    """Returns the values of `now` at which all constraints hold.

    Those with `this` are about an event that ends now: its end counts as `now`, its begin as no bound.
    """
    first: Time | None = None
    last: Time | None = None
    without: list[Time] = []
    for constraint in constraints:
        factor, rest = constraint.now_factor, constraint.bound
        for each, bound, name in constraint.terms:
            if name == "this":
                if bound == "b":
                    break
                factor += each
                continue
            times = known.get(name)
            if times is None:
                return NEVER
            rest -= each * (times.begin if bound == "b" else times.end)
        else:
            found = _solved(factor, constraint.operator, rest)
            first = found.first if first is None else first if found.first is None else max(first, found.first)
            last = found.last if last is None else last if found.last is None else min(last, found.last)
            without += found.without
    return Stretch(first, last, tuple(without))


def _solved(factor: int, operator: TimeOperator, rest: int) -> Stretch:
    """Returns the times t with `factor · t operator rest`; the factor is 1, -1 or 0."""
    if factor == 0:
        return Stretch(None, None) if compares(0, operator, rest) else NEVER
    if factor < 0:
        mirrored: dict[str, TimeOperator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        operator, rest = mirrored.get(operator, operator), -rest
    match operator:
        case "<":
            return Stretch(None, rest - 1)
        case "<=":
            return Stretch(None, rest)
        case ">":
            return Stretch(rest + 1, None)
        case ">=":
            return Stretch(rest, None)
        case "=":
            return Stretch(rest, rest)
        case _:
            return Stretch(None, None, (rest,))
