"""Automata of the I entries, and one way to run them everywhere that needs no Spark."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cera.automata.compact import CompactRun, expanded
from cera.automata.compiled import CompiledAutomaton
from cera.automata.definition import Configuration
from cera.automata.module import AutomatonModule
from cera.automata.run_sets import RunSet
from cera.automata.structure import Structure
from cera.diagnostics import Diagnostic, Source
from cera.languages.ihta.checks import check
from cera.languages.ihta.lowering import lower
from cera.languages.ihta.parser import parse
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.states import state_label
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.driving import Driver
from cera.modules.module import Settings
from cera.testing import SECOND
from properties.test_automata import processed, told

AUCTION = (Path(__file__).parents[2] / "examples" / "auction-workflow" / "auction.ihta").read_text()


def module(text: str, **options: object) -> AutomatonModule:
    """The first automaton of a text, which has no errors."""
    parsed = parse(Source("program.ihta", text))
    assert not parsed.diagnostics, parsed.diagnostics
    automaton, problems = lower(next(parsed.program.automata), lambda name: None)
    assert automaton is not None, problems
    assert not [each for each in check(automaton) if each.severity == "error"], check(automaton)
    return AutomatonModule(automaton, **options)  # type: ignore[arg-type]


def structure(text: str) -> Structure:
    return module(text).structure


def problems(text: str) -> list[Diagnostic]:
    """Everything that is wrong with a text."""
    parsed = parse(Source("program.ihta", text))
    if parsed.diagnostics:
        return list(parsed.diagnostics)
    automaton, found = lower(next(parsed.program.automata), lambda name: None)
    return found if automaton is None else check(automaton)


def codes(text: str) -> set[str]:
    return {each.code for each in problems(text)}


def happens(label: str, seconds: float, **attributes: object) -> Event:
    """A point event."""
    at = round(seconds * SECOND)
    return Event(Term(label, [Term(name, [value]) for name, value in attributes.items()]), Interval(at, at))  # type: ignore[list-item]


def answered(found: AutomatonModule, events: Sequence[Event]) -> list[DerivedEvent]:
    """The answers by the definitions; the processor has the same, saved and started again on the way."""
    expected = found.definition(Settings()).answer(events, None)
    for seed in range(3):
        assert processed(found, events, random.Random(seed)) == (told(expected.derived), expected.left_out)
    return list(expected.derived)


def violations(found: Sequence[DerivedEvent]) -> list[str]:
    """The labels of the events at fault, with the states in which the runs were."""
    shown = []
    for one in found:
        if one.event.label == "violation":
            parts = {child.label: child.children for child in one.event.term.children if isinstance(child, Term)}
            event = parts.get("event", ("time",))[0]
            shown.append(f"{event.label if isinstance(event, Term) else event} in {parts['state'][0]}")
    return shown


def periods(found: Sequence[DerivedEvent], label: str) -> list[tuple[float, float | None]]:
    """When states with a label held, in seconds."""
    opened = {one.event.id: one.event.begin for one in found if one.event.label == f"state:opens:{label}"}
    ended = {one.event.id: one.event.end for one in found if one.event.label == f"state:ends:{label}"}
    ends = {id_: None if id_ not in ended else ended[id_] / SECOND for id_ in opened}
    return sorted(((opened[id_] / SECOND, ends[id_]) for id_ in opened), key=repr)


def labels(found: Sequence[DerivedEvent]) -> set[str]:
    """The labels of the states that were derived."""
    return {state for one in found if (state := state_label(one.event.label)) is not None}


def configuration(found: AutomatonModule, events: Sequence[Event]) -> Configuration:
    """The configuration after the events; delays after the last one have not happened."""
    made = Configuration(found, Settings())
    made.run(events, max((event.end for event in events), default=None))
    return made


def runs_after(found: AutomatonModule, events: Sequence[Event]) -> list[list[str]]:
    """The runs after the events as figures show them, those of each instance of the root: by the definitions, and the
    processor has the same. A box is `name: active state`, and has those inside of it in brackets."""
    by_definition = [sorted(_box(run.root) for run in each.runs) for each in configuration(found, events).sets]
    processor = found.processor(Settings())
    driver = Driver(processor, 0)
    driver.push(map(occurrence, sorted(events, key=lambda each: each.end)))
    driver.advance_to(max(event.end for event in events))
    paths = tuple(found.structure.states)
    sets = [
        each if isinstance(each, RunSet) else expanded(each, CompiledAutomaton(found.structure, ()))
        for history in driver.state.histories.values()
        for each in ([history] if isinstance(history, CompactRun) else history.sets)
    ]
    assert sorted(sorted(_box(run.root, paths) for run in each.runs) for each in sets) == sorted(by_definition)
    return sorted(by_definition)


def _box(instance: Any, paths: tuple[tuple[str, ...], ...] = ()) -> str:
    """The text of an instance of the definitions, or of the processor, for which states are numbers."""
    state, active = (paths[each] if paths else each for each in (instance.state, instance.active))
    inside = sorted(_box(child, paths) for child in instance.children)
    values = ", ".join(str(value) for _, value in instance.name)
    return f"{state[-1]}({values}): {active[-1]}" + (f" [{', '.join(inside)}]" if inside else "")
