"""Rules that constraints have rewritten answer as before on every stream that satisfies the constraints (R-11).

Random rules, random sets of constraints, and random streams that satisfy them (`triples.py`). How often each law has
been used is counted. The rewritten rules run by definition and locally, some of them in other orders, with restarts and
other plans, and in micro-batches. Some run on streams that may violate the constraints, which are then verified: no
answer may be missing. This says nothing about how much a rewriting saves.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pytest

from cera.algebra.translation import translate
from cera.constraints.translation.layers import by_rules
from cera.diagnostics import Source
from cera.engines.local.processor import RuleProcessor
from cera.engines.reference.fixpoint import intended_model
from cera.engines.spark.division.operators import operators
from cera.engines.spark.streaming.messages.stage_results import ResultsByKind
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.rates import LabelRates, Rates
from cera.model.events.states import is_early_answer, is_internal
from cera.modules.driving import Driver
from cera.modules.layering import Layers
from cera.modules.processor import Detection
from cera.modules.rules.module import rule_layers
from cera.optimizer.driver import optimized
from cera.optimizer.semantic.choice import choose
from cera.optimizer.semantic.driver import LAWS
from cera.optimizer.semantic.estimates import COST_MODELS
from cera.program import Program, load
from cera.rules.early_states import with_waiting_answers
from cera.rules.rule import RuleProgram
from cera.testing import SECOND
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.constrained_rules import LABELS, stream_of
from properties.local_runs import disordered, from_json, processor_of, some_variation
from properties.streaming_runs import MicroBatches, random_cuts
from properties.theories import theory_of
from properties.triples import Triple, traces_of, triples_of
from run_counts import RunCounts

#: So many streams for each program and its constraints.
STREAMS = 4
#: So many events of them come at once.
PIECES = (1, 2, 3, 5)
#: So many programs with their constraints to one that also runs in another way, and to one that is verified.
ONCE_IN = 4
VERIFIED_ONCE_IN = 32
#: The parts of the long run, which have so many programs each.
PARTS = 10
PROGRAMS = 2_500

#: What has to be used so often in the long run: all laws, what automata say of the states in which events come, what
#: rules about states forget, and the pass by which a rule serves more special ones.
OFTEN = 1_000
COUNTED = (
    *LAWS,
    "join introduction, by an automaton",
    "scan reduction, by an automaton",
    "join introduction, in states",
    "serve-joins",
)


@dataclass(frozen=True)
class Answers:
    """The answers of a run as texts, and how many of them were early."""

    shown: list[str]
    early: int
    over_states: int


def _answers(processor: RuleProcessor, events: Sequence[Event], piece: int = 1) -> Answers:
    """Returns the answers over pieces of events. In all but single ones, their content is given as JSON: it is for such
    events that most is done at once."""
    driver = Driver(processor, 0)
    given = [occurrence(each) if piece == 1 else from_json(each) for each in events]
    found = [one for at in range(0, len(given), piece) for one in driver.push(given[at : at + piece])]
    found += driver.close()
    shown = [one.result().event for one in found if not is_internal(one.label)]
    over_states = sum(is_early_answer(one.label) for one in found)
    return Answers(sorted(map(str, shown)), sum(_is_early(one) for one in found), over_states)


def _is_early(one: Detection) -> bool:
    return one.early is not None or is_early_answer(one.label)


def _meant(program: RuleProgram, triple: Triple) -> Sequence[DerivedEvent]:
    """Returns the answers by definition."""
    if triple.kind == "states":
        return run_by_definition(program, triple.events).derived
    theory = replace(theory_of(program), relations=triple.relations)
    return list(intended_model(program.rules, triple.events, theory).derived())


def _defined(program: RuleProgram, triple: Triple) -> list[str]:
    return sorted(str(one.event) for one in _meant(program, triple))


def _varied(program: RuleProgram, triple: Triple, chance: random.Random) -> list[str]:
    """Returns the answers of a run with disorder, cuts and restarts, over another plan."""
    variation = replace(some_variation(chance), relations=triple.relations)
    found = variation.answers(program, disordered(triple.events, variation.max_delay, chance))
    return sorted(str(one.event) for one in found)


def _streamed(program: RuleProgram, events: Sequence[Event], chance: random.Random) -> list[str] | None:
    """Returns the ids of the answers of a stream in micro-batches; None if it rejects events, because they have several
    values of a key."""
    found = _batches(rule_layers(program), events, chance)
    return None if found.rejected else sorted({one.id for one in found.derived if not is_early_answer(one.label)})


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
    """Holds rewritten programs against plain ones, and returns how often each law was used: once for each rule and
    constraint, however many streams there are."""
    used: Counter[str] = Counter()
    for seed in seeds:
        triples = triples_of(seed, STREAMS)
        used["refused"] += not triples
        if triples:
            used += _agreement(seed, triples)
    return used


def _agreement(seed: int, triples: Sequence[Triple]) -> Counter[str]:
    first = triples[0]
    rewritten = first.rewritten()
    laws = [each.law for rule in rewritten.rules for each in rule.rewritings]
    used = Counter(laws)
    used.update(f"triples, {each.kind}, {each.origin}" for each in triples)
    used.update(f"{law}, by an automaton" for law in laws if first.kind == "automaton")
    used.update(f"{law}, in states" for law in laws if first.kind == "states")
    used["triples"] += len(triples)
    plan = optimized(translate(with_waiting_answers(rewritten.program)))
    used["serve-joins"] += "serve-joins" in plan.applied
    longest = max((event.end - event.begin for each in triples for event in each.events), default=0)
    processor = RuleProcessor(plan.plan, max_duration=longest, relations=first.relations)
    answered = False
    for number, triple in enumerate(triples):
        shown = f"seed {seed}\n{triple}"
        expected = _defined(triple.program, triple)
        answered |= bool(expected)
        answers = _answers(processor, triple.events, PIECES[number % len(PIECES)])
        assert answers.shown == expected, shown
        used["early answers"] += answers.early
        used["early answers, over states"] += answers.over_states
        used["early answers, in states"] += answers.early if triple.kind == "states" else 0
        assert not laws or _defined(rewritten.program, triple) == expected, shown
    if laws:
        used.update(f"{law}, with answers" for law in {*laws} if answered)
        used += _in_other_ways(seed, triples[seed % len(triples)], rewritten.program)
    if first.kind == "events" and seed % VERIFIED_ONCE_IN == 0:
        used += _verified(seed, first, rewritten.program)
    return used


def _in_other_ways(seed: int, triple: Triple, rewritten: RuleProgram) -> Counter[str]:
    """Holds a rewritten program against the plain one as costs choose it, or in another order with cuts and restarts,
    and in micro-batches."""
    used: Counter[str] = Counter()
    chance = random.Random(seed)
    shown = f"seed {seed}\n{triple}"
    expected = _defined(triple.program, triple)
    if chance.randrange(ONCE_IN) == 0:
        chosen, left_out = _chosen(triple, chance)
        used["chosen by costs"] += 1
        used["chosen by costs, with something left out"] += left_out
        processor = processor_of(chosen, triple.events, without=(), relations=triple.relations)
        assert _answers(processor, triple.events).shown == expected, shown
    if chance.randrange(ONCE_IN) == 0:
        used["in other ways"] += 1
        assert _varied(rewritten, triple, chance) == expected, shown
    if chance.randrange(ONCE_IN) == 0 and not triple.relations:
        ids = sorted(one.event.id for one in _meant(triple.program, triple))
        streamed = _streamed(rewritten, triple.events, chance)
        used["in micro-batches"] += streamed is not None
        assert streamed is None or streamed == ids, shown
    return used


def _verified(seed: int, triple: Triple, rewritten: RuleProgram) -> Counter[str]:
    """Holds a program whose constraints are verified against the plain one, on any stream."""
    chance = random.Random(seed + 1)
    any_stream = replace(triple, events=tuple(stream_of(chance)))
    expected = _defined(triple.program, any_stream)
    shown = f"seed {seed}\n{any_stream}"
    answers, violated = _with_constraints_verified(any_stream)
    assert answers == expected, shown
    would_cost = _defined(rewritten, any_stream) != expected
    if seed % (ONCE_IN * VERIFIED_ONCE_IN) == 0:
        batches = _verified_in_micro_batches(any_stream, chance)
        ids = sorted(one.event.id for one in _meant(triple.program, any_stream))
        assert batches is None or batches == ids, shown
    return Counter({"verified": 1, "verified, violated": violated, "verified, trust would cost": would_cost})


def test_R_11_rewritten_rules_answer_as_before_on_streams_that_satisfy_the_constraints() -> None:
    used = _agree(range(examples(320)))
    every = (
        *COUNTED,
        "early answers, in states",
        "chosen by costs, with something left out",
        "verified, violated",
    )
    assert all(used[each] for each in every) or examples(320) < 320, used


@pytest.mark.parametrize(
    "tried", [pytest.param(examples(60), id="short"), pytest.param(2_500, id="long", marks=pytest.mark.long)]
)
def test_R_11_an_answer_that_several_rows_give_is_given_once(tried: int) -> None:
    used: Counter[str] = Counter()
    for seed in range(tried):
        triples = traces_of(seed, STREAMS)
        used += _agreement(seed, triples) if triples else Counter()
    assert used["join introduction"] or tried < 60, used


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_R_11_rewritten_rules_answer_as_before_on_many_streams(part: int, run_counts: RunCounts) -> None:
    """The parts have 100,000 triples. Each adds how often laws were used to the counts of the run, which are printed in
    its summary; when all parts have, every law has to have been used a thousand times.
    """
    used = _agree(range(1_000 + part * PROGRAMS, 1_000 + (part + 1) * PROGRAMS))
    whole = run_counts.add("R-11", part, used)
    if whole.parts == PARTS:
        assert min(whole.counts[each] for each in COUNTED) >= OFTEN, whole.counts
        assert whole.counts["verified, trust would cost"], "no stream was one on which trust would have cost an answer"


def _verifying(triple: Triple) -> Program:
    return load(Source("a.slog", triple.rules), constraints=Source("c.escl", triple.constraints), verify=True)


def _verified_in_micro_batches(triple: Triple, chance: random.Random) -> list[str] | None:
    """Returns the ids of the answers beside the violations; None if events are rejected."""
    found = _batches(by_rules(_verifying(triple).layers), triple.events, chance)
    return None if found.rejected else sorted({one.id for one in found.derived if one.label != "violation"})


def _with_constraints_verified(triple: Triple) -> tuple[list[str], bool]:
    """Returns the answers beside the violations, and whether there is one of these."""
    program = _verifying(triple)
    driver = Driver(program.processor(max_duration=max((e.end - e.begin for e in triple.events), default=0)), 0)
    found = [one for each in triple.events for one in driver.push([occurrence(each)])]
    derived = [one.result() for one in [*found, *driver.close()]]
    answers = sorted(str(one.event) for one in derived if one.event.label != "violation")
    return answers, len(answers) < len(derived)
