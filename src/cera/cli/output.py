"""Where the events that a run writes go: JSON lines or tables, in a file or on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable

from cera.cli.tables import drawn_table
from cera.connectors.event_lines import base_line, event_line
from cera.connectors.line_writer import LineWriter
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.time_text import TimeFormat

#: So many events make a table; where there are more, another one follows.
TABLE_ROWS = 10_000


class Lines:
    """Events as JSON lines. `before` is called before each of them."""

    def __init__(self, writer: LineWriter, times: TimeFormat, before: Callable[[], object] | None = None) -> None:
        self._writer = writer
        self._times = times
        self._before = before

    def write(self, item: Event | DerivedEvent) -> None:
        self.write_line(output_line(item, self._times))

    def write_line(self, line: str) -> None:
        """Writes an event whose line is made."""
        if self._before is not None:
            self._before()
        self._writer.write(line)

    def finish(self) -> None:
        """Nothing is held back."""


class Tables:
    """Events as tables of at most TABLE_ROWS rows."""

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
