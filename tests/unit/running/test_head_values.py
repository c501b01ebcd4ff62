"""What an event shows of the variables of the head that it was built by."""

from __future__ import annotations

from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import Aggregate, Variable
from cera.model.terms.term import Term
from cera.running.head_values import values_shown


def head(*children: ConstructTerm | ConstructValue) -> ConstructTerm:
    return ConstructTerm("h", children)


X, Y = ConstructValue(Variable("X")), ConstructValue(Variable("Y"))


def test_variables_that_stand_alone_have_the_values_of_the_term() -> None:
    built = Term("h", [Term("a", [1]), Term("b", ["two"])])
    assert values_shown(head(ConstructTerm("b", (Y,)), ConstructTerm("a", (X,))), built) == {"X": 1, "Y": "two"}


def test_what_is_computed_says_nothing() -> None:
    counted = ConstructValue(Aggregate("count", Variable("X")))
    assert values_shown(head(ConstructTerm("a", (counted,))), Term("h", [Term("a", [1])])) == {}


def test_children_that_cannot_be_told_apart_say_nothing() -> None:
    built = Term("h", [Term("a", [1]), Term("a", [2])])
    assert values_shown(head(ConstructTerm("a", (X,)), ConstructTerm("a", (Y,))), built) == {}
    assert values_shown(head(X, ConstructTerm("a", (Y,))), built) == {}
