"""Random EPL events and random histories, and what a translated event detects in one."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from collections.abc import Sequence as Listed
from dataclasses import replace
from random import Random
from typing import Any

from cera.datalog import stages
from cera.datalog.history import HistoryStage, evaluate
from cera.datalog.syntax import Program, root
from cera.languages.epl.event_shapes import check_shapes
from cera.languages.epl.syntax import (
    AnyEvent,
    Basic,
    Conjunction,
    Context,
    Disjunction,
    Event,
    First,
    Negation,
    Prior,
    RelaxedSequence,
    Rule,
    Sequence,
    Star,
    Within,
    basics,
)
from cera.languages.epl.translation import Translation, program_of, translate
from cera.languages.epl.variables import check_variables, visible_outside
from cera.languages.text.nodes import EventType, Identifier
from cera.model.expressions.expression import Comparison, ComparisonOperator, Expression, Literal, Variable, variables
from cera.model.time.durations import Duration
from cera.modules.tuples import EventTuple
from properties.epl_matcher import Stage

LABELS = ("A", "B", "C")
VALUES = 2
MONITORED = tuple(EventType(None, label) for label in LABELS)
SECOND = 1_000_000

#: What a rule detects: the identities of the events by variable, and the stage.
Detections = set[tuple[tuple[tuple[str, str], ...], int]]


class EventMaker:
    """Events whose conditions speak of variables that they may speak of."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._variables = 0

    def event(self, depth: int, known: tuple[str, ...] = ()) -> Event:
        random = self._random
        if depth == 0:
            return AnyEvent() if random.random() < 0.08 else self._basic(known)
        kinds = ("basic", "sequence", "sequence", "relaxed", "and", "or", "not", "prior", "first", "within")
        match random.choice(kinds):
            case "basic":
                return self._basic(known)
            case "sequence":
                return Sequence(self._several(depth, known, stars=True))
            case "relaxed":
                return RelaxedSequence(self._several(depth, known, stars=random.random() < 0.2))
            case "and":
                return Conjunction(tuple(self.event(depth - 1, known) for _ in range(2)))
            case "or":
                return Disjunction(tuple(self._element(depth, known, random.random() < 0.1) for _ in range(2)))
            case "not":
                return Negation(self.event(depth - 1, known))
            case "prior":
                return Prior(tuple(self.event(depth - 1, known) for _ in range(random.choice((2, 2, 3)))))
            case "first":
                return First(self.event(depth - 1, known))
            case _:
                limit = Duration(0, random.randrange(1, 8) * SECOND)
                if random.random() < 0.3:
                    return Within(Prior(tuple(self.event(depth - 1, known) for _ in range(2))), limit)
                return Within(
                    random.choice((Sequence, RelaxedSequence))(self._several(depth, known, stars=False)), limit
                )

    def sequence(self, depth: int) -> Event:
        """A sequence that begins with a variable: most of what can go wrong is in what follows one."""
        first = self._basic(())
        known = tuple(visible_outside(first))
        rest = [self._element(depth, known, self._random.random() < 0.2)]
        if self._random.random() < 0.5:
            rest.append(self._basic((*known, *visible_outside(rest[0]))))
        return self._random.choice((Sequence, RelaxedSequence, RelaxedSequence))((first, *rest))

    def _several(self, depth: int, known: tuple[str, ...], *, stars: bool) -> tuple[Event, ...]:
        events: list[Event] = []
        for _ in range(self._random.choice((2, 2, 3))):
            part = self._element(depth, known, stars and self._random.random() < 0.35)
            events.append(part)
            known += tuple(visible_outside(part))
        return tuple(events)

    def _element(self, depth: int, known: tuple[str, ...], star: bool) -> Event:
        event = self.event(depth - 1, known)
        return Star(event) if star else event

    def _basic(self, known: tuple[str, ...]) -> Basic:
        label = EventType(None, self._random.choice(LABELS))
        if self._random.random() < 0.15:
            return Basic(label, None)
        self._variables += 1
        name = f"X{self._variables}"
        count = self._random.choice((0, 1, 1, 2) if known else (0, 0, 0, 1))
        conditions = tuple(self._condition(name, known) for _ in range(count))
        return Basic(label, Identifier(name), conditions)

    def _condition(self, own: str, known: tuple[str, ...]) -> Expression:
        operators: tuple[ComparisonOperator, ...] = ("=", "=", "!=", "<", ">=")
        left = Variable(f"{own}.v")
        right: Expression = Literal(self._random.randrange(VALUES))
        if known and self._random.random() < 0.8:
            right = Variable(f"{self._random.choice(known)}.v")
        return Comparison(self._random.choice(operators), left, right)


def random_event(random: Random, depth: int = 3, context: Context = "unrestricted") -> Event:
    """An event that the checks let pass."""
    while True:
        maker = EventMaker(random)
        event = maker.event(depth) if random.random() < 0.5 else maker.sequence(depth)
        rule = Rule(Identifier("R"), event, context)
        if not check_variables(rule) and not list(check_shapes(rule)):
            return event


def left_out(event: Event, random: Random, used: Collection[str] = (), *, named: bool = False) -> Event:
    """The event without some of the variables that no condition names, and that are not used elsewhere.

    With `named`, the other way round: every event has a variable.
    """
    mentioned = set(used) | {
        root(name) for basic in basics(event) for condition in basic.conditions for name in variables(condition)
    }
    names = (f"Y{number}" for number in itertools.count())

    def changed(node: Any) -> Any:
        if isinstance(node, Basic) and named and node.variable is None:
            return replace(node, variable=Identifier(next(names)))
        if isinstance(node, Basic) and not named and node.variable is not None and node.variable.name not in mentioned:
            return replace(node, variable=None) if random.random() < 0.5 else node
        if isinstance(node, tuple):
            return tuple(map(changed, node))
        inside = {each: changed(getattr(node, each)) for each in ("event", "events") if hasattr(node, each)}
        return replace(node, **inside) if inside else node

    found: Event = changed(event)
    return found


def random_history(random: Random, simultaneous: bool) -> list[Stage]:
    history, time, number = [], 0, 0
    for _ in range(random.randrange(2, 11)):
        time += random.choice((0, 1, 1, 2, 5)) * SECOND
        events: dict[str, list[EventTuple]] = {}
        for _ in range(random.choice((1, 2, 3)) if simultaneous else 1):
            number += 1
            happened = EventTuple(f"e{number}", {"v": random.randrange(VALUES)}, time)
            events.setdefault(random.choice(LABELS), []).append(happened)
        history.append(Stage({label: tuple(each) for label, each in events.items()}, time))
    return history


def stage_wise(translated: Translation, history: Listed[Stage]) -> Detections:
    machine = stages.compile(program_of([translated]), outputs=[translated.predicate])
    state = machine.start()
    found: Detections = set()
    for number, stage in enumerate(history, 1):
        events = {label: [(each,) for each in tuples] for label, tuples in stage.events.items()}
        facts = machine.step(state, events, stage.time).get(translated.predicate, ())
        found |= {(named(translated, fact), number) for fact in facts}
    return found


def whole_history(translated: Translation, history: Listed[Stage]) -> Detections:
    program: Program = program_of([translated])
    written = [
        HistoryStage({label: [(each,) for each in tuples] for label, tuples in stage.events.items()}, stage.time)
        for stage in history
    ]
    found: Detections = set()
    for number, facts in enumerate(evaluate(program, written)):
        found |= {(named(translated, fact), number) for fact in facts.get(translated.predicate, ())}
    return found


def named(translated: Translation, fact: Listed[object]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for name, value in zip(translated.variables, fact, strict=True):
        assert isinstance(value, EventTuple)
        pairs.append((name, value.identity))
    return tuple(sorted(pairs))


def variants(event: Event) -> list[Translation]:
    """The translations of an event that have to be equal."""
    flags = [(copies, expand) for copies in (False, True) for expand in (False, True)]
    return [translate(event, MONITORED, copies=copies, expand=expand) for copies, expand in flags]
