"""Constraints on a time before an event, over a recording in a file: the local engine knows when it begins, and derives
the violations that the definition finds.

Recordings of points begin with their first event; in others a long event that ends later may begin earlier. It cannot
catch what is wrong in the definition.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from cera.connectors.event_lines import base_line
from cera.connectors.records.layout import Layout
from cera.connectors.source import source_of
from cera.constraints.module import ConstraintModule
from cera.constraints.translation.layers import by_rules, by_rules_from
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.modules.answers.answer import Answer
from cera.modules.expectations import expectations_of
from cera.modules.layering import Layers
from cera.running.in_memory import answer_in_memory
from cera.running.request import Request
from conformance.constraints import diagnostics_of, event
from conformance.violations import first_shown, module_of, recorded
from hypothesis_profiles import examples
from module_runs import side_by_side
from properties.clause_cases import COUNTS, LITERALS, stream

BEFORE = (
    *("event w: from-start-backward[x, 4 sec]", "event w: from-end-backward[x, 9 sec]"),
    *("w: [b(x) - 5 sec, b(x)]", "w: [b(x) - 3 sec, e(x)]", "event w: extend-begin[x, 3 sec]"),
)


def constraint(choose: random.Random) -> str:
    one, other = choose.sample(LITERALS, 2)
    heads = (
        f"while w: exists {choose.choice(COUNTS)} {one}",
        f"while w: {one}",
        f"while w: {one} or while w: {other}",
        f"while w: exists {choose.choice(COUNTS)} {one} group-by {{K}}",
    )
    asked = choose.choice(("event x: a(k(K))", "event x: b(k(K), v(V))", "event x: e(k(K))"))
    return f"IF {asked} and {choose.choice(BEFORE)} THEN {choose.choice(heads)} END"


def right(choose: random.Random) -> str:
    """Returns a constraint that has no errors."""
    text = constraint(choose)
    while any(each.severity == "error" for each in diagnostics_of(text)):
        text = constraint(choose)
    return text


def events_of(choose: random.Random, *, points: bool) -> list[Event]:
    found = stream(choose) + stream(choose)
    return recorded([each for each in found if each.kind == "state" or not points or each.begin == each.end])


def over_a_file(layers: Layers, events: list[Event], engine: str, path: Path) -> Answer:
    path.write_text("".join(json.dumps(base_line(each, TimeFormat())) + "\n" for each in events))
    request = Request((source_of(str(path)),), Layout(), engine)  # type: ignore[arg-type]
    return answer_in_memory(layers, expectations_of(layers), "UTC", request)[0]


@pytest.mark.parametrize(
    "cases", [pytest.param(examples(30), id="short"), pytest.param(2_000, id="long", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("points", [True, False], ids=["points", "intervals"])
def test_the_time_before_an_event_is_judged_from_the_begin_on(cases: int, points: bool, tmp_path: Path) -> None:
    for seed in range(cases):
        choose = random.Random(seed)
        text = right(choose)
        layers, events = side_by_side(module_of(text)), events_of(choose, points=points)
        expected = first_shown(over_a_file(layers, events, "reference", tmp_path / "events.jsonl").derived)
        found = first_shown(over_a_file(layers, events, "local", tmp_path / "events.jsonl").derived)
        assert found == expected, f"seed {seed}\n{text}\n{events}"


def test_rules_take_the_place_of_constraints_once_the_begin_is_known() -> None:
    text = "IF event x: bid() and event w: from-start-backward[x, 30 sec] THEN while w: event: bid() END"
    layers = by_rules(side_by_side(module_of(text)))
    assert any(isinstance(each, ConstraintModule) for each in layers.modules)
    assert not any(isinstance(each, ConstraintModule) for each in by_rules_from(5, layers).modules)


def test_a_long_event_that_ends_later_may_begin_before_the_first_one(tmp_path: Path) -> None:
    text = "IF event x: b() and event w: from-start-backward[x, 9 sec] THEN while w: event: c() END"
    layers = side_by_side(module_of(text))
    events = recorded([event("a", 10), event("e", 2, 12), event("b", 14)])
    path = tmp_path / "events.jsonl"
    expected = first_shown(over_a_file(layers, events, "reference", path).derived)
    assert len(expected) == 1
    assert first_shown(over_a_file(layers, events, "local", path).derived) == expected
    without = [each for each in events if each.label != "e"]
    assert not over_a_file(layers, without, "local", path).derived
