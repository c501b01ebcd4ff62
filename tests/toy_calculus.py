"""A calculus in one file, with its language: `alarm: every 3 smoke` is an event for every third one, a line each.

A module brings its processor and its definition; nothing else knows it but the line of its language in LANGUAGES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from cera.diagnostics import Source, Span
from cera.languages.protocol.language import Explanation, Language
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
    module_of_file,
)
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.attributes import AskedAttribute
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.tags import tagged
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.arrivals import Arrival, Key
from cera.modules.detection import TermDetection, Way
from cera.modules.history_module import HistoryModule
from cera.modules.history_processor import HistoryProcessor, HistoryState
from cera.modules.module import Settings
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output

#: The name of a definition, how many events make one, and their label.
Definition = tuple[str, int, str]


@tagged("tests.Counting")
@dataclass(frozen=True)
class CountingModule(HistoryModule):
    """Derives an event at every so many events of a label."""

    name: str
    definitions: tuple[Definition, ...]
    span: Span | None = None

    granularity: Granularity = "time"
    partition: str | None = None
    clocks: tuple[Clock, ...] = ()

    @property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        return tuple(
            MonitoredEvents(label, label) for label in dict.fromkeys(label for _, _, label in self.definitions)
        )

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(Output(f"{self.name}.{name}", name, ("last",), name, ()) for name, _, _ in self.definitions)

    @property
    def identity(self) -> object:
        return self

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        return iter(())

    def limited(self, answers: int) -> Self:
        return self

    def processor(self, settings: Settings) -> CountingProcessor:
        return CountingProcessor(self, Evaluator((), settings.timezone))

    def definition(self, settings: Settings) -> CountingDefinition:
        return CountingDefinition(self)


class Counted(TermDetection):
    """An event, with the last of those that were counted."""

    __slots__ = ("last", "rule")

    def __init__(self, rule: str, last: Occurrence) -> None:
        super().__init__(Term(rule.partition(".")[2], ()), last.begin, last.end)
        self.rule = rule
        self.last = last

    def ways(self) -> Iterator[Way]:
        yield self.rule, [("last", self.last)]


#: How many events of each label there were.
Counts = dict[str, int]


class CountingProcessor(HistoryProcessor[HistoryState[Counts], Counts]):
    module: CountingModule

    def start(self) -> HistoryState[Counts]:
        return HistoryState()

    def take(
        self, state: HistoryState[Counts], now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[TermDetection]:
        found: list[TermDetection] = []
        for arrival in by_history.get(None, ()):
            counts = state.histories.setdefault(None, {})
            for label, one in arrival.tuples:
                counts[label] = counts.get(label, 0) + 1
                found += self._counted(label, counts[label], one.event)
        state.seen += events
        return found

    def _counted(self, label: str, number: int, last: Occurrence) -> Iterator[Counted]:
        for name, every, counted in self.module.definitions:
            if counted == label and number % every == 0:
                yield Counted(f"{self.module.name}.{name}", last)

    def live(self, history: Counts) -> int:
        return len(history)

    def pack_history(self, history: Counts) -> Any:
        return history

    def unpack_history(self, data: Any) -> Counts:
        return dict(data)

    def forget(self, state: HistoryState[Counts]) -> None:
        """Drops nothing: every count matters."""


@dataclass(frozen=True)
class CountingDefinition:
    module: CountingModule

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        ordered = sorted(dict.fromkeys(events), key=lambda event: event.end)
        found = [
            Counted(f"{self.module.name}.{name}", occurrence(last))
            for name, every, label in self.module.definitions
            for last in [event for event in ordered if event.label == label][every - 1 :: every]
        ]
        return Answer(tuple(in_output_order(each.result() for each in found)))


_LINE = re.compile(r"\s*(\w+)\s*:\s*every\s+([1-9]\d*)\s+(\w+)\s*")


class Counting(Language[tuple[Definition, ...]]):
    name = "Counting"
    short_name = "Counting"
    ending = ".count"
    signs = (" every ",)

    def claims(self, text: str) -> float:
        return 0.9 if _LINE.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[tuple[Definition, ...]]:
        found = [match for line in source.text.splitlines() if (match := _LINE.fullmatch(line)) is not None]
        definitions = tuple((match[1], int(match[2]), match[3]) for match in found)
        names = tuple(name for name, _, _ in definitions)
        return ParsedSource(source, (module_of_file(source, definitions, names, "a file is a module"),), ())

    def format(self, source: Source) -> str:
        return printed(self.parse(source).modules[0].syntax)

    def compile(self, parsed: Sequence[ParsedSource[tuple[Definition, ...]]], options: CompileOptions) -> Compilation:
        written = [each for file in parsed for each in file.modules]
        modules = [CompiledModule(CountingModule(each.name, each.syntax, each.span), each.syntax) for each in written]
        return Compilation(tuple(modules))

    def explain(self, module: CompiledModule[tuple[Definition, ...]]) -> Explanation:
        return Explanation("counts", printed(module.syntax))


def printed(definitions: Sequence[Definition]) -> str:
    return "".join(f"{name}: every {number} {label}\n" for name, number, label in definitions)


COUNTING = Counting()
