"""Constraints that are derived from automata, held against the streams that these accept.

Automata are random, with unique names and without choices, so that something follows from them; streams are random
walks that the definition accepts, and the meaning of constraints judges the streams with their states. What this
cannot see: constraints that could be derived and are not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from cera.constraints.constraint import ConstraintSet
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import DerivedConstraint, Supposition
from cera.constraints.kinds import named
from cera.constraints.normalisation import normalise
from cera.constraints.semantics import violations
from cera.constraints.stream import Extent, Stream, happenings_of
from cera.languages.escl.printer import print_set
from cera.model.events.event import Event
from cera.testing import SECOND
from hypothesis_profiles import examples
from properties.accepted_streams import accepted_stream, telling_automaton


def broken(found: Sequence[DerivedConstraint], events: Sequence[Event]) -> list[tuple[DerivedConstraint, object]]:
    """Returns the constraints that a stream with its states violates."""
    happenings = happenings_of(events)
    last = max(each.end for each in events)
    stream = Stream(happenings, Extent(0, last + SECOND, 0))
    wrong: list[tuple[DerivedConstraint, object]] = []
    for each in found:
        clauses = normalise(_named(each.constraints)).clauses
        violated = violations(clauses, stream).violations
        wrong += [(each, violated[0])] if violated else []
    return wrong


def _named(tree: ConstraintSet) -> ConstraintSet:
    [found] = named([tree])
    return found


def _held(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    automaton = telling_automaton(chance)
    found = of_automaton(automaton)
    points, distinct, expected = chance.random() < 0.8, chance.random() < 0.9, chance.random() < 0.5
    events, states = accepted_stream(chance, automaton, points=points, distinct=distinct, expected=expected)
    given: set[Supposition] = {"unique"}
    given |= {"points"} if points else set()
    given |= {"distinct"} if distinct else set()
    given |= {"expected"} if expected else set()
    held = [each for each in found if each.supposing <= given]
    for each, violation in broken(held, [*events, *states]) if events else []:
        raise AssertionError(
            f"seed {seed}\n{automaton.root}\n"
            + "\n".join(f"{t.name}: {t.label}" for t in automaton.transitions)
            + "\n"
            + "\n".join(f"{e.term} {e.begin // SECOND} {e.end // SECOND}" for e in (*events, *states))
            + f"\n{each.because}\n{print_set(each.constraints)}\n{violation}"
        )
    return Counter(streams=1, events=len(events), constraints=len(held), states=len(states))


def test_streams_that_automata_accept_satisfy_what_is_derived_from_them() -> None:
    number = examples(60)
    seen = sum((_held(seed) for seed in range(number)), Counter())
    assert seen["constraints"] >= 2 * number
    assert seen["events"] >= 3 * number


@pytest.mark.long
def test_ten_thousand_streams_satisfy_what_is_derived() -> None:
    for seed in range(1_000, 11_000):
        _held(seed)
