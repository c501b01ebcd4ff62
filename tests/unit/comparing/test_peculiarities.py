"""The irregularities that section 4 of seed 004 tells of are found, as the shortest histories that show them."""

from __future__ import annotations

import pytest

from cera.comparing.comparison import Comparison, compare

SECOND = 1_000_000


def found(comparison: Comparison) -> list[str]:
    return [str(each) for each in comparison.differences]


def seen(comparison: Comparison) -> list[list[str]]:
    """What each type detects in the first history, in the order of time."""
    difference = comparison.differences[0]
    return [[one for ones in difference.detected(side).values() for one in ones] for side in (0, 1)]


def test_n10_recent_sequence_and_negation_differ_though_nothing_forbidden_occurs() -> None:
    answer = compare("recent E1 ; E3", "recent NOT(E2)[E1, E3]", labels=["E1", "E3"], every=True)
    assert found(answer) == ["e1^1 e3^1 e3^2"]
    assert seen(answer) == [["(e1^1 e3^1)", "(e1^1 e3^2)"], ["(e1^1 e3^1)"]]


def test_n11_recent_and_chronicle_conjunctions_detect_a_different_number() -> None:
    answer = compare("recent (E1 and E2)", "chronicle (E1 and E2)", count=True)
    assert found(answer) == ["e1^1 e2^1 e2^2"]
    assert seen(answer) == [["(e1^1 e2^1)", "(e1^1 e2^2)"], ["(e1^1 e2^1)"]]


def test_conjunctions_differ_by_what_they_bind_where_they_detect_the_same_number() -> None:
    by_binding = compare("recent (E1 and E2)", "chronicle (E1 and E2)", every=True)
    by_number = compare("recent (E1 and E2)", "chronicle (E1 and E2)", every=True, count=True)
    assert set(found(by_binding)) - set(found(by_number)) == {"e1^1 e1^2 e2^1", "e2^1 e2^2 e1^1"}


@pytest.mark.parametrize("other", ["continuous A(E1, E2, E3)", "A(E1, E2, E3)", "recent A(E1, E2, E3)"])
def test_n12_the_chronicle_context_takes_away_that_an_aperiodic_event_recurs(other: str) -> None:
    answer = compare("chronicle A(E1, E2, E3)", other, every=True)
    assert "e1^1 e2^1 e2^2" in found(answer)
    expected = compare("chronicle A(E1, E2, E3)", "not(first: shared: E1, E3, E2)", every=True)
    assert found(expected) == ["e1^1 e2^1 e2^2"]
    assert seen(expected) == [["(e1^1 e2^1)"], ["(e1^1 e2^1)", "(e1^1 e2^2)"]]


def test_n13_a_continuous_aperiodic_event_goes_on_with_every_older_initiator() -> None:
    newest = compare("continuous A(E1, E2, E3)", "recent A(E1, E2, E3)", every=True)
    assert found(newest) == ["e1^1 e1^2 e2^1"]
    assert seen(newest) == [["(e1^1 e2^1)", "(e1^2 e2^1)"], ["(e1^2 e2^1)"]]
    as_in_other_operators = compare(
        "continuous A(E1, E2, E3)",
        "not(combinations minimum: inside exclusive parameter: outside exclusive: E1, E3, "
        "inside shared: outside exclusive parameter: E2)",
        every=True,
    )
    assert found(as_in_other_operators) == ["e1^1 e2^1 e2^2"]


def test_n14_samos_last_is_not_snoop_recent() -> None:
    answer = compare("samos last E1 ; E2", "recent E1 ; E2", every=True)
    assert found(answer) == ["e1^1 e2^1 e2^2"]
    assert seen(answer) == [["(e1^1 e2^1)"], ["(e1^1 e2^1)", "(e1^1 e2^2)"]]


def test_err_111_the_two_readings_of_ode_differ() -> None:
    answer = compare(";(first: exclusive parameter: E1, shared: E2)", "unrestricted E1 ; E2", every=True)
    assert found(answer) == ["e1^1 e2^1 e2^2"]


def test_n09_aperiodic_star_is_not_a_disjunction_of_types_that_consume_by_themselves() -> None:
    disjunction = "or(not(first: E1, E2, E3), ;(first: E1, restricted cumulative: shared: E2, E3))"
    answer = compare("chronicle A*(E1, E2, E3)", disjunction)
    assert found(answer) == ["e1^1 e2^1 e1^2 e3^1"]
    assert seen(answer) == [["(e1^1 e2^1 e3^1)"], ["(e1^1 e2^1 e3^1)", "(e1^2 e3^1)"]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("chronicle E1 ; E2", "samos E1 ; E2"),
        ("chronicle E1 ; E2", ";(first: E1, E2)"),
        ("samos last E1 ; E2", "adl E1 ; E2"),
        ("chronicle A*(E1, E2, E3)", ";(first: E1, restricted cumulative: shared: (0-): E2, E3)"),
        ("E1 or E2", "or(E2, E1)"),
    ],
)
def test_types_that_mean_the_same_do_not_differ(first: str, second: str) -> None:
    answer = compare(first, second, max_events=6)
    assert answer.differences == ()
    assert answer.events == 6 or answer.exhausted


def test_a_sequence_of_three_is_not_associative_because_only_the_ends_are_compared() -> None:
    answer = compare("recent (E1 ; E2) ; E3", "recent E1 ; (E2 ; E3)")
    assert found(answer) == ["e2^1 e1^1 e3^1"]
    assert seen(answer) == [[], ["(e2^1 e1^1 e3^1)"]]
