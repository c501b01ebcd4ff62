"""Constraints that are derived from automata, held against the streams that these accept.

Automata are random, with unique names and without choices, so that something follows from them; streams are random
walks that the definition accepts, and the meaning of constraints judges the streams with their states. What this
cannot see: constraints that could be derived and are not.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from cera.automata.automaton import (
    Automaton,
    Declaration,
    EventQuery,
    Label,
    Reference,
    State,
    TerminationConstraint,
    Transition,
)
from cera.automata.module import PAST, VIOLATION, AutomatonModule
from cera.automata.structure import Structure
from cera.constraints.constraint import ConstraintSet
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.derived import DerivedConstraint, Supposition
from cera.constraints.derivation.determinism import can_coincide
from cera.constraints.kinds import named
from cera.constraints.normalisation import normalise
from cera.constraints.semantics import violations
from cera.constraints.stream import Extent, Stream, happenings_of
from cera.languages.escl.printer import print_set
from cera.languages.ihta.checks import check
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.module import Settings
from cera.testing import SECOND
from hypothesis_profiles import examples
from properties.automata_cases import LABELS, calm_automaton

#: The label that enters an automaton.
ENTER = "z"


def telling_automaton(chance: random.Random) -> Automaton:
    """Returns an automaton from which something follows."""
    while True:
        found = _tamed(calm_automaton(chance), chance)
        if any(each.severity == "error" for each in check(found)):
            continue
        if of_automaton(found):
            return found


def _tamed(automaton: Automaton, chance: random.Random) -> Automaton:
    """Returns an automaton with unique names and without choices."""
    root = _with_own_names(automaton.root)
    kept: list[Transition] = []
    for step in Structure(replace(automaton, root=root)).steps:
        each = step.transition
        query = each.label.query
        if each.label.negated or (query is None and (step.created or step.left)):
            continue
        if query is not None and step.created:
            others = tuple((path, value) for path, value in query.attributes if path not in (("k",), ("x",)))
            key = Declaration("K", unique=True) if step.level is None else Reference("K")
            own = () if step.level is None else ((("x",), Declaration("X", unique=True)),)
            query = EventQuery(query.label, ((("k",), key), *own, *others))
        elif query is not None and chance.random() < 0.6:
            query = EventQuery(query.label, tuple((path, value) for path, value in query.attributes if path == ("k",)))
        kept.append(replace(each, label=replace(each.label, query=query, terminations=_some(each.label, chance))))
    structure = Structure(replace(automaton, root=root))
    kept = [
        each
        for each in kept
        if each.source is None or not structure.states[each.source].is_end or each.source[:-1] != structure.root
    ]
    kept += _ways_out(structure, chance)
    while True:
        steps = Structure(replace(automaton, root=root, transitions=tuple(kept))).steps
        clash = next(
            (
                other
                for number, one in enumerate(steps)
                for other in steps[number + 1 :]
                if (one.level, one.before) == (other.level, other.before) and can_coincide(one, other)
            ),
            None,
        )
        if clash is None:
            return replace(automaton, root=root, transitions=tuple(kept))
        kept = [each for each in kept if each is not clash.transition]


def _ways_out(structure: Structure, chance: random.Random) -> Iterator[Transition]:
    """Yields transitions out of states, so that these end, and to the end of the root, so that it does."""
    atomic = [path for path, state in structure.states.items() if state.is_atomic]
    around = [path for path in atomic if path[:-1] == structure.root]
    query = ((("k",), Reference("K")),)
    for path in atomic:
        state = structure.states[path]
        if len(path) > 2 and (state.is_end or chance.random() < 0.2) and chance.random() < 0.9:
            yield Transition(path, chance.choice(around), Label(EventQuery("y", query)))
        elif len(path) == 2 and not state.is_end and chance.random() < 0.4:
            yield Transition(path, next(p for p in around if structure.states[p].is_end), Label(EventQuery("w", query)))


def _some(label: Label, chance: random.Random) -> tuple[TerminationConstraint, ...]:
    return label.terminations if chance.random() < 0.5 else ()


def _with_own_names(state: State, depth: int = 0) -> State:
    attributes = (("k", Reference("K")),) + ((("x", Reference("X")),) if depth else ())
    children = tuple(_with_own_names(each, depth + 1) if each.children else each for each in state.children)
    return replace(state, attributes=attributes, children=children)


def accepted_stream(
    chance: random.Random, automaton: Automaton, *, points: bool, distinct: bool, expected: bool
) -> tuple[list[Event], list[Event]]:
    """Returns a random stream that an automaton accepts, and the openings and endings of its states."""
    module = AutomatonModule(automaton, expects_all=expected, run_limit=200)
    events: list[Event] = []
    states: list[Event] = []
    at = 0
    for _ in range(chance.randint(6, 18)):
        at += chance.choice((0, 1, 1, 1, 2, 3)) if events and not distinct else chance.choice((1, 1, 1, 2, 3))
        for _ in range(6):
            trial = [*events, _event(chance, at, automaton, is_first=not events, points=points)]
            found = _states(module, trial)
            if found is not None:
                events, states = trial, found
                break
    return events, states


def _event(chance: random.Random, at: int, automaton: Automaton, *, is_first: bool, points: bool) -> Event:
    key = chance.choice((1, 1, 1, 2))
    labels = sorted({query.label for query in automaton.queries} - {ENTER}) or LABELS
    label = (
        ENTER
        if is_first or chance.random() < 0.08
        else chance.choice([*labels, *(each for each in LABELS if each in labels)])
    )
    # a value that is unique in an instance is none of another one
    children = [Term("k", [key]), Term("x", [10 * key + chance.randint(1, 4)])]
    begin = at if points or chance.random() < 0.6 else at - chance.randint(0, 2)
    return Event(Term(label, children), Interval(begin * SECOND, at * SECOND))


def _states(module: AutomatonModule, events: Sequence[Event]) -> list[Event] | None:
    """Returns the states of an accepted stream; None if it is not accepted."""
    answer = module.definition(Settings()).answer(list(dict.fromkeys(events)), None)
    if any(each.event.label in (VIOLATION, PAST) for each in answer.derived):
        return None
    return [each.event for each in answer.derived if each.event.label.startswith("state:")]


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
