"""The algebra on random programs and streams: temporal preservation, finite differencing, equality of the semantics.

Expressions are evaluated by `relational`, which knows nothing of steps; so these tests are about translation, about the
equations, and about the papers' theorems. The incremental engine is compared in `test_local`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hypothesis import strategies as st

from cera.algebra.differencing import delta, old
from cera.algebra.operators import Construction, Expression, Merging, Union
from cera.algebra.translation import translate
from cera.engines.reference.enumeration import matches
from cera.engines.reference.fixpoint import Model
from cera.model.events.event import Event
from cera.model.matching.matching import Substitution, substitution_key
from cera.rules.rule import Branch, Rule, RuleProgram
from cera.testing import SECOND
from properties.brute_force import TooLargeError, entailed, with_auxiliary_windows
from properties.generator import LAST_SECOND, Case, cases
from properties.holding import holds_for
from properties.theories import model_of, rules_of, theory_of
from relational import (
    Relation,
    World,
    collected_of,
    event_of,
    last_end,
    occurrence_time,
    stream_tuple,
    trace_of,
    values_of,
)

SMALL = cases(most_events=7) | cases(recursive=True, most_events=4) | cases(windowed=True, most_events=7)

NOWS = st.integers(0, 2 * LAST_SECOND).map(lambda seconds: seconds * SECOND)


def world_of(program: RuleProgram, case: Case) -> World:
    return World(tuple(dict.fromkeys(case.events)), theory_of(program))


def bodies(expression: Expression) -> list[Expression]:
    """The expressions below merging: C of Fig. 8, for every branch."""
    match expression:
        case Construction():
            return bodies(expression.input)
        case Union():
            return [body for part in expression.inputs for body in bodies(part)]
        case Merging():
            return [expression.input]
        case _:
            raise AssertionError(f"a rule does not begin with {type(expression).__name__}")


@holds_for(SMALL)
def test_C_24_the_plan_derives_what_the_fixpoint_derives(case: Case) -> None:
    """Q(E) ∪ E = T_{h←B}(E), rule by rule in topological order."""
    program = rules_of(case)
    model = model_of(program, case.events)
    plan = translate(program)
    points = world_of(program, case).derived(plan)
    for rule in program.rules:
        assert {event_of(row) for row in points[rule.name]} == derived_by(rule, model)


@holds_for(st.tuples(SMALL, NOWS))
def test_C_15_what_ends_by_now_follows_from_what_has_ended_by_now(drawn: tuple[Case, int]) -> None:
    """σ[END <= now](Q(E)) = Q(E up to now), for bodies and for whole plans; timers are made with their anchors."""
    case, now = drawn
    program = rules_of(case)
    plan, world = translate(program), world_of(program, case)
    points = world.derived(plan)
    known = {name: up_to(relation, now) for name, relation in points.items()}
    present = replace(world, until=now)
    assert present.derived(plan) == known
    for point in plan.points:
        for body in bodies(point.expression):
            everything = replace(world, points=points).evaluate(body)
            assert replace(present, points=known).evaluate(body) == up_to(everything, now)


def up_to(relation: Relation, now: int) -> Relation:
    return Relation(row for row in relation if last_end(row) <= now)


@holds_for(SMALL, short=50, long=1_000)
def test_C_20_the_equations_of_finite_differencing_hold(case: Case) -> None:
    """At every step ΔQ = σ[END = now](Q) and ∘Q = σ[END < now](Q); the union of all ΔQ is Q (C-21)."""
    program = rules_of(case)
    plan, world = translate(program), world_of(program, case)
    points = world.derived(plan)
    whole = replace(world, points=points)
    for expression in (e for point in plan.points for e in (point.expression, *bodies(point.expression))):
        result = whole.evaluate(expression)
        gathered = 0
        for now in sorted({last_end(row) for row in result} | {event.end for event in case.events}):
            step = replace(whole, now=now)
            new = step.evaluate(delta(expression))
            assert new == Relation(row for row in result if last_end(row) == now)
            assert step.evaluate(old(expression)) == Relation(row for row in result if last_end(row) < now)
            gathered += len(new)
        assert gathered == len(result)


def prefixes(branch: Branch) -> Iterator[Branch]:
    """B1, …, Bn and C: the body up to each literal in the order of Fig. 7, then with its conditions."""
    parts: dict[str, tuple[object, ...]] = {}
    for name in ("events", "absolute_timers", "relative_timers", "windows", "collections", "absences", "conditions"):
        found = getattr(branch, name)
        if name == "relative_timers" and found:  # their order is that of their anchors
            parts[name] = found
            yield Branch(**parts)  # type: ignore[arg-type]
            continue
        for size in range(1, len(found) + 1):
            yield Branch(**parts, **{name: found[:size]})
        parts[name] = found


def body_of(prefix: Branch, rule: Rule, program: RuleProgram) -> Expression:
    """The translation of a part of a body, among all the other rules."""
    rules = tuple(replace(r, branches=(prefix,)) if r is rule else r for r in program.rules)
    [body] = bodies(translate(replace(program, rules=rules)).by_name[rule.name].expression)
    return body


@holds_for(cases(most_events=6) | cases(recursive=True, most_events=4) | cases(windowed=True, most_events=5))
def test_C_23_a_tuple_is_a_substitution_and_a_trace_that_satisfy_its_formula(case: Case) -> None:
    """Lemma 0.1, by enumeration: r ∈ S(E) iff E, σ_r, τ_r ⊨ F^t with t = occtime(r), for every part of every body."""
    program = rules_of(case)
    theory, model = theory_of(program), model_of(program, case.events)
    points = {rule.name: Relation(map(stream_tuple, derived_by(rule, model))) for rule in program.rules}
    world = replace(world_of(program, case), points=points)
    for rule in program.rules:
        for prefix in (prefix for branch in rule.branches for prefix in prefixes(branch)):
            rows = world.evaluate(body_of(prefix, rule, program))
            try:
                expected = {pair(trace, values) for trace, values in entailed(theory, model.events, prefix)}
            except TooLargeError:
                continue
            assert {pair(trace_of(row), values_of(row)) for row in rows} == expected
            for row in rows:
                found, time = values_of(row), occurrence_time(row)
                traces = with_auxiliary_windows(trace_of(row), prefix)
                assert any(theory.entails(model.events, found, trace, prefix, time) for trace in traces)


def pair(trace: Mapping[str, Event], values: Substitution) -> object:
    return frozenset(trace.items()), substitution_key(values)


def derived_by(rule: Rule, model: Model) -> set[Event]:
    return {d.event for d in model.derived() if any(derivation.rule == rule.name for derivation in d.derivations)}


@holds_for(SMALL)
def test_C_23_tuples_and_matches_correspond_one_to_one(case: Case) -> None:
    """Fig. 15 (ERR-15): r ↦ (σ_r, τ_r) is a bijection; with counted matches (ERR-07) to (σ, τ, collected events)."""
    program = rules_of(case)
    theory, model = theory_of(program), model_of(program, case.events)
    plan, world = translate(program), world_of(program, case)
    whole = replace(world, points=world.derived(plan))
    for rule in program.rules:
        expressions = bodies(plan.by_name[rule.name].expression)
        for branch, body in zip(rule.branches, expressions, strict=True):
            rows = whole.evaluate(body)
            counted = program.semantics == "practical"
            found = [(pair(trace_of(row), values_of(row)), collected_of(row) if counted else ()) for row in rows]
            every = matches(theory, model.events, branch)
            expected = {(pair(m.trace, m.values), m.collected if counted else ()) for m in every}
            assert len(found) == len(set(found))
            assert set(found) == expected
