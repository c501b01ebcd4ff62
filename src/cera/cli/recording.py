"""A run at a terminal: its output as JSON lines or tables, formats, progress, malformed records, actions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from cera.cli import report
from cera.cli.actions import Performer
from cera.cli.ahead import warn_of_lateness
from cera.cli.tables import drawn_table
from cera.connectors.event_lines import base_line, event_line
from cera.connectors.files import EventFile, Layout, Rejected, formats
from cera.connectors.formats import csv_files
from cera.connectors.formats.compression import open_events
from cera.connectors.line_writer import LineWriter
from cera.connectors.records.csv_dialect import described
from cera.errors import UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.running.listener import Output
from cera.running.request import Request
from cera.wording import on_command_line

#: The most rows of a table; if there are more events, another table follows.
TABLE_ROWS = 10_000
#: How many characters of a rejected record are shown.
TEXT_SHOWN = 100


class Lines:
    """An output of events as JSON lines. `before` is called before each of them."""

    def __init__(self, writer: LineWriter, times: TimeFormat, before: Callable[[], object] | None = None) -> None:
        self._writer = writer
        self._times = times
        self._before = before

    def write(self, item: Event | DerivedEvent) -> None:
        self.write_line(output_line(item, self._times))

    def write_line(self, line: str) -> None:
        """Writes the line of an event."""
        if self._before is not None:
            self._before()
        self._writer.write(line)

    def write_lines(self, data: bytes | memoryview) -> None:
        """Writes the lines of several events, with their ends."""
        if self._before is not None:
            self._before()
        self._writer.write_bytes(data)

    def finish(self) -> None:
        """Does nothing: no line is held back."""


class Tables:
    """An output of events as tables of at most TABLE_ROWS rows."""

    def __init__(self, writer: LineWriter, times: TimeFormat) -> None:
        self._writer = writer
        self._times = times
        self._rows: list[Event | DerivedEvent] = []

    def write(self, item: Event | DerivedEvent) -> None:
        self._rows.append(item)
        if len(self._rows) == TABLE_ROWS:
            self.finish()

    def finish(self) -> None:
        """Writes the rows that are held back."""
        if self._rows:
            self._writer.write(drawn_table(self._rows, self._times).removesuffix("\n"))
            self._rows = []


def output_line(item: Event | DerivedEvent, times: TimeFormat) -> str:
    """Returns the JSON line of an input event or of a derived one."""
    record = base_line(item, times) if isinstance(item, Event) else event_line(item, times)
    return json.dumps(record, ensure_ascii=False)


class Terminal:
    """A listener that reports a run on standard error, and performs the actions of its rules, if there are any."""

    def __init__(self, request: Request, performer: Performer | None = None) -> None:
        self._request = request
        self._performer = performer

    @property
    def acting(self) -> frozenset[str]:
        return frozenset() if self._performer is None else self._performer.rules

    def words(self, text: str) -> str:
        return on_command_line(text)

    def perform(self, derived: Sequence[DerivedEvent]) -> None:
        if self._performer is not None:
            self._performer.perform(derived)

    def performed(self) -> None:
        if self._performer is not None:
            self._performer.end_line()

    def progress(self, activity: str) -> AbstractContextManager[Callable[[str], None]]:
        return progress(activity)

    def rejected(self, first: Sequence[Rejected], number: int) -> None:
        show_rejected(first, number, report.fail if self._request.strict else report.warn)

    def nearly_all_late(self, late: int, events: int, time: Time | None) -> None:
        reached = "no time" if time is None else self._request.times.format(time)
        warn_of_lateness(late, events, reached, "--max-ahead '1 day' rejects such events")

    @contextmanager
    def output(self, out: Path | None, *, table: bool) -> Iterator[Output]:
        """Opens a file or standard output for JSON lines, or for a table.

        What actions write on standard output comes before the events of a recording there, which wait for that.
        """
        waits = bool(self.acting) and self._request.max_delay is None
        with LineWriter(out, held=waits) as writer:
            if table:
                yield Tables(writer, self._request.times)
            else:
                shared = out is None and not waits and bool(self.acting)
                yield Lines(writer, self._request.times, self.performed if shared else None)


def report_formats(request: Request) -> None:
    """Reports the formats of a folder that has several, and the dialects that were found in CSV files."""
    for source in request.sources:
        with suppress(UsageError):  # a source that cannot be read is reported when it is read
            files = source.files(request.layout, parquet=True)
            found = formats(files)
            if len(found) > 1:
                listed = ", ".join(report.count(number, f"{name} file") for name, number in found.items())
                shown = report.printable(source.text)
                report.say(f"{shown} has several formats, each file read by its ending: {listed}")
            _report_dialects(files, request.layout)


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


def show_rejected(shown: Sequence[Rejected], number: int, show: Callable[[str], object]) -> None:
    """Shows the first malformed records, and how many more there are."""
    for record in shown:
        show(report.printable(f"{record.place}: {record.reason}"))
        if record.text:
            report.say(f"  {report.printable(_shortened(record.text))}")
    more = number - len(shown)
    if more > 0:
        report.say(f"  … and {more:,} more; --rejected PATH writes all of them to a file")


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…"


@contextmanager
def progress(activity: str) -> Iterator[Callable[[str], None]]:
    """Shows a line with the activity if standard error is a terminal; yields a function that changes its text."""
    if report.is_quiet() or not sys.stderr.isatty():
        yield lambda description: None
        return
    from rich.console import Console  # takes a while to import
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(activity, total=None)
        yield lambda description: progress.update(task, description=description)
