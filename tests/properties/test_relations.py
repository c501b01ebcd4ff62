"""Rules that look up relations: the engines against the reference, on random programs, streams and tables.

Compared are the derived events with all their derivations. What these tests cannot catch is what the engines share: the
matching of patterns on rows, and how rows are read.
"""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import get_args

import pytest

from cera.algebra.translation import translate
from cera.engines.reference.entailment import Interpretation
from cera.engines.reference.enumeration import matches
from cera.model.events.event import DerivedEvent
from cera.model.time.interval import hull
from cera.optimizer.driver import optimize
from cera.rules.rule import RuleProgram, Semantics
from hypothesis_profiles import examples
from module_runs import run_by_definition, run_locally, run_on_spark
from properties.generator import FEATURES, RELATIONAL, Case, cases, constructs, seeded_case
from properties.generator.choices import SeededChoices
from properties.generator.relations import some_relations, with_lookups
from properties.holding import holds_for
from properties.local_runs import differences, disordered, some_variation
from properties.theories import rules_of, theory_of
from relational import World, event_of

ACCEPTED = RELATIONAL - {"recursion"}
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)


def expected_answers(case: Case, program: RuleProgram) -> list[DerivedEvent]:
    return list(run_by_definition(program, case.events, relations=case.relations).derived)


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(150), id="short"), pytest.param(6_000, id="long", marks=pytest.mark.long)]
)
def test_the_local_engine_agrees_with_the_reference_whatever_way_a_stream_arrives(programs: int) -> None:
    used, answered = Counter[str](), Counter[str]()
    for seed in range(programs):
        case = seeded_case(seed, ACCEPTED, windowed=seed % 5 == 1, with_states=seed % 5 == 2)
        program = replace(rules_of(case), semantics=SEMANTICS[seed % 2])
        expected = expected_answers(case, program)
        chance = random.Random(seed)
        variation = replace(some_variation(chance), relations=case.relations)
        found = variation.answers(program, disordered(case.events, variation.max_delay, chance))
        assert not differences(found, expected), f"seed {seed}, {variation}"
        names = {query.relation for rule in program.rules for branch in rule.branches for query in branch.relations}
        used.update(names)
        answered.update(names if expected else ())
    if programs >= 150:
        assert min(used[name] for name in ("table", "version", "snapshot")) >= programs // 5
        assert min(answered[name] for name in ("table", "version", "snapshot")) >= programs // 20


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(60), id="short"), pytest.param(2_000, id="long", marks=pytest.mark.long)]
)
def test_recursive_rules_look_rows_up(programs: int) -> None:
    answered = 0
    for seed in range(programs):
        case = seeded_case(seed, FEATURES, recursive=True)
        chance = random.Random(seed)
        program = with_lookups(rules_of(case), chance)
        relations = some_relations(SeededChoices(RELATIONAL, seed))
        expected = list(run_by_definition(program, case.events, relations=relations).derived)
        variation = replace(some_variation(chance), relations=relations)
        found = variation.answers(program, disordered(case.events, variation.max_delay, chance))
        assert not differences(found, expected), f"seed {seed}, {variation}"
        answered += bool(expected)
    assert answered >= programs // 3


@holds_for(cases(ACCEPTED), short=50, long=2_000)
def test_the_local_engine_agrees_with_the_reference(case: Case) -> None:
    """In both semantics; a failure shows the smallest program found."""
    for semantics in SEMANTICS:
        program = replace(rules_of(case), semantics=semantics)
        found = list(run_locally(program, case.events, relations=case.relations).derived)
        assert not differences(found, expected_answers(case, program)), semantics


@holds_for(cases(ACCEPTED, most_events=6), short=50, long=1_000)
def test_what_is_derived_is_entailed(case: Case) -> None:
    """The rows of a derivation satisfy the body as the paper writes it: the formula of a branch, with its relations."""
    program = rules_of(case)
    theory = replace(theory_of(program), relations=case.relations)
    events = Interpretation(case.events)
    for branch in (branch for rule in program.rules for branch in rule.branches):
        for match in matches(theory, events, branch):
            interval = hull(event.interval for event in match.trace.values())
            assert theory.entails(events, match.values, match.trace, branch, interval)


@holds_for(cases(ACCEPTED - {"raise"}, most_events=8), short=30, long=500)
def test_plans_with_relations_mean_the_same_before_and_after_every_pass(case: Case) -> None:
    program = rules_of(case)
    world = World(case.events, replace(theory_of(program), relations=case.relations))
    plain = translate(program)
    for plan in (plain, optimize(plain)):
        points = world.derived(plan)
        found = {point.name: {event_of(row).id for row in points[point.name]} for point in plan.results}
        if plan is plain:
            expected = found
        assert found == expected


def compared(seed: int) -> tuple[Counter[str], int]:
    case = seeded_case(seed, ACCEPTED)
    program = rules_of(case)
    expected = expected_answers(case, program)
    actual = list(run_on_spark(program, case.events, relations=case.relations).derived)
    assert _ways(actual) == _ways(expected), f"seed {seed}"
    return Counter(constructs(case.program)), len(expected)


def _ways(derived: list[DerivedEvent]) -> dict[str, set[tuple[str, tuple[tuple[str, str], ...]]]]:
    return {
        one.event.id: {(d.rule, tuple((name, cause.id) for name, cause in d.causes.items())) for d in one.derivations}
        for one in derived
    }


def compare(seeds: range) -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(compared, seeds))
    assert sum((used for used, _ in found), Counter[str]())["relation"] > 0
    assert sum(answers for _, answers in found) > 0


@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_the_reference() -> None:
    compare(range(2))


@pytest.mark.long
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("part", range(100))
@pytest.mark.usefixtures("spark")
def test_spark_agrees_with_the_reference_on_many_programs(part: int) -> None:
    compare(range(part * 6, (part + 1) * 6))
