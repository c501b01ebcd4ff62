"""Random automata, and random streams for them.

An automaton has a root with atomic states, and often states with states of their own, some of these as well. Labels
have few events and few values, and times are close together, so that choices, simultaneous events, delays, absences
and terminations meet.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.automata.automaton import (
    Automaton,
    Constant,
    CountOperator,
    Declaration,
    EventQuery,
    Label,
    Path,
    Reference,
    State,
    TerminationConstraint,
    Transition,
    Value,
)
from cera.automata.structure import Structure
from cera.automata.times import Bound, TimeConstraint, TimeOperator
from cera.languages.ihta.checks import check
from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.testing import SECOND

LABELS = ("a", "b", "c", "d")
_OPERATORS: tuple[TimeOperator, ...] = ("<", "<=", ">", ">=")


def random_automaton(chance: random.Random, *, keyed: bool = True) -> Automaton:
    """An automaton without errors."""
    while True:
        found = _attempt(chance, keyed=keyed)
        if not any(each.severity == "error" for each in check(found)):
            return found


def _attempt(chance: random.Random, *, keyed: bool) -> Automaton:
    root = _state("Root", chance, 0)
    root = replace(root, attributes=(("k", Reference("K")),))
    structure = Structure(Automaton(root, ()))
    paths = list(structure.states)
    atomic = [path for path in paths if structure.states[path].is_atomic]
    starts = [path for path in atomic if structure.states[path].is_start and len(path) == 2]
    transitions = [
        Transition(None, chance.choice(starts), Label(_query(chance, keyed=keyed, entering=True)))
        for _ in range(chance.choice((1, 1, 1, 2)))
    ]
    for _ in range(chance.randint(len(atomic), 3 * len(atomic))):
        source = chance.choice(paths[1:] if chance.random() < 0.2 else atomic)
        target = chance.choice(_near(source, atomic, structure, chance))
        transitions.append(Transition(source, target, _label(chance, structure, source, target, keyed=keyed)))
    for path in paths[1:]:  # make most states reachable
        state = structure.states[path]
        if state.is_atomic and state.is_start and len(path) > 2 and chance.random() < 0.9:
            outside = [each for each in atomic if each[: len(path) - 1] != path[:-1] and len(each) <= len(path)]
            source = chance.choice([*outside, path[:-1]])
            transitions.append(Transition(source, path, Label(_query(chance, keyed=keyed))))
    if chance.random() < 0.4:
        transitions += _choices(transitions, structure, chance)
    return Automaton(root, tuple(transitions), is_strict=chance.random() < 0.05)


def calm_automaton(chance: random.Random) -> Automaton:
    """An automaton with less choice, as people write them: few delays, a label of its own for entering, and one query
    for all events of a label that the instances of a state wait for."""
    while True:
        found = _calm(_attempt(chance, keyed=True), chance)
        if not any(each.severity == "error" for each in check(found)):
            return found


def _calm(automaton: Automaton, chance: random.Random) -> Automaton:
    queries: dict[tuple[Path | None, str], EventQuery] = {}
    transitions = []
    for step in Structure(automaton).steps:
        each, label = step.transition, step.transition.label
        query = label.query
        if (query is None or label.negated) and chance.random() < 0.8:
            continue
        if query is not None and not label.negated:
            query = queries.setdefault((step.level, query.label), query)
            query = replace(query, label="z") if step.level is None else query
            label = replace(label, query=query, times=label.times if chance.random() < 0.5 else ())
        transitions.append(replace(each, label=label))
    return replace(automaton, transitions=tuple(transitions))


def _choices(transitions: Sequence[Transition], structure: Structure, chance: random.Random) -> Iterator[Transition]:
    """Transitions that wait for the same as others, and lead to a sibling of their targets."""
    for each in transitions:
        siblings = [
            path
            for path, state in structure.states.items()
            if path[:-1] == each.target[:-1] and state.is_atomic and path != each.target
        ]
        if each.source is not None and siblings and chance.random() < 0.5:
            yield replace(each, target=chance.choice(siblings))


def _near(source: Path, atomic: Sequence[Path], structure: Structure, chance: random.Random) -> list[Path]:
    siblings = [path for path in atomic if path[:-1] == source[:-1]]
    return siblings if siblings and chance.random() < 0.7 else list(atomic)


def _state(name: str, chance: random.Random, depth: int) -> State:
    children = []
    for number in range(chance.randint(2, 3)):
        inner = f"{name}{number}"
        if depth < 2 and number and chance.random() < 0.4:
            nested = _state(f"{inner}n", chance, depth + 1)
            nested = replace(nested, identifier=f"i{name.lower()}{number}" if chance.random() < 0.5 else None)
            children.append(nested)
        children.append(State(inner))
    children[0] = replace(children[0], is_start=True)
    ends = [number for number, child in enumerate(children) if child.is_atomic]
    last = chance.choice(ends)
    children[last] = replace(children[last], is_end=True)
    for number in ends:
        if chance.random() < 0.15:
            bound = chance.randint(1, 4) * SECOND
            children[number] = replace(
                children[number], invariant=(TimeConstraint(((-1, "e", "last"),), 1, "<=", bound),)
            )
    attributes = (("k", Reference("K")),) + ((("x", Reference("X")),) if depth and chance.random() < 0.5 else ())
    return State(name, attributes, children=tuple(children))


def _query(chance: random.Random, *, keyed: bool, entering: bool = False, absent: bool = False) -> EventQuery:
    memory = chance.choice((None, None, 2 * SECOND))
    unique = entering and chance.random() < 0.3
    key: Value = Declaration("K", unique, memory if unique else None) if entering else Reference("K")
    attributes: list[tuple[tuple[str, ...], Value]] = [(("k",), key)] if keyed or entering else []
    if chance.random() < 0.7:
        values: list[Value] = [Constant(chance.randint(1, 2)), Reference("X")]
        if not absent:
            values += [Declaration("X"), Declaration("X"), Declaration("X", unique=True, memory=memory)]
        attributes.append((("x",), chance.choice(values)))
    return EventQuery(chance.choice(LABELS), tuple(attributes))


def _label(chance: random.Random, structure: Structure, source: Path, target: Path, *, keyed: bool) -> Label:
    kind = chance.random()
    negated = 0.2 < kind < 0.3
    query = None if kind < 0.2 else _query(chance, keyed=keyed, absent=negated)
    times = tuple(_time(chance, this=query is not None and not negated) for _ in range(chance.choice((0, 0, 1, 1, 2))))
    if (query is None or negated) and not times:
        times = (_time(chance, this=False),)
    terminations: tuple[TerminationConstraint, ...] = ()
    inside = [
        name for name, path in structure.identified.items() if source[: len(path)] == path and len(source) > len(path)
    ]
    if inside and chance.random() < 0.5:
        operators: tuple[CountOperator, ...] = (">=", "=", "<", "!=")
        terminations = (
            TerminationConstraint(
                chance.choice(("finishedInstances", "allInstances")),
                chance.choice(inside),
                chance.choice(operators),
                chance.randint(0, 2),
            ),
        )
    return Label(
        query,
        negated,
        "j" if query is not None and not negated and chance.random() < 0.1 else None,
        times,
        (),
        terminations,
    )


def _time(chance: random.Random, *, this: bool) -> TimeConstraint:
    bound = chance.randint(0, 3) * SECOND
    operator = chance.choice(_OPERATORS)
    if this and chance.random() < 0.7:
        edge: Bound = chance.choice(("b", "e", "e"))
        this_, last = (1, edge, "this"), (-1, "e", "last")
        return TimeConstraint((this_, last) if edge == "b" else (last, this_), 0, operator, bound)
    return TimeConstraint(((-1, "e", "last"),), 1, operator, bound)


def random_events(chance: random.Random, automaton: Automaton, count: int) -> list[Event]:
    """Events with the labels of the automaton, several of them at one time, now and then without an attribute."""
    found = []
    entering = [t.label.query.label for t in automaton.transitions if t.source is None and t.label.query is not None]
    for number in range(count):
        others = chance.random() >= 0.15 and number > 1
        label = chance.choice(LABELS if others else entering)
        children = [Term("k", [chance.randint(1, 2)])] if chance.random() < 0.97 else []
        children += [Term("x", [chance.randint(1, 3)])] if chance.random() < 0.9 else []
        end = chance.randint(0, 8) * SECOND
        begin = end - (chance.randint(0, 2) * SECOND if chance.random() < 0.2 else 0)
        found.append(Event(Term(label, children), Interval(begin, end)))
    return list(dict.fromkeys(found))
