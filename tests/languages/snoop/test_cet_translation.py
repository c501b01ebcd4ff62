"""Snoop as event types: the rows of Fig. 3 of seed 004, the other systems of section 5, what they detect (N, M-22..24).

What is expected are event types as `.cet` writes them, with all modes that the paper gives.
"""

from __future__ import annotations

import pytest

from cera.diagnostics import Source
from cera.instances.events.module import EventTypeModule
from cera.languages.cet.lowering import lowered
from cera.languages.cet.parser import parse as parse_cet
from cera.model.terms.term import Term
from instance_building import detected, history, seen, times
from instance_evaluators import EVALUATORS, Evaluator
from languages.snoop.reading import module


def event_types(text: str) -> EventTypeModule:
    parsed = parse_cet(Source("test.cet", text))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    return lowered(parsed.program, "M")


EXCLUSIVE = "exclusive parameter"
BOTH = {
    "unrestricted": "combinations minimum: shared",
    "recent": "last: shared",
    "chronicle": f"first: {EXCLUSIVE}",
    "continuous": "combinations minimum: inside shared: outside exclusive",
    "cumulative": f"cumulative: {EXCLUSIVE}",
}
#: Of E1 and of the event that ends it.
FOLLOWS = {
    "unrestricted": ("combinations minimum: shared", "shared"),
    "recent": ("last: shared", EXCLUSIVE),
    "chronicle": (f"first: {EXCLUSIVE}", EXCLUSIVE),
    "continuous": (
        f"combinations minimum: inside {EXCLUSIVE}: outside exclusive",
        f"inside shared: outside {EXCLUSIVE}",
    ),
    "cumulative": (f"cumulative: {EXCLUSIVE}", EXCLUSIVE),
}
ABSENT = FOLLOWS | {
    "recent": ("last: exclusive", EXCLUSIVE),
    "cumulative": (f"restricted cumulative: {EXCLUSIVE}", EXCLUSIVE),
}
APERIODIC = FOLLOWS | {
    "continuous": (
        f"combinations minimum: inside {EXCLUSIVE}: outside shared",
        f"inside shared: outside {EXCLUSIVE}",
    ),
    "cumulative": ("first: exclusive", EXCLUSIVE),
}
COLLECTED = {
    "unrestricted": ("combinations minimum: shared", "shared", "shared"),
    "recent": ("last: exclusive", "exclusive", EXCLUSIVE),
    "chronicle": (f"first: {EXCLUSIVE}", "shared", EXCLUSIVE),
    "continuous": (
        f"combinations minimum: inside {EXCLUSIVE}: outside exclusive",
        "inside shared: outside exclusive",
        f"inside shared: outside {EXCLUSIVE}",
    ),
    "cumulative": ("first: exclusive", "exclusive", EXCLUSIVE),
}
CONTEXTS = list(BOTH)


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_03_conjunction_in_each_context(context: str) -> None:
    modes = BOTH[context]
    assert module(f"E := {context} E1 △ E2") == event_types(f"E := and({modes}: E1, {modes}: E2);")


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_04_any_of_all_is_the_conjunction_and_of_some_it_is_m_of_n(context: str) -> None:
    modes = BOTH[context]
    operands = ", ".join(f"{modes}: E{number}" for number in (1, 2, 3))
    assert module(f"E := {context} ANY(3, E1, E2, E3)") == event_types(f"E := and({operands});")
    assert module(f"E := {context} ANY(2, E1, E2, E3)") == event_types(f"E := 2 of ({operands});")


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_05_disjunction_in_each_context(context: str) -> None:
    mode = "shared" if context == "unrestricted" else EXCLUSIVE
    assert module(f"E := {context} E1 ▽ E2") == event_types(f"E := or({mode}: E1, {mode}: E2);")


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_06_sequence_in_each_context(context: str) -> None:
    first, last = FOLLOWS[context]
    assert module(f"E := {context} E1 ; E2") == event_types(f"E := ;({first}: E1, {last}: E2);")


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_07_negation_in_each_context(context: str) -> None:
    first, last = ABSENT[context]
    assert module(f"E := {context} NOT(E2)[E1, E3]") == event_types(f"E := not({first}: E1, E2, {last}: E3);")


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_08_the_aperiodic_event_is_a_negation_of_the_closing_one(context: str) -> None:
    first, last = APERIODIC[context]
    assert module(f"E := {context} A(E1, E2, E3)") == event_types(f"E := not({first}: E1, E3, {last}: E2);")


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_09_the_collected_event_is_a_sequence_with_an_optional_part(context: str) -> None:
    first, between, last = COLLECTED[context]
    expected = f"E := ;({first}: E1, restricted cumulative: {between}: (0-): E2, {last}: E3);"
    assert module(f"E := {context} A*(E1, E2, E3)") == event_types(expected)


@pytest.mark.parametrize("context", CONTEXTS)
def test_N_01_periodic_events_are_those_of_a_timer_with_the_modes_of_the_aperiodic_ones(context: str) -> None:
    last_one = "last " if context == "recent" else ""
    timer = f"E_tick := every 5 min after {last_one}E1 until E3;"
    first, last = APERIODIC[context]
    once = f"E := not({first}: E1, E3, {last}: E_tick) where E_tick.since = E1.evtime;"
    assert module(f"E := {context} P(E1, [5 min], E3)") == event_types(f"{timer} {once}")
    first, between, last = COLLECTED[context]
    together = f"E := ;({first}: E1, restricted cumulative: {between}: (0-): E_tick as t, {last}: E3) "
    expected = f"{timer} {together} where t.since = E1.evtime as E(n: count(t));"
    assert module(f"E := {context} P*(E1, t: [5 min], E3) as E(n: count(t))") == event_types(expected)


def test_N_02_without_a_context_an_operator_is_unrestricted_or_that_of_the_one_around_it() -> None:
    assert module("E := E1 ; E2") == module("E := unrestricted E1 ; E2")
    assert module("E := recent (E1 ; E2) and E3") == module("E := recent (recent E1 ; E2) and E3")
    inner = "E := and(last: shared: ;(first: E1, E2), last: shared: E3);"
    assert module("E := recent (chronicle E1 ; E2) and E3") == event_types(inner)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("samos E1 ; E2", ";(first: exclusive parameter: E1, exclusive parameter: E2)"),
        ("samos *E1 ; E2", ";(first: exclusive parameter: E1, exclusive parameter: E2)"),
        ("samos last E1 ; E2", ";(last: exclusive parameter: E1, exclusive parameter: E2)"),
        ("samos TIMES([>0], E1) ; E2", ";(cumulative: exclusive parameter: E1, exclusive parameter: E2)"),
        ("samos last E1 and *E2", "and(last: E1, first: E2)"),
        ("samos NOT(E2)[last E1, E3]", "not(last: E1, E2, E3)"),
        ("samos E1 or E2", "or(E1, E2)"),
    ],
)
def test_M_22_samos(text: str, expected: str) -> None:
    assert module(f"E := {text}") == event_types(f"E := {expected};")


def test_M_23_ode_by_seed_004_and_by_seed_003() -> None:
    assert module("E := ode E1 ; E2") == event_types("E := ;(first: exclusive parameter: E1, shared: E2);")
    assert module("E := ode unrestricted E1 ; E2") == module("E := unrestricted E1 ; E2")
    assert module("E := ode E1 or E2") == event_types("E := or(shared: E1, shared: E2);")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("E1 ; E2", ";(E1, E2)"), ("E1 and E2", "and(E1, E2)"), ("E1 or E2", "or(E1, E2)")],
)
def test_M_24_adl_has_the_defaults_of_the_model(text: str, expected: str) -> None:
    assert module(f"E := adl {text}") == event_types(f"E := {expected};")


def test_a_condition_belongs_to_the_innermost_operator_that_has_all_its_events() -> None:
    text = "E := chronicle E1 ; E2 ; E3 where E1.k = E2.k and E3.v > 1"
    assert module(text) == event_types("E := ;(first: ;(first: E1, E2) where E1.k = E2.k, E3) where E3.v > 1;")


def test_attributes_of_events_further_inside_are_handed_up() -> None:
    text = "E := chronicle E1 ; E2 ; E3 where E1.k = E3.k as E(E1.k, total: sum(E2.v), mean: avg(E2.v))"
    fields = '"E1.k": E1.k, "sum(E2.v)": sum(E2.v), "avg(E2.v)": avg(E2.v)'
    head = 'as E(k: part1."E1.k", total: sum(part1."sum(E2.v)"), mean: avg(part1."avg(E2.v)"))'
    assert module(text) == event_types(
        f'E := ;(first: ;(first: E1, E2) as part1({fields}), E3) where part1."E1.k" = E3.k {head};'
    )


def test_attributes_are_handed_up_through_several_operators() -> None:
    text = "E := recent E1 ; E2 ; E3 ; E4 where E1.k = E4.k as E(E1.k)"
    inner = ';(last: shared: ;(last: shared: E1, E2) as part1("E1.k": E1.k), E3) as part1("E1.k": part1."E1.k")'
    expected = f'E := ;(last: shared: {inner}, E4) where part1."E1.k" = E4.k as E(k: part1."E1.k");'
    assert module(text) == event_types(expected)


# What is detected


@pytest.fixture(params=EVALUATORS.values(), ids=list(EVALUATORS))
def evaluate(request: pytest.FixtureRequest) -> Evaluator:
    given: Evaluator = request.param
    return given


def found(evaluate: Evaluator, text: str, events: str) -> list[str]:
    return detected(evaluate(module(f"E := {text}"), history(events)))


@pytest.mark.parametrize(
    ("entry", "text", "events", "expected"),
    [
        ("N-10", "recent E1 ; E3", "e1 e3 e3", "e1^1 e3^1, e1^1 e3^2"),
        ("N-10", "recent NOT(E2)[E1, E3]", "e1 e3 e3", "e1^1 e3^1"),
        ("N-11", "recent E1 △ E2", "e1 e2 e2", "e1^1 e2^1, e1^1 e2^2"),
        ("N-11", "chronicle E1 △ E2", "e1 e2 e2", "e1^1 e2^1"),
        ("N-12", "chronicle A(E1, E2, E3)", "e1 e2 e2 e2 e3", "e1^1 e2^1"),
        (
            "N-13",
            "continuous A(E1, E2, E3)",
            "e1 e2 e1 e2 e2",
            "e1^1 e2^1, e1^1 e2^2, e1^2 e2^2, e1^1 e2^3, e1^2 e2^3",
        ),
        ("N-14", "samos last E1 ; E2", "e1 e2 e2", "e1^1 e2^1"),
        ("N-14", "recent E1 ; E2", "e1 e2 e2", "e1^1 e2^1, e1^1 e2^2"),
        ("N-15", "continuous E1 ; E2", "e1 e1 e2 e2", "e1^1 e2^1, e1^2 e2^1"),
        ("N-15", "cumulative E1 and E2", "e1 e1 e2 e2", "e1^1 e1^2 e2^1"),
        ("N-15", "cumulative NOT(E2)[E1, E3]", "e1 e2 e1 e3", "e1^2 e3^1"),
        ("N-15", "recent A(E1, E2, E3)", "e1 e2 e1 e2 e2", "e1^1 e2^1, e1^2 e2^2, e1^2 e2^3"),
        ("N-16", "recent A ; B ; C", "a a b c b c", "a^2 b^1 c^1, a^2 b^2 c^2"),
        ("N-16", "chronicle A ; B ; C", "a a b c b c", "a^1 b^1 c^1, a^2 b^2 c^2"),
        ("N-16", "continuous A ; B ; C", "a a b c b c", "a^1 b^1 c^1, a^2 b^1 c^1"),
        ("N-16", "cumulative A ; B ; C", "a a b c b c", "a^1 a^2 b^1 c^1"),
        (
            "D-16",
            "unrestricted A ; B ; C",
            "a a b c b c",
            "a^1 b^1 c^1, a^2 b^1 c^1, a^1 b^1 c^2, a^2 b^1 c^2, a^1 b^2 c^2, a^2 b^2 c^2",
        ),
        ("M-22", "samos *E1 ; E2", "e1 e1 e2 e2", "e1^1 e2^1, e1^2 e2^2"),
        ("M-22", "samos last E1 ; E2", "e1 e1 e2 e2", "e1^2 e2^1, e1^1 e2^2"),
        ("M-22", "samos TIMES([>0], E1) ; E2", "e1 e1 e2 e2", "e1^1 e1^2 e2^1"),
        ("M-23", "ode E1 ; E2", "e1 e1 e2 e2", "e1^1 e2^1, e1^2 e2^1"),
        ("ERR-111", "ode E1 ; E2", "e1 e2 e2", "e1^1 e2^1"),
        ("ERR-111", "ode unrestricted E1 ; E2", "e1 e2 e2", "e1^1 e2^1, e1^1 e2^2"),
        ("M-24", "adl E1 ; E2", "e1 e1 e2 e2", "e1^2 e2^1, e1^1 e2^2"),
    ],
)
def test_what_the_entries_of_the_catalogue_detect(
    evaluate: Evaluator, entry: str, text: str, events: str, expected: str
) -> None:
    assert found(evaluate, text, events) == seen(expected), entry


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("unrestricted", "e1^1 e2^1 e2^2 e3^1, e1^2 e2^2 e3^1, e1^1 e2^1 e2^2 e3^2, e1^2 e2^2 e3^2"),
        ("recent", "e1^2 e2^2 e3^1"),
        ("chronicle", "e1^1 e2^1 e2^2 e3^1, e1^2 e2^2 e3^2"),
        ("continuous", "e1^1 e2^1 e2^2 e3^1, e1^2 e2^2 e3^1"),
        ("cumulative", "e1^1 e2^1 e2^2 e3^1"),
    ],
)
def test_N_09_what_is_collected_lies_between_the_first_event_and_the_last(
    evaluate: Evaluator, context: str, expected: str
) -> None:
    assert found(evaluate, f"{context} A*(E1, E2, E3)", "e1 e2 e1 e2 e3 e3") == seen(expected)


def test_N_09_an_event_that_collected_nothing_is_not_used_twice(evaluate: Evaluator) -> None:
    """Two types, one without E2 and one with it, would each have used e1 once."""
    assert found(evaluate, "chronicle A*(E1, E2, E3)", "e1 e3 e2 e3") == seen("e1^1 e3^1")


def test_N_01_a_periodic_event_ticks_from_one_event_to_another(evaluate: Evaluator) -> None:
    ticking = module("E := recent P(E1, [2 sec], E3)")
    assert times(evaluate(ticking, history("e1 . . . . e3 . ."))) == [3, 5]
    assert times(evaluate(ticking, history("e1 . . e1 . . . e3 ."))) == [3, 6, 8]
    both = module("E := unrestricted P(E1, [2 sec], E3)")
    assert times(evaluate(both, history("e1 . . e1 . . . e3 ."))) == [3, 5, 6, 7, 8]


def test_N_01_periods_are_told_together_at_the_end(evaluate: Evaluator) -> None:
    counted = module("E := recent P*(E1, t: [2 sec], E3) as E(ticks: count(t))")
    [one] = evaluate(counted, history("e1 . . . . . . e3 e3")).derived
    assert str(one.event) == "E{ticks{3}}[1000000,8000000]"
    [before] = evaluate(counted, history("e1 . . . e3")).derived
    assert str(before.event) == "E{ticks{1}}[1000000,5000000]", "what ticks at the end does not lie before it"


def test_any_of_some_is_detected_with_the_last_that_is_needed(evaluate: Evaluator) -> None:
    assert found(evaluate, "chronicle ANY(2, E1, E2, E3)", "e3 e3 e1 e2 e1") == seen("e3^1 e1^1, e3^2 e2^1")
    assert found(evaluate, "recent ANY(2, E1, E2, E3)", "e1 e2 e2") == seen("e1^1 e2^1, e1^1 e2^2")


def test_conditions_and_heads_of_nested_sequences(evaluate: Evaluator) -> None:
    related = module("E := chronicle E1 ; E2 ; E3 where E1.v = E3.v as E(E1.v, n: count(E2))")
    events = history("e1(v=1) e1(v=2) e2 e2 e3(v=2) e3(v=1)")
    answer = evaluate(related, events)
    assert detected(answer) == seen("e1^2 e2^2 e3^1, e1^1 e2^1 e3^2")
    assert [str(one.event.term) for one in answer.derived] == ["E{n{1}, v{2}}", "E{n{1}, v{1}}"]


def test_a_definition_is_an_event_for_others(evaluate: Evaluator) -> None:
    chained = module("Pair := chronicle E1 ; E2\nE := recent Pair ; E3")
    answer = evaluate(chained, history("e1 e1 e2 e2 e3"))
    assert detected(answer, "Pair") == seen("e1^1 e2^1, e1^2 e2^2")
    assert detected(answer, "E") == seen("e1^2 e2^2 e3^1")


@pytest.mark.parametrize(
    ("definition", "events", "expected"),
    [
        ("cumulative (E1 ; E2) ; E3 as x(E1.v)", "e1(v=1) e2 e1(v=4) e2 e3", {}),
        ("cumulative (E1 ; E2) ; E3 as x(E1.v)", "e1(v=4) e2 e1(v=4) e2 e3", {"v": 4}),
        ("cumulative (E1 ; E2) ; E3 as x(v: avg(E1.v))", "e1(v=1) e1 e1(v=3) e2 e3", {"v": 2}),
        ("cumulative (adl E1 ; E2) ; E3 as x(v: first(E1.v))", "e1(v=1) e1(v=2) e2 e2 e3", {"v": 1}),
        ("cumulative (recent E1 ; E2) ; E3 as x(v: sum(E1.v))", "e1(v=5) e2 e2 e3", {"v": 5}),
        ("recent (E1 or E2) ; E3 where E1.k = E3.k as x()", "e2 e3(k=1)", {}),
    ],
)
def test_heads_and_conditions_speak_of_all_that_is_inside_each_once(
    definition: str, events: str, expected: dict[str, int]
) -> None:
    for evaluate in EVALUATORS.values():
        found = [each.event.term for each in evaluate(module(f"X := {definition}"), history(events)).derived]
        assert found[-1] == Term("x", [Term(name, [value]) for name, value in expected.items()])
