"""Violations as tests compare them: their times, ids and texts, and how they came about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cera.constraints.module import ConstraintModule
from cera.constraints.stream import Happening
from cera.diagnostics import Source
from cera.engines.spark.streaming.messages.stage_results import DerivedResult
from cera.languages.escl.language import ESCL
from cera.languages.protocol.results import CompileOptions
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import OPEN, opening
from cera.model.terms.json_terms import loads, term_from_json
from cera.modules.detection import merged

#: A violation as it is compared: its time, its id, its text, and how it came about.
Shown = tuple[int, str, str, str]


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


def shown(derived: Iterable[DerivedEvent]) -> set[Shown]:
    """Returns violations with all their derivations."""
    found: set[Shown] = set()
    for each in merged(derived):
        ways = [(way.rule, sorted((name, cause.id) for name, cause in way.causes.items())) for way in each.derivations]
        found.add((each.event.end, each.event.id, str(each.event.term), repr(sorted(ways))))
    return found


def first_shown(derived: Iterable[DerivedEvent]) -> set[Shown]:
    """Returns violations with the first of their derivations, which is the one that is written.

    Rules find more of them than the definition says where events happen at the same time: each can be the one too many.
    """
    return shown(replace(each, derivations=each.derivations[:1]) for each in merged(derived))


def result_shown(result: DerivedResult) -> Shown:
    """Returns what is compared of a violation that a stream has derived."""
    way = (result.rule, sorted(json.loads(result.causes).items()))
    return result.end, result.id, str(term_from_json(loads(result.term))), repr([way])
