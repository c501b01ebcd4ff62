"""The entries N-01 to N-16 of the catalogue: Snoop's operators in its contexts, as event types by Fig. 3."""

from __future__ import annotations

import pytest

from cera.instances.types import EventType, FoldedValue, TimerType
from cera.model.expressions.expression import Variable
from cera.testing import SECOND
from instance_building import complex_type, detected, history, module, seen, times
from instance_evaluators import EVALUATORS, Evaluator

CONTEXTS = ("recent", "chronicle", "continuous", "cumulative")

#: The modes of E1 and of the terminating event, by context. Where the figure is unclear (ERR-113) the choice is ours.
AND = {
    "recent": ("last: shared", "last: shared"),
    "chronicle": ("first: exclusive parameter", "first: exclusive parameter"),
    "continuous": ("combinations minimum: inside shared: outside exclusive",) * 2,
    "cumulative": ("cumulative: exclusive parameter", "cumulative: exclusive parameter"),
}
SEQUENCE = {
    "recent": ("last: shared", "exclusive parameter"),
    "chronicle": ("first: exclusive parameter", "exclusive parameter"),
    "continuous": (
        "combinations minimum: inside exclusive parameter: outside exclusive",
        "inside shared: outside exclusive parameter",
    ),
    "cumulative": ("cumulative: exclusive parameter", "exclusive parameter"),
}
NOT = SEQUENCE | {
    "recent": ("last: exclusive", "exclusive parameter"),
    "cumulative": ("restricted cumulative: exclusive parameter", "exclusive parameter"),
}
APERIODIC = SEQUENCE | {
    "continuous": (
        "combinations minimum: inside exclusive parameter: outside shared",
        "inside shared: outside exclusive parameter",
    ),
    "cumulative": ("first: exclusive", "exclusive parameter"),
}
CLOSED = SEQUENCE | {
    "recent": ("last: exclusive", "exclusive parameter"),
    "cumulative": ("first: exclusive", "exclusive parameter"),
}
BETWEEN = {
    "recent": "restricted cumulative: exclusive",
    "chronicle": "restricted cumulative: shared",
    "continuous": "restricted cumulative: inside shared: outside exclusive",
    "cumulative": "restricted cumulative: exclusive",
}


def conjunction(context: str, name: str = "E", of: str = "E1 E2") -> list[EventType]:
    mode = AND[context][0]
    return [complex_type(name, "and", *(f"{mode}: {each}" for each in of.split()))]


def disjunction(context: str, name: str = "E") -> list[EventType]:
    return [complex_type(name, "or", "exclusive parameter: E1", "exclusive parameter: E2")]


def sequence(context: str, name: str = "E", of: str = "E1 E2") -> list[EventType]:
    modes = zip(SEQUENCE[context], of.split(), strict=True)
    return [complex_type(name, ";", *(f"{mode}: {each}" for mode, each in modes))]


def negation(context: str) -> list[EventType]:
    """NOT(E2)[E1, E3]."""
    first, last = NOT[context]
    return [complex_type("E", "not", f"{first}: E1", "E2", f"{last}: E3")]


def aperiodic(context: str) -> list[EventType]:
    """A(E1, E2, E3): the event is E2, and E3 closes."""
    first, last = APERIODIC[context]
    return [complex_type("E", "not", f"{first}: E1", "E3", f"{last}: E2")]


def aperiodic_star(context: str) -> list[EventType]:
    """A*(E1, E2, E3): the E2 between E1 and E3, or none."""
    first, last = CLOSED[context]
    return [
        complex_type("None", "not", f"{first}: E1", "E2", f"{last}: E3", hidden=True),
        complex_type("Some", ";", f"{first}: E1", f"{BETWEEN[context]}: E2", f"{last}: E3", hidden=True),
        complex_type("E", "or", "None", "Some"),
    ]


@pytest.fixture(params=EVALUATORS.values(), ids=list(EVALUATORS))
def evaluate(request: pytest.FixtureRequest) -> Evaluator:
    given: Evaluator = request.param
    return given


def found(evaluate: Evaluator, types: list[EventType], events: str) -> list[str]:
    return detected(evaluate(module(*types), history(events)), "E")


def everywhere(evaluate: Evaluator, operator: object, events: str) -> dict[str, list[str]]:
    """What is detected in each context."""
    assert callable(operator)
    return {context: found(evaluate, operator(context), events) for context in CONTEXTS}


@pytest.mark.parametrize(
    ("required", "events", "expected"),
    [(1, "e1 e2|e3", "e1^1, e2^1, e3^1"), (2, "e3 e1 e2 e2", "e3^1 e1^1"), (3, "e3 e1 e2", "e3^1 e1^1 e2^1")],
)
def test_N_01_any_binds_so_many_of_the_types(evaluate: Evaluator, required: int, events: str, expected: str) -> None:
    types: list[EventType] = [complex_type("E", "of", "first: E1", "first: E2", "first: E3", required=required)]
    assert found(evaluate, types, events) == seen(expected)


def test_N_01_a_periodic_event_ticks_between_two_others(evaluate: Evaluator) -> None:
    every = TimerType("T", SECOND, "E1", repeats=True, stop="E3", latest=True)
    ticking = complex_type("E", ";", "last: shared: E1", "T")
    assert times(evaluate(module(every, ticking), history(". e1 . . e3 . ."))) == [3, 4, 5]


def test_N_01_a_periodic_event_is_told_once_at_the_end(evaluate: Evaluator) -> None:
    every = TimerType("T", SECOND, "E1", repeats=True, stop="E3")
    ticks = (FoldedValue("count(T)", "count", "T"),)
    fields = (("ticks", Variable("count(T)")),)
    closed = complex_type("E", ";", "E1", "restricted cumulative: T", "E3", fields=fields, folds=ticks)
    [one] = evaluate(module(every, closed), history(". e1 . . e3 . .")).derived
    assert str(one.event) == "E{ticks{2}}[2000000,5000000]"


def test_N_02_unrestricted_is_every_combination(evaluate: Evaluator) -> None:
    types: list[EventType] = [
        complex_type("E", ";", *(f"combinations minimum: shared: E{k}" for k in (1, 2))),
    ]
    assert found(evaluate, types, "e1 e1 e2 e2") == seen("e1^1 e2^1, e1^2 e2^1, e1^1 e2^2, e1^2 e2^2")


def test_N_03_conjunction(evaluate: Evaluator) -> None:
    assert everywhere(evaluate, conjunction, "e1 e2 e2 e1") == {
        "recent": seen("e1^1 e2^1, e1^1 e2^2, e2^2 e1^2"),
        "chronicle": seen("e1^1 e2^1, e2^2 e1^2"),
        "continuous": seen("e1^1 e2^1, e2^2 e1^2"),
        "cumulative": seen("e1^1 e2^1, e2^2 e1^2"),
    }


def test_N_04_any_of_all_types_is_their_conjunction(evaluate: Evaluator) -> None:
    def operator(context: str) -> list[EventType]:
        return conjunction(context, of="E1 E2 E3")

    answers = everywhere(evaluate, operator, "e3 e1 e1 e2 e3 e2")
    assert answers == {
        "recent": seen("e3^1 e1^2 e2^1, e1^2 e2^1 e3^2, e1^2 e3^2 e2^2"),
        "chronicle": seen("e3^1 e1^1 e2^1, e1^2 e3^2 e2^2"),
        "continuous": seen("e3^1 e1^1 e2^1, e3^1 e1^2 e2^1"),
        "cumulative": seen("e3^1 e1^1 e1^2 e2^1"),
    }


def test_N_05_disjunction_is_the_same_in_all_contexts(evaluate: Evaluator) -> None:
    expected = seen("e1^1, e2^1, e1^2")
    assert everywhere(evaluate, disjunction, "e1 e2|e3 e1") == dict.fromkeys(CONTEXTS, expected)


def test_N_06_sequence(evaluate: Evaluator) -> None:
    assert everywhere(evaluate, sequence, "e1 e2 e1 e1 e2") == {
        "recent": seen("e1^1 e2^1, e1^3 e2^2"),
        "chronicle": seen("e1^1 e2^1, e1^2 e2^2"),
        "continuous": seen("e1^1 e2^1, e1^2 e2^2, e1^3 e2^2"),
        "cumulative": seen("e1^1 e2^1, e1^2 e1^3 e2^2"),
    }


def test_N_07_negation(evaluate: Evaluator) -> None:
    assert everywhere(evaluate, negation, "e1 e2 e1 e1 e3 e3") == {
        "recent": seen("e1^3 e3^1"),
        "chronicle": seen("e1^2 e3^1, e1^3 e3^2"),
        "continuous": seen("e1^2 e3^1, e1^3 e3^1"),
        "cumulative": seen("e1^2 e1^3 e3^1"),
    }


def test_N_08_aperiodic(evaluate: Evaluator) -> None:
    assert everywhere(evaluate, aperiodic, "e1 e1 e2 e2 e3 e2") == {
        "recent": seen("e1^2 e2^1, e1^2 e2^2"),
        "chronicle": seen("e1^1 e2^1, e1^2 e2^2"),
        "continuous": seen("e1^1 e2^1, e1^2 e2^1, e1^1 e2^2, e1^2 e2^2"),
        "cumulative": seen("e1^1 e2^1"),
    }


def test_N_09_aperiodic_star(evaluate: Evaluator) -> None:
    assert everywhere(evaluate, aperiodic_star, "e1 e1 e2 e2 e3 e3") == {
        "recent": seen("e1^2 e2^1 e2^2 e3^1"),
        "chronicle": seen("e1^1 e2^1 e2^2 e3^1, e1^2 e2^1 e2^2 e3^2"),
        "continuous": seen("e1^1 e2^1 e2^2 e3^1, e1^2 e2^1 e2^2 e3^1"),
        "cumulative": seen("e1^1 e2^1 e2^2 e3^1"),
    }
    nothing_between = everywhere(evaluate, aperiodic_star, "e2 e1 e3")
    assert nothing_between == dict.fromkeys(CONTEXTS, seen("e1^1 e3^1"))


def test_N_10_negation_is_irregular_in_the_recent_context(evaluate: Evaluator) -> None:
    assert found(evaluate, sequence("recent", of="E1 E3"), "e1 e3 e3") == seen("e1^1 e3^1, e1^1 e3^2")
    assert found(evaluate, negation("recent"), "e1 e3 e3") == seen("e1^1 e3^1")


def test_N_11_contexts_differ_in_consumption(evaluate: Evaluator) -> None:
    assert found(evaluate, conjunction("recent"), "e1 e2 e2") == seen("e1^1 e2^1, e1^1 e2^2")
    assert found(evaluate, conjunction("chronicle"), "e1 e2 e2") == seen("e1^1 e2^1")


def test_N_12_the_aperiodic_event_is_signalled_once_in_the_chronicle_context(evaluate: Evaluator) -> None:
    assert found(evaluate, aperiodic("chronicle"), "e1 e2 e2 e2 e3") == seen("e1^1 e2^1")


def test_N_13_the_aperiodic_event_goes_with_all_older_ones_in_the_continuous_context(evaluate: Evaluator) -> None:
    expected = seen("e1^1 e2^1, e1^1 e2^2, e1^2 e2^2, e1^1 e2^3, e1^2 e2^3")
    assert found(evaluate, aperiodic("continuous"), "e1 e2 e1 e2 e2") == expected


def test_N_14_the_last_of_samos_is_not_the_recent_context(evaluate: Evaluator) -> None:
    samos: list[EventType] = [complex_type("E", ";", "last: exclusive parameter: E1", "exclusive parameter: E2")]
    assert found(evaluate, samos, "e1 e2 e2") == seen("e1^1 e2^1")
    assert found(evaluate, sequence("recent"), "e1 e2 e2") == seen("e1^1 e2^1, e1^1 e2^2")


@pytest.mark.parametrize("operator", [sequence, conjunction])
def test_N_15_sequence_and_conjunction_on_two_and_two(evaluate: Evaluator, operator: object) -> None:
    assert everywhere(evaluate, operator, "e1 e1 e2 e2") == {
        "recent": seen("e1^2 e2^1, e1^2 e2^2"),
        "chronicle": seen("e1^1 e2^1, e1^2 e2^2"),
        "continuous": seen("e1^1 e2^1, e1^2 e2^1"),
        "cumulative": seen("e1^1 e1^2 e2^1"),
    }


def test_N_15_negation_on_two_and_two(evaluate: Evaluator) -> None:
    assert everywhere(evaluate, negation, "e1 e1 e3 e3") == {
        "recent": seen("e1^2 e3^1"),
        "chronicle": seen("e1^1 e3^1, e1^2 e3^2"),
        "continuous": seen("e1^1 e3^1, e1^2 e3^1"),
        "cumulative": seen("e1^1 e1^2 e3^1"),
    }
    assert everywhere(evaluate, negation, "e1 e2 e1 e3") == dict.fromkeys(CONTEXTS, seen("e1^2 e3^1"))


def test_N_15_aperiodic_events_after_two_starts(evaluate: Evaluator) -> None:
    assert found(evaluate, aperiodic("recent"), "e1 e2 e1 e2 e2") == seen("e1^1 e2^1, e1^2 e2^2, e1^2 e2^3")
    assert found(evaluate, aperiodic("chronicle"), "e1 e2 e1 e2 e2") == seen("e1^1 e2^1, e1^2 e2^2")


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("recent", "a^2 b^1 c^1, a^2 b^2 c^2"),
        ("chronicle", "a^1 b^1 c^1, a^2 b^2 c^2"),
        ("continuous", "a^1 b^1 c^1, a^2 b^1 c^1"),
        ("cumulative", "a^1 a^2 b^1 c^1"),
    ],
)
def test_N_16_example_9_of_seed_003_through_nested_sequences(evaluate: Evaluator, context: str, expected: str) -> None:
    types = [*sequence(context, "AB", "A B"), *sequence(context, "E", "AB C")]
    assert found(evaluate, types, "a a b c b c") == seen(expected)
