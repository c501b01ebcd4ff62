"""Atoms, `bid(auctionID(A), value(V))`, and windows of time, as languages of atoms have them.

Every node keeps its span, which is left out of equality.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cera.diagnostics import Span
from cera.model.expressions.expression import Expression, Literal, Variable
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.tags import tagged
from cera.model.time.durations import Duration


class TimeNode:
    """An interval of time by itself: a window, or a timer."""


@tagged("Atom")
@dataclass(frozen=True)
class Atom:
    """`bid(auctionID(A), value(V))`: a label and its attributes or values.

    In a body, values are variables and constants; in a head, expressions and aggregates.
    """

    label: str
    arguments: tuple[Atom | Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("UnboundedWindow")
@dataclass(frozen=True)
class Unbounded(TimeNode):
    """`unbounded`: all of time."""

    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("NowWindow")
@dataclass(frozen=True)
class Now(TimeNode):
    """`now`: the current point of time."""

    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("SlidingWindow")
@dataclass(frozen=True)
class Sliding(TimeNode):
    """`Range 1h Slide 30min`; without a slide the window is tumbling."""

    range: Duration
    slide: Duration | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("BetweenWindow")
@dataclass(frozen=True)
class Between(TimeNode):
    """`[now - 1h, now]`, `[b(i), e(j) + 1min]`, `["2011-01-01", "2011-02-01"]`."""

    begin: Expression
    end: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


Window = Unbounded | Now | Sliding | Between


#: Gives a variable the name that it has in the rule.
Renaming = Callable[[str], str]


def pattern_of(atom: Atom, name: Renaming) -> TermPattern:
    """Returns the pattern that matches by the named attributes, and ignores others.

    Values without names are all there are, in their order: `p(X, Y)` matches `p[1, 2]`.
    """
    children = tuple(_child(argument, name) for argument in atom.arguments)
    if atom.arguments and not any(isinstance(argument, Atom) for argument in atom.arguments):
        return TermPattern(atom.label, children, ordered=len(children) > 1, total=True, span=atom.span)
    return TermPattern(atom.label, children, total=False, span=atom.span)


def _child(argument: Atom | Expression, name: Renaming) -> Pattern:
    match argument:
        case Atom():
            return pattern_of(argument, name)
        case Variable():
            return VariablePattern(name(argument.name), span=argument.span)
        case Literal():
            return ScalarPattern(argument.value, argument.span)
        case _:
            raise AssertionError(f"{type(argument).__name__} is not a value of a body; the checks let it pass")
