"""Contradictory comparisons of values, against assignments that satisfy them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.evaluation import Evaluator
from cera.model.expressions import Comparison, Expression, Literal, Variable
from cera.model.terms import Term, Value
from cera.rules.value_constraints import contradictory_values

NAMES = "XYZ"
constants: st.SearchStrategy[str | int | float | bool] = st.sampled_from([0, 1, 2, 0.1, 1.5, "", "a", "b", True, False])
sides: st.SearchStrategy[Expression] = st.one_of(st.sampled_from(NAMES).map(Variable), constants.map(Literal))
comparisons = st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), sides, sides)
values: st.SearchStrategy[Value] = st.one_of(constants, st.just(Term("a")), st.just(Term("b")))


@settings(max_examples=500, deadline=None)
@given(st.lists(comparisons, max_size=12), st.tuples(values, values, values))
def test_comparisons_that_some_values_satisfy_are_not_contradictory(
    chosen: list[Comparison], assigned: tuple[Value, Value, Value]
) -> None:
    assignment = dict(zip(NAMES, assigned, strict=True))
    holding = [c for c in chosen if Evaluator().holds(c, assignment, {})]
    assert contradictory_values(holding) is None


def test_the_conditions_named_are_contradictory_by_themselves() -> None:
    x, y = Variable("X"), Variable("Y")
    chosen = [
        Comparison("<", x, y),
        Comparison("<", y, Literal(7)),
        Comparison(">", x, Literal(3)),
        Comparison(">", x, Literal(6.5)),
        Comparison("<=", y, Literal(6.5)),
    ]
    named = contradictory_values(chosen)
    assert named is not None
    assert set(named) == {chosen[0], chosen[3], chosen[4]}
