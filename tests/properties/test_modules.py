"""Random modules over random events: the local engine, its session with interruptions and the reference engine agree.

Modules are partitioned or not and cut stages in all three ways; events have positions and transactions or not. What
this cannot catch: an error in how events become stages and tuples, which both engines share (`unit/engines`).
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import cera
from cera.cli.translate import translation
from cera.connectors.records.changes import Change
from cera.languages.epl.printer import print_event
from cera.languages.epl.syntax import AnyEvent, Basic, Context, First, Negation, Star, Within
from cera.languages.text.nodes import EventType, Kind
from cera.model.events.event import DerivedEvent, Event
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from properties.epl_programs import LABELS, random_event

#: Which changes stand for the labels of random events.
_CHANGES: dict[str, tuple[Kind, str]] = {"B": ("update", "T"), "C": ("insert", "T")}


def random_program(random: Random) -> list[str]:
    """Modules, one of which may read what another derives, and perhaps a rule between them."""
    texts = [random_module(random, "M", LABELS)]
    if random.random() < 0.5:
        texts.append("DETECT D{v{var V}} ON event m: found{{ v{var V} }} END")
        texts.append(random_module(random, "N", ("A", "D", "C"), heads=False))
    if random.random() < 0.3:
        texts.append("DETECT last{var V} ON and { event a: A{{ v{var V} }}, event r: R0{{}} } where { a before r } END")
    random.shuffle(texts)
    return texts


def random_module(random: Random, name: str, labels: tuple[str, ...], *, heads: bool = True) -> str:
    declared = [f"monitor {', '.join(str(type_of(label)) for label in labels)};"]
    declared += [f"granularity {random.choice(('operation', 'transaction', 'time'))};"] if random.random() < 0.7 else []
    declared += ["partition by k;"] if random.random() < 0.5 else []
    rules = []
    for number in range(random.choice((1, 1, 2))):
        context: Context = random.choice(("unrestricted", "unrestricted", "recent", "chronicle"))
        found = random_event(random, random.choice((1, 2)), context)
        types = {label: type_of(own) for label, own in zip(LABELS, labels, strict=True)}
        text = print_event(renamed(found, types))
        head = " as found(v: 1)" if heads and number == 0 and random.random() < 0.5 else ""
        rules.append(f"R{number}{name if not heads else ''}: {text} in {context} context{head}.")
    return f"begin {name}\n{' '.join(declared)}\n" + "\n".join(rules) + "\nend.\n"


def type_of(label: str) -> EventType:
    return EventType(*_CHANGES.get(label, (None, label)))


def renamed(found: Any, types: dict[str, EventType]) -> Any:
    """The event with other basic events."""
    match found:
        case Basic():
            return replace(found, type=types[found.type.name])
        case AnyEvent():
            return found
        case Star() | Negation() | First() | Within():
            return replace(found, event=renamed(found.event, types))
        case _:
            return replace(found, events=tuple(renamed(each, types) for each in found.events))


def random_events(random: Random) -> list[Event]:
    events, time = [], 0
    for number in range(random.randrange(3, 16)):
        time += random.choice((0, 0, 1, 1, 3))
        fields = {"v": random.randrange(2), "n": number}
        if random.random() < 0.9:
            fields["k"] = random.randrange(2)
        label = random.choice((*LABELS, "D"))
        if label in _CHANGES:
            operation, table = _CHANGES[label]
            position = number if random.random() < 0.8 else None
            transaction = str(time // 2 + random.randrange(2)) if random.random() < 0.8 else None
            old = {**fields, "v": 0} if operation == "update" else None
            events.append(Change(operation, table, time * SECOND, old, fields, position, transaction).event())
        else:
            children = ", ".join(f"{name}{{{value}}}" for name, value in fields.items())
            events.append(event(f"{label}{{{children}}}", time))
    random.shuffle(events)
    return events


def interrupted(texts: list[str], events: list[Event], random: Random) -> list[DerivedEvent]:
    """What a session derives that is saved and restored now and then."""
    session = cera.load(texts).session()
    derived: list[DerivedEvent] = []
    for each in sorted(events, key=lambda one: one.end):
        derived += session.push(each)
        if random.random() < 0.2:
            saved = session.save()
            session = cera.load(texts).session()
            session.restore(saved)
    derived += session.close()
    return sorted(derived, key=lambda one: one.event.output_key)


def compare(seed: int) -> bool:
    random = Random(seed)
    texts, events = random_program(random), random_events(random)
    program = cera.load(texts)
    story = f"seed {seed}:\n" + "\n".join(texts) + "\n".join(map(str, events))
    assert not program.errors, f"{story}\n{program.errors}"
    expected = program.run(events, engine="reference").derived
    assert program.run(events, engine="local").derived == expected, story
    assert tuple(interrupted(texts, events, random)) == expected, story
    return bool(expected)


def test_random_modules_give_the_same_on_both_engines_and_in_a_session() -> None:
    assert sum(compare(seed) for seed in range(examples(80))) > examples(40)


@pytest.mark.long
def test_thousands_of_random_modules_give_the_same() -> None:
    assert sum(compare(seed) for seed in range(1_000, 3_000)) > 1_000


def compare_translation(seed: int) -> bool:
    random = Random(seed)
    texts, events = random_program(random), random_events(random)
    program = cera.load(texts)
    rules = [text for text in texts if text.startswith("DETECT")]
    printed = "\n".join(translation(each, "datalog") for each in program.modules.found)
    again = cera.load([*rules, printed])
    story = f"seed {seed}:\n" + "\n".join(texts) + printed + "\n".join(map(str, events))
    assert not again.errors, f"{story}\n{again.errors}"
    expected = program.run(events, engine="local").derived
    assert again.run(events, engine="local").derived == expected, story
    if seed % 4 == 0:
        assert again.run(events, engine="reference").derived == expected, story
    return bool(expected)


def test_random_modules_and_their_printed_translations_detect_the_same() -> None:
    """Labels, children, times, names of rules and causes."""
    assert sum(compare_translation(seed) for seed in range(examples(60))) > examples(30)


@pytest.mark.long
def test_thousands_of_printed_translations_detect_the_same() -> None:
    assert sum(compare_translation(seed) for seed in range(1_000, 3_000)) > 1_000
