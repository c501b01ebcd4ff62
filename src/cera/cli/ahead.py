"""The option --max-ahead, and the warning that nearly all events are late."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from cera.cli import report
from cera.connectors.records.ahead import ONE_DAY
from cera.connectors.records.python_values import microseconds
from cera.connectors.source import Source

R = TypeVar("R")

_NONE = "none"


def ahead_option(default_for: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Returns the decorator for --max-ahead; `default_for` says where there is a limit without it."""
    return click.option(
        "--max-ahead",
        metavar="DURATION",
        help="How far ahead of the clock an event may end; one beyond it is rejected, since time goes on with the "
        f"latest event and all others would be late. Unless given 1 day for {default_for}, and none elsewhere.",
    )


def max_ahead_of(given: str | None, source: Source, *, recorded: bool) -> int | None:
    """Returns the limit of a source in microseconds: what is given, or a day for standard input and databases.

    A source that is `recorded` has no limit unless one is given.
    """
    if given is None:
        return None if recorded or source.is_recording else ONE_DAY
    return None if given.strip().lower() == _NONE else microseconds(given)


def warn_of_lateness(late: int, events: int, time: object, remedy: str) -> None:
    """Warns that nearly all events are late; `time` is how far time has come."""
    report.warn(
        f"nearly all events are late, {late:,} of the last {events:,}: time has come to {time}, and what ends before "
        "that does not count. If events come in disorder, give a longer --max-delay; if one with a wrong time ran "
        f"ahead, {remedy}"
    )
