"""Random constraints over random streams: the body of a clause has an occasion in a recording if, and only if, the
definition finds a violation of the clause without its head."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule
from cera.constraints.occasion_needs import needs_of
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.modules.layering import Layer, Layers
from cera.modules.module import Settings
from cera.running.occasions import Occasions
from conformance.constraints import SECOND
from hypothesis_profiles import examples
from properties.constraint_cases import ROWS, events_of, random_module, random_stream


def test_what_is_not_judged_has_no_occasion() -> None:
    choose, seen = random.Random(1), Counter[bool]()
    for _ in range(examples(40)):
        text, module = random_module(choose)
        events = events_of(random_stream(choose), choose)
        until = choose.choice([None, None, choose.randint(1, 24) * SECOND])
        settings = Settings(relations=ROWS, until=until)
        unjudged = _unjudged(module, events, settings)
        for clause in module.clauses:
            is_judged = not needs_of(clause) or _holds(module, clause, events, settings)
            assert (clause.name not in unjudged) == is_judged, f"{clause.name} of {text} over {events}"
            seen[is_judged] += 1
    assert seen[True]
    assert seen[False]


def _unjudged(module: ConstraintModule, events: list[Event], settings: Settings) -> set[str]:
    occasions = Occasions(Layers((Layer((module,)),)), lambda rule: 0)
    usable = [each for each in events if settings.until is None or each.end <= settings.until]
    ordered = sorted(map(occurrence, usable), key=lambda each: each.end)
    occasions.search(None, lambda: settings).look_through(ordered)
    return {name.removeprefix(f"{module.name}.") for name in occasions.missing}


def _holds(module: ConstraintModule, clause: Clause, events: list[Event], settings: Settings) -> bool:
    """Returns whether the definition says that what a clause needs is there."""
    ways = needs_of(clause)[-1].ways
    alone = [replace(module.of_clauses((way,)), name=module.name) for way in ways]
    return any(label == "violation" for each in alone for label in _labels(each, events, settings))


def _labels(module: ConstraintModule, events: list[Event], settings: Settings) -> list[str]:
    answer = module.definition(settings).answer(events, None)
    return [each.event.label for each in answer.derived]
