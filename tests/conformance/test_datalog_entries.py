"""D-01, D-02, D-19 to D-23: programs of seed 003 written by hand in Datalog_1S, on both evaluators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cera.datalog import stages
from cera.datalog.checks import check
from cera.datalog.history import HistoryStage, evaluate
from cera.datalog.stratification import stratify
from cera.datalog.syntax import Program
from cera.diagnostics import Source
from cera.languages.datalog.parser import parse

FOLDER = Path(__file__).parent / "datalog"

Stage = Mapping[str, Any]


def program(name: str, *changes: tuple[str, str]) -> Program:
    """A program of the folder, with some of its text changed."""
    text = (FOLDER / f"{name}.dl1s").read_text()
    for found, instead in changes:
        assert found in text
        text = text.replace(found, instead)
    parsed = parse(Source(name, text))
    assert not parsed.diagnostics
    assert not check(parsed.program)
    return parsed.program


def both(rules: Program, history: Sequence[Stage], relations: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """The facts of each stage, which must be the same stage by stage and over the whole history."""
    machine = stages.compile(rules)
    state, facts = machine.begin(relations)
    found = [{name: set(rows) for name, rows in facts.items()}]
    found += [{name: set(rows) for name, rows in machine.step(state, events).items()} for events in history]
    whole = evaluate(rules, [HistoryStage(events) for events in history], relations)
    derived = {rule.head.predicate for rule in rules.rules}
    assert found == [{name: rows for name, rows in stage.items() if name in derived} for stage in whole]
    return found


def columns(found: Sequence[Mapping[str, Any]], *predicates: str) -> list[tuple[Any, ...]]:
    """A table with a row for each stage and a column for each predicate: the one fact, or None."""
    return [tuple(_only(stage.get(predicate, ())) for predicate in predicates) for stage in found]


def _only(facts: Any) -> Any:
    assert len(facts) <= 1
    return next(iter(facts), None)


HISTORY = {
    "hist": [
        ("upd", "ACC", 1423),
        ("upd", "ACC", 1425),
        ("upd", "LOG", 1427),
        ("ins", "ACC", 1430),
        ("ins", "ACC", 1502),
    ],
    "evt_monit": [("upd", "ACC"), ("ins", "ACC"), ("del", "ACC")],
    "insertedACC": [(201, "Ann", "Savings", 50, 1430), (202, "Bob", "Checking", 70, 1502)],
}
FOUR_STAGES: list[Stage] = [{}, {}, {}, {}]


def test_D_01_the_history_of_a_module_is_the_table_of_the_paper() -> None:
    found = both(program("event_history"), FOUR_STAGES, HISTORY)
    assert columns(found, "hist_monit") == [
        (("nil", "nil", 0),),
        (("upd", "ACC", 1423),),
        (("upd", "ACC", 1425),),
        (("ins", "ACC", 1430),),
        (("ins", "ACC", 1502),),
    ]


def test_D_01_ERR_96_without_the_order_of_the_times_old_events_come_again() -> None:
    found = both(program("event_history", ("T1 < T2, not", "not")), FOUR_STAGES, HISTORY)
    assert ("upd", "ACC", 1423) in found[2]["hist_monit"]


def test_D_01_the_printed_rule_for_between_is_not_range_restricted() -> None:
    printed = "between(T1, T2) <- hist(E, R, T), evt_monit(E, R), T1 < T, T < T2."
    found = check(parse(Source("printed", printed)).program)
    assert sorted(diagnostic.code for diagnostic in found) == ["DL201", "DL201", "DL202", "DL202"]


def test_D_02_a_qualified_basic_event_has_the_stage_of_its_time() -> None:
    found = both(program("event_history"), FOUR_STAGES, HISTORY)
    assert columns(found, "ins_ACC", "sat_E")[3:] == [
        ((201, "Ann", "Savings", 50, 1430), (201, "Ann", "Savings", 50, 1430)),
        ((202, "Bob", "Checking", 70, 1502), None),
    ]


STEP: Stage = {"step": [()]}
TABLE_3: list[Stage] = [
    STEP | {"G": [("ya",)]},
    STEP,
    STEP | {"F": [("xa", 1)]},
    STEP,
    STEP | {"F": [("xb", 2)]},
    STEP | {"G": [("yb",)]},
    STEP,
    STEP,
    STEP | {"G": [("yc",)]},
    STEP,
]


@pytest.mark.parametrize("name", ["petri_net", "petri_net_folded"])
def test_D_19_D_23_the_petri_nets_are_accepted(name: str) -> None:
    found, problems = stratify(program(name))
    assert not problems
    assert found is not None
    assert found.kind == "XY-stratified"


def test_D_23_the_order_of_the_folded_net_is_that_of_the_paper() -> None:
    found, _ = stratify(program("petri_net_folded"))
    assert found is not None
    assert found.order == (("sat_E",), ("in_FF",), ("in_F",))


def test_D_20_the_petri_net_goes_through_the_states_of_table_3() -> None:
    found = both(program("petri_net"), TABLE_3)
    assert columns(found, "in_H", "in_F", "in_FF", "in_G", "sat_E") == [
        ((1,), None, None, None, None),
        ((1,), None, None, ("ya",), None),
        ((1,), None, None, None, None),
        ((1,), ("xa", 1), None, None, None),
        (None, None, ("xa", 1), None, None),
        (None, ("xb", 2), ("xa", 1), None, None),
        (None, ("xb", 2), ("xa", 1), ("yb",), None),
        ((2,), ("xb", 2), None, None, ("xa", "yb")),
        (None, None, ("xb", 2), None, None),
        (None, None, ("xb", 2), ("yc",), None),
        ((3,), None, None, None, ("xb", "yc")),
    ]


def test_D_19_ERR_100_with_the_printed_rule_for_FF_the_second_token_is_matched_first() -> None:
    printed = program("petri_net", ("step(s(J)), in_FF(X, N, J), not t3", "step(s(J)), in_F(X, N, J), not t3"))
    answers = [fact for stage in both(printed, TABLE_3) for fact in stage.get("sat_E", ())]
    assert ("xb", "yb") in answers
    assert ("xa", "yb") not in answers


def test_D_19_ERR_102_tokens_vanish_if_only_events_make_steps() -> None:
    printed = program("petri_net", ("step(s(J))", "any(s(J))"))
    history = [{name: facts for name, facts in stage.items() if name != "step"} for stage in TABLE_3]
    found = both(printed, history)
    assert "in_F" not in found[7]
    assert [stage["sat_E"] for stage in found if "sat_E" in stage] == [{("xa", "yb")}]


TABLE_4: list[Stage] = [
    {"G": [("ya",)]},
    {"F": [("xa", 1)]},
    {"F": [("xb", 2)]},
    {"G": [("yb",)]},
    {"G": [("yc",)]},
]


def test_D_21_the_folded_net_goes_through_the_states_of_table_4() -> None:
    found = both(program("petri_net_folded"), TABLE_4)
    assert columns(found, "in_F", "in_FF", "sat_E") == [
        (None, None, None),
        (None, None, None),
        (None, ("xa", 1), None),
        (("xb", 2), ("xa", 1), None),
        (None, ("xb", 2), ("xa", "yb", 1)),
        (None, None, ("xb", "yc", 2)),
    ]


def test_D_22_ERR_101_without_its_frame_rule_the_folded_net_answers_nothing() -> None:
    printed = program(
        "petri_net_folded", ("in_FF(X, N, s(J)) <- any(s(J)), in_FF(X, N, J), not sat_E(X, _, N, s(J)).\n", "")
    )
    found = both(printed, TABLE_4)
    assert found[2]["in_FF"] == {("xa", 1)}
    assert not any("in_FF" in stage or "sat_E" in stage for stage in found[3:])
