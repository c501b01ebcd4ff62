"""Stages that are skipped: random programs detect, count and remember as if all rules were run at every stage.

First Datalog_1S with any rules, where a stage is skipped if the evaluator says that its events are of no interest; then
EPL modules over events as readers make them, so that the functions written for their shapes say it. What this cannot
catch: events that are taken for interesting although they are not (they are counted, so that not all of them are).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

import cera
from cera.datalog import stages
from cera.datalog.events.processor import FactProcessor
from cera.datalog.history import HistoryStage
from cera.datalog.idle_stages import Asked
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import DerivedEvent, Event, in_output_order
from cera.model.expressions.expression import variables
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import point
from cera.modules.driving import Driver
from cera.modules.tuples import EventTuple, Fact, look_up
from cera.testing import SECOND
from hypothesis_profiles import examples
from module_runs import as_read
from properties.datalog_cases import seeded_case
from properties.test_modules import random_events, random_program

SIZES = [pytest.param(examples(200), id="short"), pytest.param(10_000, id="long", marks=pytest.mark.long)]
MODULES = [pytest.param(examples(120), id="short"), pytest.param(5_000, id="long", marks=pytest.mark.long)]


def is_of_interest(stage: HistoryStage, machine: stages.Machine) -> bool:
    assert machine.idle is not None
    for predicate, facts in stage.events.items():
        asked = machine.idle.of(predicate)
        if asked is None:
            return True
        if any(passes(fact, one) for fact in facts for one in asked):
            return True
    return False


def passes(fact: Fact, asked: Asked) -> bool:
    """Whether all conditions on an event hold, or one before the first that does not has no value."""
    [event] = fact
    assert isinstance(event, EventTuple)
    evaluator = Evaluator()
    values = {}
    for condition in asked.conditions:
        for name in variables(condition):
            value = look_up(event, name.partition(".")[2])
            if value is not None:
                values[name] = value
        if not evaluator.holds(condition, values, {}):
            return evaluator.undefined > 0
    return True


@pytest.mark.parametrize("programs", SIZES)
def test_stages_without_an_event_of_interest_can_be_skipped(programs: int) -> None:
    skipped = 0
    for seed in range(programs):
        case = seeded_case(seed)
        for name in sorted({rule.head.predicate for rule in case.program.rules}):
            one, other = (stages.compile(case.program, [name]) for _ in range(2))
            if one.idle is None:
                continue
            state, expected = one.start(case.relations), other.start(case.relations)
            random = Random(seed)
            for stage in case.history:
                facts = other.step(expected, stage.events, stage.time)
                happens = any(stage.events.get("any", ()) if "any" in stage.events else stage.events.values())
                if stage.time is not None and happens and not is_of_interest(stage, one) and one.rests(state):
                    assert not facts, f"seed {seed}, {name}"
                    one.skip(state, stage.time)
                    skipped += 1
                else:
                    assert one.step(state, stage.events, stage.time) == facts, f"seed {seed}, {name}"
                if random.random() < 0.3:
                    state = one.restore(one.dump(state))
            assert one.evaluator.undefined == other.evaluator.undefined, f"seed {seed}, {name}"
    assert skipped > programs / 10, skipped


def driven(texts: Sequence[str], events: Sequence[Event], random: Random) -> tuple[list[DerivedEvent], tuple[int, int]]:
    """What is detected in pieces of any size, with snapshots between them, and what was left out and undefined."""
    processor = cera.load(list(texts)).processor(max_duration=0)
    driver = Driver(processor, max_delay=0)
    found: list[DerivedEvent] = []
    waiting = [as_read(event) for event in sorted(events, key=lambda one: one.end)]
    while waiting:
        size = random.choice((1, 2, 5, len(waiting)))
        found += [one.result() for one in driver.push(waiting[:size])]
        waiting = waiting[size:]
        if random.random() < 0.3:
            snapshot = driver.snapshot()
            driver = Driver(processor, max_delay=0)
            driver.resume(snapshot)
    found += [one.result() for one in driver.close()]
    return in_output_order(found), (driver.counts.left_out, driver.counts.undefined)


@pytest.mark.parametrize("programs", MODULES)
def test_modules_over_read_events_detect_what_the_definition_says(
    programs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped: list[bool] = []
    skip = FactProcessor._skip

    def counted(*arguments: object) -> bool:
        skipped.append(skip(*arguments))  # type: ignore[arg-type]
        return skipped[-1]

    monkeypatch.setattr(FactProcessor, "_skip", counted)
    detecting = 0
    for seed in range(programs):
        random = Random(seed)
        texts, events = random_program(random), random_events(random)
        answer = cera.load(texts).run(events, engine="reference")
        found, counts = driven(texts, events, random)
        story = f"seed {seed}:\n" + "\n".join(texts) + "\n".join(map(str, events))
        assert tuple(found) == answer.derived, story
        assert counts == (answer.left_out, answer.undefined), story
        detecting += bool(found)
    assert detecting > programs / 4
    assert sum(skipped) > programs, (sum(skipped), len(skipped))


@pytest.mark.parametrize("old", [{}, {"v": "text"}, "kv", None, {"k": 1, "v": True}, {"K": 1, "k": 2, "v": 0}])
@pytest.mark.parametrize("partition", ["", "partition by k;"])
def test_changes_with_rows_of_any_kind_are_taken_as_the_definition_says(old: Any, partition: str) -> None:
    texts = [f"begin M monitor update(T), A; {partition} R: [update(T(X), X.new_v > X.old_v), A]. end."]
    changes = [{"k": 1, "v": 1}, {}, "kv", {"k": 1, "v": 2, "old_v": 5}, {"k": 1, "v": 3}]
    bodies = [
        {"operation": "update", "table": "T", "position": n, "old": old, "new": new} for n, new in enumerate(changes)
    ]
    records = [("change", {name: row for name, row in body.items() if row is not None}) for body in bodies]
    records.append(("A", {"k": 1}))
    events = [
        Event(term_from_json({label: body}), point(number * SECOND)) for number, (label, body) in enumerate(records)
    ]
    answer = cera.load(texts).run(events, engine="reference")
    for seed in range(3):
        found, counts = driven(texts, events, Random(seed))
        assert tuple(found) == answer.derived
        assert counts == (answer.left_out, answer.undefined)
