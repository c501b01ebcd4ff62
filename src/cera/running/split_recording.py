"""A recording answered batch by batch by groups of rules: some in columns, the others event by event.

Every group takes a batch to its end before the next one begins, which sees what it derived as if that came with the
stream. What a group asks for becomes tables or objects then: of the other labels there is nothing. A group in columns
whose events do not fit goes on event by event from that batch on, and the others stay what they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from cera.connectors.event_lines import event_line
from cera.engines.columns.answer_lines import MadeLine, OrderedLines, ordered_lines
from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.event_choice import EventChoice
from cera.engines.columns.event_tables import (
    FEW_STRINGS,
    Attribute,
    EventTable,
    distinct_events,
    forget_strings,
    occurrences_of,
    one_table,
    table_of,
)
from cera.engines.columns.recording import ColumnsRecording
from cera.engines.columns.rows import OutsideColumnsError
from cera.engines.columns.splitting import RuleGroup
from cera.engines.columns.strings import Strings
from cera.engines.local.answer_lines import AnswerLines
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import in_output_order
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.modules.detection import together
from cera.modules.processor import Detection

_BY_END = attrgetter("end")


class SplitRecording:
    """The answers of groups, as lines.

    Each has a processor with a state, of which a group in columns makes no use as long as it is in columns.
    """

    def __init__(
        self,
        groups: Sequence[RuleGroup],
        processors: Iterable[tuple[RuleProcessor, Any]],
        times: TimeFormat,
        until: Time | None = None,
        chosen: Callable[[str], bool] = lambda label: True,
    ) -> None:
        strings = Strings()
        self._times = times
        self._until = until
        self._chosen = chosen
        self._lines = AnswerLines(times)
        self._steps = [
            _Steps(processor, state, EventChoice(group.plan))
            for group, (processor, state) in zip(groups, processors, strict=True)
        ]
        #: The groups that are in columns, by their places.
        self._columns = {
            place: ColumnsRecording(group.columns, times, until, strings=strings)
            for place, group in enumerate(groups)
            if group.columns is not None
        }
        self._labels = {place: group.columns.labels for place, group in enumerate(groups) if group.columns is not None}
        self._strings = strings
        self.answered_to: Time | None = None
        self.most_kept = 0

    @property
    def strings(self) -> Strings:
        """The strings of the events that are kept."""
        return self._strings

    @property
    def kept(self) -> int:
        """How many events may still matter to groups in columns."""
        return sum(each.kept for each in self._columns.values())

    def answer(self, events: Sequence[Occurrence], last: Time | None) -> OrderedLines:
        """Takes different events in the order of their ends; returns the answers up to a time, None for all.

        Raises OutsideColumnsError if no group is in columns any more; the processors can go on then.
        """
        batch = Batch(self._strings)
        batch.add_events(events)
        used = self._strings
        found = self._answer(batch, last)
        if len(used) > FEW_STRINGS and self._columns:
            stores = [each.store for each in self._columns.values()]
            forget_strings(stores)
            self._strings = stores[0].strings
        return found

    def answer_tables(self, tables: Mapping[str, EventTable], last: Time | None) -> OrderedLines:
        """The same for tables, which share the strings of this recording."""
        batch = Batch(self._strings)
        batch.add_tables(tables.values())
        return self._answer(batch, last)

    def hand_over(self) -> None:
        """Lets all groups go on event by event."""
        for place in list(self._columns):
            self._leave_columns(place)

    def _answer(self, batch: Batch, last: Time | None) -> OrderedLines:
        if not self._columns:
            raise OutsideColumnsError("no rules are in columns any more")
        until = self._until if last is None else last
        blocks: list[AnswerBlock] = []
        detections: list[Detection] = []
        for place, steps in enumerate(self._steps):
            answers = self._in_columns(place, batch, last)
            if answers is not None:
                blocks += answers
                batch.add_blocks(answers)
            else:
                derived = steps.take(batch, until)
                detections += derived
                batch.add_detections(derived)
        self.answered_to = last
        tuples = sum(steps.in_state for steps in self._steps)
        self.most_kept = max(self.most_kept, sum(each.most_kept for each in self._columns.values()) + tuples)
        detections.sort(key=_BY_END)
        made = list(self._made(together(detections)))
        return ordered_lines(blocks, batch.strings, self._times, self._chosen, made)

    def _in_columns(self, place: int, batch: Batch, last: Time | None) -> list[AnswerBlock] | None:
        """Returns what a group derives in columns; None if it goes on event by event."""
        columns = self._columns.get(place)
        if columns is None:
            return None
        try:
            tables = {label: batch.table(label) for label in self._labels[place]}
            return columns.blocks({label: each for label, each in tables.items() if each is not None}, last)
        except OutsideColumnsError:
            self._leave_columns(place)
            return None

    def _leave_columns(self, place: int) -> None:
        columns = self._columns.pop(place)
        self._steps[place].take_over(columns.kept_events(), columns.answered_to)

    def _made(self, detections: Sequence[Detection]) -> Iterator[MadeLine]:
        """Yields the lines of answers, sorted by their ends, in the order of output."""
        for end, group in groupby(detections, key=_BY_END):
            answers = list(group)
            lines = [line for one in answers if (line := self._lines.line(one)) is not None]
            if len(lines) == len(answers):
                for line in sorted(lines, key=attrgetter("order")) if len(lines) > 1 else lines:
                    yield MadeLine(end, line.begin, line.label, f"{line.text}\n".encode())
                continue
            for derived in in_output_order(one.result() for one in answers):
                text = json.dumps(event_line(derived, self._times), ensure_ascii=False)
                yield MadeLine(end, derived.event.begin, derived.event.label, f"{text}\n".encode())


class _Steps:
    """A group event by event: its processor and its state."""

    def __init__(self, processor: RuleProcessor, state: Any, choice: EventChoice) -> None:
        self._processor = processor
        self._state = state
        self._choice = choice

    @property
    def in_state(self) -> int:
        return self._processor.counts(self._state).in_state

    def take(self, batch: Batch, until: Time | None) -> Sequence[Detection]:
        """Takes the events of a batch, and all steps up to a time; None: to the end of the stream."""
        events = batch.events(self._processor.network.asks, self._choice)
        if until is not None:
            return self._processor.advance(self._state, events, until + 1)
        found = list(self._processor.advance(self._state, events, events[-1].end + 1)) if events else []
        self._processor.close(self._state)
        return [*found, *self._processor.advance(self._state, (), None)]

    def take_over(self, events: Sequence[Occurrence], answered_to: Time | None) -> None:
        """Begins with events that may still matter, whose answers up to a time are written."""
        if answered_to is not None:
            self._processor.advance(self._state, events, answered_to + 1)


class Batch:
    """The events of a batch by label, those of the stream and those that groups have derived: as tables and as objects,
    each made where it is asked for."""

    def __init__(self, strings: Strings) -> None:
        self.strings = strings
        self._tables: dict[str, list[EventTable]] = {}
        self._events: dict[str, list[Occurrence]] = {}
        #: The labels of derived events, each of which may equal others.
        self._derived: set[str] = set()

    def add_tables(self, tables: Iterable[EventTable]) -> None:
        for table in tables:
            if len(table):
                self._tables.setdefault(table.label, []).append(table)

    def add_events(self, events: Iterable[Occurrence]) -> None:
        for event in events:
            self._events.setdefault(event.label, []).append(event)

    def add_blocks(self, blocks: Sequence[AnswerBlock]) -> None:
        self._derived.update(block.label for block in blocks)
        self.add_tables(_table(block, self.strings) for block in blocks)

    def add_detections(self, detections: Iterable[Detection]) -> None:
        """Adds what others see: not what is sent away."""
        events = [one.occurrence for one in detections if not one.leaves]
        self._derived.update(event.label for event in events)
        self.add_events(events)

    def table(self, label: str) -> EventTable | None:
        """Returns the events of a label in the order of their ends; None if there are none. Raises
        OutsideColumnsError if they do not fit into a table."""
        parts = list(self._tables.get(label, ()))
        events = self._events.get(label)
        if events:
            parts.append(table_of(label, sorted(events, key=_BY_END), self.strings))
        if not parts or (len(parts) == 1 and label not in self._derived):
            return parts[0] if parts else None
        whole = one_table(parts)
        return distinct_events(whole.take(np.argsort(whole.end, kind="stable")))

    def events(self, asks: Mapping[str, bool], choice: EventChoice) -> list[Occurrence]:
        """Returns the events of the labels that are asked for and may be taken, in the order of their ends."""
        found: list[Occurrence] = []
        for label in dict.fromkeys((*self._tables, *self._events)):
            if asks[label]:
                found += occurrences_of(map(choice.taken, self._tables.get(label, ())))
                found += self._events.get(label, ())
        found.sort(key=_BY_END)
        return found


def _table(block: AnswerBlock, strings: Strings) -> EventTable:
    children = {name: Attribute(each.kind, each.values, None) for name, each in block.children.items()}
    return EventTable(block.label, block.begin, block.end, children, strings)
