"""The automata of the I entries with their events, for engines on which a run costs much.

The cases are what the tests in `test_automata_entries` ask for. Those of one automaton become one stream: each case has
keys of its own, so that none sees the instances of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from unittest.mock import patch

from cera.automata.automaton import Automaton, Path, State
from cera.automata.module import AutomatonModule
from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.modules.module import Settings
from conformance import automata, test_automata_entries

#: How far apart the keys of two cases are.
_APART = 1_000


@dataclass(frozen=True)
class EntryCase:
    """An automaton and events that the test of an entry asks for; the key has a value of the case's own."""

    number: int
    entry: str
    module: AutomatonModule
    events: tuple[Event, ...]

    @property
    def id(self) -> str:
        return f"{self.entry}-{self.number}"


@cache
def cases() -> tuple[EntryCase, ...]:
    """All that the tests of the entries run, each case once."""
    found: dict[tuple[AutomatonModule, tuple[Event, ...]], str] = {}
    asked: list[tuple[AutomatonModule, tuple[Event, ...]]] = []

    def answered(module: AutomatonModule, events: Sequence[Event]) -> list[DerivedEvent]:
        asked.append((module, tuple(events)))
        return list(module.definition(Settings()).answer(events, None).derived)

    def configuration(module: AutomatonModule, events: Sequence[Event]) -> object:
        asked.append((module, tuple(events)))
        return automata.configuration(module, events)

    with (
        patch.object(test_automata_entries, "answered", answered),
        patch.object(test_automata_entries, "configuration", configuration),
    ):
        for name, test in vars(test_automata_entries).items():
            if name.startswith("test_I_"):
                entry = "-".join(name.split("_")[1:3])
                for given in _parameters(test):
                    asked.clear()
                    test(**given)
                    for each in asked:
                        found.setdefault(each, entry)
    return tuple(
        EntryCase(number, entry, module, tuple(_shifted(event, module, number) for event in events))
        for number, ((module, events), entry) in enumerate(found.items(), 1)
    )


def _parameters(test: Any) -> Iterator[dict[str, Any]]:
    """Yields the arguments with which pytest calls a test of an entry."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    if not marks:
        yield {}
    for mark in marks:
        names, values = mark.args
        yield from (dict(zip(names, each, strict=True)) for each in values)


def _shifted(event: Event, module: AutomatonModule, number: int) -> Event:
    """Returns an event with the key of a case of its own."""
    assert module.partition is not None
    children = []
    for child in event.term.children:
        assert isinstance(child, Term)
        [value] = child.children
        is_key = child.label == module.partition
        children.append(Term(child.label, [value + _APART * number if is_key else value]))  # type: ignore[operator]
    return replace(event, term=Term(event.label, children))


def apart(modules: Sequence[AutomatonModule]) -> list[AutomatonModule]:
    """Returns different automata under names and with labels of their own, so that they can run side by side."""
    return [replace(module, automaton=_renamed(module.automaton, number)) for number, module in enumerate(modules)]


def relabelled(event: Event, number: int) -> Event:
    """Returns an event as the automaton with this number sees it."""
    return replace(event, term=Term(f"{event.label}-{number}", event.term.children))


def _renamed(automaton: Automaton, number: int) -> Automaton:
    name = f"{automaton.name}{number}"

    def path(given: Path | None) -> Path | None:
        return None if given is None else (name, *given[1:])

    def labelled(query: Any) -> Any:
        return None if query is None else replace(query, label=f"{query.label}-{number}")

    def state(given: State) -> State:
        return replace(
            given, children=tuple(map(state, given.children)), schema=tuple(labelled(each) for each in given.schema)
        )

    transitions = [
        replace(
            each,
            source=path(each.source),
            target=(name, *each.target[1:]),
            level=path(each.level),
            label=replace(each.label, query=labelled(each.label.query)),
        )
        for each in automaton.transitions
    ]
    return replace(automaton, root=replace(state(automaton.root), name=name), transitions=tuple(transitions))
