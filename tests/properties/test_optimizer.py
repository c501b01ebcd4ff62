"""The optimizer keeps the answers: plain plan, each pass alone, all together and the reference agree (C-18, C-19).

Compared are the derived events with all their derivations. A table of how often each pass had something to do stands
behind it: a pass that never applies proves nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import chain

import pytest

from cera.algebra.plan import Plan
from cera.algebra.translation import translate
from cera.diagnostics import Source
from cera.engines.local.derived import RuleDetection
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import DerivedEvent, Event, in_output_order
from cera.model.events.occurrence import occurrence
from cera.model.expressions.constructs import ConstructTerm
from cera.model.terms.term import Term
from cera.modules.driving import Driver
from cera.optimizer.driver import PASSES, optimized
from cera.program import load
from cera.rules.analysis.strata import PrecedenceGraph
from cera.rules.rule import RuleProgram
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.generator import Case, cases, seeded_case
from properties.holding import holds_for
from properties.local_runs import differences, in_order
from properties.theories import rules_of

CASES = cases() | cases(recursive=True) | cases(windowed=True)
NAMES = tuple(each.name for each in PASSES)
FOR_GOOD = float("inf")


def answers(plan: Plan, events: list[Event]) -> list[DerivedEvent]:
    longest = max((event.end - event.begin for event in events), default=0)
    host = Driver(RuleProcessor(plan, max_duration=longest))
    derived: list[RuleDetection] = []
    for each in in_order(events):
        derived += host.push([occurrence(each)])
    derived += host.close()
    return in_output_order(one.result() for one in derived)


@holds_for(CASES, short=125)
def test_C_18_the_optimized_plan_gives_the_answers_of_the_plain_one(case: Case) -> None:
    program = rules_of(case)
    plain = translate(program)
    expected = list(run_by_definition(program, case.events).derived)
    best = optimized(plain)
    assert not differences(answers(best.plan, list(case.events)), expected), best.applied
    assert optimized(best.plan).plan is best.plan


def with_twins(program: RuleProgram) -> RuleProgram:
    """The program with each rule a second time under another label, so that there is everything to share."""
    twins = [
        replace(rule, name=f"{rule.name}-twin", head=replace(rule.head, label=f"{rule.head.label}-twin"))
        for rule in program.rules
        if isinstance(rule.head, ConstructTerm)
    ]
    return replace(program, rules=(*program.rules, *twins))


def has_strata(program: RuleProgram) -> bool:
    return not list(PrecedenceGraph(program.rules).strict_cycles())


@holds_for(CASES, short=75)
def test_C_19_rules_that_share_everything_keep_their_answers(case: Case) -> None:
    program = with_twins(rules_of(case))
    if not has_strata(program):
        return  # a query for any label now finds what its own rule derives
    best = optimized(translate(program))
    expected = list(run_by_definition(program, case.events).derived)
    assert not differences(answers(best.plan, list(case.events)), expected), best.applied


@holds_for(CASES, short=50)
def test_the_optimized_plan_remembers_nothing_longer(case: Case) -> None:
    program = with_twins(rules_of(case))
    if not has_strata(program):
        return
    plain = translate(program)
    for max_duration in (None, 0, 5 * SECOND):
        before, after = _horizons(plain, max_duration), _horizons(optimized(plain).plan, max_duration)
        assert max(after, default=0) <= max(before, default=0)
        assert after.count(FOR_GOOD) <= before.count(FOR_GOOD)


def _horizons(plan: Plan, max_duration: int | None) -> list[float]:
    horizons = RuleProcessor(plan, max_duration=max_duration).network.horizons
    return [FOR_GOOD if horizon is None else horizon for horizon in horizons]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("push-projections", "serve-joins")])
def test_C_19_each_pass_alone_keeps_the_answers(name: str) -> None:
    others = [other for other in NAMES if other != name]
    applied, answered = Counter[str](), 0
    plain_cases = (seeded_case(seed) for seed in range(examples(400)))
    recursive_cases = (seeded_case(seed, recursive=True) for seed in range(examples(100)))
    for number, case in enumerate(chain(plain_cases, recursive_cases)):
        plain = translate(rules_of(case))
        changed = optimized(plain, without=others)
        if changed.plan is plain:
            continue
        expected = answers(plain, list(case.events))
        assert not differences(answers(changed.plan, list(case.events)), expected), (name, number)
        applied[name] += 1
        answered += bool(expected)
    assert applied[name] > examples(15)
    assert answered > examples(10)


def test_C_19_joins_that_serve_others_keep_the_answers_and_their_causes() -> None:
    """Random rules seldom join the same events. An event from outside may be called like the answers of a rule."""
    others = [other for other in NAMES if other != "serve-joins"]
    applied = answered = 0
    for seed in range(examples(150)):
        chance = random.Random(seed)
        times = chance.choice(("", " and i before j", " and e(i) <= e(j) and {i, j} within 3 sec", " and V != W"))
        more = chance.choice(("V < W", "V + W > 3", "V >= 1", "W != 2", "V > 0 and W > 0", "V != W + K"))
        third = chance.choice(("", "", " and l: c(k(K))"))
        body = f"i: a(k(K), v(V)) and j: b(k(K), v(W)){third}{times}"
        swapped = body.replace("V", "X").replace("W", "V").replace("X", "W")  # names that clash with the others
        asked = more.replace("V", "X").replace("W", "V").replace("X", "W")
        special = f"{swapped} and {asked}" if chance.random() < 0.3 else f"{body} and {more}"
        text = f"g(k(K), v(V), w(W)) <- {body}.\ns(k(K), v(V)) <- {special}.\nt(k(K)) <- {body}."
        plain = translate(load(Source("p.slog", text)).checked())
        events = [_joined(chance) for _ in range(chance.randint(4, 12))]
        changed = optimized(plain, without=others).plan
        applied += changed is not plain
        expected = answers(plain, events)
        assert not differences(answers(changed, events), expected), text
        assert not differences(answers(optimized(plain).plan, events), expected), text
        answered += bool(expected)
    assert applied > examples(90)
    assert answered > examples(80)


def _joined(chance: random.Random) -> Event:
    begin = chance.randint(0, 8)
    content = f"k{{{chance.randint(1, 2)}}}, v{{{chance.randint(0, 4)}}}, w{{1}}"
    return event(f"{chance.choice('aabbcg')}{{{content}}}", begin, begin + chance.choice((0, 0, 2)))


def test_C_19_projections_below_windows_keep_the_answers() -> None:
    """Only StreamLog has variables that do not count: `_`, and those of the match that a window ends with."""
    others = [other for other in NAMES if other != "push-projections"]
    answered = 0
    for seed in range(examples(60)):
        chance = random.Random(seed)
        values = chance.choice(("k(K)", "k(K), m(_)", "k(K), m(M)"))
        condition = chance.choice(("", " and K > 1"))
        absence = chance.choice(("", " and not c(k(3))"))
        text = f"[now - {chance.randint(1, 4)} sec, now]:\n  n(sum(sum(K))) <- b({values}){condition}{absence}."
        plain = translate(load(Source("p.slog", text)).checked())
        events = [_event(chance, at) for at in range(chance.randint(3, 9))]
        changed = optimized(plain, without=others).plan
        if changed is plain:
            continue
        expected = answers(plain, events)
        assert not differences(answers(changed, events), expected), seed
        answered += bool(expected)
    assert answered > examples(20)


def _event(chance: random.Random, at: int) -> Event:
    """Returns an event that may have attributes twice."""
    inner = [Term(name, [chance.randint(1, 3)]) for name in "km" for _ in range(chance.choice((1, 1, 2)))]
    return event(Term(chance.choice("bbbc"), inner), at)
