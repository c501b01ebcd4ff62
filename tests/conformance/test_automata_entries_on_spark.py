"""The I entries on Spark: recorded events in one run for all entries, and each in micro-batches."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cache

import pytest

pytest.importorskip("pyspark")

from cera.automata.module import AutomatonModule
from cera.engines.spark.division.operators import operators
from cera.model.events.event import DerivedEvent
from cera.modules.module import Settings
from cera.testing import SECOND, event
from conformance.automata_side_by_side import EntryCase, apart, cases, relabelled
from module_runs import run_layers, side_by_side
from properties.local_runs import disordered
from properties.streaming_runs import MicroBatches, random_cuts
from properties.test_automata import told

CASES = cases()
AUTOMATA = list(dict.fromkeys(case.module for case in CASES))
RENAMED = dict(zip(AUTOMATA, apart(AUTOMATA), strict=True))

Answers = Mapping[int, list[DerivedEvent]]


def test_every_entry_about_runs_has_a_case() -> None:
    """The others are about the structure of automata, or about texts."""
    about_structure = {"I-01", "I-02", "I-03", "I-04", "I-05", "I-09", "I-11", "I-12", "I-14", "I-16", "I-33", "I-37"}
    numbered = {f"I-{number:02}" for number in range(1, 38)}
    together = {"I-15", "I-18", "I-19", "I-23"}  # each in the test of the entry before it
    assert {case.entry for case in CASES} >= numbered - about_structure - together - {"I-25"}


@cache
def answers(engine: str) -> Answers:
    """What an engine derives for all cases in one run, by automaton and case."""
    numbers = {module: number for number, module in enumerate(AUTOMATA)}
    case_of: dict[str, int] = {}
    events = []
    for case in CASES:
        for each in case.events:
            seen = relabelled(each, numbers[case.module])
            case_of[seen.id] = case.number
            events.append(seen)
    found: dict[int, list[DerivedEvent]] = {}
    for derived in run_layers(side_by_side(*RENAMED.values()), events, engine, changes=True).derived:
        causes = [cause.id for way in derived.derivations for cause in way.causes.values()]
        [number] = {case_of[each] for each in causes if each in case_of}
        found.setdefault(number, []).append(derived)
    return found


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
@pytest.mark.usefixtures("spark_if_needed")
def test_recorded_events_of_an_entry_give_what_the_definitions_say(case: EntryCase, engine: str) -> None:
    module: AutomatonModule = RENAMED[case.module]
    events = [relabelled(each, AUTOMATA.index(case.module)) for each in case.events]
    expected = module.definition(Settings()).answer(events, None).derived
    assert told(answers(engine).get(case.number, [])) == told(expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_entry_in_micro_batches_gives_what_the_definitions_say(case: EntryCase) -> None:
    chance = random.Random(case.number)
    events = sorted(case.events, key=lambda each: each.end)
    delay = chance.choice((0, 2 * SECOND))
    stream = MicroBatches(operators(side_by_side(case.module), buckets=3), delay)
    last = event("the-end", events[-1].end / SECOND + 200)
    for batch in [*random_cuts(disordered(events, delay, chance), chance), [last], []]:
        stream.batch(batch)
    until = stream.watermark * 1000 - 1
    answer = run_layers(side_by_side(case.module), [*events, last], "reference", until=until, changes=True)
    expected = {
        (one.event.id, one.event.label, one.event.end, *sorted((n, c.id) for n, c in way.causes.items()))
        for one in answer.derived
        for way in one.derivations
    }
    assert {(r.id, r.label, r.end, *sorted(json.loads(r.causes).items())) for r in stream.by_kind.derived} == expected
