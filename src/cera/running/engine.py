"""The engines behind one protocol: each answers a program from sources to an output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from cera.connectors.sink import Sink
from cera.engines.local.engine import refuse_recursion
from cera.engines.reference.processor import DefinitionProcessor
from cera.model.events.event import Event
from cera.modules.expectations import Expectations
from cera.modules.layered_processor import program_processor
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor
from cera.modules.rules.module import RuleModule
from cera.running.flow import Flow
from cera.running.listener import Listener, Output
from cera.running.outcome import Outcome
from cera.running.request import Request


@dataclass(frozen=True)
class Run:
    """A program, what is asked of it, where its answers go, and who follows it."""

    layers: Layers
    expectations: Expectations
    timezone: str
    request: Request
    sink: Sink
    #: Opens the output for answers that this process writes.
    output: Callable[[], AbstractContextManager[Output]]
    listener: Listener
    #: Takes every input event, of an engine in this process.
    each: Callable[[Event], object] | None = None

    def settings(self, max_duration: int | None) -> Settings:
        """Returns what modules need; no event lasts longer than `max_duration`."""
        request = self.request
        return Settings(self.timezone, max_duration, request.tick_limit, request.until, request.recursion_limit)


class Engine(Protocol):
    """An engine over recorded events."""

    def check(self, layers: Layers) -> None:
        """Raises ProgramError for a program that it does not run."""

    def answer(self, run: Run) -> Outcome:
        """Reads the sources, answers the program over them, and writes what it derives."""


class InProcess:
    """An engine whose processor takes the events in this process, as they are read."""

    def __init__(self, processor: Callable[[Layers, Settings], AnyProcessor], *, recursion: bool) -> None:
        self._processor = processor
        self._recursion = recursion

    def check(self, layers: Layers) -> None:
        if not self._recursion:
            check_recursion(layers, "the local engine")

    def answer(self, run: Run) -> Outcome:
        def processor(max_duration: int | None) -> AnyProcessor:
            return self._processor(run.layers, run.settings(max_duration))

        with run.output() as output:
            return Flow(processor, run.expectations, run.request, output, run.listener, run.each).run()


class OnSpark:
    """Spark: events and answers are DataFrames, and workers write large answers."""

    def check(self, layers: Layers) -> None:
        check_recursion(layers, "Spark")

    def answer(self, run: Run) -> Outcome:
        from cera.running.spark_run import answer_on_spark  # starts nothing, but is heavy and needs the extra `spark`

        return answer_on_spark(
            run.layers, run.expectations, run.timezone, run.request, run.sink, run.output, run.listener
        )


def check_recursion(layers: Layers, engine: str) -> None:
    """Raises ProgramError for recursive rules; `engine` is what was asked for, as the message names it."""
    for module in layers.modules:
        if isinstance(module, RuleModule):
            refuse_recursion(module.program, engine)


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        "spark": OnSpark(),
        "local": InProcess(program_processor, recursion=False),
        "reference": InProcess(DefinitionProcessor, recursion=True),
    }
)


def answer(run: Run) -> Outcome:
    """Answers a program over recorded events: the one way from sources to an output, whatever the engine."""
    engine = ENGINES[run.request.engine]
    engine.check(run.layers)
    return engine.answer(run)
