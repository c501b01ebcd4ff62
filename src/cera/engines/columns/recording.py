"""A recording answered batch by batch.

A batch has all events up to a time, and its answers are those that end in it. What earlier events can still contribute
to is bounded by the horizon of the plan, so that only those within it are looked at again, and of these only what the
plan reads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from operator import attrgetter

from cera.engines.columns.answer_lines import OrderedLines, check_length, ordered_lines
from cera.engines.columns.evaluation import AnswerBlock, Evaluation
from cera.engines.columns.event_tables import EventStore, EventTable, occurrences_of
from cera.engines.columns.physical import PhysicalPlan
from cera.engines.columns.readings import Readings
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat


class ColumnsRecording:
    """The answers of a plan, as lines. `chosen` says of a label whether its events are written."""

    def __init__(
        self,
        plan: PhysicalPlan,
        times: TimeFormat,
        until: Time | None = None,
        chosen: Callable[[str], bool] = lambda label: True,
        strings: Strings | None = None,
    ) -> None:
        self._plan = plan
        self._times = times
        self._until = until
        self._chosen = chosen
        self.store = EventStore(plan.labels, Strings() if strings is None else strings)
        self._readings = Readings(plan)
        self._kept: Mapping[str, EventTable] = {}
        #: The time up to which all is answered.
        self.answered_to: Time | None = None
        self.most_kept = 0

    @property
    def strings(self) -> Strings:
        """The strings of the events that are kept."""
        return self.store.strings

    @property
    def kept(self) -> int:
        """How many events may still matter."""
        return sum(map(len, self._kept.values()))

    def kept_events(self) -> list[Occurrence]:
        """Returns these events in the order of their ends."""
        return occurrences_of(self._kept.values())

    def answer(self, events: Sequence[Occurrence], last: Time | None) -> OrderedLines:
        """Takes different events in the order of their ends; returns the answers up to a time, None for all.

        Raises OutsideColumnsError if they cannot be answered in columns; nothing more can then be asked.
        """
        self.store.add(events)
        return self._answer(last, strings=True)

    def answer_tables(self, tables: Mapping[str, EventTable], last: Time | None) -> OrderedLines:
        """The same for tables, which share the strings of this recording."""
        self.store.add_tables(tables)
        return self._answer(last, strings=False)

    def blocks(self, tables: Mapping[str, EventTable], last: Time | None) -> list[AnswerBlock]:
        """The same, and returns the answers in columns; equal ones of several rules are not one yet."""
        self.store.add_tables(tables)
        return self._blocks(last, strings=False)

    def _answer(self, last: Time | None, *, strings: bool) -> OrderedLines:
        used = self.store.strings
        return ordered_lines(self._blocks(last, strings=strings), used, self._times, self._chosen)

    def _blocks(self, last: Time | None, *, strings: bool) -> list[AnswerBlock]:
        self.most_kept = max(self.most_kept, sum(map(len, self.store.tables.values())))
        until = self._until if last is None else last
        found = [each for each in Evaluation(self._plan, self.store).answers(self.answered_to, until) if len(each.end)]
        for block in found:
            check_length(block, self.store.strings)
        if last is not None and self._plan.horizon is not None:
            self.answered_to = last
            self.store.forget(last - self._plan.horizon - 1, strings=strings)
            self._readings.forget(self.store)
            self._kept = self.store.tables
        return found


class Batches:
    """Events in the order of their ends, cut only between two ends."""

    def __init__(self, events: Iterator[Occurrence]) -> None:
        self._events = events
        self._next = next(events, None)

    @property
    def at_end(self) -> bool:
        """Whether there is nothing behind the last batch."""
        return self._next is None

    def next(self, size: int) -> list[Occurrence]:
        """Returns so many events, and all others that end with the last of them; nothing at the end."""
        if self._next is None:
            return []
        batch = [self._next, *islice(self._events, size - 1)]
        self._next = None
        for event in self._events:
            if event.end != batch[-1].end:
                self._next = event
                break
            batch.append(event)
        return batch

    def rest(self) -> Iterator[Occurrence]:
        return self._events if self._next is None else chain((self._next,), self._events)


def different(events: Sequence[Occurrence]) -> tuple[list[Occurrence], list[Occurrence]]:
    """Returns the events, each once, and those that equal one before them."""
    found: list[Occurrence] = []
    repeated: list[Occurrence] = []
    for _, step in groupby(events, key=attrgetter("end")):
        together = list(step)
        if len(together) == 1:
            found += together
            continue
        flat = all(event.content is not None for event in together)
        keys: set[Hashable] = set()
        for event in together:
            key = _key(event) if flat else event.event
            (repeated if key in keys else found).append(event)
            keys.add(key)
    return found, repeated


def _key(event: Occurrence) -> Hashable:
    """Returns a key that is equal for equal flat events of one end."""
    content = event.content
    assert content is not None
    return (event.label, event.begin, event.qualifier, frozenset(content.items()))
