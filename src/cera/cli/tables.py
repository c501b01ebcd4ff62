"""Derived events as a table, for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cera.cli.report import printable
from cera.connectors.line_writer import write_output
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import early_answer_of, state_of
from cera.model.time.time_text import TimeFormat

if TYPE_CHECKING:  # rich takes a while to import, and most runs draw nothing
    from rich.table import Table


def on_terminal() -> bool:
    """Returns whether standard output is a terminal."""
    return sys.stdout.isatty()


def print_table(events: Iterable[Event | DerivedEvent], times: TimeFormat) -> None:
    write_output(drawn_table(events, times))


def drawn_table(events: Iterable[Event | DerivedEvent], times: TimeFormat) -> str:
    """Returns the table as the text that a terminal shows."""
    from rich.console import Console

    console = Console()
    with console.capture() as drawn:
        console.print(events_table(events, times))
    return drawn.get()


def events_table(events: Iterable[Event | DerivedEvent], times: TimeFormat) -> Table:
    """Returns a table with a row for each event, in the order given; input events have no rule."""
    from rich.table import Table
    from rich.text import Text

    table = Table("begin", "end", "event", "rule")
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    table.columns[2].overflow = table.columns[3].overflow = "fold"
    if times.unit is not None:
        table.columns[0].justify = table.columns[1].justify = "right"
    for item in events:
        event = item.event if isinstance(item, DerivedEvent) else item
        begin, end, shown = str(times.format(event.begin)), str(times.format(event.end)), str(event.term)
        if (state := state_of(event) or early_answer_of(event)) is not None:
            end, shown = ("" if state.end is None else end), str(state)
        # as Text: an event's brackets are not markup
        table.add_row(begin, end, Text(printable(shown)), Text(printable(_rules(item))))
    return table


def _rules(item: Event | DerivedEvent) -> str:
    if isinstance(item, Event):
        return ""
    names = ", ".join(dict.fromkeys(derivation.rule for derivation in item.derivations))
    return f"{names} → {item.recipient.address}" if item.recipient else names
