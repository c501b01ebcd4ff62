"""`cera run --engine local`: events flow through, and with --max-delay only what the engine must remember is kept.

Malformed and late records, and answers, are written as they come; a file appears under its name when the run is done.
Without --max-delay the events are sorted first, so nothing is answered before all are read.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack

from cera.cli import report
from cera.cli.actions import Performer
from cera.cli.changes import monitored_changes
from cera.cli.options import Replay
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
from cera.connectors.acceptance import in_time
from cera.connectors.fast_jsonl import read_occurrences
from cera.connectors.files import Rejected
from cera.connectors.sinks import base_line, event_line
from cera.datalog.modules import CHANGE
from cera.engines.local.host import Found, Host
from cera.engines.stagewise.arrivals import operation_and_table
from cera.errors import DataError
from cera.model.interval import Time
from cera.model.occurrence import Occurrence
from cera.model.terms import Value
from cera.pipeline import Program

_EVERY = 10_000


class Flow:
    """One run: what flows in and out is counted, and written where the options say."""

    def __init__(
        self,
        program: Program,
        replay: Replay,
        out: LineWriter,
        labels: Collection[str] | None,
        performer: Performer,
    ) -> None:
        self.replay = replay
        self.labels = labels
        self.read: Counter[str] = Counter()
        self.derived: Counter[str] = Counter()
        self.changes: Counter[tuple[Value | None, Value | None]] = Counter()
        self.written = self.late = self.repeated = self.rejected = self.after_until = 0
        self.shown: list[Rejected] = []
        self._out = out
        self._performer = performer
        self._changes = bool(monitored_changes(program))
        self._files = ExitStack()
        check_side_files(replay, program)
        self._late = self._files.enter_context(LineWriter(replay.late)) if replay.late else None
        self._rejected = self._files.enter_context(LineWriter(replay.rejected)) if replay.rejected else None
        self._processor = program.processor(max_duration=replay.max_duration)
        self._host = Host(self._processor, replay.max_delay, self._take_late, self._take_repeated)

    @property
    def counts(self) -> Counts:
        records = self.read.total() - self.late + self.repeated
        return Counts(self.read, records, self.repeated, self.after_until, self.late, self.rejected, self.changes)

    @property
    def undefined(self) -> int:
        return self._processor.undefined

    @property
    def left_out(self) -> int:
        return self._processor.left_out(self._host.state)

    @property
    def live(self) -> int:
        live: int = self._host.state.live
        return live

    def run(self) -> None:
        """Reads all events, writes all answers."""
        with self._files, progress("answering") as tell:
            self._write(self._flow(tell))

    def _tell_rejected(self) -> None:
        if self._rejected is None:
            show_rejected(self.shown, self.rejected, report.fail if self.replay.strict else report.warn)
        if self.rejected and self.replay.strict:
            raise DataError(f"{report.count(self.rejected, 'malformed record')}, and --strict allows none")

    def _flow(self, tell: Callable[[str], None]) -> Iterator[Found]:
        until = self.replay.until
        for number, event in enumerate(self._events() if until is None else self._ended_by(until), 1):
            if number % _EVERY == 0:
                tell(f"{number:,} events read, {self.written:,} written, {self.live:,} tuples remembered")
            yield from self._host.push(event)
        self._tell_rejected()
        yield from self._host.close() if until is None else self._host.advance_to(until)

    def _ended_by(self, until: Time) -> Iterator[Occurrence]:
        """The events up to --until; those behind it make others late all the same, as without the option."""
        delay, events = self.replay.max_delay, self._events()
        for event in events if delay is None else in_time(events, delay, self._take_late):
            if event.end <= until:
                yield event
            else:
                self.after_until += 1

    def _events(self) -> Iterator[Occurrence]:
        found = [read_occurrences(path, self.replay.layout) for path in self.replay.paths]
        for event in itertools.chain.from_iterable(found):
            if isinstance(event, Rejected):
                self._reject(event)
            elif (reason := too_long(event, self.replay)) is not None:
                self._reject(reason)
            else:
                self.read[event.label] += 1
                if self._changes and event.label == CHANGE:
                    self.changes[operation_and_table(event)] += 1
                yield event

    def _write(self, derived: Iterable[Found]) -> None:
        """The answers of each time in the order of output."""
        for _, together in itertools.groupby(derived, key=lambda one: one.end):
            for one in sorted((one.result() for one in together), key=lambda result: result.event.output_key):
                self._performer.perform([one])
                self.derived[one.event.label] += 1
                if self.labels is None or one.event.label in self.labels:
                    self.written += 1
                    self._performer.end_line()
                    self._out.write(json.dumps(event_line(one, self.replay.times), ensure_ascii=False))

    def _take_late(self, event: Occurrence) -> None:
        self.late += 1
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
