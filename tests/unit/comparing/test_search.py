"""Which histories are tried, and that none is missed that is worth trying."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from cera.comparing.comparison import compare
from cera.comparing.histories import Difference, Observation
from cera.comparing.letters import letters
from cera.comparing.search import Options, Search, occurrences, search
from cera.comparing.subjects import read
from cera.errors import UsageError
from cera.model.events.event import Event
from module_runs import meaning

SECOND = 1_000_000
MINUTE = 60 * SECOND


def told(first: str, second: str, **options: object) -> list[str]:
    return [str(each) for each in search(read(first), read(second), Options(every=True, **options)).differences]  # type: ignore[arg-type]


def test_values_lie_on_both_sides_of_what_conditions_compare_with() -> None:
    assert told(";(E1, E2) where E2.v > 3", ";(E1, E2) where E2.v >= 3") == ["e1^1 e2^1(v=3)"]
    assert told(';(E1, E2) where E2.v = "a"', ";(E1, E2)") == ['e1^1 e2^1(v="not a")', "e1^1 e2^1"]


def test_events_may_lack_what_conditions_look_at() -> None:
    assert told("or(E1) where E1.v > 3 or E1.v <= 3", "or(E1)") == ["e1^1"]
    assert told(";(E1, E2) where E1.v = E2.v", ";(E1, E2) where not (E1.v != E2.v)")[0] == "e1^1(v=1) e2^1"


def test_as_many_values_are_tried_as_comparisons_need() -> None:
    rising = ";(last: shared: E1, last: shared: E2, E3) where E1.k < E2.k and E2.k < E3.k"
    [difference] = compare(rising, f"{rising} and false").differences
    assert str(difference) == "e1^1(k=1) e2^1(k=2) e3^1(k=3)"
    assert compare(rising, rising, max_events=1).domain.values == {
        "E1": {"k": (1, 2, 3)},
        "E2": {"k": (1, 2, 3)},
        "E3": {"k": (1, 2, 3)},
    }


def test_the_count_is_that_of_events_also_if_they_rest_on_the_same() -> None:
    first, second = "unrestricted X and (X or Z)", "unrestricted (a: X ; b: X) or (X or Z)"
    [difference] = compare(first, second, labels=["X"], count=True).differences
    assert [difference.detected(side)[SECOND] for side in (0, 1)] == [
        ["2 × (x^1 x^2)", "(x^2)"],
        ["(x^1 x^2)", "(x^2)"],
    ]
    assert compare(first, second, labels=["X"], max_events=2).differences == ()


def test_attributes_that_are_compared_have_values_that_differ_and_agree() -> None:
    assert told(";(E1, E2) where E1.v = E2.v", ";(E1, E2)") == [
        "e1^1(v=1) e2^1(v=2)",
        "e1^1(v=1) e2^1",
        "e1^1(v=2) e2^1(v=1)",
        "e1^1(v=2) e2^1",
        "e1^1 e2^1(v=1)",
        "e1^1 e2^1(v=2)",
        "e1^1 e2^1",
    ]
    assert told(";(E1, E2) where E2.v > E1.v + 10", ";(E1, E2) where E2.v >= E1.v + 10") == [
        "e1^1(v=0) e2^1(v=10)",
        "e1^1(v=1) e2^1(v=11)",
    ]


def test_conditions_on_attributes_of_types_inside_are_about_their_events() -> None:
    inner = ";(;(first: E1, E2) as p({}), E3) where p.v = E3.v"
    found = told(inner.format("v: E1.v"), inner.format("v: E2.v"))
    assert [each for each in found if each.count("v=") == 3] == [
        f"e1^1(v={one}) e2^1(v={other}) e3^1(v={last})"
        for one, other, last in [(1, 2, 1), (1, 2, 2), (2, 1, 1), (2, 1, 2)]
    ]


def test_a_partition_has_two_values() -> None:
    found = told("partition by k; X := ;(E1, E2)", ";(E1, E2)")
    assert found[:2] == ["e1^1(k=1) e2^1(k=2)", "e1^1(k=1) e2^1"]
    assert len(found) == 7  # all but those with the same value


def test_events_lie_as_far_apart_as_a_limit_and_farther() -> None:
    [difference] = compare(";(E1, E2) within 5 min", ";(E1, E2)", every=True).differences
    assert [moment.time for moment in difference.history] == [0, 5 * MINUTE + SECOND]
    [at_the_limit] = compare(";(E1, E2) within 5 min", ";(E1, E2) within 299 sec").differences
    assert [moment.time for moment in at_the_limit.history] == [0, 5 * MINUTE]


def test_timers_tick_after_the_last_event_and_between_events() -> None:
    [once] = compare("T := 5 min after E1", "T := 6 min after E1").differences
    assert str(once) == "e1^1"
    assert once.detected(0) == {5 * MINUTE: ["(tick@5 min)"]}
    assert once.detected(1) == {6 * MINUTE: ["(tick@6 min)"]}
    [between] = compare("T := every 5 min after E1 until E2", "T := every 5 min after E1").differences
    assert [len(between.detected(side)) for side in (0, 1)] == [0, 1]


def test_ticks_count_by_their_time_whatever_timer_they_are_of() -> None:
    one = "T := 5 min after E1; X := ;(E1, T)"
    other = "Alarm := 300 sec after E1; X := ;(E1, Alarm)"
    assert compare(one, other, max_events=2).differences == ()


def test_simultaneous_events_tell_more_apart() -> None:
    first, second = "and(E1, E2)", "or(;(E1, E2), ;(E2, E1), ==(E1, E2))"
    assert told("and(E1, E2)", "or(;(E1, E2), ;(E2, E1))", max_events=2) == []
    assert told("and(E1, E2)", "or(;(E1, E2), ;(E2, E1))", max_events=2, simultaneous=True) == ["e1^1|e2^1"]
    assert told(first, second, max_events=2, simultaneous=True) == []


def test_all_events_of_a_continuous_type_may_come_between() -> None:
    assert told("event E3; X := continuous: ;(E1, E2)", ";(E1, E2)") == ["e1^1 e3^1 e2^1"]
    assert "e3" not in "".join(told("event E3; X := ;(last: E1, E2)", ";(first: E1, E2)"))


def test_changes_of_tables_occur_with_their_rows() -> None:
    first = "event Paid = update(ACC); X := ;(E1, Paid) where Paid.old_v < Paid.v"
    second = "event Raised = update(ACC); X := ;(E1, Raised) where Raised.old_v < Raised.new_v"
    assert compare(first, second, max_events=3).differences == ()
    assert told(first, "event Paid = update(ACC); X := ;(E1, Paid)")[0] == "e1^1 update(acc)^1(old_v=1, v=1)"


def test_where_every_future_is_known_there_is_no_difference_at_all() -> None:
    answer = compare(";(last: shared: E1, E2)", ";(last: shared: E1, first: E2)")
    assert answer.exhausted
    assert answer.events < 4
    assert not compare(";(first: E1, E2)", ";(first: E1, first: E2)", max_events=4).exhausted


def test_labels_that_nothing_names_are_an_error() -> None:
    with pytest.raises(UsageError, match="nothing is called E9; there are E1, E2"):
        compare(";(E1, E2)", ";(E1, E2)", labels=["E1", "E9"])
    with pytest.raises(UsageError, match="name at least one; there are E1, E2"):
        compare(";(E1, E2)", ";(E1, E2)", labels=[])


def test_events_of_one_time_are_taken_in_the_order_of_the_letters() -> None:
    [one, other] = letters([read(";(E1, E2)").module])
    together = occurrences([other, one, other], SECOND, 4)
    assert [each.number for each in together] == [4, 5, 6]
    assert [each.event.id for each in together] == sorted(each.event.id for each in together)


MODES = ["", "first: ", "last: shared: ", "cumulative: ", "combinations minimum: shared: ", "first: exclusive: "]


def random_type(source: random.Random) -> str:
    operator = source.choice([";", "and", "not", "or"])
    parts = [source.choice(MODES) + name for name in ("E1", "E2", "E3")[: 3 if operator == "not" else 2]]
    if operator == "not":
        parts[1] = "E2"
        parts[2] = source.choice(["", "first: "]) + "E3"
    return f"{operator}({', '.join(parts)}){source.choice(['', '', ' within 5 min', ' where E1.v < 2'])}"


def usable(text: str) -> bool:
    try:
        read(text)
    except Exception:  # combinations need a shared terminator
        return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_histories_with_the_same_future_need_not_all_be_tried_and_the_slow_evaluator_agrees(seed: int) -> None:
    source = random.Random(seed)
    first, second = (read(next(text for text in iter(lambda: random_type(source), "") if usable(text))) for _ in "12")
    options = Options(max_events=3)
    merged, all_tried = (Search(first, second, options).run(3, merging=merging) for merging in (True, False))
    assert bool(merged.differences) == bool(all_tried.differences)
    assert merged.events == all_tried.events or merged.exhausted
    for difference in merged.differences:
        for side, subject in enumerate((first, second)):
            assert difference.detections[side] == by_definition(difference, subject.module)


def by_definition(difference: Difference, module: object) -> object:
    """What the slow evaluator detects in the history, told in the same way."""
    numbers: dict[Event, int] = {}
    for moment in difference.history:
        for one in occurrences(moment.letters, moment.time, len(numbers)):
            numbers[one.event] = one.number
    found: dict[int, Counter[frozenset[int]]] = {}
    for derived in meaning(module, list(numbers)).derived:  # type: ignore[arg-type]
        for way in derived.derivations:
            rests = frozenset(numbers[cause] for cause in way.causes.values())
            found.setdefault(derived.event.end, Counter())[rests] += 1
    return tuple(Observation(time, frozenset(some.items())) for time, some in sorted(found.items()))


@pytest.mark.parametrize("given", [{"max_events": "x"}, {"labels": "E1"}, {"first": None}])
def test_what_cannot_be_compared_is_an_error_of_use(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        compare(**{"first": "recent E1 ; E2", "second": "recent E1 ; E2", **given})
