"""What one stage derives from the one before, and what is remembered for it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from cera.datalog import stages
from cera.datalog.frames import Frame
from cera.datalog.history import HistoryStage, evaluate
from cera.datalog.normal import normal_rules
from cera.datalog.scheduling import schedule
from cera.errors import DataError
from cera.model.events.occurrence import Truth
from cera.modules.tuples import EventTuple, change_fields, unwrapped
from unit.datalog.programs import event, read, run

RELAXED = """
sat_1(X, J) <- e(X, J), X.value > 3.
has_sat_1(X, J) <- sat_1(X, J).
has_sat_1(X, s(J)) <- any(s(J)), has_sat_1(X, J).
sat_2(X, Y, s(J)) <- e(Y, s(J)), has_sat_1(X, J), Y.key = X.key.
"""


def frames(text: str) -> dict[str, Frame]:
    return dict(schedule(list(normal_rules(read(text)))).frames)


def test_a_relaxed_sequence_is_found_whatever_happens_in_between() -> None:
    first, other, second = event(1, key="a", value=5), event(2, key="b", value=1), event(3, key="a", value=1)
    found = run(RELAXED, [{"e": [(first,)]}, {"e": [(other,)]}, {"e": [(second,)]}], ["sat_2"])
    assert found == [{}, {}, {}, {"sat_2": {(first, second)}}]


def test_an_immediate_sequence_is_not_found_later() -> None:
    first, second = event(1), event(3)
    rules = "sat_2(X, Y, s(J)) <- e(X, J), e(Y, s(J))."
    assert run(rules, [{"e": [(first,)]}, {"f": [(event(2),)]}, {"e": [(second,)]}])[3] == {}
    assert run(rules, [{"e": [(first,)]}, {"e": [(second,)]}])[2] == {"sat_2": {(first, second)}}


def test_any_holds_when_something_happens_that_no_rule_asks_for_but_never_at_stage_0() -> None:
    assert run("p(J) <- any(J).", [{"other": [(1,)]}, {}, {"other": []}]) == [{}, {"p": {()}}, {}, {}]


def test_any_can_be_given() -> None:
    assert run("p(J) <- any(J).", [{"any": [()]}, {"e": [(1,)], "any": []}]) == [{}, {"p": {()}}, {}]


def test_a_rule_without_a_body_holds_at_every_stage_it_is_for() -> None:
    found = run("start(J). later(s(J)). third(3). third(J) <- nothing(J).", [{}, {}, {}])
    assert found == [
        {"start": {()}},
        *[{"start": {()}, "later": {()}}] * 2,
        {"start": {()}, "later": {()}, "third": {()}},
    ]


def test_the_time_of_a_stage_is_known_if_it_is_given() -> None:
    machine = stages.compile(read("p(T, J) <- time(T, J)."))
    state = machine.start()
    assert machine.step(state, {}, 17) == {"p": {(17,)}}
    assert machine.step(state, {}) == {}


def test_facts_that_stay_are_kept_in_place() -> None:
    assert list(frames(RELAXED)) == ["has_sat_1"]


@pytest.mark.parametrize(
    "rule",
    [
        "p(X, s(J)) <- p(X, J).",
        "p(X, s(J)) <- any(s(J)), p(X, J), not q(X, _, s(J)), not e(_, s(J)).",
        "p(X, s(J)) <- p(X, J), time(T, s(J)), T - X.evtime <= 600.",
        "p(X, s(J)) <- p(X, J), time(T, s(J)), X.evtime + 600 > T.",
    ],
)
def test_a_frame_rule_is_recognised(rule: str) -> None:
    assert list(frames(f"{rule} p(X, J) <- e(X, J). q(X, X, J) <- e(X, J).")) == ["p"]


@pytest.mark.parametrize(
    "rule",
    [
        "p(X, s(J)) <- p(X, J), q(X, _, s(J)).",
        "p(X, s(J)) <- p(X, J), not q(X, _, J).",
        "p(X, s(J)) <- p(X, J), X.a > 3.",
        "p(X, s(J)) <- p(X, J), time(T, s(J)), T > X.evtime.",
        "p(X, s(J)) <- p(X, J), time(0, s(J)).",
    ],
)
def test_what_only_looks_like_a_frame_rule_is_not_taken_for_one(rule: str) -> None:
    assert frames(f"{rule} p(X, J) <- e(X, J). q(X, X, J) <- e(X, J).") == {}


def test_facts_are_copied_where_a_rule_compares_both_stages() -> None:
    text = "p(X, J) <- e(X, J). p(X, s(J)) <- any(s(J)), p(X, J). new(X, s(J)) <- p(X, s(J)), not p(X, J)."
    assert frames(text) == {}
    one, two = event(1), event(2)
    found = run(text, [{"e": [(one,)]}, {"e": [(two,)]}], ["new"])
    assert found == [{}, {"new": {(one,)}}, {"new": {(two,)}}]


def test_facts_expire_when_their_time_is_over() -> None:
    text = "p(X, J) <- e(X, J). p(X, s(J)) <- p(X, J), time(T, s(J)), T - X.evtime <= 2."
    one = event(1)
    assert run(text, [{"e": [(one,)]}, {}, {}, {}]) == [{}, *[{"p": {(one,)}}] * 3, {}]


def test_nothing_older_than_one_stage_is_remembered_that_no_rule_keeps() -> None:
    machine = stages.compile(read("sat_2(X, Y, s(J)) <- e(X, J), f(Y, s(J))."), ["sat_2"])
    state = machine.start()
    for number in range(1, 100):
        machine.step(state, {"e": [(event(number),)]}, number)
        assert state.size == 1


def test_rules_that_no_output_needs_are_left_out() -> None:
    machine = stages.compile(read(RELAXED), ["sat_1"])
    state = machine.start()
    machine.step(state, {"e": [(event(1, value=9),)]})
    assert state.size == 0


def test_truth_values_are_not_numbers() -> None:
    rules = "p(X, J) <- e(X, J). q(X, J) <- e(X, J), X = 1."
    (_, found) = run(rules, [{"e": [(True,), (1,)]}])
    assert found == {"p": {(Truth.TRUE,), (1,)}, "q": {(1,)}}
    assert unwrapped((Truth.TRUE, 1, "a")) == (True, 1, "a")


def test_an_attribute_that_is_missing_equals_nothing() -> None:
    rules = "has(X, J) <- e(X, J). has(X, s(J)) <- has(X, J). pair(X, Y, s(J)) <- e(Y, s(J)), has(X, J), X.a = Y.a."
    assert run(rules, [{"e": [(event(1),)]}, {"e": [(event(2),)]}], ["pair"])[2] == {}


def test_two_event_tuples_are_equal_if_they_are_one_event() -> None:
    rules = "pair(X, Y, J) <- e(X, J), e(Y, J), X != Y."
    one, same, two = event(1, a=1), event(1), event(2)
    assert run(rules, [{"e": [(one,), (same,), (two,)]}])[1] == {"pair": {(one, two), (two, one)}}


def test_an_attribute_of_a_scalar_has_no_value() -> None:
    assert run("p(X, J) <- e(X, J), X.a = 1.", [{"e": [(7,), (event(1, a=1),)]}])[1] == {"p": {(event(1),)}}


def test_evtime_is_the_end_of_the_event_and_Time_too_unless_it_is_an_attribute() -> None:
    one = EventTuple("x", {"Time": "noon"}, 1, 5)
    two = EventTuple("y", {}, 1, 6)
    assert run("p(X.evtime, X.Time, J) <- e(X, J).", [{"e": [(one,), (two,)]}])[1] == {"p": {(5, "noon"), (6, 6)}}


def test_an_update_has_old_and_new_values_and_without_prefix_the_new_one() -> None:
    assert change_fields({"A": 1}, {"A": 2}) == {"old_A": 1, "new_A": 2, "A": 2}
    assert change_fields({"A": 1}, None) == {"old_A": 1, "A": 1}
    assert change_fields(None, {"A": 2}) == {"new_A": 2, "A": 2}


def test_what_is_undefined_derives_nothing() -> None:
    rules = "p(10 / N, J) <- e(N, J). q(N + 1, J) <- e(N, J)."
    found = run(rules, [{"e": [(0,), (2**63 - 1,), ("a",)]}])[1]
    assert found == {"p": {(10 / (2**63 - 1),)}, "q": {(1,)}}


def test_whole_numbers_past_64_bits_are_undefined_in_conditions_as_well() -> None:
    largest = 2**63 - 1
    assert run("p(N, J) <- e(N, J), N + N > 0.", [{"e": [(largest,), (1,)]}])[1] == {"p": {(1,)}}


def test_predicates_without_a_stage_are_known_at_every_stage() -> None:
    machine = stages.compile(read("vip(X) <- customer(X, gold). p(X, J) <- e(X, J), vip(X.owner)."), ["p"])
    state = machine.start({"customer": [("Ann", "gold"), ("Bob", "blue")]})
    ann, bob = event(1, owner="Ann"), event(2, owner="Bob")
    assert machine.step(state, {"e": [(ann,), (bob,)]}) == {"p": {(ann,)}}


def test_many_relations_and_many_variables_do_not_get_in_each_others_way() -> None:
    rules = read("p(N, J) <- g(N, N, J), not a(N). q(M, J) <- g(M, M, J), b(M), c(M), not d(M, _), not f(M).")
    machine = stages.compile(rules)
    state = machine.start({"a": [(2,)], "b": [(1,), (2,)], "c": [(1,), (2,)], "d": [(2, 2)]})
    assert machine.step(state, {"g": [(1, 1), (2, 2), (1, 2)]}) == {"p": {(1,)}, "q": {(1,)}}


def test_recursion_within_a_stage_goes_to_the_end() -> None:
    rules = "path(X, Y, J) <- edge(X, Y, J). path(X, Z, J) <- path(X, Y, J), edge(Y, Z, J)."
    edges = [(n, n + 1) for n in range(5)]
    assert run(rules, [{"edge": edges}])[1] == {"path": {(i, j) for i in range(6) for j in range(i + 1, 6)}}


def test_an_event_with_the_wrong_number_of_arguments_is_refused() -> None:
    with pytest.raises(DataError, match="1 arguments"):
        run("p(X, J) <- e(X, J).", [{"e": [(1, 2)]}])


def test_the_state_of_another_program_is_refused() -> None:
    state = stages.compile(read("p(J).")).dump(stages.compile(read("p(J).")).start())
    with pytest.raises(DataError):
        stages.compile(read("q(J).")).restore(state)


_CONTINUE = """
import pickle, sys
from cera.datalog import stages
from cera.languages.datalog.parser import parse
from cera.modules.tuples import EventTuple
from cera.diagnostics import Source
text, data = pickle.load(sys.stdin.buffer)
machine = stages.compile(parse(Source("test.dl1s", text)).program, ["sat_2"])
state = machine.restore(data)
facts = machine.step(state, {"e": [(EventTuple("event 2", {"key": "a", "value": 0}, 2),)]}, 2)
print([[x.identity for x in fact] for fact in facts["sat_2"]], state.stage)
"""


def test_what_is_undefined_of_a_fact_is_counted_once_however_often_its_state_is_restored() -> None:
    stays = "p(X, s(J)) <- e(X, s(J)). p(X, s(J)) <- any(s(J)), p(X, J), time(T, s(J)), T < X.evtime + 5."
    machine = stages.compile(read(stays), ["p"])
    state = machine.start()
    machine.step(state, {"e": [("nobody",)], "any": [()]}, 1)
    counted = machine.evaluator.undefined
    assert counted > 0
    for _ in range(3):
        state = machine.restore(machine.dump(state))
    assert machine.evaluator.undefined == counted


@pytest.mark.processes
def test_another_process_goes_on_with_a_state() -> None:
    machine = stages.compile(read(RELAXED), ["sat_2"])
    state = machine.start()
    machine.step(state, {"e": [(event(1, key="a", value=5),)]}, 1)
    given = pickle.dumps((RELAXED, machine.dump(state)))
    done = subprocess.run([sys.executable, "-c", _CONTINUE], input=given, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[['event 1', 'event 2']] 2"


def test_the_whole_history_is_refused_where_it_has_no_order() -> None:
    with pytest.raises(ValueError, match="own absence"):
        evaluate(read("p(J) <- not q(J). q(J) <- not p(J)."), [HistoryStage()])
