"""Contradictory conditions on values, against assignments that satisfy them."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Variable,
)
from cera.model.terms.term import Term, Value
from cera.model.terms.values import MAX_INTEGER, number
from cera.rules.reasoning.cases import no_case_holds
from cera.rules.reasoning.value_constraints import no_values
from hypothesis_profiles import examples

NAMES = "XYZ"
X, Y = Variable("X"), Variable("Y")
NEXT = Arithmetic("+", X, Literal(1))
constants: st.SearchStrategy[str | int | float | bool] = st.sampled_from([0, 1, 2, 0.1, 1.5, "", "a", "b", True, False])
numbers = st.one_of(
    st.integers(-4, 4),
    st.sampled_from(
        [0.1, 0.5, -1.5, 2**53, 2**53 + 1, -(2**53) - 1, MAX_INTEGER, -MAX_INTEGER - 1, 2.0**63, 1e300, 5e-324]
    ),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(lambda n, k: n + k * 2**-52, st.integers(0, 4), st.integers(-2, 2)),
).map(number)
operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])


def _conditions(leaves: st.SearchStrategy[Expression], depth: int) -> st.SearchStrategy[Expression]:
    found = leaves
    for _ in range(depth):
        pairs = st.tuples(found, found)
        found = st.one_of(leaves, found.map(Not), pairs.map(And), pairs.map(Or))
    return found


variables = st.sampled_from(NAMES).map(Variable)
sides: st.SearchStrategy[Expression] = st.one_of(variables, constants.map(Literal))
mixed = st.one_of(st.builds(Comparison, operators, sides, sides), variables)
values: st.SearchStrategy[Value] = st.one_of(constants, st.just(Term("a")), st.just(Term("b")))

number_literals = st.one_of(st.integers(-4, 4), st.sampled_from([0.5, 0.1, 2**53 + 1, MAX_INTEGER])).map(Literal)
terms: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(variables, number_literals),
    lambda inner: st.one_of(
        inner.map(Negative),
        st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "mod"]), inner, inner),
        inner.map(lambda e: Call("abs", (e,))),
    ),
    max_leaves=3,
)
linear = st.builds(Comparison, operators, terms, terms)


def contradictory(conditions: list[Expression], bound: str = "") -> bool:
    return no_case_holds(conditions, lambda case: no_values(case, frozenset(bound)))


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(_conditions(mixed, 2), max_size=8), st.dictionaries(st.sampled_from(NAMES), values))
def test_conditions_that_some_values_satisfy_are_not_contradictory(
    chosen: list[Expression], assignment: dict[str, Value]
) -> None:
    """Whatever the conditions are: those that hold, and the negations of the others, hold together."""
    holding = [c if Evaluator().holds(c, assignment, {}) else Not(c) for c in chosen]
    assert not contradictory(holding, "".join(assignment))


@settings(max_examples=examples(1000), deadline=None)
@given(st.lists(_conditions(linear, 1), max_size=4), st.tuples(numbers, numbers, numbers))
@example([Comparison(">=", NEXT, Literal(3)), Comparison("<", X, Literal(2))], (2 - 2**-52, 0, 0))
@example([Comparison(">", NEXT, Literal(3)), Comparison(">", X, Literal(5))], (MAX_INTEGER, 0, 0))
@example([Comparison("<=", Arithmetic("-", X, Y), Literal(0)), Comparison(">", X, Y)], (2.0**63, MAX_INTEGER, 0))
@example([Comparison("<", Arithmetic("+", X, Literal(0.5)), X)], (2**53 + 1, 0, 0))
def test_rounding_and_overflow_satisfy_what_exact_arithmetic_would_not(
    chosen: list[Expression], assigned: tuple[Value, Value, Value]
) -> None:
    assignment = dict(zip(NAMES, assigned, strict=True))
    holding = [c if Evaluator().holds(c, assignment, {}) else Not(c) for c in chosen]
    assert not contradictory(holding, NAMES)


def test_a_side_that_may_be_missing_or_of_another_kind_satisfies_a_negation() -> None:
    above, below = Comparison(">", X, Literal(5)), Comparison("<=", X, Literal(5))
    assert not contradictory([Not(above), Not(below)], "X")
    assert contradictory([Not(above), Not(below), Comparison(">", X, Literal(0))], "X")
    assert contradictory([Not(Comparison("=", X, X))], "X")
    assert not contradictory([Not(Comparison("=", X, X))])


def test_too_many_cases_are_not_looked_at() -> None:
    def free(count: int) -> list[Expression]:
        return [Or((Variable(f"A{i}"), Variable(f"B{i}"))) for i in range(count)]

    never = Or((Comparison("!=", X, X), Comparison("<", X, X)))
    assert contradictory([*free(5), never])
    assert not contradictory([*free(20), never])
