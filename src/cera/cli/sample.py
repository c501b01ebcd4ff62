"""`cera sample`: how often the events of an input come, for estimates of costs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import click

from cera.cli import report
from cera.cli.layout_options import check_layout, layout_options
from cera.cli.looking import look_at
from cera.cli.options import timezone_option
from cera.cli.output_paths import OutputFile
from cera.cli.summary import all_rejected, refuse
from cera.connectors.files import ENDINGS, Layout
from cera.connectors.line_writer import write_output
from cera.connectors.parquet_events import occurrences_of
from cera.connectors.source import Source, source_of
from cera.errors import UsageError
from cera.optimizer.costs.asked import Question, questions, unsampled
from cera.optimizer.costs.rates_file import rates_text
from cera.optimizer.costs.sampling import Sampler
from cera.program import Program, load


@click.command("sample", short_help="Measure how often events come, for estimates of costs.")
@click.option(
    "--events",
    "sources",
    type=source_of,
    metavar="PATH",
    multiple=True,
    required=True,
    help="A file, a folder, - for standard input, or db:URL. May be given several times.",
)
@click.option(
    "--program",
    "files",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Rules: the share of events that have what they ask for is sampled too. May be given several times.",
)
@click.option(
    "--constraints",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Constraints, as for `cera optimize`: what they add to the rules is sampled too.",
)
@layout_options((*ENDINGS.values(), "parquet"))
@timezone_option
@click.option("--out", metavar="FILE", type=OutputFile(), help="Write to this file.")
def sample(
    sources: tuple[Source, ...],
    files: tuple[Path, ...],
    constraints: tuple[Path, ...],
    layout: Layout,
    timezone: str,
    out: Path | None,
) -> None:
    """Writes how often the events of a recording come: for each label how many in a second, how many different values
    each attribute has, for how long a value is in use, and the share of events that have what rules ask for.

    `cera optimize`, `cera explain`, `cera run` and `cera stream` take the file as --rates. It is for estimates of
    costs only, and no answer depends on it. Events are read once, in bounded memory; the same events give the same
    file.

    \b
    Examples:
      cera sample --events events.jsonl --out rates.toml
      cera sample --events log.csv --label-field type --time-field ts --program rules.slog --out rates.toml
      cera optimize rules.slog --constraints known.escl --rates rates.toml --cost state
    """
    check_layout(layout, sources)
    if constraints and not files:
        raise UsageError("--constraints is about the rules of --program, and there are none")
    program = load(files, timezone=timezone, constraints=constraints) if files else None
    if program is not None:
        program.checked()
    sampler = Sampler(_questions(program))
    records = itertools.chain.from_iterable([occurrences_of(source, layout) for source in sources])
    rejected = look_at(records, sampler.take)
    for message in _unused(sampler, program):
        report.warn(message)
    unusable = all_rejected(rejected) if rejected and not sampler.events else None
    if unusable:
        report.fail(unusable)
        refuse(unusable)
    rates = sampler.rates()
    if rates is None:
        found = "there are no events" if not sampler.events else "all events end at the same time"
        raise UsageError(f"{found}, so that there are no rates; give a recording of some length to --events")
    text = rates_text(rates, sampler.events)
    if out is None:
        write_output(text)
    else:
        _write(out, text)
    summary = [f"{report.count(sampler.events, 'event')} read", f"{report.count(len(rates.labels), 'label')}"]
    summary += [f"{report.count(len(rates.asked), 'question')} of rules"] if program is not None else []
    summary += [f"{report.count(rejected, 'record')} rejected"] if rejected else []
    report.say("; ".join(summary))


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from None


def _questions(program: Program | None) -> dict[str, list[Question]]:
    """Returns what the rules ask for, as they are and as constraints rewrite them, by label."""
    if program is None:
        return {}
    rules = [*program.rules.rules, *(program.rewritten.program.rules if program.trusted else ())]
    found: dict[str, Question] = {}
    for rule in rules:
        for question in questions(rule):
            found.setdefault(question.key, question)
    by_label: dict[str, list[Question]] = {}
    for question in found.values():
        by_label.setdefault(question.label, []).append(question)
    return by_label


def _unused(sampler: Sampler, program: Program | None) -> Iterator[str]:
    """Yields what could not be used: records, labels that are asked for and do not come, and queries."""
    for reason, number in sorted(sampler.unused.items()):
        yield f"not used: {reason} ({number:,})"
    if program is None:
        return
    for label in sampler.unasked():
        yield f"the rules ask for `{label}`, and no event has this label; as many are assumed as of others on average"
    for rule in program.rules.rules:
        for query in unsampled(rule):
            place = "" if query.span is None else f"{query.span}: "
            yield (
                f"{place}rule {rule.name}, {query.identifier}: this query asks for more than values of attributes; "
                "its share is not sampled, but estimated"
            )
