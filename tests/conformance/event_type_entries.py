"""The entries M and N of the catalogue as data, and many of their modules side by side in one program.

An entry is a test of `test_meta_model_entries` or `test_snoop_context_entries` with its parameters. What it asks of an
evaluator can be noted first, be answered for all entries together, and then be given to each.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from cera.instances.events.module import EventTypeModule
from cera.instances.types import ComplexType
from cera.model.events.event import Derivation, DerivedEvent, Event
from cera.model.terms.term import Term, Value
from cera.modules.answers.answer import Answer
from cera.modules.monitoring import CHANGE
from conformance import test_meta_model_entries, test_snoop_context_entries
from instance_evaluators import Evaluator
from module_runs import meaning, side_by_side

#: A module and its history.
Question = tuple[EventTypeModule, tuple[Event, ...]]


@dataclass(frozen=True)
class Entry:
    name: str
    function: Callable[..., None]
    arguments: Mapping[str, Any]

    def check(self, evaluate: Evaluator) -> None:
        self.function(evaluate=evaluate, **self.arguments)


def entries() -> Iterator[Entry]:
    for file in (test_meta_model_entries, test_snoop_context_entries):
        for name, function in vars(file).items():
            if name.startswith("test_") and "evaluate" in inspect.signature(function).parameters:
                several = list(_parameters(function))
                for number, arguments in enumerate(several, 1):
                    yield Entry(name if len(several) == 1 else f"{name}-{number}", function, arguments)


def _parameters(function: Any) -> Iterator[dict[str, Any]]:
    choices = []
    for mark in getattr(function, "pytestmark", ()):
        names, values = mark.args
        if isinstance(names, str):
            choices.append([{names: value} for value in values])
        else:
            choices.append([dict(zip(names, value, strict=True)) for value in values])
    for chosen in product(*choices):
        yield {name: value for each in chosen for name, value in each.items()}


def asked(several: Sequence[Entry]) -> list[Question]:
    """What entries ask, each question once; an entry that does not hold may ask less."""
    noted: dict[Question, None] = {}

    def evaluate(module: EventTypeModule, events: Sequence[Event]) -> Answer:
        noted[module, tuple(events)] = None
        return meaning(module, events)

    for entry in several:
        with suppress(AssertionError):
            entry.check(evaluate)
    return list(noted)


class SideBySide:
    """Questions as one program over one stream: each history has labels and tables of its own, and so has what each
    module detects."""

    def __init__(self, questions: Sequence[Question]) -> None:
        histories = {events: f"h{number}-" for number, events in enumerate({events: None for _, events in questions})}
        self._questions = {question: f"q{number}-" for number, question in enumerate(questions)}
        self._histories = {made: histories[events] for (_, events), made in self._questions.items()}
        modules = [
            _labelled_module(module, histories[events], made) for (module, events), made in self._questions.items()
        ]
        self.layers = side_by_side(*modules)
        self.events = [_labelled(one, prefix) for events, prefix in histories.items() for one in events]

    def answering(self, answer: Answer) -> Evaluator:
        """An evaluator that knows what was asked."""
        by_question: dict[str, list[DerivedEvent]] = {made: [] for made in self._questions.values()}
        for one in answer.derived:
            made = one.event.label.partition("-")[0] + "-"
            by_question[made].append(_plain_derived(one, made, self._histories[made]))

        def evaluate(module: EventTypeModule, events: Sequence[Event]) -> Answer:
            return Answer(tuple(by_question[self._questions[module, tuple(events)]]))

        return evaluate


def _labelled_module(module: EventTypeModule, history: str, made: str) -> EventTypeModule:
    types = [replace(each, label=made + each.label) if isinstance(each, ComplexType) else each for each in module.types]
    return replace(
        module,
        monitored=tuple(replace(each, name=history + each.name) for each in module.monitored),
        types=tuple(types),
        outputs=tuple(replace(each, label=made + each.label) for each in module.outputs),
    )


def _labelled(event: Event, prefix: str) -> Event:
    return _renamed(event, lambda name: prefix + name)


def _plain_derived(one: DerivedEvent, *prefixes: str) -> DerivedEvent:
    ways = [
        Derivation(way.rule, {name: _plain(cause, prefixes) for name, cause in way.causes.items()})
        for way in one.derivations
    ]
    return DerivedEvent(_plain(one.event, prefixes), tuple(ways))


def _plain(event: Event, prefixes: Sequence[str]) -> Event:
    """Without its prefix, where it has one: the tick of a timer does not."""
    found = [prefix for prefix in prefixes if event.label == CHANGE or event.label.startswith(prefix)]
    return _renamed(event, lambda name: name.removeprefix(found[-1])) if found else event


def _renamed(event: Event, rename: Callable[[str], str]) -> Event:
    """The event under another label; of a change, that of another table."""

    def renamed(child: Value) -> Value:
        if isinstance(child, Term) and child.label == "table":
            return Term("table", [rename(str(child.children[0]))])
        return child

    term = event.term
    if event.label == CHANGE:
        return Event(Term(CHANGE, [renamed(child) for child in term.children]), event.interval)
    return Event(Term(rename(event.label), term.children), event.interval)
