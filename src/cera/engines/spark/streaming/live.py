"""Runs a streaming query from sources to sinks, and reports after each micro-batch."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from cera.connectors.records.ahead import Lateness
from cera.connectors.records.layout import Rejected
from cera.connectors.sink import BatchFolder, Sink
from cera.engines.spark.division.operators import BUCKETS, Operator
from cera.engines.spark.reading.kept_relations import keep_rows
from cera.engines.spark.session.failures import FAILURES, reason
from cera.engines.spark.session.session import end, session
from cera.engines.spark.streaming import progress
from cera.engines.spark.streaming.checkpoint import Checkpoint
from cera.engines.spark.streaming.messages.action_requests import events_of
from cera.engines.spark.streaming.messages.messages import unpack_results
from cera.engines.spark.streaming.messages.stage_results import ResultsByKind, VersionReport, by_kind
from cera.engines.spark.streaming.patience import patiently
from cera.engines.spark.streaming.results import batch_files
from cera.engines.spark.streaming.results.batch_files import BatchFiles
from cera.engines.spark.streaming.sources.file_names import utf_8_names
from cera.engines.spark.streaming.sources.file_source import file_messages
from cera.engines.spark.streaming.sources.intake import Intake, intake_of
from cera.engines.spark.streaming.sources.relation_versions import version_messages
from cera.engines.spark.streaming.sources.watermark import EVENT_TIME, with_watermark, without_event_time
from cera.engines.spark.streaming.state.shell import results
from cera.engines.spark.streaming.stream_totals import StreamTotals, Totals
from cera.errors import CeraError, EngineError, UsageError
from cera.model.events.event import DerivedEvent
from cera.model.events.states import is_chosen, is_early_answer, is_opening, names_end, state_label
from cera.running.streams.listener import StreamListener
from cera.running.streams.request import StreamRequest, StreamSource
from cera.running.streams.running_stream import Act
from cera.running.streams.versions import RelationVersions
from cera.wording import Setting

_POLL = 1
_LOCK_SECONDS = 60

#: After so many late events in a row, with hardly any others, a problem is reported.
_LATE_EVENTS = 10

#: The source of a checkpoint that announces versions of relations.
_VERSIONS = "relations that are read again"


def _nothing(events: Sequence[DerivedEvent]) -> None:
    """Does nothing: the stream of a program whose rules want nothing done."""


class LiveStream:
    """One run of a program over a stream."""

    def __init__(
        self,
        operators: Sequence[Operator],
        options: StreamRequest,
        tell: StreamListener,
        relations: RelationVersions | None = None,
    ) -> None:
        self._operators = operators
        self._relations = relations
        self._announcements = None if relations is None else relations.announcements
        self._versions_reported: set[VersionReport] = set()
        self._options = options
        self._tell = tell
        self.checkpoint = Checkpoint(options.checkpoint)
        self.counters = progress.Counters()
        derived = (label for operator in operators for label in operator.derives)
        self._derives_states = any(label is not None and state_label(label) is not None for label in derived)
        self._act: Act = _nothing
        self._failure: CeraError | None = None
        #: Why the results of a micro-batch could not be collected.
        self._cause: PySparkException | Py4JError | None = None
        self._interrupted = threading.Event()
        names = tuple(source.checkpoint_name for source in options.sources)
        names += () if self._announcements is None else (_VERSIONS,)
        self._manifest = self.checkpoint.open(
            operators, names, restart_changed=options.restart_changed, unit=options.layout.times.unit
        )
        self._totals = StreamTotals(self.checkpoint.labels) if options.counts_by_rule else None
        if self._totals is not None:
            self.counters.totals = self._totals.sums
        self._stall = progress.Stall(options.sources)
        self._lateness = Lateness(_LATE_EVENTS)
        sinks: dict[Setting, Sink] = {Setting.SINK: options.sink}
        folders = ((Setting.LATE, options.late), (Setting.REJECTED, options.rejected))
        sinks |= {each: BatchFolder(folder) for each, folder in folders if folder is not None}
        for each, sink in sinks.items():
            sink.check(str(each))
        run = self._manifest.run
        self._files = {each: BatchFiles(each, sink.path, run) for each, sink in sinks.items() if sink.path is not None}

    @property
    def ledger(self) -> Path:
        return self.checkpoint.actions

    def run(self, act: Act = _nothing) -> None:
        """Runs until the source ends (standard input, or all that was there) or the process is stopped."""
        self._act = act
        options = self._options
        intakes = [self._intake(number, source) for number, source in enumerate(options.sources)]
        for intake in intakes:
            intake.open()
        shared = SparkSession.getActiveSession() is not None
        spark = self._session()
        for intake in sorted(intakes, key=lambda intake: not intake.is_spool):
            self._tell_rejected(intake.prepare())
        if self._relations is not None:
            self._relations.open(partial(keep_rows, spark))
        before = self._take_interrupts()
        try:
            if self._relations is not None and not options.once:
                self._relations.follow()
            for intake in intakes:
                intake.copy() if options.once else intake.follow()
            for intake in intakes if options.once else ():
                while not intake.is_copied(_POLL):
                    self._heed_interrupts()
            run = partial(self._run_query, spark, intakes)
            patiently(run, self._tell.resumed, lambda: self.counters.batches)
        except FAILURES as error:
            log = self.checkpoint.log
            raise self._failure or EngineError(f"the stream failed: {reason(error)}; Spark's log is {log}") from error
        finally:
            if self._relations is not None:
                self._relations.stop()
                self.counters.unread = self._relations.unread
            for intake in intakes:
                intake.stop()
            if before is not None:
                signal.signal(signal.SIGINT, before)
            if not shared:
                end(spark)

    def _take_interrupts(self) -> Any:
        """Lets the first Ctrl-C end the stream between two calls of Spark, and the second one at once."""
        if threading.current_thread() is not threading.main_thread():
            return None

        def interrupted(number: int, frame: object) -> None:
            if self._interrupted.is_set():
                raise KeyboardInterrupt
            self._interrupted.set()

        return signal.signal(signal.SIGINT, interrupted)

    def _heed_interrupts(self) -> None:
        if self._interrupted.is_set():
            raise KeyboardInterrupt

    def _run_query(self, spark: SparkSession, intakes: Sequence[Intake]) -> None:
        query = self._query(spark, intakes)
        self._cause = None
        try:
            self._wait(query, intakes)
        except PySparkException as error:
            raise self._why(error) from error
        finally:
            if query.isActive:
                query.stop()
        self._report(query)

    def _intake(self, number: int, source: StreamSource) -> Intake:
        return intake_of(
            source.source,
            self._options.layout,
            spool=self.checkpoint.spool,
            changes=self.checkpoint.changes(number),
            away=partial(self._tell.away, source.shown),
        )

    def _tell_rejected(self, found: Iterable[Rejected]) -> None:
        self._tell.rejected(list(found))

    def _session(self) -> SparkSession:
        options = self._options
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        cores = os.cpu_count() or 1
        settings = {
            "spark.sql.shuffle.partitions": str(min(cores if options.master.startswith("local") else BUCKETS, BUCKETS)),
            "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
            "spark.broadcast.UDFCompressionThreshold": "1g",  # stateful operators do not find broadcast code
            **options.settings,
        }
        with _standard_error_to(self.checkpoint.log), utf_8_names():
            return session(options.master, settings)

    def _query(self, spark: SparkSession, intakes: Sequence[Intake]) -> StreamingQuery:
        options = self._options
        parts = [self._messages(spark, number, intake) for number, intake in enumerate(intakes)]
        if self._announcements is not None:  # after the events, by whose order Spark knows its sources
            parts.append(version_messages(spark, self._announcements, self._operators))
        flow = results(reduce(DataFrame.unionByName, parts), self._operators, distinct=False)
        writer = flow.writeStream.foreachBatch(self._take).option(
            "checkpointLocation", str(self.checkpoint.spark.resolve())
        )
        if options.once:
            writer = writer.trigger(availableNow=True)
        elif options.trigger is not None:
            writer = writer.trigger(processingTime=f"{max(1, options.trigger // 1000)} milliseconds")
        return writer.start()

    def _messages(self, spark: SparkSession, number: int, intake: Intake) -> DataFrame:
        options = self._options
        messages = file_messages(
            spark,
            str(intake.folder.resolve()),
            intake.read,
            self._operators,
            max_duration=options.max_duration,
            max_ahead=options.sources[number].max_ahead,
            files_a_batch=options.files_a_batch,
            is_spool=intake.is_spool,
        )
        counted = messages.observe(
            f"source {number}",
            F.sum("events").alias("events"),
            F.max(F.unix_micros(EVENT_TIME)).alias("latest"),
        )
        return without_event_time(with_watermark(counted, options.max_delay))

    def _take(self, frame: DataFrame, batch: int) -> None:
        """Takes the results of a micro-batch; called again for the same batch if the process was killed in between."""
        payloads = [row["payload"] for row in self._collected(frame)]
        found = by_kind(result for payload in payloads for result in unpack_results(payload))
        try:
            derived = self._write(batch, found)
            self._act(events_of(found.actions))
        except CeraError as error:
            self._failure = error
            raise
        for version in found.versions:
            if version not in self._versions_reported:
                self._versions_reported.add(version)
                self._tell.version(version.relation, version.number, version.since)
        ends = sum(names_end(one.event.label, one.event.qualifier) for one in found.late)
        self.counters.take(batch, derived, len(found.late), len(found.rejected), found.states, ends)
        self.counters.late_labels.update(one.event.label for one in found.late)

    def _why(self, error: PySparkException) -> PySparkException | Py4JError:
        return error if self._cause is None else self._cause

    def _collected(self, frame: DataFrame) -> list[Row]:
        """Returns the rows of a micro-batch. An error is kept, because the one that ends the query does not say why."""
        try:
            return frame.select("payload").collect()
        except (PySparkException, Py4JError) as error:
            self._cause = error
            raise

    def _write(self, batch: int, found: ResultsByKind) -> int:
        options, times = self._options, self._options.layout.times
        every = batch_files.in_order(found.derived)
        if not options.changes:
            every = [one._replace(completes=None) for one in every if not is_early_answer(one.label)]
        derived = [one for one in every if options.changes or not is_opening(one.label)]
        wanted = [one for one in derived if is_chosen(one.label, options.labels)]
        sink = self._files.get(Setting.SINK)
        if sink is None:
            self._tell.lines([batch_files.derived_line(one, times) for one in wanted])
        elif options.sink.is_parquet:
            sink.write_table(batch, wanted, states=self._derives_states)
        else:
            sink.write_lines(batch, [batch_files.derived_line(one, times) for one in wanted])
        late = [batch_files.late_line(one, times) for one in found.late]
        if Setting.LATE in self._files:
            self._files[Setting.LATE].write_lines(batch, sorted(late))
        rejected = [batch_files.rejected_line(one, self._tell.words) for one in found.rejected]
        if Setting.REJECTED in self._files:
            self._files[Setting.REJECTED].write_lines(batch, sorted(rejected))
        elif rejected:
            self._tell.rejected([Rejected(one.place, one.reason, one.text) for one in found.rejected])
        if self._totals is not None:
            by_rule = [one for one in every if one.label in options.counts_by_rule]
            lines = ((one.rule, batch_files.derived_line(one, times)) for one in by_rule)
            self._totals.take(batch, Totals.of((one.label for one in every if not is_early_answer(one.label)), lines))
            self.counters.totals, self.counters.totals_now = self._totals.sums, self._totals.now
        return len(derived)

    def _wait(self, query: StreamingQuery, intakes: Sequence[Intake]) -> None:
        while not query.awaitTermination(_POLL):
            self._heed_interrupts()
            for intake in intakes:
                intake.check()
            self._report(query)
            source = self._stall.held_back_by(busy=_is_busy(query))
            if source is not None and not self.counters.batches:
                self._tell.quiet([source.shown for source in self._options.sources])
            elif source is not None:
                self._tell.stalled(source.shown, self._stall.watermark, self.counters.live)
            if not self._options.once and any(intake.has_ended() for intake in intakes):
                query.processAllAvailable()
                return
        if (error := query.exception()) is not None:
            raise error

    def _report(self, query: StreamingQuery) -> None:
        for found in query.recentProgress:
            data: Mapping[str, Any] = found
            watermark = progress.microseconds((data.get("eventTime") or {}).get("watermark"))
            events, latest = progress.observed(data, self._options.sources)
            seconds = data["durationMs"].get("triggerExecution", 0) / 1000
            report = self.counters.report(data["batchId"], events, watermark, seconds)
            if report is not None:
                self._stall.take(watermark, latest)
                self._tell.batch(report)
                if report.late and self._lateness.take(report.events, report.late):
                    self._tell.late(self._lateness.late, self._lateness.events, watermark)


def _is_busy(query: StreamingQuery) -> bool:
    """Returns whether a micro-batch is running, or the query has not come so far yet."""
    status = query.status
    return bool(status["isTriggerActive"]) or str(status["message"]).startswith("Initializing")


@contextmanager
def _standard_error_to(log: Path) -> Iterator[None]:
    """Redirects the standard error of processes started meanwhile into a file, above all that of Java.

    The file is locked by all that have it open: the processes of a stream that was killed may need a moment to end, and
    two streams on one checkpoint would spoil it.
    """
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    saved = os.dup(2)
    try:
        _lock(target, log.parent)
        os.dup2(target, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(target)


def _lock(file: int, checkpoint: Path) -> None:
    for _ in range(_LOCK_SECONDS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(1)
    raise UsageError(
        f"another stream is running on the checkpoint {checkpoint}; stop it, or give another {Setting.CHECKPOINT}"
    )
