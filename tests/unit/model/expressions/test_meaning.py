"""The walk over expressions: every node comes to its method with what its parts are made into, and no part too many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import pytest

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
    TimerQuery,
    Variable,
    Within,
)
from cera.model.expressions.meaning import Meaning, PartialMeaning
from cera.model.matching.patterns import TermPattern
from cera.model.time.durations import Duration

X, Y = Variable("X"), Variable("Y")
i, j = EventReference("i"), EventReference("j")
MINUTE = DurationLiteral(Duration(0, 60_000_000))
DAILY = Periodic(TimerQuery("daily", TermPattern("daily")))

#: Each node, and how it is written by the meaning below.
CONDITIONS: list[tuple[Expression, str]] = [
    (Comparison("<", X, Literal(1)), "(var X < lit 1)"),
    (And((Comparison("=", X, Y), X)), "all[(var X = var Y), truth(var X)]"),
    (Or((X, Y)), "any[truth(var X), truth(var Y)]"),
    (Not(X), "not truth(var X)"),
    (Temporal("before", i, j), "before[event i, event j]"),
    (Temporal("before", i, DAILY), "after(some daily, event i)"),
    (Temporal("before", DAILY, j), "before(some daily, event j)"),
    (Within((i, j), MINUTE), "within[event i, event j] 60000000"),
    (InOneWindow((i, j), 10, 5), "window[event i, event j]"),
    (InState(i, j), "in_state(event i, j)"),
    (Different(i, j), "different(i, j)"),
]
VALUES: list[tuple[Expression, str]] = [
    (Literal("a"), "lit a"),
    (MINUTE, "60000000"),
    (DateTime(("2006",)), "2006"),
    (X, "var X"),
    (i, "event i"),
    (Negative(X), "-(var X)"),
    (Arithmetic("mod", X, Negative(Y)), "(var X mod -(var Y))"),
    (Call("concat", (X, Y, Literal(1))), "concat[var X, var Y, lit 1]"),
]


class Words(Meaning[str, str]):
    """Expressions in words, to see what came where."""

    def value_as_truth(self, expression: Expression) -> str:
        return f"truth({self.value(expression)})"

    def truth_as_value(self, condition: Expression) -> str:
        return f"value({self.truth(condition)})"

    def comparison(self, condition: Comparison, left: str, right: str) -> str:
        return f"({left} {condition.operator} {right})"

    def conjunction(self, condition: And, operands: Iterator[str]) -> str:
        return f"all[{', '.join(operands)}]"

    def disjunction(self, condition: Or, operands: Iterator[str]) -> str:
        return f"any[{', '.join(operands)}]"

    def negation(self, condition: Not, operand: str) -> str:
        return f"not {operand}"

    def temporal(self, condition: Temporal, sides: Iterator[str]) -> str:
        return f"{condition.relation}[{', '.join(sides)}]"

    def recurrence(self, condition: Temporal, timer: Periodic, relation: str, interval: str) -> str:
        return f"{relation}(some {timer.timer.name}, {interval})"

    def within(self, condition: Within, intervals: Sequence[str], duration: str) -> str:
        return f"within[{', '.join(intervals)}] {duration}"

    def in_one_window(self, condition: InOneWindow, intervals: Sequence[str]) -> str:
        return f"window[{', '.join(intervals)}]"

    def in_state(self, condition: InState, event: str) -> str:
        return f"in_state({event}, {condition.state.identifier})"

    def different(self, condition: Different) -> str:
        return f"different({condition.left.identifier}, {condition.right.identifier})"

    def literal(self, literal: Literal) -> str:
        return f"lit {literal.value}"

    def duration(self, literal: DurationLiteral) -> str:
        return str(literal.duration.microseconds)

    def date_time(self, literal: DateTime) -> str:
        return literal.texts[0]

    def variable(self, variable: Variable) -> str:
        return f"var {variable.name}"

    def event(self, reference: EventReference) -> str:
        return f"event {reference.identifier}"

    def negative(self, expression: Negative, operand: str) -> str:
        return f"-({operand})"

    def arithmetic(self, expression: Arithmetic, left: str, right: str) -> str:
        return f"({left} {expression.operator} {right})"

    def call(self, call: Call, arguments: Iterator[str]) -> str:
        return f"{call.function}[{', '.join(arguments)}]"


@pytest.mark.parametrize(("condition", "words"), CONDITIONS)
def test_a_condition_comes_to_its_method_with_its_parts(condition: Expression, words: str) -> None:
    assert Words().truth(condition) == words
    assert Words().value(condition) == f"value({words})"


@pytest.mark.parametrize(("expression", "words"), VALUES)
def test_another_expression_comes_to_its_method_with_its_parts(expression: Expression, words: str) -> None:
    assert Words().value(expression) == words
    assert Words().truth(expression) == f"truth({words})"


@pytest.mark.parametrize("expression", [DAILY, Aggregate("avg", X)])
def test_what_has_no_value_of_its_own_is_a_mistake_of_ours(expression: Expression) -> None:
    for walk in (Words().truth, Words().value):
        with pytest.raises(AssertionError, match="has no value of its own; the checks let it pass"):
            walk(expression)


def test_every_node_is_looked_at_here() -> None:
    seen = {type(expression) for expression, _ in CONDITIONS + VALUES} | {Periodic, Aggregate}
    assert seen == set(get_args(Expression))


class Asked(Words):
    """Words of the first part only, with the parts that were asked for."""

    def __init__(self) -> None:
        self.variables: list[str] = []

    def variable(self, variable: Variable) -> str:
        self.variables.append(variable.name)
        return variable.name

    def conjunction(self, condition: And, operands: Iterator[str]) -> str:
        return next(operands)

    disjunction: Any = conjunction
    temporal: Any = conjunction
    call: Any = conjunction


@pytest.mark.parametrize(
    "expression",
    [
        And((X, Y)),
        Or((X, Y)),
        Temporal("before", X, Y),
        Call("concat", (X, Y)),
    ],
)
def test_parts_that_a_meaning_does_not_ask_for_are_left(expression: Expression) -> None:
    asked = Asked()
    asked.truth(expression)
    assert asked.variables == ["X"]


class OnlyVariables(PartialMeaning[str, str]):
    def other_truth(self, condition: Expression) -> str:
        return f"another {type(condition).__name__}"

    def other_value(self, expression: Expression) -> str:
        return f"another {type(expression).__name__}"

    def variable(self, variable: Variable) -> str:
        return variable.name


@pytest.mark.parametrize("expression", [each for each, _ in CONDITIONS + VALUES] + [DAILY, Aggregate("avg", X)])
def test_a_meaning_of_some_nodes_says_what_all_others_are(expression: Expression) -> None:
    other = f"another {type(expression).__name__}"
    assert OnlyVariables().truth(expression) == other
    assert OnlyVariables().value(expression) == ("X" if expression is X else other)
