"""Random automata from which something follows, and random streams that they accept."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.automata.automaton import (
    Automaton,
    Constant,
    Declaration,
    EventQuery,
    Label,
    Reference,
    State,
    TerminationConstraint,
    Transition,
    Value,
)
from cera.automata.module import PAST, VIOLATION, AutomatonModule
from cera.automata.processor import AutomatonProcessor
from cera.automata.structure import Structure
from cera.constraints.derivation.automata import of_automaton
from cera.constraints.derivation.determinism import can_coincide
from cera.languages.ihta.checks import check
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.testing import SECOND
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
    """Returns an automaton with unique names and without choices, through which many streams lead."""
    root = _with_own_names(automaton.root, chance)
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
        if query is not None:
            query = EventQuery(query.label, tuple((path, _reachable(value)) for path, value in query.attributes))
        times = each.label.times if query is None or chance.random() < 0.3 else ()
        kept.append(
            replace(each, label=replace(each.label, query=query, times=times, terminations=_some(each.label, chance)))
        )
    structure = Structure(replace(automaton, root=root))
    kept = [
        each
        for each in kept
        if each.source is None or not structure.states[each.source].is_end or each.source[:-1] != structure.root
    ]
    kept += _ways_out(structure, chance)
    kept += _ways_on(structure, chance)
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
            label = chance.choice(LABELS) if chance.random() < 0.4 else "y"
            yield Transition(path, chance.choice(around), Label(EventQuery(label, query)))
        elif len(path) == 2 and not state.is_end and chance.random() < 0.4:
            yield Transition(path, next(p for p in around if structure.states[p].is_end), Label(EventQuery("w", query)))


def _ways_on(structure: Structure, chance: random.Random) -> Iterator[Transition]:
    """Yields transitions between the states around one, also back, and into others at the same level."""
    atomic = [path for path, state in structure.states.items() if state.is_atomic]
    for path in atomic:
        if structure.states[path].is_end and len(path) == 2:
            continue
        siblings = [each for each in atomic if each[:-1] == path[:-1]]
        for _ in range(chance.choice((1, 1, 2))):
            query = EventQuery(chance.choice(LABELS), ((("k",), Reference("K")),))
            yield Transition(path, chance.choice(siblings), Label(query))


def _reachable(value: Value) -> Value:
    """Returns a constant that events have, for one that they do not."""
    return Constant(10 + value.value) if isinstance(value, Constant) and isinstance(value.value, int) else value


def _some(label: Label, chance: random.Random) -> tuple[TerminationConstraint, ...]:
    return label.terminations if chance.random() < 0.5 else ()


def _with_own_names(state: State, chance: random.Random, depth: int = 0) -> State:
    attributes = (("k", Reference("K")),) + ((("x", Reference("X")),) if depth else ())
    children = tuple(
        _with_own_names(each, chance, depth + 1)
        if each.children
        else replace(each, invariant=each.invariant if chance.random() < 0.2 else ())
        for each in state.children
    )
    children += tuple(State(f"{state.name}m{number}") for number in range(chance.choice((0, 1, 2, 3))))
    last = max(number for number, child in enumerate(children) if not child.children)
    if any(child.is_start and child.is_end for child in children) and not children[last].is_start:
        # else most instances would end with the event that creates them
        children = tuple(replace(child, is_end=number == last) for number, child in enumerate(children))
    return replace(state, attributes=attributes, children=children)


def accepted_stream(
    chance: random.Random, automaton: Automaton, *, points: bool, distinct: bool, expected: bool
) -> tuple[list[Event], list[Event]]:
    """Returns a random stream that an automaton accepts, and the openings and endings of its states.

    Most events are expected, so that streams lead through states and out of them. The local engine, which is faster,
    tries which event may come next; the definition has to accept the whole.
    """
    module = AutomatonModule(automaton, expects_all=expected, run_limit=200)
    processor = module.processor(Settings())
    careful = AutomatonModule(automaton, expects_all=True, run_limit=200).processor(Settings())
    events: list[Event] = []
    at = 0
    for _ in range(chance.randint(6, 24)):
        at += chance.choice((0, 1, 1, 1, 2, 3)) if events and not distinct else chance.choice((1, 1, 1, 2, 3))
        judge = careful if expected or chance.random() < 0.9 else processor
        candidates = _candidates(chance, automaton, is_first=not events)
        for label, key, own in candidates[:_TRIED]:
            trial = [*events, _event(chance, at, label, key, own, points=points)]
            if _is_accepted(judge, trial) and (judge is processor or expected or _is_accepted(processor, trial)):
                events = trial
                break
    return events, states_of(module, events)


#: So many events are tried for the next one.
_TRIED = 12


def _candidates(chance: random.Random, automaton: Automaton, *, is_first: bool) -> list[tuple[str, int, int]]:
    """Returns labels, keys and values of events in some order; most of the first ones have the key of the first."""
    labels = [ENTER] if is_first else sorted({query.label for query in automaton.queries}) or [*LABELS]
    found = [(label, key, own) for label in labels for key in (1, 2, 3) for own in (1, 2, 3)]
    return sorted(
        found, key=lambda each: (each[0] == ENTER and not is_first) + (each[1] - 1) / 2 + 2.5 * chance.random()
    )


def _event(chance: random.Random, at: int, label: str, key: int, own: int, *, points: bool) -> Event:
    # a value that is unique in an instance is none of another one
    children = [Term("k", [key]), Term("x", [10 * key + own])]
    begin = at if points or chance.random() < 0.6 else at - chance.randint(0, 2)
    return Event(Term(label, children), Interval(begin * SECOND, at * SECOND))


def _is_accepted(processor: AutomatonProcessor, events: Sequence[Event]) -> bool:
    driver = Driver(processor, 0)
    found = driver.push([occurrence(each) for each in dict.fromkeys(events)])
    return not any(each.label in (VIOLATION, PAST) for each in (*found, *driver.close()))


def states_of(module: AutomatonModule, events: Sequence[Event]) -> list[Event]:
    """Returns the states of an accepted stream."""
    answer = module.definition(Settings()).answer(list(dict.fromkeys(events)), None)
    assert not any(each.event.label in (VIOLATION, PAST) for each in answer.derived), "only the local engine accepts it"
    return [each.event for each in answer.derived if each.event.label.startswith("state:")]
