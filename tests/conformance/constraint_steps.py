"""Constraints verified step by step, and saved and restored between any two steps: what the definition says, with the
ids of violations and their causes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cera.constraints.locations import Locations
from cera.constraints.module import ConstraintModule
from cera.constraints.stream import Happening
from cera.engines.local.state_bytes import dump, restore
from cera.engines.reference.engine import run
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.states import ending, opening
from cera.modules.driving import Driver
from cera.modules.layering import Layer, Layers
from cera.modules.module import Settings
from conformance.violations import Shown, module_of, recorded, shown


def assert_steps_agree(text: str, happenings: Sequence[Happening], settings: Settings, locations: Locations) -> None:
    """Asserts that a verifier finds what the definition does, whether or not it is stopped after each event."""
    module = replace(module_of(text), locations=locations)
    for events in (recorded(happenings), _with_endings(happenings)):
        expected = meaning(module, events, settings)
        assert stepped(module, events, settings) == expected, text
        assert stepped(module, events, settings, saved=True) == expected, text


def _with_endings(happenings: Sequence[Happening]) -> list[Event]:
    """Returns a recording in which states that end do so by an event of their own."""
    found: list[Event] = []
    for each in happenings:
        if each.kind == "state":
            opened = opening(each.term, each.begin)
            found += [opened] if each.is_open else [opened, ending(opened, each.end)]
        else:
            found.append(Event(each.term, each.interval))
    return list(dict.fromkeys(found))


def meaning(module: ConstraintModule, events: Iterable[Event], settings: Settings) -> set[Shown]:
    """Returns the violations by definition."""
    return shown(run(Layers((Layer((module,)),)), events, settings).derived)


def stepped(
    module: ConstraintModule, events: Iterable[Event], settings: Settings, *, saved: bool = False
) -> set[Shown]:
    """Returns the violations that a verifier finds, event by event."""
    driver = Driver(module.processor(settings))
    found: list[DerivedEvent] = []
    until = settings.until
    for event in sorted(events, key=lambda each: each.end):
        if until is None or event.end <= until:
            found += (each.result() for each in driver.push([occurrence(event)]))
        if saved:
            snapshot = restore(dump(driver.snapshot()))
            driver = Driver(module.processor(settings))
            driver.resume(snapshot)
    last = driver.close() if until is None else driver.advance_to(until)
    return shown([*found, *(each.result() for each in last)])
