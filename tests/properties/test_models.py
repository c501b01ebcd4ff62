"""Theorem 1 of seed 001 and the lemmas of its proof (X-28, X-38), X-21, and ERR-13, on random programs and streams.

They hold in both semantics. What the practical one adds, that a window does not hold the event it is defined by,
depends on the trace alone and not on what else happens, so that nothing becomes less monotone than it is.
"""

from __future__ import annotations

import random

from hypothesis import strategies as st

from cera.diagnostics import Source
from cera.engines.reference.entailment import Interpretation, Theory
from cera.engines.reference.fixpoint import immediate_consequence
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.model.events.event import Event
from cera.model.matching.matching import match
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.strata import dependencies, stratify
from cera.rules.rule import Rule
from cera.testing import SECOND, event
from properties.generator import STRATIFIED, Case, cases
from properties.holding import holds_for
from properties.theories import (
    is_prefixpoint,
    is_stratification,
    model_of,
    rules_of,
    some_stratification,
    theory_of,
    to_fixpoint,
)

CASES = cases() | cases(STRATIFIED) | cases(recursive=True) | cases(windowed=True)
WITH_CHANCE = st.tuples(CASES, st.randoms(use_true_random=False))


@holds_for(WITH_CHANCE, short=60)
def test_X_28_every_stratification_gives_the_same_model(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    program = rules_of(case)
    strata = some_stratification(program.rules, chance)
    assert is_stratification(strata)
    model, other = model_of(program, case.events), model_of(program, case.events, strata)
    assert set(other.events) == set(model.events)
    assert other.derived() == model.derived()


@holds_for(CASES)
def test_X_28_the_model_is_the_one_of_the_definition(case: Case) -> None:
    """Stratum by stratum, all rules so far are applied until nothing changes (Def. 0.10, ERR-14).

    The engine applies fewer rules: those of the stratum, and those of them that something new can concern.
    """
    program = rules_of(case)
    theory = theory_of(program)
    events = Interpretation(case.events)
    applied: list[Rule] = []
    for stratum in stratify(program.rules).strata:
        applied += stratum
        events = to_fixpoint(applied, list(events), theory)
    assert set(model_of(program, case.events).events) == set(events)


@holds_for(WITH_CHANCE)
def test_X_28_the_intended_model_is_a_minimal_model(drawn: tuple[Case, random.Random]) -> None:
    """It holds its consequences, and no part of it that holds the stream does."""
    case, chance = drawn
    program = rules_of(case)
    theory, model = theory_of(program), model_of(program, case.events).events
    assert is_prefixpoint(program.rules, model, theory)
    derived = [event for event in model if event not in set(case.events)]
    removals = [[event] for event in derived[:5]] + ([derived] if derived else [])
    removals += [chance.sample(derived, chance.randint(1, len(derived))) for _ in range(3 if derived else 0)]
    for removed in removals:
        smaller = Interpretation(event for event in model if event not in removed)
        assert not is_prefixpoint(program.rules, smaller, theory), f"a model without {removed}"


@holds_for(cases())
def test_X_21_a_model_with_an_unjustified_event_is_not_minimal(case: Case) -> None:
    """M ∪ {e} is a model as well, if no rule looks at e; but M is a smaller one."""
    program = rules_of(case)
    theory, model = theory_of(program), model_of(program, case.events).events
    unjustified = Event(Term("unjustified"), Interval(SECOND, 2 * SECOND))
    queries = [query.pattern for rule in program.rules for query in event_patterns(rule)]
    if any(match(pattern, unjustified.term) for pattern in queries):  # `*{{}}` and the like
        return
    larger = Interpretation([*model, unjustified])
    assert is_prefixpoint(program.rules, larger, theory)
    assert is_prefixpoint(program.rules, model, theory)
    assert set(case.events) <= set(model) < set(larger)


@holds_for(WITH_CHANCE)
def test_X_38_lemma_1_immediate_consequence_is_monotone_above_equal_lower_strata(
    drawn: tuple[Case, random.Random],
) -> None:
    """For M_{n-1} ⊆ I ⊆ J, where I and J differ in events that the rules of P_n construct: T_P(I) ⊆ T_P(J).

    Besides events of the model there are some of the same terms at other times, which nothing justifies.
    """
    case, chance = drawn
    program = rules_of(case)
    theory, strata = theory_of(program), stratify(program.rules).strata
    lower_rules = [rule for stratum in strata[:-1] for rule in stratum]
    lower_model = model_of(program, case.events, strata[:-1]).events
    constructed = [one for one in immediate_consequence(strata[-1], lower_model, theory) if one not in lower_model] + [
        one for one in model_of(program, case.events).events if one not in lower_model
    ]
    shifted = [Event(one.term, _shifted(one.interval, chance.randint(-9, 9))) for one in constructed]
    pool = list(dict.fromkeys([*constructed, *shifted]))
    larger = [one for one in pool if chance.random() < 0.7]
    smaller = [one for one in larger if chance.random() < 0.6]
    rules = [*lower_rules, *strata[-1]]
    less = immediate_consequence(rules, Interpretation([*lower_model, *smaller]), theory)
    more = immediate_consequence(rules, Interpretation([*lower_model, *larger]), theory)
    assert set(less) <= set(more)


def _shifted(interval: Interval, seconds: int) -> Interval:
    return Interval(interval.begin + seconds * SECOND, interval.end + seconds * SECOND)


@holds_for(WITH_CHANCE)
def test_X_38_A_4_a_positive_program_can_be_cut_in_two(drawn: tuple[Case, random.Random]) -> None:
    """With positive dependencies only and P = P_1 ⊎ P_2: T_P^ω(E) = T_{P_2}^ω(T_{P_1}^ω(E))."""
    case, chance = drawn
    program = rules_of(case)
    if any(dependency.strict for dependency in dependencies(program.rules)):
        return
    theory = theory_of(program)
    strata = some_stratification(program.rules, chance)
    cut = chance.randint(0, len(strata))
    first, second = ([rule for stratum in part for rule in stratum] for part in (strata[:cut], strata[cut:]))
    whole = to_fixpoint(program.rules, case.events, theory)
    parts = to_fixpoint(second, list(to_fixpoint(first, case.events, theory)), theory)
    assert set(parts) == set(whole)


def test_ERR_13_immediate_consequence_is_not_monotone_in_general() -> None:
    """Seed 000 calls T_P "obviously monotonic"; with `not` and with `all` it is not."""
    absence = "DETECT p{} ON and { event w: a{{}}, while w: not b{{}} } END"
    grouping = "DETECT q{all x{var X}} ON and { event w: a{{}}, while w: collect b{{var X}} } END"
    for text, smaller, larger in (
        (absence, [event("a{}", 0, 9)], [event("a{}", 0, 9), event("b{1}", 5)]),
        (grouping, [event("a{}", 0, 9), event("b{1}", 5)], [event("a{}", 0, 9), event("b{1}", 5), event("b{2}", 6)]),
    ):
        syntax = parse(Source("counterexample.xceq", text)).program
        rules = lower([syntax], calendars=(), timezone="UTC", semantics="formal")[0].rules
        less, more = (set(immediate_consequence(rules, Interpretation(e), Theory("formal"))) for e in (smaller, larger))
        assert set(smaller) < set(larger)
        assert not less <= more


@holds_for(WITH_CHANCE)
def test_the_answer_does_not_depend_on_the_order_of_the_events(drawn: tuple[Case, random.Random]) -> None:
    case, chance = drawn
    program = rules_of(case)
    shuffled = chance.sample(case.events, len(case.events))
    assert model_of(program, shuffled).derived() == model_of(program, case.events).derived()
