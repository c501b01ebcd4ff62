"""The entries of ESCL by rules as well: what rules say of a clause is what its definition says, on the reference
evaluator of rules and on the local engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from cera.constraints.module import ConstraintModule
from cera.constraints.stream import Happening
from cera.constraints.translation.layers import divided
from cera.diagnostics import Source
from cera.engines.reference.engine import run
from cera.languages.escl.language import ESCL
from cera.languages.protocol.results import CompileOptions
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.events.relation_rows import RelationRows
from cera.model.events.states import OPEN, opening
from cera.model.time.interval import Time
from cera.modules.driving import Driver
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module, Settings


def module_of(text: str) -> ConstraintModule:
    """Returns the constraints of a text as a module."""
    [compiled] = ESCL.compile([ESCL.parse(Source("program.escl", text))], CompileOptions()).modules
    assert isinstance(compiled.module, ConstraintModule)
    return compiled.module


def recorded(happenings: Sequence[Happening]) -> list[Event]:
    """Returns events and states as a recording has them, each once."""
    found = [
        opening(each.term, each.begin, None if each.end == OPEN else each.end)
        if each.kind == "state"
        else Event(each.term, each.interval)
        for each in happenings
    ]
    return list(dict.fromkeys(found))


def assert_rules_agree(
    text: str, happenings: Sequence[Happening], until: Time | None, relations: Mapping[str, RelationRows]
) -> int:
    """Asserts that rules find what the definition does, for all clauses that they can say; returns how many."""
    module = module_of(text)
    rules, rest = divided(module)
    own = replace(module, clauses=tuple(each for each in module.clauses if each not in rest.clauses))
    events, settings = recorded(happenings), Settings(until=until, relations=relations)
    expected = _shown(_meaning(own, events, settings))
    assert _shown(_meaning(rules, events, settings)) == expected, text
    driver = Driver(rules.processor(settings), 0)
    found = driver.push([occurrence(each) for each in sorted(events, key=lambda event: event.end)])
    found = [*found, *(driver.close() if until is None else driver.advance_to(until))]
    assert _shown(one.result() for one in found) == expected, text
    return len(own.clauses)


def _meaning(module: Module, events: Sequence[Event], settings: Settings) -> Sequence[DerivedEvent]:
    return run(Layers((Layer((module,)),)), events, settings).derived


def _shown(derived: Iterable[DerivedEvent]) -> set[tuple[str, int, int]]:
    return {(str(one.event.term), one.event.begin, one.event.end) for one in derived}
