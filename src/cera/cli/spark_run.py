"""`cera run --engine spark`: recorded events as DataFrames, answers as they come out of Spark in the order of time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cera.cli import report
from cera.cli.actions import Performer
from cera.cli.attributes import observed_on_spark, show_missing_attributes
from cera.cli.options import Replay
from cera.cli.recording import Counts, check_side_files, dispose_of, progress
from cera.cli.summary import refuse, show_summary, show_unknown_labels
from cera.cli.tables import print_table
from cera.cli.writing import LineWriter
from cera.connectors.sink import Sink
from cera.engines.local.engine import plan_of
from cera.errors import UsageError
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Derivation, DerivedEvent, Event, Recipient
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat
from cera.pipeline import Program

if TYPE_CHECKING:
    from cera.engines.spark.recorded import Recorded


def run_on_spark(
    program: Program,
    replay: Replay,
    labels: Sequence[str],
    sink: Sink,
    performer: Performer,
    *,
    base: bool,
    table: bool,
) -> None:
    """Reads, answers, does what the rules want done, and writes; then says what was read and derived."""
    plan_of(program.checked(), "Spark")  # a recursive program is refused before Spark is started
    report.show_diagnostics(program.diagnostics)
    if replay.max_delay is not None:
        raise UsageError(
            "--max-delay is for events in the order in which they come, and Spark sorts a recording; "
            "use --engine local, or cera stream"
        )
    check_side_files(replay, program)
    recording = _started(program, replay)
    with progress("reading events") as tell, recording.telling("reading events", tell):
        rejected = recording.rejects()
        dispose_of(rejected, replay)
        labels_read, later, records = recording.labels()
        observed = observed_on_spark(program, recording)
    repeated = records - labels_read.total()
    counts = Counts(labels_read, records, repeated, after_until=later, rejected=len(rejected))
    if performer.rules:
        with progress("answering") as tell, recording.telling("answering", tell):
            found = recording.acted_on(performer.rules)
        performer.perform(found)
        performer.end_line()
    with progress("answering") as tell, recording.telling("answering", tell):
        out = sink.path
        if out is not None and sink.is_parquet:
            derived, written = recording.write_parquet(out, labels)
        elif out is not None and (file := _shared_file(out, replay.master)) is not None and not recording.small:
            derived, written = recording.write_lines(file, labels, replay.times, base=base)
        else:
            derived, written = _write(recording, replay.times, labels, out, base=base, table=table)
    show_unknown_labels(labels, program, counts, derived)
    tally = recording.tally
    unusable = show_summary(program, replay, counts, derived, tally.rows, written, of="row", left_out=tally.left_out)
    show_missing_attributes(program, observed, counts)
    performer.finish()
    refuse(unusable)


def _started(program: Program, replay: Replay) -> Recorded:
    try:
        from cera.engines.spark.recorded import recorded  # Spark is started only where it is used
    except ImportError as error:
        raise UsageError(f"the spark engine needs {error.name}: install cera[spark], or use --engine local") from error
    with progress("starting Spark") as tell:
        return recorded(
            program.layers,
            replay.sources,
            replay.layout,
            until=replay.until,
            max_duration=replay.max_duration,
            tick_limit=replay.tick_limit or TICK_LIMIT,
            timezone=program.timezone,
            master=replay.master,
            settings=replay.settings,
            tell=tell,
        )


def _shared_file(out: Path, master: str) -> Path | None:
    """The file itself, if the workers of Spark can write it: they run on this machine, and it is a file."""
    target = Path(os.path.realpath(out))
    return target if master.startswith("local") and (target.is_file() or not target.exists()) else None


def _write(
    recording: Recorded, times: TimeFormat, labels: Sequence[str], out: Path | None, *, base: bool, table: bool
) -> tuple[Counter[str], int]:
    """Writes lines as they come, or a table; counts the derived events by label, and all that were written."""
    from cera.engines.spark.line_files import Lines  # as Spark is imported, only where it is used

    derived: Counter[str] = Counter()
    written = 0
    shown: list[Event | DerivedEvent] = []
    lines = Lines(times)
    with LineWriter(out) as writer:
        for row in recording.rows(labels, base=base):
            _, _, _, label, term, _, rule, *_ = row
            if rule is not None:
                derived[label] += 1
            if term is None:
                continue
            written += 1
            if table:
                shown.append(_shown(row))
            else:
                writer.write(lines.line(row))
    if shown:
        print_table(shown, times)
    return derived, written


def _shown(row: tuple[Any, ...]) -> Event | DerivedEvent:
    end, begin, _, _, term, qualifier, rule, _, address, transport = row
    recipient = None if address is None else Recipient(address, transport)
    event = Event(
        term_from_json(loads(term)), Interval(begin, end), qualifier if recipient is None else recipient.qualifier
    )
    return event if rule is None else DerivedEvent(event, (Derivation(rule, {}),), recipient)
