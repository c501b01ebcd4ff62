"""Programs of rules alone, and modules alone, on one engine: what most tests of engines ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from cera.connectors.records.layout import Layout
from cera.connectors.row_source import Rows
from cera.engines.spark.division import operators as division
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, json_occurrence
from cera.model.terms.json_terms import term_to_json
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.expectations import expectations_of
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module, Settings
from cera.modules.rules.module import rule_layers
from cera.rules.rule import RuleProgram
from cera.running.in_memory import answer_in_memory
from cera.running.request import Request


def run_layers(
    layers: Layers, events: Iterable[Event], engine: str, *, timezone: str = "UTC", **options: Any
) -> Answer:
    """Returns the answers of a program over events; the options are those of a request."""
    request = Request((Rows(events),), Layout(), engine, in_memory=True, **options)  # type: ignore[arg-type]
    answer, _ = answer_in_memory(layers, expectations_of(layers), timezone, request)
    return answer


def run_locally(program: RuleProgram, events: Iterable[Event], **options: Any) -> Answer:
    return run_layers(rule_layers(program), events, "local", **options)


def run_by_definition(program: RuleProgram, events: Iterable[Event], **options: Any) -> Answer:
    return run_layers(rule_layers(program), events, "reference", **options)


def run_on_spark(program: RuleProgram, events: Iterable[Event], **options: Any) -> Answer:
    return run_layers(rule_layers(program), events, "spark", **options)


def rule_operators(program: RuleProgram, **settings: Any) -> tuple[division.Operator, ...]:
    return division.operators(rule_layers(program), **settings)


def side_by_side(*modules: Module) -> Layers:
    """Returns a program of modules that do not see each other's events."""
    return Layers((Layer(modules),))


def meaning(module: Module, events: Iterable[Event], *, until: Time | None = None, end: Time | None = None) -> Answer:
    """Returns the answers of a module by its definition, over a recording that ends with its last event, or then."""
    extent = None if end is None else Interval(end, end)
    return module.definition(Settings(until=until)).answer(tuple(events), extent)


def as_read(event: Event) -> Occurrence:
    """Returns an event as readers of JSON make it: without a term where they need none."""
    [(label, body)] = json.loads(json.dumps(term_to_json(event.term))).items()
    return json_occurrence(event.begin, event.end, label, body, event.qualifier)
