"""The records of a run on their way in: malformed ones are set aside, events are looked at and counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack

from cera.connectors.event_lines import base_line
from cera.connectors.line_writer import LineWriter
from cera.connectors.records.acceptance import lasts_longer, lasts_longer_than_given
from cera.connectors.records.layout import Rejected
from cera.errors import DataError
from cera.model.events.attributes import value_text
from cera.model.events.occurrence import Occurrence
from cera.model.message_text import count
from cera.model.terms.term import Value
from cera.modules.arrivals import operation_and_table
from cera.modules.monitoring import CHANGE
from cera.running.request import Request
from cera.running.run import Run
from cera.wording import Setting

#: How many malformed records are shown where no file was named for them.
REJECTED_SHOWN = 3


class Admission:
    """What comes in is counted; malformed records go to the function or the file for them, or the first are shown.

    The file is open as long as `files` is.
    """

    def __init__(self, run: Run, files: ExitStack) -> None:
        self.read: Counter[str] = Counter()
        self.changed: Counter[tuple[Value | None, Value | None]] = Counter()
        self.rejected = 0
        self.observed = run.expectations.observer()
        self._changes = bool(run.expectations.changes)
        self._request = request = run.request
        self._listener = run.listener
        self._shown: list[Rejected] = []
        self._reject = run.reject
        if self._reject is None and request.rejected is not None:
            writer = files.enter_context(LineWriter(request.rejected))
            self._reject = lambda record: writer.write(rejected_line(record, run.listener.words))

    def accepted(self, records: Iterable[Occurrence | Rejected], max_duration: int | None) -> Iterator[Occurrence]:
        """Yields the events among the records that last no longer than `max_duration`."""
        for event in records:
            if isinstance(event, Rejected):
                self._take_rejected(event)
            elif max_duration is not None and event.end - event.begin > max_duration:
                self._take_rejected(too_long(event, max_duration, self._request))
            else:
                self.read[event.label] += 1
                if event.label in self.observed.missing:
                    self.observed.look(event)
                if self._changes and event.label == CHANGE:
                    self.changed[operation_and_table(event)] += 1
                yield event

    def take_many(self, labels: Mapping[str, int], examples: Iterable[Occurrence]) -> None:
        """Counts events that need not be looked at one by one: each has the attributes of one of the examples."""
        self.read.update(labels)
        for event in examples:
            if event.label in self.observed.missing:
                self.observed.look(event)

    def take_values(self, distinct: Mapping[str, Callable[[str], Iterable[object]]]) -> None:
        """Looks for values that are missing among those that the attributes of such events have, by label."""
        for asked in self.observed.missing_values:
            if asked.label in distinct and asked.text in map(value_text, distinct[asked.label](asked.name)):
                self.observed.see_values([asked])

    @property
    def counts_changes(self) -> bool:
        """Whether the changes of tables are counted."""
        return self._changes

    def report(self) -> None:
        """Shows the first malformed records, where nothing else takes them. Raises DataError in a strict run."""
        if self._reject is None:
            self._listener.rejected(self._shown, self.rejected)
        if self.rejected and self._request.strict:
            raise DataError(f"{count(self.rejected, 'malformed record')}, and {Setting.STRICT} allows none")

    def start_again(self) -> None:
        """Forgets the events so far, which are read once more."""
        self.read.clear()
        self.changed.clear()

    def _take_rejected(self, record: Rejected) -> None:
        self.rejected += 1
        if self._reject is not None:
            self._reject(record)
        elif len(self._shown) < REJECTED_SHOWN:
            self._shown.append(record)


def too_long(happened: Occurrence, max_duration: int, request: Request) -> Rejected:
    """Returns the rejection of an event that lasts longer than `max_duration`."""
    event = happened.event
    if request.in_memory:  # there was no line, and the limit was given
        return lasts_longer_than_given(event)
    text = json.dumps(base_line(event, request.times), ensure_ascii=False)
    return Rejected(f"event {event.id}", lasts_longer(max_duration), text)


def rejected_line(record: Rejected, words: Callable[[str], str]) -> str:
    """Returns the line of a malformed record in the file for these."""
    return json.dumps({"place": record.place, "reason": words(record.reason), "text": record.text}, ensure_ascii=False)
