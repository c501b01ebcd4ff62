"""The entries of ESCL by rules as well: what rules say of a clause is what its definition says, with ids and causes, on
the reference evaluator of rules and on the local engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cera.constraints.stream import Happening
from cera.constraints.translation.layers import divided
from cera.engines.reference.engine import run
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.relation_rows import RelationRows
from cera.model.time.interval import Time
from cera.modules.driving import Driver
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module, Settings
from conformance.violations import first_shown, module_of, recorded


def assert_rules_agree(
    text: str, happenings: Sequence[Happening], until: Time | None, relations: Mapping[str, RelationRows]
) -> int:
    """Asserts that rules find what the definition does, for all clauses that they can say; returns how many."""
    module = module_of(text)
    rules, rest = divided(module)
    own = replace(module, clauses=tuple(each for each in module.clauses if each not in rest.clauses))
    events, settings = recorded(happenings), Settings(until=until, relations=relations)
    expected = first_shown(_meaning(own, events, settings))
    assert first_shown(_meaning(rules, events, settings)) == expected, text
    driver = Driver(rules.processor(settings), 0)
    found = driver.push([occurrence(each) for each in sorted(events, key=lambda event: event.end)])
    found = [*found, *(driver.close() if until is None else driver.advance_to(until))]
    assert first_shown(one.result() for one in found) == expected, text
    return len(own.clauses)


def _meaning(module: Module, events: Sequence[Event], settings: Settings) -> Sequence[DerivedEvent]:
    return run(Layers((Layer((module,)),)), events, settings).derived
