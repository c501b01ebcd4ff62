"""Rules that constraints have rewritten answer as before on every stream that satisfies the constraints (R-11).

Random rules, random sets of constraints, and random streams from which what violates a constraint is taken away until
nothing does. How often each law has been used is counted. The rewritten rules run by definition and locally, some of
them in other orders, with restarts and other plans, and in micro-batches. This says nothing about streams that violate
constraints, and nothing about how much a rewriting saves.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import pytest

from cera.algebra.translation import translate
from cera.constraints.translation.layers import by_rules
from cera.diagnostics import Source
from cera.engines.spark.division.operators import operators
from cera.engines.spark.streaming.messages.stage_results import ResultsByKind
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.events.rates import LabelRates, Rates
from cera.modules.driving import Driver
from cera.modules.layering import Layers
from cera.modules.rules.module import rule_layers
from cera.optimizer.driver import optimized
from cera.optimizer.semantic.choice import choose
from cera.optimizer.semantic.driver import LAWS as ALL_LAWS
from cera.optimizer.semantic.estimates import COST_MODELS
from cera.optimizer.semantic.table_keys import LAW as LOOKUP_MERGING
from cera.program import Program, load
from cera.rules.rule import RuleProgram
from cera.testing import SECOND
from hypothesis_profiles import examples
from properties.constrained_rules import LABELS, Triple, stream_of, triple_of
from properties.local_runs import ALL_PASSES, disordered, processor_of, some_variation
from properties.streaming_runs import MicroBatches, random_cuts
from properties.theories import model_of

#: The laws about events; the one about tables has random tables of its own (`test_merged_lookups`).
LAWS = tuple(law for law in ALL_LAWS if law != LOOKUP_MERGING)
#: So many triples to one whose rules also run in another way.
ONCE_IN = 4


def _answers(program: RuleProgram, events: Sequence[Event], without: Collection[str] = ALL_PASSES) -> list[str]:
    driver = Driver(processor_of(program, events, without=without), 0)
    found = [one for each in events for one in driver.push([occurrence(each)])]
    return sorted(str(one.result().event) for one in [*found, *driver.close()])


def _defined(program: RuleProgram, events: Iterable[Event]) -> list[str]:
    return sorted(str(one.event) for one in model_of(program, list(events)).derived())


def _varied(program: RuleProgram, events: Sequence[Event], chance: random.Random) -> list[str]:
    """Returns the answers of a run with disorder, cuts and restarts, over another plan."""
    variation = some_variation(chance)
    found = variation.answers(program, disordered(events, variation.max_delay, chance))
    return sorted(str(one.event) for one in found)


def _streamed(program: RuleProgram, events: Sequence[Event], chance: random.Random) -> list[str] | None:
    """Returns the ids of the answers of a stream in micro-batches; None if it rejects events, because they have several
    values of a key."""
    found = _batches(rule_layers(program), events, chance)
    return None if found.rejected else sorted({one.id for one in found.derived})


def _batches(layers: Layers, events: Sequence[Event], chance: random.Random) -> ResultsByKind:
    """Returns what a stream gives in micro-batches, in some order that its delay allows."""
    delay = chance.choice((0, 3)) * SECOND
    longest = max((each.end - each.begin for each in events), default=0)
    stream = MicroBatches(operators(layers, max_duration=longest, buckets=chance.choice((1, 3))), max_delay=delay)
    for batch in random_cuts(disordered(events, delay, chance), chance):
        stream.batch(batch)
    stream.latest = max((each.end for each in events), default=0) + 100 * SECOND
    stream.batch([])
    return stream.by_kind


def _chosen(triple: Triple, chance: random.Random) -> tuple[RuleProgram, bool]:
    """Returns the rules as some model of costs chooses them, by some rates, and whether a law is left out."""
    labels = {label: LabelRates(chance.choice((0.01, 1, 100)), {"k": 2, "v": chance.randint(1, 5)}) for label in LABELS}
    rates = Rates(chance.choice((20.0, 10_000.0)), labels, {"k": chance.choice((1.0, 500.0))})
    model = chance.choice(COST_MODELS)
    found, choices = choose(replace(triple.program, rates=rates), triple.knowledge(), rates, model)
    return found.program, any(each.chosen.left_out for each in choices)


def _agree(seeds: Iterable[int]) -> Counter[str]:
    used: Counter[str] = Counter()
    for seed in seeds:
        triple = triple_of(seed)
        if triple is None:
            used["refused"] += 1
            continue
        rewritten = triple.rewritten()
        laws = [each.law for rule in rewritten.rules for each in rule.rewritings]
        used.update(laws)
        used["serve-joins"] += "serve-joins" in optimized(translate(rewritten.program)).applied
        expected = _defined(triple.program, triple.events)
        used.update(f"{law}, with answers" for law in {*laws} if expected)
        shown = f"seed {seed}\n{triple}"
        assert _answers(rewritten.program, triple.events) == expected, shown
        assert _defined(rewritten.program, triple.events) == expected, shown
        chance = random.Random(seed)
        if laws and seed % ONCE_IN == 0:
            chosen, left_out = _chosen(triple, chance)
            used["chosen by costs"] += 1
            used["chosen by costs, with something left out"] += left_out
            assert _answers(chosen, triple.events, without=()) == expected, shown
        if laws and chance.randrange(ONCE_IN) == 0:
            used["in other ways"] += 1
            assert _varied(rewritten.program, triple.events, chance) == expected, shown
            ids = sorted(one.event.id for one in model_of(triple.program, list(triple.events)).derived())
            streamed = _streamed(rewritten.program, triple.events, chance)
            used["in micro-batches"] += streamed is not None
            assert streamed is None or streamed == ids, shown
    return used


def test_R_11_rewritten_rules_answer_as_before_on_streams_that_satisfy_the_constraints() -> None:
    used = _agree(range(examples(600)))
    every = (*LAWS, "chosen by costs, with something left out")
    assert all(used[each] for each in every) or examples(600) < 600, used


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_R_11_rewritten_rules_answer_as_before_on_many_streams(part: int) -> None:
    """The ten parts have 100,000 triples. In each of them every law is used a hundred times at least, so that in all of
    them it is used a thousand times; what is printed of the parts adds up to how often. The same is asked of the pass
    by which a rule serves more special ones.
    """
    used = _agree(range(1_000 + part * 10_000, 11_000 + part * 10_000))
    print(f"part {part}:", dict(sorted(used.items())))
    assert min(used[each] for each in (*LAWS, "serve-joins")) >= 100, used


def _verifying(triple: Triple) -> Program:
    return load(Source("a.slog", triple.rules), constraints=Source("c.escl", triple.constraints), verify=True)


def _verified_in_micro_batches(triple: Triple, events: Sequence[Event], chance: random.Random) -> list[str] | None:
    """Returns the ids of the answers beside the violations; None if events are rejected."""
    found = _batches(by_rules(_verifying(triple).layers), events, chance)
    return None if found.rejected else sorted({one.id for one in found.derived if one.label != "violation"})


def _with_constraints_verified(triple: Triple, events: Sequence[Event]) -> list[str]:
    program = _verifying(triple)
    driver = Driver(program.processor(max_duration=max((e.end - e.begin for e in events), default=0)), 0)
    found = [one for each in events for one in driver.push([occurrence(each)])]
    derived = (one.result() for one in [*found, *driver.close()])
    return sorted(str(one.event) for one in derived if one.event.label != "violation")


def test_constraints_that_are_verified_cost_no_answer_on_streams_that_violate_them() -> None:
    violated = 0
    for seed in range(examples(120)):
        triple = triple_of(seed)
        if triple is None:
            continue
        events = stream_of(random.Random(seed + 1))
        expected = _defined(triple.program, events)
        assert _with_constraints_verified(triple, events) == expected, (
            f"seed {seed}\n{triple.rules}\n{triple.constraints}"
        )
        violated += _defined(triple.rewritten().program, events) != expected
        if seed % ONCE_IN == 0:
            batches = _verified_in_micro_batches(triple, events, random.Random(seed))
            ids = sorted(one.event.id for one in model_of(triple.program, events).derived())
            assert batches is None or batches == ids, f"seed {seed}\n{triple.rules}\n{triple.constraints}"
    assert violated or examples(120) < 120, "no stream was one on which trust would have cost an answer"
