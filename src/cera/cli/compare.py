"""`cera compare`: the shortest history on which two event types differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cera.cli import report
from cera.comparing.comparison import Comparison, compare
from cera.comparing.histories import Difference, in_words
from cera.comparing.search import MOST_EVENTS, MOST_HISTORIES, MOST_TOGETHER, Domain
from cera.comparing.subjects import ENDINGS, TYPE_LANGUAGES
from cera.connectors.line_writer import write_output
from cera.errors import CeraError, ProgramError

#: As `diff`: what is compared is the same, differs, or cannot be compared.
SAME, DIFFERENT, TROUBLE = 0, 1, 2

#: What a text may be that is not a file.
_TEXTS = " or ".join(language.event_type for language in TYPE_LANGUAGES if language.event_type is not None)

_HELP = f"""Tries small histories on the event types A and B, and shows the shortest one on which they detect different
events, with what each detects.

A and B are files ({", ".join(ENDINGS)}; of several types one is named: alarms{ENDINGS[0]}:E4) or the text of
{_TEXTS}. Two detections are the same if they rest on the same events and come at the same time;
what they are called does not matter. Where conditions or lengths of time matter, the values and distances that were
tried are told: no difference among these is no proof for all others.

The exit status is 0 if no difference was found, 1 if there is one, 2 if A or B is wrong.

\b
Examples:
  cera compare old{ENDINGS[0]} new{ENDINGS[0]}
  cera compare alarms{ENDINGS[0]}:E4 alarms{ENDINGS[0]}:E5 --all
  cera compare "recent E1 ; E3" "recent NOT(E2)[E1, E3]" --labels E1,E3
  cera compare ";(last: E1, E2)" ";(last: shared: E1, E2)" --count
"""


@click.command("compare", short_help="Find the shortest history on which two event types differ.", help=_HELP)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--max-events",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try all histories of up to N events over the values that matter, however long it takes. "
    f"[default: up to {MOST_EVENTS} events, as long as that are no more than {MOST_HISTORIES:,} histories, which takes "
    "a few seconds]",
)
@click.option("--labels", metavar="E1,E2", help="Only these labels occur. [default: all that A or B name]")
@click.option(
    "--simultaneous", is_flag=True, help=f"Up to {MOST_TOGETHER} events may occur at one time. [default: one]"
)
@click.option("--count", is_flag=True, help="Compare how many events are detected at each time, not what they rest on.")
@click.option("--all", "every", is_flag=True, help="Show every shortest history, not only one.")
@click.option("--json", "as_json", is_flag=True, help="Write the answer as JSON.")
@click.pass_context
def compare_types(
    ctx: click.Context,
    first: str,
    second: str,
    max_events: int | None,
    labels: str | None,
    simultaneous: bool,
    count: bool,
    every: bool,
    as_json: bool,
) -> None:
    chosen = None if labels is None else [each.strip() for each in labels.split(",") if each.strip()]
    try:
        comparison = compare(
            first, second, max_events=max_events, labels=chosen, simultaneous=simultaneous, count=count, every=every
        )
    except ProgramError as error:
        report.show_diagnostics(error.findings)
        ctx.exit(TROUBLE)
    except CeraError as error:
        report.fail(error.message)
        ctx.exit(TROUBLE)
    write_output(
        json.dumps(as_record(comparison), indent=2, ensure_ascii=False) + "\n" if as_json else as_text(comparison)
    )
    ctx.exit(DIFFERENT if comparison.differences else SAME)


def as_text(comparison: Comparison) -> str:
    """Returns the comparison for people: a table for each history, or that there is none."""
    tried = f"{report.count(comparison.tried, 'history', 'histories')} tried"
    if not comparison.differences:
        domain = f"{domain_text(comparison.domain)}\n"
        if comparison.exhausted:
            return f"no difference, however many events ({tried}: longer ones bring nothing new){domain}"
        return f"no difference up to {report.count(comparison.events, 'event')} ({tried}){domain}"
    console = Console()
    with console.capture() as drawn:
        for difference in comparison.differences:
            console.print(difference_table(difference, comparison.names))
    return f"{drawn.get()}a difference after {report.count(comparison.events, 'event')} ({tried})\n"


def domain_text(domain: Domain) -> str:
    """Returns `tried with E1.v 2, 3, 4; or without` and `events 1 sec or 5 min apart`, a line each where it matters."""
    parts = []
    if domain.values:
        attributes = [
            f"{event}.{name} {', '.join(json.dumps(value, ensure_ascii=False) for value in some)}"
            for event, own in domain.values.items()
            for name, some in own.items()
        ]
        parts.append(f"tried with {'; '.join(attributes)}; or without")
    if domain.distances:
        parts.append(f"events {_alternatives([in_words(each) for each in domain.distances])} apart")
    return "".join(f"\n{part}" for part in parts)


def _alternatives(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def difference_table(difference: Difference, names: Sequence[str]) -> Table:
    """Returns a table with a column for each time at which something occurs or is detected."""
    occurring = dict(difference.moments())
    detected = [difference.detected(side) for side in (0, 1)]
    times = sorted({*occurring, *detected[0], *detected[1]})
    table = Table(show_header=False)
    table.add_column(overflow="fold")
    for _ in times:
        table.add_column(overflow="fold")
    if difference.is_measured:
        table.add_row("time", *(in_words(time) for time in times))
    table.add_row("history", *(_cell(occurring.get(time, ["tick"])) for time in times), end_section=True)
    for name, found in zip(names, detected, strict=True):
        table.add_row(Text(report.printable(name)), *(_cell(found.get(time, [])) for time in times))
    return table


def _cell(lines: Sequence[str]) -> Text:
    return Text("\n".join(map(report.printable, lines)))


def as_record(comparison: Comparison) -> dict[str, Any]:
    """Returns the comparison as JSON."""
    return {
        "types": list(comparison.names),
        "events": comparison.events,
        "tried": comparison.tried,
        "exhausted": comparison.exhausted,
        "values": {event: dict(own) for event, own in comparison.domain.values.items()},
        "distances": list(comparison.domain.distances),
        "differences": [_difference(each) for each in comparison.differences],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    times = [moment.time for moment in difference.history for _ in moment.letters]
    return {
        "history": [
            {"name": name, "time": time, "event": letter.event, "values": dict(letter.values)}
            for name, time, letter in zip(difference.names, times, difference.letters, strict=True)
        ],
        "detections": [
            [
                {"time": time, "events": rest, "count": count}
                for time, found in difference.rests(side)
                for rest, count in found
            ]
            for side in (0, 1)
        ],
    }
