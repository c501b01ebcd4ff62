"""Layers over a recording: each is answered over all events, and what it derives is added to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.engines.layers.layering import Layers
from cera.engines.layers.merging import merged
from cera.engines.layers.modules import Module
from cera.model.events.event import DerivedEvent, Event
from cera.modules.answers.answer import Answer
from cera.rules.rule import RuleProgram


def run_layer_by_layer(
    layers: Layers,
    events: Iterable[Event],
    answer_rules: Callable[[RuleProgram, Sequence[Event]], Answer],
    answer_module: Callable[[Module, Sequence[Event]], Answer],
) -> Answer:
    """The answers of a program of several languages, given how its rules and each of its modules are answered."""
    known = dict.fromkeys(events)
    derived: list[DerivedEvent] = []
    undefined = left_out = 0
    for layer in layers.layers:
        seen = tuple(known)
        answers = [] if layer.rules is None else [answer_rules(layer.rules, seen)]
        answers += [answer_module(module, seen) for module in layer.modules]
        for answer in answers:
            derived += answer.derived
            undefined += answer.undefined
            left_out += answer.left_out
            known.update(dict.fromkeys(one.event for one in answer.derived if one.recipient is None))
    return Answer(tuple(merged(derived)), undefined, left_out)
