"""A program over recorded events on Spark: DataFrames in, answers as they come out in the order of time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cera.connectors.line_writer import lines, write_file
from cera.connectors.records.acceptance import in_time
from cera.connectors.records.layout import Rejected
from cera.constraints.occasions import Seen
from cera.engines.reference.processor import AnsweredEvent
from cera.errors import DataError, UsageError
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Derivation, DerivedEvent, Event, Recipient
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import is_opening, names_end
from cera.model.message_text import count
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.time.interval import Interval, point
from cera.running.admission import REJECTED_SHOWN, Admission, rejected_line
from cera.running.derived_states import DerivedStates, counted_states, ended_states
from cera.running.flow import arrivals
from cera.running.listener import LineOutput, Listener, Output
from cera.running.open_states import OpenStates, awaited_states, open_derived
from cera.running.outcome import InputCounts, Outcome
from cera.running.request import Request
from cera.running.run import Run
from cera.wording import Setting

if TYPE_CHECKING:
    from cera.engines.spark.recorded import Recorded


def answer_in_memory(run: Run) -> Outcome:
    """Answers over events of this process, which go to Spark as rows; answers come back with all their derivations."""
    from cera.engines.spark import engine as spark

    request = run.request
    late_events = late_ends = repaired = 0

    def take_late(event: Occurrence) -> None:
        nonlocal late_events, late_ends
        late_events += 1
        late_ends += names_end(event.label, event.qualifier)
        if run.late is not None:
            run.late(event.event)

    def take_repaired() -> None:
        nonlocal repaired
        repaired += 1

    with ExitStack() as files:
        admission = Admission(run, files)
        events: Iterable[Occurrence] = admission.accepted(arrivals(request), request.max_duration)
        if request.max_delay is not None:
            events = in_time(events, request.max_delay, take_late, take_repaired)
        base = [event.event for event in events]
        admission.report()
    settings = run.settings(request.max_duration, run.located_relations)
    answer = spark.run(run.layers, base, settings)
    states = DerivedStates(changes=request.changes)
    shown = [one.result() for one in states.shown(map(AnsweredEvent, answer.derived))]
    shown += (one.result() for one in states.still_open())
    with run.output() as output:
        for one in shown:
            output.write(one)
        output.finish()
    derived, different = Counter(one.event.label for one in shown), set(base)
    ended = ended_states(derived)
    derived = counted_states(derived, changes=request.changes)
    counts = InputCounts(
        admission.read - Counter(event.label for event in base) + Counter(event.label for event in different),
        len(base),
        len(base) - len(different),
        sum(request.until is not None and event.end > request.until for event in different),
        late_events,
        admission.rejected,
        admission.changed,
        repaired,
        late_ends,
    )
    awaited = OpenStates(awaited_states(run.layers), request.until)
    for event in base:
        awaited.take(event)
    open_states = awaited.by_label() + open_derived(awaited_states(run.layers), derived, ended)
    left = answer.undefined, answer.left_out, admission.observed
    return Outcome(counts, derived, len(shown), *left, "row", open_states, ended)


def answer_recording(run: Run) -> Outcome:
    """Reads, answers, does what the rules want done, and writes."""
    request, listener, expectations = run.request, run.listener, run.expectations
    if request.max_delay is not None:
        raise UsageError(
            f"{Setting.MAX_DELAY} is for events in the order in which they come, and Spark sorts a recording; "
            f"use {Setting.ENGINE.of('local')}, or cera stream"
        )
    recording = _started(run)
    from cera.engines.spark.reading.observed import observe  # Spark is there now

    labels = request.labels or ()
    with listener.progress("reading events") as show, recording.telling("reading events", show):
        rejected = recording.rejects()
        _dispose_of(rejected, request, listener)
        labels_read, later, records = recording.labels()
        observed = expectations.observer()
        observe(recording.reading.tables, observed, expectations.attributes)
        in_time = expectations.observer() if request.counts_open and later.total() else None
        if in_time is not None:
            observe(recording.tables_in_time, in_time, expectations.attributes)
        open_states = recording.open_states(awaited_states(run.layers))
        extent = recording.extent() if request.counts_open else None
    repeated = records - labels_read.total()
    counts = InputCounts(labels_read, records, repeated, later.total(), rejected=len(rejected), later_labels=later)
    if listener.acting:
        with listener.progress("answering") as show, recording.telling(recording.activity, show):
            found = recording.acted_on(listener.acting)
        listener.perform(found)
        listener.performed()
    with listener.progress("answering") as show, recording.telling(recording.activity, show):
        out = run.sink.path
        if out is not None and run.sink.is_parquet:
            derived, written = recording.write_parquet(out, labels)
        elif out is not None and (file := _shared_file(out, request.master)) is not None and not recording.small:
            derived, written = recording.write_lines(file, labels, request.times, base=request.base)
        else:
            with run.output() as opened:
                derived, written = _write(recording, request, labels, opened)
    if run.occasions is not None:
        labels_seen = counts.used_labels | derived.keys()
        seen = Seen(labels_seen, (in_time or observed).missing, (in_time or observed).missing_values)
        search = run.occasions.search(seen, lambda: run.settings(request.max_duration))
        if not search.is_over():
            search.look_through(recording.events(search.labels))
    tally = recording.tally
    counted = counted_states(derived, changes=request.changes)
    left = tally.rows, tally.left_out, observed
    ended = ended_states(derived)
    open_states += open_derived(awaited_states(run.layers), counted, ended)
    pending = recording.pending(labels)
    return Outcome(
        counts, counted, written, *left, "row", open_states, ended, pending, observed_in_time=in_time, extent=extent
    )


def _started(run: Run) -> Recorded:
    request = run.request
    try:
        from cera.engines.spark.recorded import recorded  # Spark is started only where it is used
    except ImportError as error:
        remedy = f"install cera[spark], or use {Setting.ENGINE.of('local')}"
        raise UsageError(f"the spark engine needs {error.name}: {remedy}") from error
    relations = run.located_relations
    with run.listener.progress("starting Spark") as show:
        return recorded(
            run.layers,
            request.sources,
            request.layout,
            until=request.until,
            max_duration=request.max_duration,
            tick_limit=request.tick_limit or TICK_LIMIT,
            recursion_limit=request.recursion_limit,
            timezone=run.timezone,
            master=request.master,
            settings=request.settings,
            relations=relations,
            changes=request.changes,
            counts_open=request.counts_open,
            tell=show,
        )


def _dispose_of(rejected: Sequence[Rejected], request: Request, listener: Listener) -> None:
    """Writes malformed records to their file, or reports the first few; a strict run ends with them."""
    if request.rejected is not None:
        write_file(request.rejected, lines(rejected_line(record, listener.words) for record in rejected))
    else:
        listener.rejected(rejected[:REJECTED_SHOWN], len(rejected))
    if rejected and request.strict:
        raise DataError(f"{count(len(rejected), 'malformed record')}, and {Setting.STRICT} allows none")


def _shared_file(out: Path, master: str) -> Path | None:
    """Returns the file itself if the workers of Spark can write it: they run on this machine, and it is a file."""
    target = Path(os.path.realpath(out))
    return target if master.startswith("local") and (target.is_file() or not target.exists()) else None


def _write(recording: Recorded, request: Request, labels: Collection[str], output: Output) -> tuple[Counter[str], int]:
    """Writes answers as they come; counts the derived events by label, and all that were written."""
    from cera.engines.spark.line_files import Lines  # as Spark is imported, only where it is used

    derived: Counter[str] = Counter()
    written = 0
    made = Lines(request.times)
    by_line = output if isinstance(output, LineOutput) else None
    for row in recording.rows(labels, base=request.base):
        _, _, _, label, term, _, rule, *_ = row
        if rule is not None:
            derived[label] += 1
        if term is None:
            continue
        written += 1
        if by_line is not None:
            by_line.write_line(made.line(row))
        else:
            output.write(_shown(row))
    output.finish()
    return derived, written


def _shown(row: tuple[Any, ...]) -> Event | DerivedEvent:
    end, begin, _, label, term, qualifier, rule, _, address, transport = row
    recipient = None if address is None else Recipient(address, transport)
    interval = point(begin) if is_opening(label) else Interval(begin, end)
    event = Event(term_from_json(loads(term)), interval, qualifier if recipient is None else recipient.qualifier)
    return event if rule is None else DerivedEvent(event, (Derivation(rule, {}),), recipient)
