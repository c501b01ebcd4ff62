"""`cera run --engine spark`: recorded events as DataFrames, answers as they come out of Spark in the order of time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cera.cli import report
from cera.cli.actions import Performer
from cera.cli.options import Replay
from cera.cli.recording import Counts, check_side_files, dispose_of, progress
from cera.cli.summary import refuse, show_summary, show_unknown_labels
from cera.cli.tables import print_table
from cera.cli.writing import LineWriter
from cera.connectors.sinks import base_line, derived_line
from cera.engines.local.engine import plan_of
from cera.errors import UsageError
from cera.model.events import Derivation, DerivedEvent, Event
from cera.model.tick_limits import TICK_LIMIT
from cera.model.time_text import TimeFormat
from cera.pipeline import Program

if TYPE_CHECKING:
    from cera.engines.spark.recorded import Found, Recorded


def run_on_spark(
    program: Program,
    replay: Replay,
    labels: Sequence[str],
    out: Path | None,
    performer: Performer,
    *,
    base: bool,
    table: bool,
) -> None:
    """Reads, answers, does what the rules want done, and writes; then says what was read and derived."""
    plan_of(program.checked())  # a recursive program is refused before Spark is started
    report.show_diagnostics(program.diagnostics)
    if replay.max_delay is not None:
        raise UsageError(
            "--max-delay is for events in the order in which they come, and Spark sorts a recording; "
            "use --engine local, or cera stream"
        )
    check_side_files(replay, program)
    recording = _started(program, replay)
    with progress("reading events"):
        rejected = recording.rejects()
        dispose_of(rejected, replay)
        labels_read, later = recording.labels()
    counts = Counts(labels_read, labels_read.total(), after_until=later, rejected=len(rejected))
    if performer.rules:
        with progress("answering"):
            found = recording.acted_on(performer.rules)
        performer.perform(found)
        performer.end_line()
    with progress("answering"):
        if out is not None and out.suffix == ".parquet":
            derived = recording.write_parquet(out, labels)
            written = derived.total()
        else:
            derived, written = _write(recording, replay.times, labels, out, base=base, table=table)
    show_unknown_labels(labels, program, counts, derived)
    tally = recording.tally
    unusable = show_summary(program, replay, counts, derived, tally.rows, written, of="row", left_out=tally.left_out)
    performer.finish()
    refuse(unusable)


def _started(program: Program, replay: Replay) -> Recorded:
    try:
        from cera.engines.spark.recorded import recorded  # Spark is started only where it is used
    except ImportError as error:
        raise UsageError(f"the spark engine needs {error.name}: install cera[spark], or use --engine local") from error
    with progress("starting Spark"):
        return recorded(
            program.layers,
            replay.paths,
            replay.layout,
            until=replay.until,
            max_duration=replay.max_duration,
            tick_limit=replay.tick_limit or TICK_LIMIT,
            timezone=program.timezone,
            master=replay.master,
            settings=replay.settings,
        )


def _write(
    recording: Recorded, times: TimeFormat, labels: Sequence[str], out: Path | None, *, base: bool, table: bool
) -> tuple[Counter[str], int]:
    """Writes lines as they come, or a table; counts the derived events by label, and all that were written."""
    derived: Counter[str] = Counter()
    written = 0
    shown: list[Event | DerivedEvent] = []
    with LineWriter(out) as writer:
        for found in recording.in_order(labels, base=base):
            written += 1
            if found.rule is not None:
                derived[found.event.label] += 1
            if table:
                shown.append(_shown(found))
            else:
                writer.write(_line(found, times))
    if shown:
        print_table(shown, times)
    return derived, written


def _line(found: Found, times: TimeFormat) -> str:
    if found.rule is None:
        return json.dumps(base_line(found.event, times), ensure_ascii=False)
    line = derived_line(found.event, found.rule, found.causes, found.recipient, times)
    return json.dumps(line, ensure_ascii=False)


def _shown(found: Found) -> Event | DerivedEvent:
    if found.rule is None:
        return found.event
    return DerivedEvent(found.event, (Derivation(found.rule, {}),), found.recipient)
