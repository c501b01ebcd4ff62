"""The engine's enumeration of matches against the entailment relation of the papers (X-17, X-18, X-38)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from hypothesis import strategies as st

from cera.engines.reference.entailment import Interpretation, Theory
from cera.engines.reference.enumeration import Match, matches
from cera.model.events.event import Event
from cera.model.matching.matching import substitution_key
from cera.model.terms.term import Value
from cera.model.time.interval import Interval
from cera.rules.rule import Branch, gathered_order
from cera.testing import SECOND
from properties.brute_force import TooLargeError, entailed, satisfies, with_auxiliary_windows
from properties.generator import LAST_SECOND, Case, cases
from properties.holding import holds_for
from properties.theories import is_prefixpoint, model_of, rules_of, theory_of

SMALL = cases(most_events=6) | cases(windowed=True, most_events=5)

Found = tuple[frozenset[tuple[str, Event]], object]


def found(trace: Mapping[str, Event], values: Mapping[str, Value]) -> Found:
    return frozenset(trace.items()), substitution_key(values)


def whole_trace(match: Match, branch: Branch) -> dict[str, Event]:
    """τ with what was gathered, which a match has before what was collected."""
    return {**match.trace, **dict(zip(gathered_order(branch), match.collected, strict=False))}


def matched(every: Iterable[Match], branch: Branch) -> set[Found]:
    return {found(whole_trace(match, branch), match.values) for match in every}


@holds_for(SMALL)
def test_X_18_the_matches_are_what_is_entailed(case: Case) -> None:
    program = rules_of(case)
    theory, events = theory_of(program), model_of(program, case.events).events
    for branch in (branch for rule in program.rules for branch in rule.branches):
        try:
            expected = {found(*pair) for pair in entailed(theory, events, branch)}
        except TooLargeError:
            continue
        assert matched(matches(theory, events, branch), branch) == expected


@holds_for(cases() | cases(windowed=True))
def test_X_18_every_match_is_entailed(case: Case) -> None:
    """Also with more than the enumeration can try."""
    program = rules_of(case)
    theory, events = theory_of(program), model_of(program, case.events).events
    for branch in (branch for rule in program.rules for branch in rule.branches):
        for match in matches(theory, events, branch):
            traces = with_auxiliary_windows(whole_trace(match, branch), branch)
            assert any(theory.entails(events, match.values, each, branch, match.interval) for each in traces)


@holds_for(st.tuples(SMALL, st.randoms(use_true_random=False)))
def test_X_38_lemma_2_an_interpretation_is_a_model_iff_it_holds_its_immediate_consequences(
    drawn: tuple[Case, random.Random],
) -> None:
    """I ⊨ P iff T_P(I) ⊆ I, for the stream, for the intended model, and for what lies between them.

    Being a model is judged by the rule clause of Fig. 12 on everything that is entailed, T_P(I) is the engine's.
    """
    case, chance = drawn
    program = rules_of(case)
    theory, model = theory_of(program), model_of(program, case.events).events
    deductive = [rule for rule in program.rules if rule.recipient is None]
    between = [event for event in model if chance.random() < 0.7]
    for interpretation in (Interpretation(case.events), model, Interpretation(between)):
        try:
            is_model = all(satisfies(theory, interpretation, rule) for rule in deductive)
        except TooLargeError:
            continue
        assert is_model == is_prefixpoint(deductive, interpretation, theory)


INTERVALS = st.tuples(st.integers(-5, LAST_SECOND + 20), st.integers(0, LAST_SECOND + 20)).map(
    lambda drawn: Interval(drawn[0] * SECOND, (drawn[0] + drawn[1]) * SECOND)
)


@holds_for(st.tuples(cases(), INTERVALS))
def test_X_38_lemma_3_what_happens_outside_of_an_interval_does_not_matter_inside(drawn: tuple[Case, Interval]) -> None:
    """For t ⊑ u: I|u, σ, τ ⊨ Q^t iff I, σ, τ ⊨ Q^t."""
    case, bounds = drawn
    program = rules_of(case)
    theory, events = theory_of(program), model_of(program, case.events).events
    restricted = events.restricted(bounds)
    for branch in (branch for rule in program.rules for branch in rule.branches):
        inside = within(theory, events, branch, bounds)
        assert matched(within(theory, restricted, branch, bounds), branch) == matched(inside, branch)
        for match in inside:
            assert theory.entails(restricted, match.values, match.trace, branch, match.interval)


def within(theory: Theory, events: Interpretation, branch: Branch, bounds: Interval) -> list[Match]:
    return [match for match in matches(theory, events, branch) if bounds.contains(match.interval)]
