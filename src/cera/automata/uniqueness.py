"""That no two instances of an automaton are entered with one value of a `unique` variable.

Each history of an automaton sees that in itself. Across histories it is the business of a module of its own, which is
divided by the values: the automaton derives a *claim* for each value that an instance is entered with, and a claim of
a value that an instance with another key has claimed before is a violation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from cera.automata.explanations import Name, shown
from cera.automata.module import NOT_AWAITED, VIOLATION, claim_label
from cera.automata.reports import Report, children_of
from cera.diagnostics import Span
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.attributes import AskedAttribute
from cera.model.events.event import Event, in_output_order
from cera.model.events.occurrence import Cell, Identified, Occurrence, halves, occurrence, unwrap, wrap
from cera.model.tags import tagged
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.arrivals import NO_HISTORY, Arrival, Key
from cera.modules.history_module import HistoryModule
from cera.modules.history_processor import HistoryProcessor, HistoryState
from cera.modules.module import Settings
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output

#: The reason of these violations.
USED = "another instance has this value already"


def claim(automaton: str, variable: str, value: Cell, key: Cell, name: Name, event: Occurrence) -> Report:
    """Returns the claim of a value by a new instance; it carries what is known of the event."""
    children = [
        Term("value", [unwrap(value)]),
        Term("key", [unwrap(key)]),
        Term("instance", children_of(name)),
        Term("event", [event.term]),
        Term("id", [event.id]),
        Term("begin", [event.begin]),
    ]
    return Report(automaton, Term(claim_label(automaton, variable), children), event.end, event.end, [("event", event)])


class Claim:
    """A claim as it is read again."""

    __slots__ = ("event", "id", "instance", "key", "times", "value")

    def __init__(self, found: Occurrence) -> None:
        parts = {child.label: child.children for child in found.term.children if isinstance(child, Term)}
        self.value: Value = parts["value"][0]
        self.key: Cell = wrap(parts["key"][0])
        self.instance = Term("instance", parts["instance"])
        event, id_, begin = parts["event"][0], parts["id"][0], parts["begin"][0]
        assert isinstance(event, Term)
        assert isinstance(id_, str)
        assert isinstance(begin, int)
        self.event = event
        self.id = id_
        self.times = begin, found.end

    @property
    def used(self) -> Used:
        return self.times[1], (self.event.label, self.id, self.times[0])


#: When a key has claimed a value, and the label, the id and the begin of its event.
Used = tuple[Time, tuple[str, str, Time]]


def _stand_in(used: Used) -> Occurrence:
    """Returns the event behind a claim, of which the id and the times are known."""
    end, (label, id_, begin) = used
    return Identified(begin, end, label, None, Term(label, ()), None, *halves(id_))


@tagged("UniqueModule")
@dataclass(frozen=True)
class UniqueModule(HistoryModule):
    """The claims of one variable of an automaton; those that are older than `memory` do not count any more."""

    automaton: str
    variable: str
    memory: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    granularity: Granularity = "time"
    partition: str | None = "value"
    clocks: tuple[Clock, ...] = ()
    left_out_text = NOT_AWAITED

    @property
    def name(self) -> str:
        return f"{self.automaton}.{self.variable}"

    @property
    def identity(self) -> object:
        return self

    @property
    def label(self) -> str:
        return claim_label(self.automaton, self.variable)

    @property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        return (MonitoredEvents(self.label, self.label, span=self.span),)

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(self.name, VIOLATION, (), VIOLATION, (), self.span),)

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        return iter(())

    def limited(self, answers: int) -> Self:
        return self

    def counts(self, since: Time, now: Time) -> bool:
        """Returns whether a claim still counts."""
        return self.memory is None or now - since <= self.memory

    def violation(self, made: Claim, first: Used) -> Report:
        """Returns the violation by a claim of a value that another instance has."""
        term = Term(
            VIOLATION,
            [
                Term("automaton", [self.automaton]),
                made.instance,
                Term("reason", [USED]),
                Term("event", [made.event]),
                Term("nearest", [f"the same event with another value of {self.variable} than {shown(made.value)}"]),
            ],
        )
        end = made.times[1]
        causes = [("event", _stand_in(made.used)), ("first", _stand_in(first))]
        return Report(self.name, term, end, end, causes)

    def processor(self, settings: Settings) -> UniqueProcessor:
        return UniqueProcessor(self, settings.timezone)

    def definition(self, settings: Settings) -> UniqueDefinition:
        return UniqueDefinition(self, settings)


def _in_order(claims: Iterable[Claim]) -> list[Claim]:
    return sorted(claims, key=lambda each: (each.times[1], each.times[0], each.id))


@dataclass(frozen=True)
class UniqueDefinition:
    """All claims of a recording, each against those before it."""

    module: UniqueModule
    settings: Settings

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        until = self.settings.until
        found = [event for event in events if event.label == self.module.label]
        claims = _in_order(Claim(occurrence(event)) for event in found if until is None or event.end <= until)
        reports = []
        for number, each in enumerate(claims):
            before = [
                other.used
                for other in claims[:number]
                if wrap(other.value) == wrap(each.value)
                and other.key != each.key
                and self.module.counts(other.times[1], each.times[1])
            ]
            if before:
                reports.append(self.module.violation(each, min(before)))
        return Answer(tuple(in_output_order(one.result() for one in reports)))


#: The claims of one value that still count, by the keys of the instances.
Claims = dict[Cell, list[Used]]


class UniqueState(HistoryState[Claims]):
    def __init__(self) -> None:
        super().__init__()
        #: When values were claimed, in the order of time.
        self.times: deque[tuple[Time, Key]] = deque()


class UniqueProcessor(HistoryProcessor[UniqueState, Claims]):
    """The claims that still count, by their values."""

    module: UniqueModule

    def __init__(self, module: UniqueModule, timezone: str) -> None:
        super().__init__(module, Evaluator((), timezone))

    def start(self) -> UniqueState:
        return UniqueState()

    def take(
        self, state: UniqueState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[Report]:
        self._drop(state, now)
        found: list[Report] = []
        for value, arrivals in by_history.items():
            state.seen += len(arrivals)
            if value is NO_HISTORY:
                continue
            history = state.histories.setdefault(value, {})
            for each in _in_order(Claim(arrival.tuples[0][1].event) for arrival in arrivals):
                others = [used for key, own in history.items() if key != each.key for used in own]
                if others:
                    found.append(self.module.violation(each, min(others)))
                history.setdefault(each.key, []).append(each.used)
                if self.module.memory is not None:
                    state.times.append((now, value))
        return found

    def _drop(self, state: UniqueState, now: Time) -> None:
        """Drops the claims that do not count any more."""
        while state.times and not self.module.counts(state.times[0][0], now):
            value = state.times.popleft()[1]
            claims = state.histories.get(value, {})
            kept = {
                key: used
                for key, own in claims.items()
                if (used := [each for each in own if self.module.counts(each[0], now)])
            }
            if kept:
                state.histories[value] = kept
            else:
                state.histories.pop(value, None)

    def live(self, history: Claims) -> int:
        return sum(map(len, history.values()))

    def pack_history(self, history: Claims) -> Any:
        return list(history.items())

    def unpack_history(self, data: Any) -> Claims:
        return {key: [(end, (label, id_, begin)) for end, (label, id_, begin) in own] for key, own in data}

    def unpack(self, data: Mapping[str, Any]) -> UniqueState:
        state = super().unpack(data)
        if self.module.memory is not None:
            times = [
                (used[0], value) for value, claims in state.histories.items() for own in claims.values() for used in own
            ]
            state.times = deque(sorted(times, key=lambda each: each[0]))
        return state

    def forget(self, state: UniqueState) -> None:
        """Drops nothing: claims are dropped as time goes on."""
