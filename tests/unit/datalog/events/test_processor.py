"""Modules over events: which events make their histories, how these are cut into stages, what is told of them."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

import cera
from cera.connectors.records import changes
from cera.datalog.events.module import DatalogModule
from cera.datalog.events.processor import FactProcessor, FactState
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules import monitoring
from cera.testing import event
from conformance.changes import changed, detected, told

BOTH = pytest.mark.parametrize("engine", ["reference", "local"])


def test_changes_have_the_label_that_readers_of_changes_give_them() -> None:
    assert monitoring.CHANGE == changes.CHANGE


def change(time: float, key: Any, **more: Any) -> Event:
    return changed(time, "update", {"k": key, "v": 0}, {"k": key, "v": 1}, table="T", **more)


PAIRS = "begin M monitor update(T), A; %s R: (update(T(X)), update(T(Y))) as pair(X.k, with: Y.k). end."


@BOTH
def test_each_value_of_the_partition_attribute_has_a_history_of_its_own(engine: str) -> None:
    history = [change(1, 1), change(2, 2), change(3, 1), change(4, 2)]
    whole = [("pair{k{1}, with{2}}", 2), ("pair{k{2}, with{1}}", 3), ("pair{k{1}, with{2}}", 4)]
    assert told(PAIRS % "", history, engine) == whole
    divided = [("pair{k{1}, with{1}}", 3), ("pair{k{2}, with{2}}", 4)]
    assert told(PAIRS % "partition by k;", history, engine) == divided


@BOTH
def test_equal_numbers_are_one_partition_and_texts_and_truth_values_others(engine: str) -> None:
    history = [change(1, 1), change(2, "1"), change(3, True), change(4, 1.0)]
    assert told(PAIRS % "partition by k;", history, engine) == [("pair{k{1}, with{1}}", 4)]


@BOTH
def test_an_update_belongs_to_the_partition_of_its_new_contents(engine: str) -> None:
    moved = changed(1, "update", {"k": 1}, {"k": 2}, table="T")
    assert told(PAIRS % "partition by k;", [moved, change(2, 2)], engine) == [("pair{k{2}, with{2}}", 2)]
    assert told(PAIRS % "partition by k;", [moved, change(2, 1)], engine) == []


@BOTH
def test_events_without_the_partition_attribute_belong_to_no_history_and_are_counted(engine: Any) -> None:
    program = cera.load(PAIRS % "partition by k;")
    events = [change(1, 1), event("A{n{1}}", 2), event("A{k{1}}", 3), change(4, 1), event("B{n{1}}", 5)]
    answer = program.run(events, engine=engine)
    assert answer.derived == ()  # an A of the account 1 comes between the two changes
    assert answer.left_out == 1  # B is not monitored
    session = program.session()
    session.push(*events)
    session.close()
    assert session.left_out == 1


@BOTH
def test_changes_of_one_time_are_stages_in_the_order_of_their_positions_and_other_events_come_last(engine: str) -> None:
    text = """begin M monitor update(T), A; R: (update(T(X)), update(T(Y)), A(Z)) as row(first: X.k, then: Y.k). end."""
    history = [event("A{}", 1), change(1, "b", position=10), change(1, "a", position=9)]
    assert told(text, history, engine) == [('row{first{"a"}, then{"b"}}', 1)]


@BOTH
def test_transactions_are_in_the_order_of_their_first_positions(engine: str) -> None:
    history = [
        change(1, "a2", position=4, transaction="a"),
        change(1, "b", position=2, transaction="b"),
        change(1, "a1", position=1, transaction="a"),
    ]
    expected = [('pair{k{"a1"}, with{"b"}}', 1), ('pair{k{"a2"}, with{"b"}}', 1)]
    assert told(PAIRS % "granularity transaction;", history, engine) == expected


@BOTH
def test_declared_names_are_found_whatever_the_case_in_which_a_database_writes_them(engine: str) -> None:
    text = """begin M monitor update(ACC); %s R: update(ACC(X), X.new_Balance < X.old_Balance) as less(X.Accno). end."""
    lower = changed(1, "update", {"accno": 7, "balance": 5}, {"accno": 7, "balance": 3}, table="acc")
    assert told(text % "relation ACC(Accno, Balance);", [lower], engine) == [("less{Accno{7}}", 1)]
    assert told(text % "", [lower], engine) == []


@BOTH
def test_a_name_that_is_written_as_declared_goes_before_one_in_another_case(engine: str) -> None:
    text = "begin M monitor A; relation A(Key); R: A(X) as seen(X.Key). end."
    assert told(text, [event("A{key{1}, Key{2}}", 1)], engine) == [("seen{Key{2}}", 1)]


@BOTH
def test_attributes_are_children_with_one_value_or_whole_and_what_occurs_twice_is_none(engine: str) -> None:
    text = "begin M monitor A; R: A(X) as seen(X.n, X.where, X.twice, X.missing, half: X.n / 0). end."
    happened = event('A{n{1}, where{street{"s"}, number{2}}, twice{1}, twice{2}}', 1)
    assert told(text, [happened], engine) == [('seen{n{1}, where{number{2}, street{"s"}}}', 1)]


@BOTH
def test_a_detection_lasts_from_the_first_of_its_events_to_the_stage(engine: str) -> None:
    text = "begin M monitor A, B; R: (A(X), B(Y)) as ab(). S: (A, B). end."
    history = [event("A{}", 1, 5), event("B{}", 6, 9)]
    found = {one.event.label: one for one in detected(text, history, engine)}
    assert str(found["ab"].event.interval) == "[1000000,9000000]"
    assert found["ab"].derivations[0].causes == {"X": history[0], "Y": history[1]}
    assert str(found["S"].event.interval) == "[1000000,9000000]"  # with and without variables
    assert found["S"].derivations[0].causes == {"A": history[0], "B": history[1]}


@BOTH
def test_one_event_that_is_detected_in_two_ways_has_two_derivations(engine: str) -> None:
    text = "begin M monitor A, B; R: (A(X) & B(Y)) as both(). end."
    happened = [event("A{n{1}}", 1), event("A{n{2}}", 1), event("B{}", 1)]
    [one] = detected(text, happened, engine)
    assert [derivation.causes["X"] for derivation in one.derivations] == sorted(
        happened[:2], key=lambda each: each.order_key
    )


@BOTH
def test_equal_events_are_one(engine: str) -> None:
    text = "begin M monitor A; R: (A(X), A(Y)). end."
    assert told(text, [event("A{}", 1), event("A{}", 1)], engine) == []


@BOTH
def test_a_datalog_file_runs_by_itself_and_tells_what_no_rule_reads(engine: str, tmp_path: Any) -> None:
    file = tmp_path / "pairs.dl1s"
    file.write_text(
        """before(X, J) <- upd_T(X, J).
        pair(X, N, s(J)) <- before(X, J), upd_T(Y, s(J)), count(N, s(J)).
        count(1, J) <- any(J), not again(J).
        count(2, s(J)) <- again(s(J)).
        again(s(J)) <- any(s(J)), any(J)."""
    )
    [one] = cera.load(file).run([change(1, 1), change(2, 2)], engine=engine).derived  # type: ignore[arg-type]
    assert str(one.event.term) == "pair{N{2}, X{k{1}, new_k{1}, new_v{1}, old_k{1}, old_v{0}, v{1}}}"
    assert one.derivations[0].rule == "pairs.pair"
    assert list(one.derivations[0].causes) == ["X"]


@pytest.mark.parametrize(
    ("event_text", "expected"),
    [
        ("A(X, 10 / X.v > 2)", 3),  # v is 0, 0 and a text
        ("(A(X, 10 / X.v > 2), A(Y, Y.v / X.v > 1))", 3),
        ("[A(X, 10 / X.v > 2), A(Y, Y.v / X.v > 1)]", 5),  # and the text after each of two numbers
        ("[A(X, X.v > 0), A(Y, X.v = 2), A(Z, Z.none > 3)]", 2),  # the comparison with a text, and the last event
    ],
)
def test_what_has_no_value_is_counted_alike_on_both_engines(event_text: str, expected: int) -> None:
    text = f"begin M monitor A; R: {event_text} as f(). end."
    happened = [event(f"A{{v{{{value}}}}}", second) for second, value in enumerate((0, 1, 2, 0, '"x"'))]
    counts = [cera.load(text).run(happened, engine=engine).undefined for engine in ("local", "reference")]
    assert counts == [expected, expected]


def test_the_oldest_of_very_many_is_found_without_comparing_each_with_each() -> None:
    """With all pairs of what waits this would take minutes."""
    text = "begin M monitor A, B; R: [A(X), B(Y, Y.k = X.k)] in chronicle context as f(n: X.n, m: Y.n). end."
    waiting, users = range(3_000), range(30)
    happened = [event(f"A{{k{{1}}, n{{{number}}}}}", number) for number in waiting]
    happened += [event(f"B{{k{{1}}, n{{{number}}}}}", len(waiting) + number) for number in users]
    found = cera.load(text).run(happened, engine="local").derived
    assert [str(one.event.term) for one in found] == [f"f{{m{{{number}}}, n{{{number}}}}}" for number in users]


def test_histories_of_which_nothing_more_is_heard_are_forgotten_when_their_time_is_over() -> None:
    program = cera.load("begin M monitor A, B; partition by v; S: [A(X), B(Y)] within 2 sec. end.\n")
    session = program.session()
    for second in range(1, 5_001):
        session.push(event(f"A{{v{{{second}}}}}", second))
    assert session.live < 2_100
    found = [each.event.label for each in (*session.push(event("B{v{5000}}", 5_001)), *session.close())]
    assert found == ["S"]


def idle(rule: str, keys: int = 6) -> tuple[FactProcessor, FactState]:
    """A module in which each key had an A, a B and a C, a minute after the one before; all is forgotten that can be."""
    program = cera.load(f"begin M monitor A, B, C, D; partition by k; R: {rule}. end.")
    [only] = program.modules.found
    assert isinstance(only.module, DatalogModule)
    processor = FactProcessor(only.module)
    state = processor.start()
    for key in range(keys):
        for second, label in enumerate("ABC"):
            happened = occurrence(event(f"{label}{{k{{{key}}}}}", 60 * key + second))
            processor.step(state, happened.end, [happened])
    processor.trim(state)
    return processor, state


@pytest.mark.parametrize("context", ["unrestricted", "recent", "chronicle"])
@pytest.mark.parametrize(
    "limited",
    [
        "[A(X), D(Y)] within 30 sec",
        "[A, D] within 30 sec",
        "(C(X), D(Y)) within 30 sec",
        "prior(A(X), D(Y)) within 30 sec",
        "[A(X), (C(Y), D(Z))] within 30 sec",
        "[A(X), prior(B(Y), D(Z))] within 30 sec",
        "[A(X), B(Y), D(Z)] within 30 sec",
        "(C(X), *:!D, D(Y)) within 30 sec",
        "(A(X), first([B(Y), D(Z)])) within 30 sec",
        "[A(X), (D(Y) & ![C(Z), any])] within 30 sec",
        "{A, [B, D] within 30 sec}",
        "D(X)",
    ],
)
def test_a_history_with_a_limit_is_forgotten_as_a_whole_when_its_time_is_over(limited: str, context: str) -> None:
    _, state = idle(f"{limited} in {context} context")
    assert len(state.histories) <= 1


@pytest.mark.parametrize("context", ["recent", "chronicle"])
def test_a_history_that_was_forgotten_goes_on_as_if_it_had_not_been(context: str) -> None:
    text = (
        f"begin M monitor A, B; partition by k; R: [A(X), B(Y)] within 30 sec in {context} context as f(k: X.k). end."
    )
    again = [event("A{k{1}}", 100_000), event("A{k{1}}", 100_001), event("B{k{1}}", 100_002), event("B{k{1}}", 100_003)]
    events = [
        event("A{k{1}}", 1),
        event("A{k{1}}", 2),
        *(event(f"A{{k{{{key}}}}}", 10 * key) for key in range(2, 3_000)),
    ]
    answers = [str(one.event) for one in cera.load(text).run([*events, *again], engine="local").derived]
    assert answers == [str(one.event) for one in cera.load(text).run([*events[:2], *again], engine="reference").derived]
    assert len(answers) == 2


@pytest.mark.slow
def test_the_number_of_histories_stays_flat_over_many_keys_in_the_chronicle_context() -> None:
    text = "begin M monitor A, B; partition by k; R: [A(X), B(Y)] within 30 sec in chronicle context. end."
    session = cera.load(text).session()
    most = 0
    for second in range(6_000):
        session.push(event(f"A{{k{{{second}}}}}", second))
        most = max(most, session.live)
    assert most <= 2_100  # two facts of each: that it waits, and the number of its stage


@pytest.mark.parametrize(
    ("rule", "noted"),
    [
        ("[A(X), B(Y)] within 30 sec in chronicle context", False),
        ("A(X)", False),
        ("(A(X), B(Y))", True),
        ("[A(X), B(Y)] in recent context", True),
        ("first(A(X))", True),
        ("(A(X), first(B(Y))) within 1 min", False),
        ("(A(X) & ![B(Y), any])", None),  # remembers every B, which is worse
    ],
)
def test_what_is_kept_of_every_key_is_noted(rule: str, noted: bool | None) -> None:
    program = cera.load(f"begin M monitor A, B; partition by k; R: {rule}. end.")
    assert [each.code for each in program.notes] == (["EP504"] if noted else [])
    assert [each.code for each in program.state_warnings] == (["EP501"] if noted is None else [])


def compile_time(rules: int) -> float:
    written = (f"R{i}: [A(X, X.v > {i}), B(Y, Y.k = X.k)] within 1 hour as f{i}()." for i in range(rules))
    begin = process_time()
    program = cera.load(f"begin M monitor A, B; {' '.join(written)} end.")
    for found in program.modules.found:
        assert isinstance(found.module, DatalogModule)
        FactProcessor(found.module)
    return process_time() - begin


@pytest.mark.slow
def test_eight_times_as_many_rules_take_about_eight_times_as_long_to_compile() -> None:
    compile_time(1)  # the grammar is built
    assert compile_time(320) < 24 * compile_time(40)  # with the square of the rules it would be 64 times
