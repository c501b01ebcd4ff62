"""`cera run --engine local`: events flow through the engine, and only what it must remember is kept.

Malformed and late records, and answers, are written as they come; a file appears under its name when the run is done.
With --max-delay events are taken in the order in which they come. Without it the input is a recording that can be read
twice, and its events are taken in the order of time.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from operator import attrgetter
from typing import Any

from cera.cli import report
from cera.cli.actions import Performer
from cera.cli.ahead import max_ahead_of, warn_of_lateness
from cera.cli.attributes import observed_attributes
from cera.cli.changes import monitored_changes
from cera.cli.options import Replay
from cera.cli.output import Lines, Output
from cera.cli.recording import (
    REJECTED_SHOWN,
    Counts,
    check_side_files,
    progress,
    rejected_line,
    show_rejected,
    too_long,
)
from cera.cli.writing import LineWriter
from cera.connectors.event_lines import base_line
from cera.connectors.files import Rejected
from cera.connectors.ordering import OrderedEvents
from cera.connectors.records.acceptance import in_time
from cera.connectors.records.ahead import Lateness, not_ahead
from cera.engines.local.answer_lines import AnswerLine, AnswerLines
from cera.errors import DataError
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Value
from cera.model.time.interval import Time
from cera.modules.arrivals import operation_and_table
from cera.modules.driving import Driver
from cera.modules.monitoring import CHANGE
from cera.modules.processor import Detection
from cera.pipeline import Program

_EVERY = 10_000
_AT_ONCE = 500

#: So many late events in a row are said to be a problem.
_LATE_EVENTS = 100


class Flow:
    """One run: what flows in and out is counted, and written where the options say.

    `base`: whether input events are written too, in their place in the order of time.
    """

    def __init__(
        self,
        program: Program,
        replay: Replay,
        out: Output,
        labels: Collection[str] | None,
        performer: Performer,
        *,
        base: bool = False,
    ) -> None:
        self.replay = replay
        self.labels = labels
        self.read: Counter[str] = Counter()
        self.derived: Counter[str] = Counter()
        self.changes: Counter[tuple[Value | None, Value | None]] = Counter()
        self.written = self.late = self.repeated = self.rejected = self.after_until = 0
        self.shown: list[Rejected] = []
        self.observed = observed_attributes(program)
        self._program = program
        self._out = out
        self._performer = performer
        self._changes = bool(monitored_changes(program))
        #: The input events that are still to be written, a heap by their ends; None if they are not.
        self._base: list[tuple[Time, int, Event]] | None = [] if base else None
        #: Makes the lines of answers of which nothing else is needed.
        self._lines = None if base or performer.rules else AnswerLines(replay.times)
        self._files = ExitStack()
        check_side_files(replay, program)
        self._late = self._files.enter_context(LineWriter(replay.late)) if replay.late else None
        self._rejected = self._files.enter_context(LineWriter(replay.rejected)) if replay.rejected else None
        self._driver: Driver
        self._lateness = Lateness(_LATE_EVENTS)
        self._in_time = 0

    @property
    def counts(self) -> Counts:
        records = self.read.total() - self.late + self.repeated
        return Counts(self.read, records, self.repeated, self.after_until, self.late, self.rejected, self.changes)

    @property
    def undefined(self) -> int:
        return self._driver.counts.undefined

    @property
    def left_out(self) -> int:
        return self._driver.counts.left_out

    @property
    def live(self) -> int:
        return self._driver.counts.in_state

    def run(self) -> None:
        """Reads all events, writes all answers."""
        failed: DataError | None = None
        with self._files, progress("reading events") as tell:
            try:
                self._run(tell)
            except DataError as error:
                failed = error  # raised when what was rejected is in its file
        if failed is not None:
            raise failed

    def _run(self, tell: Callable[[str], None]) -> None:
        replay = self.replay
        if replay.max_delay is not None:
            if replay.max_duration is None and replay.layout.is_points:
                self.replay = replace(replay, max_duration=0)
            self._drive(self._arrivals(), self.replay.max_duration, replay.max_delay, tell)
            return
        with OrderedEvents(replay.sources, replay.layout, tell=tell) as recording:
            if replay.strict:
                self._check(recording)
            longest = recording.longest
            if replay.max_duration is not None:
                longest = min(longest, replay.max_duration)
            self._drive(self._accepted(recording), longest, 0, tell)

    def _check(self, recording: OrderedEvents) -> None:
        """Ends a --strict run with a malformed record before anything is answered, written or done."""
        for _ in self._accepted(recording.unsorted()):
            pass
        self._report_rejected()
        self.read.clear()
        self.changes.clear()

    def _drive(
        self, events: Iterator[Occurrence], max_duration: int | None, max_delay: int, tell: Callable[[str], None]
    ) -> None:
        processor = self._program.processor(max_duration=max_duration, tick_limit=self.replay.tick_limit)
        self._driver = driver = Driver(processor, max_delay, self._take_late, self._take_repeated)
        until = self.replay.until
        flowing = events if until is None else self._ended_by(until, events)
        number = 0
        # a recording is taken in pieces; of what comes as it happens, every event is answered at once
        size = 1 if self.replay.max_delay is not None or self._base is not None else _AT_ONCE
        while piece := list(itertools.islice(flowing, size)):
            late = self.late
            found = driver.push(piece)
            if self._base is not None and self.late == late:
                self._keep_base(piece[0], number)
            if found:
                self._write(found)
            number += len(piece)
            if number % _EVERY < size:
                tell(f"{number:,} events read, {self.written:,} written, {self.live:,} tuples in state")
                if driver.closed_to is not None:
                    self._write_base(driver.closed_to)
        self._report_rejected()
        self._write(driver.close() if until is None else driver.advance_to(until))
        self._write_base(None)
        self._out.finish()

    def _report_rejected(self) -> None:
        if self._rejected is None:
            show_rejected(self.shown, self.rejected, report.fail if self.replay.strict else report.warn)
        if self.rejected and self.replay.strict:
            raise DataError(f"{report.count(self.rejected, 'malformed record')}, and --strict allows none")

    def _ended_by(self, until: Time, events: Iterator[Occurrence]) -> Iterator[Occurrence]:
        """The events up to --until; those behind it make others late all the same, as without the option."""
        delay = self.replay.max_delay
        later: dict[Event, None] = {}  # those behind it with the last end
        for event in events if delay is None else in_time(events, delay, self._take_late):
            if event.end <= until:
                yield event
                continue
            if later and next(iter(later)).end != event.end:
                later.clear()
            if event.event in later:
                self._take_repeated(event)
            else:
                later[event.event] = None
                self.after_until += 1

    def _arrivals(self) -> Iterator[Occurrence]:
        """The events in the order in which they come."""
        replay = self.replay
        found = [
            not_ahead(source.occurrences(replay.layout), max_ahead_of(replay.max_ahead, source, recorded=False))
            for source in replay.sources
        ]
        return self._accepted(itertools.chain.from_iterable(found))

    def _accepted(self, records: Iterable[Occurrence | Rejected]) -> Iterator[Occurrence]:
        for event in records:
            if isinstance(event, Rejected):
                self._reject(event)
            elif (reason := too_long(event, self.replay)) is not None:
                self._reject(reason)
            else:
                self.read[event.label] += 1
                if event.label in self.observed.missing:
                    self.observed.look(event)
                if self._changes and event.label == CHANGE:
                    self.changes[operation_and_table(event)] += 1
                yield event

    def _write(self, derived: Sequence[Detection]) -> None:
        """Writes the answers of some steps in the order of output, and does what their rules want done."""
        for end, together in itertools.groupby(derived, key=attrgetter("end")):
            answers = list(together)
            if not self._write_lines(answers):
                self._write_results(end, answers)

    def _write_lines(self, answers: Sequence[Detection]) -> bool:
        """Writes the answers of one time if nothing but their lines is needed. Returns whether it did."""
        if self._lines is None or not isinstance(self._out, Lines):
            return False
        lines: list[AnswerLine] = []
        for one in answers:
            line = self._lines.line(one)
            if line is None:
                return False
            lines.append(line)
        if len(lines) > 1:
            lines.sort(key=attrgetter("order"))
        for line in lines:
            self.derived[line.label] += 1
            if self.labels is None or line.label in self.labels:
                self.written += 1
                self._out.write_line(line.text)
        return True

    def _write_results(self, end: Time, answers: Sequence[Detection]) -> None:
        self._write_base(end - 1)
        items: list[Event | DerivedEvent] = []
        results = sorted((one.result() for one in answers), key=_output_key)
        for one in results:
            self._performer.perform([one])
            self.derived[one.event.label] += 1
            if self.labels is None or one.event.label in self.labels:
                items.append(one)
        if self._base:
            known = {one.event for one in results}
            items += (event for event in self._base_until(end) if event not in known)
            items.sort(key=_output_key)
        for item in items:
            self.written += 1
            self._out.write(item)

    def _keep_base(self, event: Occurrence, number: int) -> None:
        if self._base is not None and (self.labels is None or event.label in self.labels):
            heapq.heappush(self._base, (event.end, number, event.event))

    def _write_base(self, end: Time | None) -> None:
        """Writes the input events up to a time of which all is known, or all of them."""
        if self._base:
            for event in sorted(self._base_until(end), key=_output_key):
                self.written += 1
                self._out.write(event)

    def _base_until(self, end: Time | None) -> Iterable[Event]:
        """Takes the input events up to a time out of those that are kept; equal ones are one."""
        found: dict[Event, None] = {}
        while self._base and (end is None or self._base[0][0] <= end):
            found[heapq.heappop(self._base)[2]] = None
        return found

    def _take_late(self, event: Occurrence) -> None:
        self.late += 1
        between = self._driver.arrived - self._in_time
        self._in_time = self._driver.arrived
        if self._lateness.take(between + 1, 1):
            time = self._driver.closed_to
            said = "no time" if time is None else self.replay.times.format(time)
            remedy = "--max-ahead '1 day' rejects such events"
            warn_of_lateness(self._lateness.late, self._lateness.events, said, remedy)
        if self._late is not None:
            self._late.write(json.dumps(base_line(event.event, self.replay.times), ensure_ascii=False))

    def _take_repeated(self, event: Occurrence) -> None:
        self.repeated += 1
        self.read[event.label] -= 1

    def _reject(self, record: Rejected) -> None:
        self.rejected += 1
        if self._rejected is not None:
            self._rejected.write(rejected_line(record))
        elif len(self.shown) < REJECTED_SHOWN:
            self.shown.append(record)


def _output_key(item: Event | DerivedEvent) -> tuple[Any, ...]:
    return item.event.output_key if isinstance(item, DerivedEvent) else item.output_key
