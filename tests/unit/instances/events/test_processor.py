"""Complex event types over events: data, lengths of time, timers, partitions, and what detections look like."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cera.connectors.records.changes import Change
from cera.errors import MatchLimitError
from cera.instances.types import ComplexType, EventType, FoldedValue, OperatorName, TimerType
from cera.model.events.event import Event
from cera.model.expressions.expression import Arithmetic, Comparison, Literal, Variable
from cera.modules.monitoring import MonitoredEvents
from cera.testing import SECOND
from instance_building import compared, complex_type, detected, history, module, seen, times
from instance_evaluators import EVALUATORS, Evaluator
from module_runs import meaning


@pytest.fixture(params=EVALUATORS.values(), ids=list(EVALUATORS))
def evaluate(request: pytest.FixtureRequest) -> Evaluator:
    given: Evaluator = request.param
    return given


SAME_KEY = (compared("E1.k", "=", "E2.k"),)


@pytest.mark.parametrize(
    ("components", "where", "events", "expected"),
    [
        (
            ("E1", "E2"),
            SAME_KEY,
            "e1(k=1) e1(k=2) e2(k=1) e2(k=2) e2",
            "e1^1 e2^1, e1^2 e2^2",
        ),
        (
            ("(2-): E1", "E2"),
            (compared("E1.v", "<", "E2.v"),),
            "e1(v=1) e1(v=2) e1(v=5) e2(v=3)",
            "e1^1 e1^2 e2^1",
        ),
        (
            ("restricted cumulative: (0-): E1", "E2"),
            SAME_KEY,
            "e1(k=1) e2(k=2) e2(k=1)",
            "e2^1, e1^1 e2^2",
        ),
        (
            ("cumulative: shared: E1", "E2"),
            SAME_KEY,
            "e1(k=1) e1(k=2) e1(k=1) e2(k=1)",
            "e1^1 e1^3 e2^1",
        ),
        (
            ("(2): E1", "E2"),
            SAME_KEY,
            "e1(k=1) e1(k=2) e1(k=1) e2(k=1) e1(k=2) e1(k=2) e2(k=2)",
            "e1^1 e1^3 e2^1",
        ),
        (
            ("exclusive: E1", "E2"),
            SAME_KEY,
            "e1(k=1) e1(k=2) e1(k=1) e2(k=1) e2(k=1) e2(k=2)",
            "e1^3 e2^1, e1^2 e2^3",
        ),
        (
            ("E1", "E2"),
            (compared("E1.evtime", ">=", 2 * SECOND),),
            "e1 e2 e1 e2",
            "e1^2 e2^2",
        ),
    ],
)
def test_conditions_are_asked_of_every_choice_of_instances(
    evaluate: Evaluator, components: tuple[str, ...], where: Any, events: str, expected: str
) -> None:
    assert detected(evaluate(module(complex_type("E", ";", *components, where=where)), history(events))) == seen(
        expected
    )


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("e1(k=1) e2(k=2) e3", "e1^1 e3^1"),
        ("e1(k=1) e2(k=1) e3", ""),
        ("e1(k=1) e1(k=2) e2(k=2) e3", "e1^1 e3^1"),
    ],
)
def test_a_condition_says_which_instances_may_not_lie_between(evaluate: Evaluator, events: str, expected: str) -> None:
    type_ = complex_type("E", "not", "E1", "E2", "E3", where=SAME_KEY)
    assert detected(evaluate(module(type_), history(events))) == seen(expected)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ("e1 . e2", "e1^1 e2^1"),
        ("e1 . . e2", ""),
        (". . e1@1 e2", ""),
        (". . e1@2 e2", "e1^1 e2^1"),
        (". . e1 e1@1 e1|e2", "e1^1 e2^1"),
        (". . e1|e1@1 e1|e2", "e1^1 e2^1"),
    ],
)
def test_within_counts_from_the_begin_of_what_is_bound(evaluate: Evaluator, events: str, expected: str) -> None:
    type_ = complex_type("E", ";", "shared: E1", "E2", within=2 * SECOND)
    assert detected(evaluate(module(type_), history(events))) == seen(expected)


def test_each_value_of_the_partition_attribute_has_a_history(evaluate: Evaluator) -> None:
    type_ = complex_type("E", ";", "E1", "E2", continuous=True)
    answer = evaluate(module(type_, events="E3", partition="k"), history("e1(k=1) e1(k=2) e3(k=2) e2 e2(k=1) e2(k=2)"))
    assert detected(answer) == seen("e1^1 e2^2")
    assert answer.left_out == 1


@pytest.mark.parametrize(
    ("operator", "required", "right_to_left", "expected"),
    [
        ("of", 2, False, "e1^1 e2^1, e1^1 e3^1"),
        ("of", 2, True, "e1^1 e2^1, e2^1 e3^1"),
        ("of", 3, False, "e1^1 e2^1 e3^1"),
        ("or", None, False, "e1^1, e2^1, e3^1"),
    ],
)
def test_the_components_that_take_part_are_preferred_in_the_order_of_traversal(
    evaluate: Evaluator, operator: OperatorName, required: int | None, right_to_left: bool, expected: str
) -> None:
    components = ("shared: E1", "shared: E2", "shared: E3")
    type_ = complex_type("E", operator, *components, required=required, right_to_left=right_to_left)
    assert detected(evaluate(module(type_), history("e1 e2 e3"))) == seen(expected)


def test_what_is_gathered_from_anywhere_does_not_terminate(evaluate: Evaluator) -> None:
    type_ = complex_type("E", ";", "cumulative: shared: E1", "shared: E2")
    answer = evaluate(module(type_), history("e1 e2 e1 e2"))
    assert detected(answer) == seen("e1^1 e2^1, e1^1 e1^2 e2^2")
    assert times(answer) == [2, 4]


@pytest.mark.parametrize("operator", ["and", ";"])
def test_what_is_gathered_fits_to_the_terminator(evaluate: Evaluator, operator: OperatorName) -> None:
    type_ = complex_type("E", operator, "cumulative: shared: E1", "cumulative: shared: E2", where=SAME_KEY)
    answer = evaluate(module(type_), history("e1(k=1) e2(k=1) e1(k=2) e1(k=2) e2(k=2)"))
    assert detected(answer) == seen("e1^1 e2^1, e1^2 e1^3 e2^2")


def test_a_restricted_gathering_shares_instances_between_places(evaluate: Evaluator) -> None:
    type_ = complex_type("E", ";", "restricted cumulative: E1 as a", "restricted cumulative: E1 as b", "E2")
    [one] = evaluate(module(type_), history("e1 e1 e1 e2")).derived
    assert str(one.event.term) == "E{E2{n{1}}, a{n{1}}, a{n{2}}, b{n{2}}, b{n{3}}}"


@pytest.mark.parametrize(
    ("components", "events", "expected"),
    [
        (("(2-): E1",), "e1 e1", ""),
        (("(2-): E1",), "e1 e1|e1", "e1^2 e1^3"),
        (("(2): shared: E1", "(0-): E2"), "e1|e1 e1|e1", "e1^1 e1^2, e1^3 e1^4"),
        (("cumulative: E1", "E2"), "e1 e2 e1|e2", "e1^1 e1^2 e2^2"),
    ],
)
def test_simultaneous_instances_have_the_time_of_the_terminator(
    evaluate: Evaluator, components: tuple[str, ...], events: str, expected: str
) -> None:
    assert detected(evaluate(module(complex_type("E", "==", *components)), history(events))) == seen(expected)


def ticking(**options: Any) -> list[EventType]:
    """A type with an event at each tick."""
    return [TimerType("T", options.pop("after", 1) * SECOND, "E1", **options), complex_type("E", "or", "T")]


@pytest.mark.parametrize(
    ("options", "events", "expected"),
    [
        ({"after": 2}, "e1 e1", [3, 4]),
        ({"repeats": True}, "e1 . . e3", [2, 3, 4]),
        ({"repeats": True, "stop": "E3"}, "e1 . e3 . e2", [2, 3]),
        ({"repeats": True, "after": 2}, "e1 e1 . . e2", [3, 4, 5]),
        ({"repeats": True, "after": 2, "latest": True}, "e1 e1 . . e2", [4]),
        ({"repeats": True, "after": 2, "latest": True}, "e1 . e1 . e2", [3, 5]),
        ({}, "e1|e1 e2", [2]),
    ],
)
def test_timers_tick_after_their_starts(
    evaluate: Evaluator, options: dict[str, Any], events: str, expected: list[float]
) -> None:
    answer = evaluate(module(*ticking(**options), events="E2 E3"), history(events))
    assert times(answer) == expected


def test_events_that_the_module_does_not_name_are_part_of_the_recording(evaluate: Evaluator) -> None:
    assert times(evaluate(module(*ticking(repeats=True)), history("e1 . . other"))) == [2, 3, 4]


def test_until_is_when_the_recording_ends() -> None:
    events = history("e1 e2 e2 e2")
    assert times(meaning(module(*ticking(repeats=True)), events, until=6 * SECOND)) == [2, 3, 4, 5, 6]
    assert times(meaning(module(*ticking(repeats=True)), events, until=3 * SECOND)) == [2, 3]
    assert times(meaning(module(*ticking(after=4)), events, until=4 * SECOND)) == []
    assert times(meaning(module(*ticking(repeats=True)), events, end=2 * SECOND)) == [2]


@pytest.mark.parametrize("time", ["begin", "end"])
def test_a_timer_counts_from_the_end_of_a_complex_event(evaluate: Evaluator, time: Any) -> None:
    started = complex_type("F", ";", "E1", "E2", time=time, hidden=True)
    types: list[EventType] = [started, TimerType("T", SECOND, "F"), complex_type("E", ";", "F", "T")]
    answer = evaluate(module(*types), history("e1 . e2"))
    assert detected(answer) == seen("e1^1 e2^1 t@4")
    assert times(answer) == [4]
    assert str(answer.derived[0].event.term) == "E{F{E1{n{1}}, E2{n{1}}}, T{since{3000000}}}"


def test_a_tick_is_simultaneous_with_the_events_of_its_time(evaluate: Evaluator) -> None:
    types: list[EventType] = [TimerType("T", SECOND, "E1"), complex_type("E", "==", "E2", "T")]
    assert times(evaluate(module(*types), history("e1 e2 e2"))) == [2]


def test_a_head_has_values_that_all_agree_on_and_folds(evaluate: Evaluator) -> None:
    folds = tuple(
        FoldedValue(f"{function}(E1{attribute})", function, "E1", attribute[1:] or None)  # type: ignore[arg-type]
        for function, attribute in (("count", ""), ("count", ".v"), ("sum", ".v"), ("max", ".v"), ("first", ".v"))
    )
    fields = (
        ("k", Variable("E1.k")),
        ("v", Variable("E1.v")),
        ("at", Variable("E2.evtime")),
        ("ratio", Arithmetic("/", Variable("E2.n"), Variable("E2.zero"))),
        *((f"f{place}", Variable(each.name)) for place, each in enumerate(folds)),
    )
    type_ = complex_type("E", ";", "restricted cumulative: E1", "E2", label="alarm", fields=fields, folds=folds)
    [one] = (answer := evaluate(module(type_), history("e1(k=1,v=3) e1(v=2) e1(k=1) e2(zero=0)"))).derived
    assert str(one.event) == ("alarm{at{4000000}, f0{3}, f1{2}, f2{5}, f3{3}, f4{3}, k{1}}[1000000,4000000]")
    assert answer.undefined == 2
    assert set(one.derivations[0].causes) == {"E1[1]", "E1[2]", "E1[3]", "E2"}


def test_in_place_of_hidden_events_stand_their_causes(evaluate: Evaluator) -> None:
    pair = complex_type("F", ";", "E1 as a", "E2 as b", hidden=True)
    answer = evaluate(module(pair, complex_type("E", ";", "F", "E3 as c")), history("e1 e2 e3"))
    [one] = answer.derived
    assert str(one.event.term) == "E{F{a{n{1}}, b{n{1}}}, c{n{1}}}"
    assert {name: cause.label for name, cause in one.derivations[0].causes.items()} == {"a": "E1", "b": "E2", "c": "E3"}


def test_an_event_above_another_has_it_as_a_cause(evaluate: Evaluator) -> None:
    answer = evaluate(module(complex_type("F", "or", "E1"), complex_type("E", "and", "F", "E2")), history("e1 e2"))
    upper, lower = sorted(answer.derived, key=lambda one: one.event.label)
    assert upper.derivations[0].causes["F"] == lower.event


def test_equal_events_are_one_that_came_about_in_several_ways(evaluate: Evaluator) -> None:
    fields = (("k", Variable("E1.k")),)
    types = [complex_type(name, "or", "E1", label="alarm", fields=fields) for name in ("F", "G")]
    [one] = evaluate(module(*types), history("e1(k=1)")).derived
    assert [way.rule for way in one.derivations] == ["M.F", "M.G"]


@pytest.mark.parametrize(
    ("fields", "events", "expected"),
    [
        (None, "e1(k=1) e2(k=1) e3(k=1)", "e1^1 e2^1 e3^1"),
        (None, "e1(k=1) e2 e3(k=1)", "e1^1 e2^1 e3^1"),
        (None, "e1(k=1) e2(k=2) e3(k=1)", ""),
        ((("k", Variable("E1.k")),), "e1(k=1) e2(k=2) e3(k=1)", "e1^1 e2^1 e3^1"),
        ((("k", Variable("E1.k")),), "e1 e2(k=1) e3(k=1)", ""),
    ],
)
def test_attributes_of_a_complex_event_are_its_fields_or_those_of_its_leaves(
    evaluate: Evaluator, fields: Any, events: str, expected: str
) -> None:
    types: list[ComplexType] = [
        complex_type("F", ";", "E1", "E2", fields=fields),
        complex_type("E", ";", "F", "E3", where=(compared("F.k", "=", "E3.k"),)),
    ]
    assert detected(evaluate(module(*types), history(events)), "E") == seen(expected)


def test_changes_at_one_time_are_in_sequence_by_their_positions(evaluate: Evaluator) -> None:
    def change(position: int, value: int) -> Event:
        return Change("update", "ACC", SECOND, {"v": value}, {"v": value}, position, "1").event()

    events = [change(2, 20), change(1, 10)]
    pair = complex_type("C", ";", "E1 as a", "E1 as b")
    made = replace(module(pair), monitored=(MonitoredEvents("E1", "ACC", "update"),))
    [found] = evaluate(made, events).derived
    assert [found.derivations[0].causes[name] for name in ("a", "b")] == [events[1], events[0]]


def test_too_many_sets_are_refused(evaluate: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.instances.limits.GROUP_LIMIT", 6)
    sets = complex_type("X", ";", "combinations: shared: E1", "shared: E2")
    assert len(evaluate(module(sets), history("e1 e2")).derived) == 1
    assert len(evaluate(module(sets), history("e1 e1 e2")).derived) == 3
    with pytest.raises(MatchLimitError, match="the event type `X` was cut off: one event ends more than 6"):
        evaluate(module(sets), history("e1 e1 e1 e2"))


def test_one_event_for_each_instance_has_no_limit(evaluate: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.instances.limits.GROUP_LIMIT", 2)
    pairs = complex_type("X", ";", "combinations minimum: E1", "shared: E2")
    assert len(evaluate(module(pairs), history("e1 e1 e1 e2")).derived) == 3


@pytest.mark.parametrize(
    ("components", "events", "expected"),
    [
        # a terminator is one instance, whatever its selection
        (("last: E1", "combinations minimum: shared: E2"), "e1 e1 e2", "e1^2 e2^1, e1^1 e2^1"),
        (("first: E1", "combinations minimum: shared: E2"), "e1 e1 e2 e2", "e1^1 e2^1, e1^2 e2^1"),
        (
            ("first: shared: E1", "last: E2", "combinations minimum: shared: E3"),
            "e1 e2 e2 e3",
            "e1^1 e2^2 e3^1, e1^1 e2^1 e3^1",
        ),
        # one after the other, and again with what is left
        (
            ("combinations minimum: shared: E1", "last: E2", "shared: E3"),
            "e1 e1 e2 e2 e2 e3",
            "e1^1 e2^3 e3^1, e1^2 e2^2 e3^1, e1^1 e2^1 e3^1",
        ),
        # nothing is consumed, so nothing is left that would differ
        (
            ("combinations minimum: shared: E1", "last: shared: E2", "shared: E3"),
            "e1 e1 e2 e2 e3",
            "e1^1 e2^2 e3^1, e1^2 e2^2 e3^1",
        ),
    ],
)
def test_combinations_are_used_in_turn_as_long_as_there_is_something_to_combine_them_with(
    evaluate: Evaluator, components: tuple[str, ...], events: str, expected: str
) -> None:
    type_ = complex_type("E", ";", *components)
    assert detected(evaluate(module(type_), history(events))) == seen(expected)


@pytest.mark.parametrize(("right", "expected"), [(0, ""), (1, "e1^1 e2^1")])
def test_a_condition_about_no_component_is_one_too(evaluate: Evaluator, right: int, expected: str) -> None:
    type_ = complex_type("E", ";", "E1", "E2", where=(*SAME_KEY, Comparison("<", Literal(0), Literal(right))))
    assert detected(evaluate(module(type_), history("e1(k=1) e2(k=1)"))) == (seen(expected) if expected else [])


@pytest.mark.parametrize(("operator", "names"), [(";", ("Seq", "E3")), ("not", ("Seq", "E5", "E3"))])
def test_what_rests_on_something_belated_is_belated_too(
    evaluate: Evaluator, operator: OperatorName, names: tuple[str, ...]
) -> None:
    """E2 makes Early known, which occurred with E1; so Seq occurs with E4, before the E3 that has been there long."""
    early = complex_type("Early", ";", "shared: E1", "E2", time="begin")
    types = (early, complex_type("Seq", ";", "Early", "E4"), complex_type("Top", operator, *names))
    answer = evaluate(module(*types), history("e1 e4 e3 e2"))
    assert [derived.event.label for derived in answer.derived] == ["Early", "Seq", "Top"]
