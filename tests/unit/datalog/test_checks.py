"""What is refused: unsafe rules, stages that are not there yet, programs without an order."""

from __future__ import annotations

import pytest

from cera.datalog.checks import check, checked
from cera.datalog.stratification import stratify
from cera.datalog.syntax import NEXT, Atom, J, Program, Rule
from cera.errors import ProgramError
from cera.model.expressions.expression import EventReference
from unit.datalog.programs import read


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in check(read(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(Z, J) <- q(X, J).", ["DL201"]),
        ("p(X, J) <- q(J), not r(X, J).", ["DL201", "DL202"]),
        ("p(_, J) <- q(X, J).", ["DL201"]),
        ("p(X, J) <- q(X, J), not r(Y, J).", ["DL202"]),
        ("p(X, J) <- q(X, J), Y.a > 3.", ["DL202"]),
        ("p(X, J) <- q(X, N + 1, J).", ["DL202"]),
        ("p(X.a, J) <- q(X, J).", []),
        ("p(X, J) <- q(X, J), r(X, Y, J). r(X, J) <- q(X, J).", ["DL102"]),
        ("p(X, J) <- q(X, J). r(X) <- q(X).", ["DL102"]),
        ("p(X, J) <- q(X, J), any(X, J).", ["DL102"]),
        ("p(X, J) <- q(X, J), time(J).", ["DL102"]),
        ("any(J) <- hist_monit(_, J).", []),
        ("p(X, J) <- q(X, s(J)).", ["DL103"]),
        ("p(X) <- q(X, J).", ["DL103"]),
        ("p(X, 3) <- q(X, 1). q(X, J) <- p(X, J).", ["DL103"]),
        ("p(X, 3) <- q(X, 2), r(X, 3). q(X, J) <- p(X, J), r(X, J).", []),
        ("p(X, J) <- q(X, J), sqrd(X) > 3.", None),
        ("p(X, J) <- q(X, J), abs(X, X) > 3.", ["DL203"]),
    ],
)
def test_a_rule_is_checked(text: str, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(AssertionError, match="DL001"):
            codes(text)
    else:
        assert codes(text) == expected


def test_there_is_no_stage_before_the_first() -> None:
    assert [d.code for d in check(Program((Rule(Atom("p", (), -1)),)))] == ["DL103"]


def test_expressions_of_other_languages_are_refused() -> None:
    rule = Rule(Atom("p", (), J), (Atom("q", (), J), EventReference("e")))
    assert [d.code for d in check(Program((rule,)))] == ["DL203"]


def test_the_cycle_of_a_program_without_an_order_is_named() -> None:
    (found,) = check(read("p(X, J) <- e(X, J), not q(X, J).\nq(X, J) <- r(X, J).\nr(X, J) <- e(X, J), p(X, J)."))
    assert found.code == "DL301"
    assert "p → q → r → p" in found.message
    assert found.span is not None
    assert found.span.text == "q(X, J)"
    assert [note.span.text for note in found.notes if note.span] == ["r(X, J)", "p(X, J)"]


def test_a_predicate_that_needs_its_own_absence_is_a_cycle_of_one() -> None:
    (found,) = check(read("p(X, s(J)) <- e(X, s(J)), not p(X, s(J))."))
    assert "p → p" in found.message


def test_what_was_absent_one_stage_before_makes_no_cycle() -> None:
    found, problems = stratify(read("p(X, s(J)) <- e(X, s(J)), not p(X, J)."))
    assert not problems
    assert found is not None
    assert found.kind == "XY-stratified"


def test_a_program_is_stratified_where_no_predicate_needs_its_own_absence_at_all() -> None:
    found, _ = stratify(read("p(X, J) <- e(X, J). q(X, s(J)) <- q(X, J), not p(X, s(J))."))
    assert found is not None
    assert found.kind == "stratified"
    assert found.order == (("p",), ("q",))


@pytest.mark.parametrize(
    "text", ["p(N + 1, J) <- p(N, J).", "p(N + 1) <- q(N). q(N) <- p(N).", "p(X.a, J) <- p(X, J)."]
)
def test_counting_at_one_stage_does_not_end_and_is_refused(text: str) -> None:
    assert codes(text) == ["DL302"]


def test_counting_from_stage_to_stage_is_fine() -> None:
    assert codes("p(N + 1, s(J)) <- p(N, J).") == []


def test_a_wrong_program_cannot_be_compiled() -> None:
    with pytest.raises(ProgramError) as refused:
        checked(read("p(Z, J) <- q(X, J)."))
    assert [d.code for d in refused.value.diagnostics] == ["DL201"]


def test_recursion_at_one_stage_without_negation_is_accepted() -> None:
    assert codes("path(X, Y, J) <- edge(X, Y, J). path(X, Z, J) <- path(X, Y, J), edge(Y, Z, J).") == []


def test_the_next_stage_is_not_the_current_one() -> None:
    assert NEXT is not J
