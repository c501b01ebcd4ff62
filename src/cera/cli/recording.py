"""Reading recorded events for a command: the events, what was not one, and how many of each."""

from __future__ import annotations

import itertools
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from cera.cli import report
from cera.cli.ahead import max_ahead_of
from cera.cli.changes import Changes, changes_of, monitored_changes
from cera.cli.options import Replay
from cera.cli.writing import check_not_read, lines, write_file
from cera.connectors.event_lines import base_line
from cera.connectors.files import EventFile, Layout, Rejected, formats
from cera.connectors.formats import csv_files
from cera.connectors.formats.compression import open_events
from cera.connectors.records.acceptance import accepted, in_time, lasts_longer
from cera.connectors.records.ahead import not_ahead
from cera.connectors.records.csv_dialect import described
from cera.connectors.sink import check_writable
from cera.connectors.source import Source
from cera.errors import CeraWarning, DataError, UsageError
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.pipeline import Program
from cera.wording import on_command_line

#: How many malformed records are shown where no file was named for them.
REJECTED_SHOWN = 3
TEXT_SHOWN = 100

_EVERY = 1_000


@dataclass(frozen=True)
class Counts:
    """What a run read: events by label, and how many were equal, after --until, late or malformed.

    Changes of tables are counted where a module monitors some.
    """

    labels: Mapping[str, int]
    records: int
    repeated: int = 0
    after_until: int = 0
    late: int = 0
    rejected: int = 0
    changes: Changes = field(default_factory=dict)


@dataclass(frozen=True)
class Recording:
    """The different events of the input, the number of records they came from, and the malformed records."""

    events: tuple[Event, ...]
    records: int
    rejected: tuple[Rejected, ...]
    late: int = 0

    def counts(self, program: Program, until: Time | None) -> Counts:
        return Counts(
            labels=Counter(event.label for event in self.events),
            records=self.records,
            repeated=self.records - len(self.events),
            after_until=0 if until is None else sum(event.end > until for event in self.events),
            late=self.late,
            rejected=len(self.rejected),
            changes=changes_of(self.events) if monitored_changes(program) else {},
        )


def answer(program: Program, replay: Replay) -> tuple[Recording, Answer]:
    """Shows the program's warnings, reads the events and answers the program over them."""
    program.checked()
    report.show_diagnostics(program.diagnostics)
    check_side_files(replay, program)
    with progress("reading events") as tell:
        recording = _read(replay, lambda records: tell(f"{records:,} events read"))
    dispose_of(recording.rejected, replay)
    with progress(f"answering over {report.count(len(recording.events), 'event')}"), warnings.catch_warnings():
        warnings.simplefilter("ignore", CeraWarning)  # the summary reports what no event has
        answered = program.run(
            recording.events,
            engine=replay.engine,
            until=replay.until,
            max_duration=replay.max_duration,
            recursion_limit=replay.recursion_limit,
            tick_limit=replay.tick_limit,
        )
    return recording, answered


def check_side_files(replay: Replay, program: Program) -> None:
    """Raises UsageError where malformed or late records cannot be written to the files named for them."""
    for option, path in (("--rejected", replay.rejected), ("--late", replay.late)):
        if path is not None:
            check_writable(option, path)
            check_not_read(option, path, replay.sources, (source.name for source in program.sources))


def tell_formats(replay: Replay) -> None:
    """Reports the formats of a folder that has several, and what was found out about CSV files."""
    for source in replay.sources:
        with suppress(UsageError):  # a source that cannot be read is reported when it is read
            files = source.files(replay.layout, parquet=True)
            found = formats(files)
            if len(found) > 1:
                listed = ", ".join(report.count(number, f"{name} file") for name, number in found.items())
                shown = report.printable(source.text)
                report.say(f"{shown} has several formats, each file read by its ending: {listed}")
            _report_dialects(files, replay.layout)


def _report_dialects(files: Iterable[EventFile | Rejected], layout: Layout) -> None:
    """Reports separators and decimal signs that were found in CSV files and not given, once each."""
    dialects: dict[str, list[str]] = {}
    for file in files:
        if isinstance(file, EventFile) and file.format == "csv":
            with suppress(OSError), open_events(file.path) as stream:
                if (found := described(csv_files.dialect_of(stream, layout), layout.csv)) is not None:
                    dialects.setdefault(found, []).append(file.shown)
    for found, names in dialects.items():
        report.say(report.printable(f"{report.listed(names, 3)}: read with {found} (--csv says otherwise)"))


def _read(replay: Replay, tell: Callable[[int], object]) -> Recording:
    rejected: list[Rejected] = []
    events: dict[Event, None] = {}
    records = 0
    # all sources are opened before the first is read: a wrong one is told at once
    found = itertools.chain.from_iterable([_arriving(source, replay) for source in replay.sources])
    late: list[Event] = []
    kept = _lasting(accepted(found, rejected.append), replay, rejected)
    for event in kept if replay.max_delay is None else in_time(kept, replay.max_delay, late.append):
        events[event] = None
        records += 1
        if records % _EVERY == 0:
            tell(records)
    if replay.late is not None:
        write_file(replay.late, lines(json.dumps(base_line(e, replay.times), ensure_ascii=False) for e in late))
    return Recording(tuple(events), records, tuple(rejected), len(late))


def _arriving(source: Source, replay: Replay) -> Iterator[Event | Rejected]:
    ahead = max_ahead_of(replay.max_ahead, source, recorded=replay.max_delay is None)
    return not_ahead(source.events(replay.layout), ahead)


def _lasting(events: Iterable[Event], replay: Replay, rejected: list[Rejected]) -> Iterator[Event]:
    """The events that keep the promise of --max-duration."""
    for event in events:
        broken = too_long(event, replay)
        if broken is None:
            yield event
        else:
            rejected.append(broken)


def too_long(happened: Event | Occurrence, replay: Replay) -> Rejected | None:
    """The rejection of an event that lasts longer than --max-duration."""
    if replay.max_duration is None or happened.end - happened.begin <= replay.max_duration:
        return None
    event = happened if isinstance(happened, Event) else happened.event
    text = json.dumps(base_line(event, replay.times), ensure_ascii=False)
    return Rejected(f"event {event.id}", lasts_longer(replay.max_duration), text)


def dispose_of(rejected: Sequence[Rejected], replay: Replay) -> None:
    """Malformed records go to their file, or the first few are shown; with --strict they end the run."""
    if replay.rejected is not None:
        write_file(replay.rejected, lines(rejected_line(record) for record in rejected))
    else:
        show_rejected(rejected[:REJECTED_SHOWN], len(rejected), report.fail if replay.strict else report.warn)
    if rejected and replay.strict:
        raise DataError(f"{report.count(len(rejected), 'malformed record')}, and --strict allows none")


def rejected_line(record: Rejected) -> str:
    reason = on_command_line(record.reason)
    return json.dumps({"place": record.place, "reason": reason, "text": record.text}, ensure_ascii=False)


def show_rejected(shown: Sequence[Rejected], number: int, tell: Callable[[str], object]) -> None:
    """The first malformed records, and how many more there are."""
    for record in shown:
        tell(report.printable(f"{record.place}: {record.reason}"))
        if record.text:
            report.say(f"  {report.printable(_shortened(record.text))}")
    more = number - len(shown)
    if more > 0:
        report.say(f"  … and {more:,} more; --rejected PATH writes all of them to a file")


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…"


@contextmanager
def progress(activity: str) -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is going on; nothing where standard error is not a terminal."""
    if report.is_quiet() or not sys.stderr.isatty():
        yield lambda description: None
        return
    from rich.console import Console  # takes a while to import
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(activity, total=None)
        yield lambda description: progress.update(task, description=description)
