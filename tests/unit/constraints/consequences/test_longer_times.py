"""What constraints on shorter and longer times say of one another: timers of several lengths, windows in windows."""

from __future__ import annotations

import pytest

from cera.constraints.consequences.contradiction import contradict
from cera.constraints.consequences.implication import follows
from cera.constraints.stream import Happening
from conformance.constraints import by_definition, clauses_of, diagnostics_of, event

PAID = "IF event o: order(id(N)) and event w: {} THEN while w: {} event: payment(id(N)) END"
WINDOW = "WHILE {} LET IN ANY CASE {} event: order() END END"


def implies(first: str, second: str) -> bool:
    [clause] = clauses_of(second)
    return follows(clause, clauses_of(first))


def contradictory(first: str, second: str) -> bool:
    return contradict(clauses_of(first), clauses_of(second))


# Timers

TIMERS = [
    ("from-end[o, 1h]", "from-end[o, 2h]"),
    ("from-start[o, 1h]", "from-start[o, 2h]"),
    ("extend[o, 1h]", "extend[o, 2h]"),
    ("from-end[o, 1h]", "extend[o, 1h]"),
    ("from-end-backward[o, 1h]", "from-end-backward[o, 2h]"),
    ("from-start-backward[o, 1h]", "from-start-backward[o, 2h]"),
    ("from-start-backward[o, 1h]", "extend-begin[o, 1h]"),
    ("from-end[o, 27 days]", "from-end[o, 1 month]"),
]


@pytest.mark.parametrize(("shorter", "longer"), TIMERS)
@pytest.mark.parametrize("count", ["exists >= 1", "exists >= 3", ""])
def test_what_happens_in_the_shorter_time_happens_in_the_longer_one(shorter: str, longer: str, count: str) -> None:
    assert implies(PAID.format(shorter, count), PAID.format(longer, count))
    assert not implies(PAID.format(longer, count), PAID.format(shorter, count))


@pytest.mark.parametrize(("shorter", "longer"), TIMERS)
@pytest.mark.parametrize("count", ["exists <= 1", "exists = 0", "not"])
def test_at_most_so_many_in_the_longer_time_are_at_most_so_many_in_the_shorter_one(
    shorter: str, longer: str, count: str
) -> None:
    assert implies(PAID.format(longer, count), PAID.format(shorter, count))
    assert not implies(PAID.format(shorter, count), PAID.format(longer, count))


@pytest.mark.parametrize(("shorter", "longer"), TIMERS)
def test_more_in_the_shorter_time_than_are_allowed_in_the_longer_one_is_a_contradiction(
    shorter: str, longer: str
) -> None:
    assert contradictory(PAID.format(shorter, "exists >= 2"), PAID.format(longer, "exists <= 1"))
    assert not contradictory(PAID.format(shorter, "exists <= 1"), PAID.format(longer, "exists >= 2"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from-end[o, 1h]", "from-start[o, 2h]"),  # an order may last longer than two hours
        ("shift-forward[o, 1h]", "from-end[o, 2h]"),
        ("from-end[o, 1 month]", "from-end[o, 30 days]"),
    ],
)
def test_times_of_which_none_lies_in_the_other_say_nothing_of_one_another(first: str, second: str) -> None:
    for count in ("exists >= 1", "exists <= 1"):
        assert not implies(PAID.format(first, count), PAID.format(second, count))
        assert not implies(PAID.format(second, count), PAID.format(first, count))


def test_of_a_time_that_need_not_be_there_nothing_is_known_where_it_is_not() -> None:
    shortened, extended = "shorten[o, 1h]", "extend[o, 1h]"
    assert not implies(PAID.format(shortened, "exists >= 1"), PAID.format(extended, "exists >= 1"))
    assert implies(PAID.format(extended, "exists <= 1"), PAID.format(shortened, "exists <= 1"))


def test_the_timers_of_states_are_compared() -> None:
    text = "IF state s: open(shop(S)) and state w: {} THEN while w: {} event: visit(shop(S)) END"
    one, other = (text.format(f"from-start[s, {length}]", "exists >= 1") for length in ("1h", "2h"))
    assert implies(one, other)
    assert not implies(other, one)


def test_the_check_says_which_timer_is_not_needed() -> None:
    text = "\n".join(
        f"CONSTRAINT {name}: " + PAID.format(f"from-end[o, {time}]", "exists >= 1")
        for name, time in (("soon", "1h"), ("late", "2h"))
    )
    [problem] = [each for each in diagnostics_of(text) if each.code == "EC405"]
    assert problem.message == "the constraint `late` follows from `soon`"


def test_what_a_time_is_relative_to_lies_in_no_such_time_and_in_others() -> None:
    """The order is one of the orders in an hour of the clock, and none of those in the time from its begin."""
    window = "IF event o: order() and w: Range 1h and {} THEN while w: exists = 0 event: order() group-by {{}} END"
    timer = "IF event o: order() and event w: extend[o, 3h] THEN while w: exists = 0 event: order() group-by {} END"
    [clause] = clauses_of(window.format("b(o) <= b(w) and e(w) <= e(o) + 2h"))
    assert not follows(clause, clauses_of(timer))


# Windows of the clock


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        ("Range 1h", "Range 2h"),
        ("Range 1h Slide 30 min", "Range 3h Slide 30 min"),
        ("[now - 1h, now]", "[now - 2h, now]"),
        ("now", "[now - 1h, now]"),
    ],
)
def test_shorter_windows_that_end_with_longer_ones_say_how_many_are_in_those(shorter: str, longer: str) -> None:
    assert implies(WINDOW.format(shorter, "exists >= 3"), WINDOW.format(longer, "exists >= 3"))
    assert not implies(WINDOW.format(longer, "exists >= 3"), WINDOW.format(shorter, "exists >= 3"))
    assert implies(WINDOW.format(longer, "exists <= 3"), WINDOW.format(shorter, "exists <= 3"))
    assert not implies(WINDOW.format(shorter, "exists <= 3"), WINDOW.format(longer, "exists <= 3"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Range 1h", "exists >= 3"), ("Range 2h", "exists <= 2")),
        (("Range 1h", "exists >= 3"), ("Range 2h", "exists <= 5")),
        (("Range 1h", "exists >= 3"), ("Range 90 min", "exists <= 2")),
        (("Range 1h Slide 10 min", "exists >= 3"), ("Range 2h", "exists <= 5")),
        (("[now - 1h, now]", "exists >= 3"), ("[now - 2h, now]", "exists <= 2")),
        (("Range 1 min", "exists >= 1"), ("Range 1h", "exists < 8")),
    ],
)
def test_windows_that_have_more_than_longer_ones_may_have_are_contradictions(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert contradictory(WINDOW.format(*first), WINDOW.format(*second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Range 1h", "exists >= 3"), ("Range 2h", "exists <= 6")),
        (("Range 1h", "exists <= 2"), ("Range 2h", "exists >= 3")),
        (("Range 1h", "exists >= 3"), ("Range 50 min", "exists <= 2")),
        (("Range 2h", "exists >= 3"), ("Range 1h", "exists <= 2")),
        (("[now - 1h, now]", "exists >= 3"), ("[now - 2h, now]", "exists <= 3")),
        (("Range 1h", "exists >= 3"), ("[now - 2h, now]", "exists <= 2")),
    ],
)
def test_windows_of_which_both_can_hold_are_not_contradictions(first: tuple[str, str], second: tuple[str, str]) -> None:
    """The last one would be, if the times at which something happens were known."""
    assert not contradictory(WINDOW.format(*first), WINDOW.format(*second))
    assert not contradictory(WINDOW.format(*second), WINDOW.format(*first))


#: What does not follow, by a recording that violates the second constraint and not the first one.
EDGES: dict[str, tuple[str, str, list[Happening]]] = {
    "a long event begins before all, and is known only when the first hour has passed": (
        WINDOW.format("Range 1h", "exists >= 1"),
        WINDOW.format("Range 2h", "exists >= 2"),
        [event("order", 5400), event("other", 0, 7199), event("end", 8000)],
    ),
    "an event that lasts lies in none of the hours, and in both together": (
        WINDOW.format("Range 1h", "exists <= 1"),
        WINDOW.format("Range 2h", "exists <= 2"),
        [event("order", 10), event("order", 3590, 3610), event("order", 7000)],
    ),
    "of windows that do not end together the shorter may lie at the begin": (
        WINDOW.format("Range 1h", "exists >= 1"),
        WINDOW.format("Range 100 min", "exists >= 1"),
        [event("first", 5000), event("other", 0, 5999), event("end", 6100)],
    ),
}


@pytest.mark.parametrize("case", EDGES)
def test_the_edges_of_a_recording_are_minded(case: str) -> None:
    first, second, happenings = EDGES[case]
    assert not by_definition(first, happenings).violations
    assert by_definition(second, happenings).violations
    assert not implies(first, second)
