"""The entries M-01 to M-24 of the catalogue: the three dimensions of event types. (M-21 and M-25 are about text.)"""

from __future__ import annotations

from typing import Any

import pytest

from cera.connectors.records.changes import Change
from cera.instances.types import ComplexType, Component, OperatorName, TimerType
from cera.modules.monitoring import MonitoredEvents
from cera.testing import SECOND
from instance_building import compared, complex_type, detected, history, module, seen, times
from instance_evaluators import EVALUATORS, Evaluator


@pytest.fixture(params=EVALUATORS.values(), ids=list(EVALUATORS))
def evaluate(request: pytest.FixtureRequest) -> Evaluator:
    given: Evaluator = request.param
    return given


EIS1 = "e1 e1 e3 e2 e2 e2 e3"
EIS2 = "e1 e1 e3 e2 e3"
EIS3 = "e1 e2 e1 e2 e2 e1 e3"
EIS4 = "e1 e1 e1 e2 e1 e2 e3"


def found(
    evaluate: Evaluator, events: str, operator: OperatorName, *components: str, others: str = "", **options: Any
) -> list[str]:
    """What is detected of one type over E1, E2, …"""
    type_ = complex_type("E", operator, *components, **options)
    return detected(evaluate(module(type_, events=others), history(events)))


def test_M_01_types_are_of_databases_of_the_clock_and_external(evaluate: Evaluator) -> None:
    clock = TimerType("T", 2 * SECOND, "Paid")
    monitored = (MonitoredEvents("Paid", "ACC", "update"), MonitoredEvents("E1", "E1"))
    given = module(clock, complex_type("E", ";", "Paid", "E1", "T"), monitored=monitored)
    paid = Change("update", "ACC", SECOND, {"n": 0}, {"n": 1}, 7).event()
    assert times(evaluate(given, [paid, *history(". e1")])) == [3]
    assert times(evaluate(given, [paid, *history(". . e1")])) == []


def test_M_01_events_may_be_simultaneous(evaluate: Evaluator) -> None:
    assert found(evaluate, "e1 e1|e2", "and", "E1", "E2") == seen("e1^2 e2^1")


def test_M_02_an_instance_has_the_interval_of_what_is_bound_to_it(evaluate: Evaluator) -> None:
    given = module(complex_type("E", ";", "E1", "E2"))
    [one] = evaluate(given, history(". e1@1 . . e2@3")).derived
    assert (one.event.begin, one.event.end) == (SECOND, 5 * SECOND)
    assert str(one.event.term) == "E{E1{n{1}}, E2{n{1}}}"
    [way] = one.derivations
    assert {name: str(cause.term) for name, cause in way.causes.items()} == {"E1": "E1{n{1}}", "E2": "E2{n{1}}"}
    assert way.rule == "M.E"


def test_M_03_what_one_type_consumes_is_there_for_the_others(evaluate: Evaluator) -> None:
    types = [complex_type(f"F{k}", ";", "exclusive: E1", f"exclusive: E{k}") for k in (2, 3)]
    answer = evaluate(module(*types), history("e1 e2 e3 e2"))
    assert detected(answer) == seen("e1^1 e2^1, e1^1 e3^1")


@pytest.mark.parametrize(
    ("time", "order", "expected"),
    [
        ("begin", ("E5", "E3"), "e1^1 e3^1 e2^1"),
        ("end", ("E5", "E3"), ""),
        ("begin", ("E3", "E5"), ""),
        ("end", ("E3", "E5"), "e1^1 e3^1 e2^1"),
    ],
)
def test_M_04_an_event_occurs_at_its_begin_or_at_its_end(
    evaluate: Evaluator, time: Any, order: tuple[str, str], expected: str
) -> None:
    inner = complex_type("E5", ";", "E1", "E2", time=time)
    answer = evaluate(module(inner, complex_type("E6", ";", *order)), history("e1 e3 e2"))
    assert detected(answer, "E6") == seen(expected)
    assert times(answer, "E6") == [3] * bool(expected)


def test_M_05_the_terminator_detects_and_the_initiator_begins(evaluate: Evaluator) -> None:
    answer = evaluate(module(complex_type("E", ";", "E1", "E2", "E3")), history(". e1 e2 . e3"))
    assert [(one.event.begin, one.event.end) for one in answer.derived] == [(2 * SECOND, 5 * SECOND)]


def test_M_05_several_events_may_terminate_together(evaluate: Evaluator) -> None:
    assert found(evaluate, "e1 e2|e3", "and", "E1", "E2", "E3") == seen("e1^1 e2^1 e3^1")


def test_M_06_what_is_detected_goes_to_the_types_above_at_once(evaluate: Evaluator) -> None:
    types = [
        complex_type("F", ";", "E1", "E2"),
        complex_type("G", "==", "E2", "F"),
        complex_type("H", ";", "G", "E3"),
    ]
    answer = evaluate(module(*types), history("e1 e2 e3 e2 e3"))
    assert detected(answer, "G") == seen("e1^1 e2^1")
    assert times(answer, "G") == [2]
    assert detected(answer, "H") == seen("e1^1 e2^1 e3^1")


def test_M_07_which_sequences_trigger(evaluate: Evaluator) -> None:
    assert found(evaluate, EIS1, ";", "E1", "E2", "E3") == seen("e1^2 e2^3 e3^2")
    assert found(evaluate, EIS1, "not", "E1", "E3", "E2") == []


@pytest.mark.parametrize(
    ("components", "expected"),
    [
        (("first: E1", "first: E2", "E3"), "e1^1 e2^1 e3^2"),
        (("first: E1", "last: E2", "E3"), "e1^1 e2^3 e3^2"),
        (("restricted cumulative: E1", "restricted cumulative: E2", "E3"), "e1^1 e1^2 e2^1 e2^2 e2^3 e3^2"),
        (("first: E1", "first: E2", "shared: E3"), "e1^1 e2^1 e3^2, e1^2 e2^2 e3^2"),
    ],
)
def test_M_07_which_instances_are_bound(evaluate: Evaluator, components: tuple[str, ...], expected: str) -> None:
    assert found(evaluate, EIS1, ";", *components) == seen(expected)


def test_M_08_types_over_one_history(evaluate: Evaluator) -> None:
    types = [complex_type("E4", ";", "E1", "E2", "E3"), complex_type("E5", ";", "E1", "E2")]
    answer = evaluate(module(*types), history(EIS2))
    assert detected(answer, "E4") == seen("e1^2 e2^1 e3^2")
    assert times(answer, "E4") == [5]
    assert detected(answer, "E5") == seen("e1^2 e2^1")
    assert times(answer, "E5") == [4]


@pytest.mark.parametrize(("overlapping", "expected"), [(True, "e1^2 e3^1 e2^1"), (False, "")])
def test_M_08_an_event_inside_the_interval_of_another(evaluate: Evaluator, overlapping: bool, expected: str) -> None:
    types = [complex_type("E5", ";", "E1", "E2"), complex_type("E6", ";", "E3", "E5", overlapping=overlapping)]
    assert detected(evaluate(module(*types), history(EIS2)), "E6") == seen(expected)


@pytest.mark.parametrize(
    ("operator", "components", "events", "expected"),
    [
        ("==", "E1 E2", "e1 e2 e1|e2", "e1^2 e2^2"),
        (";", "E1 E2", "e2 e1 e2", "e1^1 e2^2"),
        (";", "E1 E2", "e1|e2", ""),
        ("and", "E1 E2", "e2 e1", "e2^1 e1^1"),
        ("or", "E1 E2", "e1 e2|e3 e1", "e1^1, e2^1, e1^2"),
        ("or", "E1 E2", "e1|e2", "e1^1, e2^1"),
        ("not", "E1 E2 E3", "e1 e2 e3 e1 e3", "e1^2 e3^2"),
        ("not", "E1 E2 E3", "e1|e2 e2|e3", "e1^1 e3^1"),
        ("not", "E1 E2 E3 E4", "e1 e2 e4 e1 e3 e4 e1 e4", "e1^3 e4^3"),
    ],
)
def test_M_09_the_operators(
    evaluate: Evaluator, operator: OperatorName, components: str, events: str, expected: str
) -> None:
    assert found(evaluate, events, operator, *components.split()) == seen(expected)


@pytest.mark.parametrize(
    ("delimited", "events", "expected"),
    [
        ("(2): E1", "e1 e2 e1 e2", "e1^1 e1^2 e2^2"),
        ("(2): E1", "e1 e1 e1 e2", ""),
        ("(2-): E1", "e1 e2", ""),
        ("(2-): E1", "e1 e1 e1 e2", "e1^2 e1^3 e2^1"),
        ("first: (2-): E1", "e1 e1 e1 e2", "e1^1 e1^2 e2^1"),
        ("(2-3): E1", "e1 e1 e1 e2", "e1^2 e1^3 e2^1"),
        ("(2-3): E1", "e1 e1 e1 e1 e2", ""),
        ("(-2): E1", "e2 e1 e2 e1 e1 e2", "e2^1, e2^2"),
        ("E1", "e2 e1 e1 e1 e2", "e1^3 e2^2"),
        ("cumulative: (2-): E1", "e1 e2 e1 e1 e2", "e1^1 e1^2 e1^3 e2^2"),
        ("cumulative: (2-3): E1", "e1 e1 e1 e1 e2", ""),
        ("restricted cumulative: (0-): E1", "e2 e1 e1 e2", "e2^1, e1^1 e1^2 e2^2"),
    ],
)
def test_M_10_delimiters_say_how_many(evaluate: Evaluator, delimited: str, events: str, expected: str) -> None:
    assert found(evaluate, events, ";", delimited, "E2") == seen(expected)


@pytest.mark.parametrize(
    ("events", "delimiter", "expected"),
    [
        ("e1 e2 e3", "", ""),
        ("e1 e2 e3", "(2-): ", "e1^1 e3^1"),
        ("e1 e2 e2 e3", "(2): ", ""),
        ("e1 e2 e2 e2 e3", "(2): ", "e1^1 e3^1"),
        ("e1 e2 e3", "(-1): ", ""),
        ("e1 e2 e2 e3", "(-1): ", "e1^1 e3^1"),
    ],
)
def test_M_10_delimiters_say_how_many_may_not_be(
    evaluate: Evaluator, events: str, delimiter: str, expected: str
) -> None:
    assert found(evaluate, events, "not", "E1", f"{delimiter}E2", "E3") == seen(expected)


@pytest.mark.parametrize(
    ("events", "selection", "continuous", "expected"),
    [
        ("e1 e3 e2", "last", True, ""),
        ("e1 e3 e2", "last", False, "e1^1 e2^1"),
        ("e1 e2", "last", True, "e1^1 e2^1"),
        ("e3|e1 e2|e3", "last", True, "e1^1 e2^1"),
        ("e1 e1 e2", "first", True, "e1^2 e2^1"),
        ("e1 e1 e2", "first", False, "e1^1 e2^1"),
        ("e1 e1 e2", "restricted cumulative", True, "e1^1 e1^2 e2^1"),
        ("e1 e2 e2", "last", True, "e1^1 e2^1"),
    ],
)
def test_M_11_a_continuous_event_is_not_interrupted(
    evaluate: Evaluator, events: str, selection: str, continuous: bool, expected: str
) -> None:
    components = (f"{selection}: E1", "E2")
    assert found(evaluate, events, ";", *components, others="E3", continuous=continuous) == seen(expected)


def test_M_11_what_was_consumed_interrupts_as_well(evaluate: Evaluator) -> None:
    components = ("first: E1", "shared: E2")
    assert found(evaluate, "e1 e1 e2", ";", *components, continuous=True) == seen("e1^2 e2^1")
    kept = found(evaluate, "e1 e1 e2", ";", *components)
    assert kept == seen("e1^1 e2^1, e1^2 e2^1")


@pytest.mark.parametrize(
    ("operator", "events", "overlapping", "expected"),
    [
        ("and", "e1 . e2@1", True, "e1^1 e2^1"),
        ("and", "e1 . e2@1", False, ""),
        ("and", "e1 . e2@2", False, "e1^1 e2^1"),
        ("and", "e2 . e1@2", False, "e2^1 e1^1"),
        (";", ". e1@1 . e2@2", True, "e1^1 e2^1"),
        (";", ". e1@1 . e2@2", False, ""),
        (";", ". e1@1 . e2@3", False, "e1^1 e2^1"),
    ],
)
def test_M_12_what_is_bound_may_overlap_or_not(
    evaluate: Evaluator, operator: OperatorName, events: str, overlapping: bool, expected: str
) -> None:
    assert found(evaluate, events, operator, "E1", "E2", overlapping=overlapping) == seen(expected)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ("first", "e1^2 e2^2 e3^1"),
        ("last", "e1^2 e2^3 e3^1"),
        ("restricted cumulative", "e1^2 e2^2 e2^3 e3^1"),
        ("cumulative", "e2^1 e1^2 e2^2 e2^3 e3^1"),
    ],
)
def test_M_13_the_modes_of_selection(evaluate: Evaluator, selection: str, expected: str) -> None:
    the_second = (compared("E1.n", "=", 2),)
    assert found(evaluate, EIS3, ";", "E1", f"{selection}: E2", "E3", where=the_second) == seen(expected)


@pytest.mark.parametrize(("right_to_left", "expected"), [(False, "e1^2 e2^2 e3^1"), (True, "e1^1 e2^1 e3^1")])
def test_M_14_the_first_legal_solution_in_the_order_of_traversal(
    evaluate: Evaluator, right_to_left: bool, expected: str
) -> None:
    assert found(evaluate, EIS3, ";", "last: E1", "first: E2", "E3", right_to_left=right_to_left) == seen(expected)


@pytest.mark.parametrize(
    ("consumption", "expected"),
    [
        ("exclusive parameter", "e1^2 e2^1, e1^1 e2^2"),
        ("exclusive", "e1^2 e2^1"),
        ("shared", "e1^2 e2^1, e1^2 e2^2"),
    ],
)
def test_M_15_the_modes_of_consumption(evaluate: Evaluator, consumption: str, expected: str) -> None:
    assert found(evaluate, "e1 e1 e2 e2", ";", f"last: {consumption}: E1", "first: E2") == seen(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("shared", "shared", "e1^3 e1^4 e2^1, e1^3 e1^4 e2^2"),
        ("shared", "exclusive parameter", "e1^3 e1^4 e2^1, e1^1 e1^2 e2^2"),
        ("exclusive parameter", "shared", "e1^3 e1^4 e2^1, e1^1 e1^2 e2^2"),
        ("exclusive", "exclusive parameter", "e1^3 e1^4 e2^1"),
        ("shared", "exclusive", "e1^3 e1^4 e2^1"),
    ],
)
def test_M_16_the_strongest_consumption_of_a_type_dominates(
    evaluate: Evaluator, one: str, other: str, expected: str
) -> None:
    assert found(evaluate, "e1 e1 e1 e1 e2 e2", ";", f"{one}: E1 as a", f"{other}: E1 as b", "E2") == seen(expected)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ("first", "e1^1 e2^1 e3^1, e1^1 e2^2 e3^1"),
        ("last", "e1^4 e2^2 e3^1, e1^3 e2^1 e3^1"),
        ("restricted cumulative", "e1^1 e1^2 e1^3 e2^1 e3^1, e1^1 e1^2 e1^3 e1^4 e2^2 e3^1"),
    ],
)
def test_M_17_a_terminator_triggers_a_group(evaluate: Evaluator, selection: str, expected: str) -> None:
    components = (f"{selection}: shared: E1", "first: exclusive parameter: E2", "shared: E3")
    assert found(evaluate, EIS4, ";", *components) == seen(expected)


def test_M_17_combinations(evaluate: Evaluator) -> None:
    components = ("combinations minimum: shared: E1", "combinations minimum: shared: E2", "shared: E3")
    with_first = ", ".join(f"e1^{s} e2^1 e3^1" for s in (1, 2, 3))
    with_second = ", ".join(f"e1^{s} e2^2 e3^1" for s in (1, 2, 3, 4))
    assert found(evaluate, EIS4, ";", *components) == seen(f"{with_first}, {with_second}")


def test_M_17_combinations_of_more_than_the_minimum(evaluate: Evaluator) -> None:
    components = ("combinations: shared: E1", "shared: E2")
    one, two = "e1^1 e2^1, e1^2 e2^1, e1^3 e2^1", "e1^1 e1^2 e2^1, e1^1 e1^3 e2^1, e1^2 e1^3 e2^1"
    assert found(evaluate, "e1 e1 e1 e2", ";", *components) == seen(f"{one}, {two}, e1^1 e1^2 e1^3 e2^1")


@pytest.mark.parametrize(
    ("consumption", "second_group"),
    [
        ("shared", "e1^1 e2^3 e3^2"),
        ("inside shared: outside exclusive parameter", "e1^2 e2^3 e3^2"),
        ("inside shared: outside exclusive", ""),
    ],
)
def test_M_18_M_19_consumption_inside_and_outside_of_groups(
    evaluate: Evaluator, consumption: str, second_group: str
) -> None:
    components = (f"first: {consumption}: E1", "first: E2", "shared: E3")
    expected = f"e1^1 e2^1 e3^1, e1^1 e2^2 e3^1, {second_group}"
    assert found(evaluate, f"{EIS4} e2 e3", ";", *components) == seen(expected)


def test_M_20_no_set_of_instances_is_detected_twice(evaluate: Evaluator) -> None:
    assert found(evaluate, "e1 e2", "and", "shared: E1", "shared: E2") == seen("e1^1 e2^1")
    assert found(evaluate, "e1|e2", "and", "shared: E1", "shared: E2") == seen("e1^1 e2^1")
    combining = ("combinations minimum: shared: E1", "combinations minimum: shared: E2")
    assert found(evaluate, "e1 e1|e2", "and", *combining) == seen("e1^1 e2^1, e1^2 e2^1")


def test_M_21_the_defaults() -> None:
    one = Component("E1", "E1")
    assert (one.selection, one.inside, one.outside) == ("last", "exclusive parameter", "exclusive parameter")
    type_ = ComplexType("E", ";", (one,))
    assert (type_.overlapping, type_.continuous, type_.right_to_left, type_.time) == (True, False, False, "end")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("first: exclusive parameter: E1", "exclusive parameter: E2", "e1^1 e2^1, e1^2 e2^2"),
        ("last: exclusive parameter: E1", "exclusive parameter: E2", "e1^2 e2^1, e1^1 e2^2"),
        ("cumulative: exclusive parameter: E1", "exclusive parameter: E2", "e1^1 e1^2 e2^1"),
    ],
)
def test_M_22_samos(evaluate: Evaluator, first: str, second: str, expected: str) -> None:
    assert found(evaluate, "e1 e1 e2 e2", ";", first, second) == seen(expected)


def test_M_23_ode(evaluate: Evaluator) -> None:
    components = ("first: exclusive parameter: E1", "shared: E2")
    assert found(evaluate, "e1 e1 e2 e2", ";", *components) == seen("e1^1 e2^1, e1^2 e2^1")
    assert found(evaluate, "e1 e2 e2", ";", *components) == seen("e1^1 e2^1")


def test_M_24_adl(evaluate: Evaluator) -> None:
    assert found(evaluate, "e1 e1 e2 e2", ";", "E1", "E2") == seen("e1^2 e2^1, e1^1 e2^2")
    assert found(evaluate, "e1 e1 e2 e2", "and", "E1", "E2") == seen("e1^2 e2^1, e1^1 e2^2")
