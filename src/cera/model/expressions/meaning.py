"""Expressions by what they mean: the one walk from an expression to its parts, whatever it is made into.

What an expression is made into is a `Meaning`: the truth values and values of one row (`cera.model.evaluation`), the
source of a Python function (`cera.codegen`), columns of Spark, arrays. A meaning says what each kind of node is, given
what its parts are; it has two sorts, what conditions are made into and what all other expressions are made into.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar, assert_never

from cera.model.expressions.expression import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
)
from cera.model.time.allen import CONVERSES

Truth = TypeVar("Truth")
Value = TypeVar("Value")


class Meaning(ABC, Generic[Truth, Value]):
    """What conditions (`Truth`) and other expressions (`Value`) are made into.

    Parts that are an iterator are made when they are asked for: a meaning that knows enough, or has nothing for such a
    node, leaves the rest as they are.
    """

    __slots__ = ()

    def truth(self, condition: Expression) -> Truth:
        """Returns what a condition is made into."""
        match condition:
            case Comparison():
                return self.comparison(condition, self.value(condition.left), self.value(condition.right))
            case Temporal():
                left, right = condition.left, condition.right
                if left.__class__ is Periodic:
                    return self.recurrence(condition, left, condition.relation, self.value(right))
                if right.__class__ is Periodic:
                    return self.recurrence(condition, right, CONVERSES[condition.relation], self.value(left))
                return self.temporal(condition, map(self.value, (left, right)))
            case And():
                return self.conjunction(condition, map(self.truth, condition.operands))
            case Or():
                return self.disjunction(condition, map(self.truth, condition.operands))
            case Not():
                return self.negation(condition, self.truth(condition.operand))
            case Within():
                intervals = [self.value(interval) for interval in condition.intervals]
                return self.within(condition, intervals, self.value(condition.duration))
            case InOneWindow():
                return self.in_one_window(condition, [self.value(interval) for interval in condition.intervals])
            case InState():
                return self.in_state(condition, self.value(condition.event))
            case Different():
                return self.different(condition)
            case Variable() | Literal() | DurationLiteral() | DateTime() | EventReference():
                return self.value_as_truth(condition)
            case Negative() | Arithmetic() | Call() | Aggregate() | Periodic():
                return self.value_as_truth(condition)
            case _:
                assert_never(condition)

    def value(self, expression: Expression) -> Value:
        """Returns what an expression is made into."""
        match expression:
            case Variable():
                return self.variable(expression)
            case Literal():
                return self.literal(expression)
            case EventReference():
                return self.event(expression)
            case Arithmetic():
                return self.arithmetic(expression, self.value(expression.left), self.value(expression.right))
            case Call():
                return self.call(expression, map(self.value, expression.arguments))
            case DurationLiteral():
                return self.duration(expression)
            case DateTime():
                return self.date_time(expression)
            case Negative():
                return self.negative(expression, self.value(expression.operand))
            case Comparison() | Temporal() | Within() | InOneWindow() | InState() | Different() | Not() | And() | Or():
                return self.truth_as_value(expression)
            case Aggregate() | Periodic():
                return self.without_value(expression)
            case _:
                assert_never(expression)

    @abstractmethod
    def value_as_truth(self, expression: Expression) -> Truth:
        """Returns what an expression is made into where a condition stands: `var Open`."""

    @abstractmethod
    def truth_as_value(self, condition: Expression) -> Value:
        """Returns what a condition is made into where a value stands: `(var A > 1) = (var B > 1)`."""

    def without_value(self, expression: Aggregate | Periodic) -> Value:
        """Rejects what has a value in heads, or beside an interval, only."""
        raise AssertionError(f"{type(expression).__name__} has no value of its own; the checks let it pass")

    # Conditions

    @abstractmethod
    def comparison(self, condition: Comparison, left: Value, right: Value) -> Truth: ...

    @abstractmethod
    def conjunction(self, condition: And, operands: Iterator[Truth]) -> Truth: ...

    @abstractmethod
    def disjunction(self, condition: Or, operands: Iterator[Truth]) -> Truth: ...

    @abstractmethod
    def negation(self, condition: Not, operand: Truth) -> Truth: ...

    @abstractmethod
    def temporal(self, condition: Temporal, sides: Iterator[Value]) -> Truth: ...

    @abstractmethod
    def recurrence(self, condition: Temporal, timer: Periodic, relation: str, interval: Value) -> Truth:
        """Returns whether a time of the timer has this relation to an interval, on whichever side it was written."""

    @abstractmethod
    def within(self, condition: Within, intervals: Sequence[Value], duration: Value) -> Truth: ...

    @abstractmethod
    def in_one_window(self, condition: InOneWindow, intervals: Sequence[Value]) -> Truth: ...

    @abstractmethod
    def in_state(self, condition: InState, event: Value) -> Truth: ...

    @abstractmethod
    def different(self, condition: Different) -> Truth: ...

    # Other expressions

    @abstractmethod
    def literal(self, literal: Literal) -> Value: ...

    @abstractmethod
    def duration(self, literal: DurationLiteral) -> Value: ...

    @abstractmethod
    def date_time(self, literal: DateTime) -> Value: ...

    @abstractmethod
    def variable(self, variable: Variable) -> Value: ...

    @abstractmethod
    def event(self, reference: EventReference) -> Value: ...

    @abstractmethod
    def negative(self, expression: Negative, operand: Value) -> Value: ...

    @abstractmethod
    def arithmetic(self, expression: Arithmetic, left: Value, right: Value) -> Value: ...

    @abstractmethod
    def call(self, call: Call, arguments: Iterator[Value]) -> Value: ...


class PartialMeaning(Meaning[Truth, Value]):
    """A meaning of some kinds of nodes, which says for all others together what they are made into."""

    __slots__ = ()

    @abstractmethod
    def other_truth(self, condition: Expression) -> Truth:
        """Returns what any other condition is made into, whatever its parts are."""

    @abstractmethod
    def other_value(self, expression: Expression) -> Value:
        """Returns what any other expression is made into, whatever its parts are."""

    def value_as_truth(self, expression: Expression) -> Truth:
        return self.other_truth(expression)

    def truth_as_value(self, condition: Expression) -> Value:
        return self.other_value(condition)

    def without_value(self, expression: Aggregate | Periodic) -> Value:
        return self.other_value(expression)

    def comparison(self, condition: Comparison, left: Value, right: Value) -> Truth:
        return self.other_truth(condition)

    def conjunction(self, condition: And, operands: Iterator[Truth]) -> Truth:
        return self.other_truth(condition)

    def disjunction(self, condition: Or, operands: Iterator[Truth]) -> Truth:
        return self.other_truth(condition)

    def negation(self, condition: Not, operand: Truth) -> Truth:
        return self.other_truth(condition)

    def temporal(self, condition: Temporal, sides: Iterator[Value]) -> Truth:
        return self.other_truth(condition)

    def recurrence(self, condition: Temporal, timer: Periodic, relation: str, interval: Value) -> Truth:
        return self.other_truth(condition)

    def within(self, condition: Within, intervals: Sequence[Value], duration: Value) -> Truth:
        return self.other_truth(condition)

    def in_one_window(self, condition: InOneWindow, intervals: Sequence[Value]) -> Truth:
        return self.other_truth(condition)

    def in_state(self, condition: InState, event: Value) -> Truth:
        return self.other_truth(condition)

    def different(self, condition: Different) -> Truth:
        return self.other_truth(condition)

    def literal(self, literal: Literal) -> Value:
        return self.other_value(literal)

    def duration(self, literal: DurationLiteral) -> Value:
        return self.other_value(literal)

    def date_time(self, literal: DateTime) -> Value:
        return self.other_value(literal)

    def variable(self, variable: Variable) -> Value:
        return self.other_value(variable)

    def event(self, reference: EventReference) -> Value:
        return self.other_value(reference)

    def negative(self, expression: Negative, operand: Value) -> Value:
        return self.other_value(expression)

    def arithmetic(self, expression: Arithmetic, left: Value, right: Value) -> Value:
        return self.other_value(expression)

    def call(self, call: Call, arguments: Iterator[Value]) -> Value:
        return self.other_value(call)
