"""Expressions and conditions as data: they are printed, moved, translated to Spark and reasoned about.

A condition is an expression whose value is a truth value. What each means is defined in
`cera.model.evaluation.evaluator`. Aggregates occur in rule heads only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from cera.diagnostics import Span
from cera.model.matching.patterns import TermPattern
from cera.model.tags import tagged
from cera.model.terms.values import Scalar
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval, Time
from cera.model.time.periodic_windows import Period

ArithmeticOperator = OneOf["+", "-", "*", "/", "mod"]
ComparisonOperator = OneOf["=", "!=", "<", "<=", ">", ">="]

AGGREGATES = ("avg", "sum", "count", "min", "max", "first", "last")


@tagged("Literal")
@dataclass(frozen=True)
class Literal:
    value: Scalar
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("DurationLiteral")
@dataclass(frozen=True)
class DurationLiteral:
    """`3 min 14 sec`."""

    duration: Duration
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("DateTime")
@dataclass(frozen=True)
class DateTime:
    """`datetime("2006-09-18T09:00")`, or with two texts the interval from one to the other.

    `interval` is filled in by lowering, which knows the time zone of naive timestamps.
    """

    texts: tuple[str, ...]
    interval: Interval | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Periodic")
@dataclass(frozen=True)
class Periodic:
    """`timer:datetime{{…}}` or `timer:NAME{{…}}` in a condition: the intervals of a periodic timer."""

    timer: TimerQuery
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("TimerQuery")
@dataclass(frozen=True)
class TimerQuery:
    """An absolute timer: `datetime` or the name of a calendar, and the pattern for its parts."""

    name: str
    pattern: TermPattern


@tagged("Variable")
@dataclass(frozen=True)
class Variable:
    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("EventReference")
@dataclass(frozen=True)
class EventReference:
    """An event identifier: it stands for the occurrence interval of the event."""

    identifier: str
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Negative")
@dataclass(frozen=True)
class Negative:
    """`- x`."""

    operand: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Arithmetic")
@dataclass(frozen=True)
class Arithmetic:
    operator: ArithmeticOperator
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Call")
@dataclass(frozen=True)
class Call:
    """A function of `cera.model.evaluation.functions` applied to arguments."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Aggregate")
@dataclass(frozen=True)
class Aggregate:
    """`avg(all var T)`; with `distinct`, over distinct values. Only in heads."""

    function: str
    operand: Expression
    distinct: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Comparison")
@dataclass(frozen=True)
class Comparison:
    operator: ComparisonOperator
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Temporal")
@dataclass(frozen=True)
class Temporal:
    """`i before j`: one of Allen's relations, by name."""

    relation: str
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Within")
@dataclass(frozen=True)
class Within:
    """`{i, j} within d`: the hull of the intervals is at most d long."""

    intervals: tuple[Expression, ...]
    duration: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("InOneWindow")
@dataclass(frozen=True)
class InOneWindow:
    """All intervals lie wholly inside of one window `[origin + k*slide, origin + k*slide + length[` (microseconds)."""

    intervals: tuple[Expression, ...]
    length: int
    slide: int
    origin: Time = 0
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def period(self) -> Period:
        return Period(self.length, self.slide, self.origin)


@tagged("InState")
@dataclass(frozen=True)
class InState:
    """`x in s`: b(s) <= b(x) and b(s) < e(x) <= e(s), for a state s that may still be open (ERR-51).

    What closes a state happened in it, what opened it did not. It is decided when x has ended.
    """

    event: Expression
    state: EventReference
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Different")
@dataclass(frozen=True)
class Different:
    """`i` and `j` are not the same event, whatever their terms and times. Only as a condition by itself.

    Engines decide it by what they know events by.
    """

    left: EventReference
    right: EventReference
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Not")
@dataclass(frozen=True)
class Not:
    operand: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("And")
@dataclass(frozen=True)
class And:
    operands: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Or")
@dataclass(frozen=True)
class Or:
    operands: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Expression = (
    Literal
    | DurationLiteral
    | DateTime
    | Periodic
    | Variable
    | EventReference
    | Negative
    | Arithmetic
    | Call
    | Aggregate
    | Comparison
    | Temporal
    | Within
    | InOneWindow
    | InState
    | Different
    | Not
    | And
    | Or
)


def operands(expression: Expression) -> tuple[Expression, ...]:
    """Returns the expressions directly inside this one."""
    match expression:
        case Literal() | DurationLiteral() | DateTime() | Periodic() | Variable() | EventReference():
            return ()
        case Negative() | Not() | Aggregate():
            return (expression.operand,)
        case Arithmetic() | Comparison() | Temporal() | Different():
            return (expression.left, expression.right)
        case Call():
            return expression.arguments
        case Within():
            return (*expression.intervals, expression.duration)
        case InOneWindow():
            return expression.intervals
        case InState():
            return (expression.event, expression.state)
        case And() | Or():
            return expression.operands


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Returns the same expression with `change` applied to the expressions directly inside it."""
    match expression:
        case Literal() | DurationLiteral() | DateTime() | Periodic() | Variable() | EventReference():
            return expression
        case Negative() | Not() | Aggregate():
            return replace(expression, operand=change(expression.operand))
        case Arithmetic() | Comparison() | Temporal():
            return replace(expression, left=change(expression.left), right=change(expression.right))
        case Call():
            return replace(expression, arguments=tuple(change(a) for a in expression.arguments))
        case Within():
            return replace(
                expression,
                intervals=tuple(change(i) for i in expression.intervals),
                duration=change(expression.duration),
            )
        case InOneWindow():
            return replace(expression, intervals=tuple(change(i) for i in expression.intervals))
        case InState():
            state = change(expression.state)
            assert isinstance(state, EventReference)
            return replace(expression, event=change(expression.event), state=state)
        case Different():
            left, right = change(expression.left), change(expression.right)
            assert isinstance(left, EventReference)
            assert isinstance(right, EventReference)
            return replace(expression, left=left, right=right)
        case And() | Or():
            return replace(expression, operands=tuple(change(o) for o in expression.operands))


def walk(expression: Expression) -> Iterator[Expression]:
    """Yields this expression and all inside it, outermost first."""
    yield expression
    for operand in operands(expression):
        yield from walk(operand)


def until_of(state: str) -> str:
    """Returns the name under which the times of a match have the interval of a state, which may still be open.

    The identifier itself stands for the opening, a point.
    """
    return f"{state}.until"


def variables(expression: Expression) -> frozenset[str]:
    if expression.__class__ is Variable:  # most are
        return frozenset((expression.name,))
    return frozenset(e.name for e in walk(expression) if isinstance(e, Variable))


def event_references(expression: Expression) -> frozenset[str]:
    return frozenset(e.identifier for e in walk(expression) if isinstance(e, EventReference))
