"""`cera run`: the answers of a program over recorded events."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from cera.cli import report
from cera.cli.actions import ActionOptions, Performer, action_options
from cera.cli.constraint_options import constraints_option, trust_option
from cera.cli.constraint_report import Tally
from cera.cli.constraint_tally import show_violated
from cera.cli.engine_choice import with_engine
from cera.cli.options import changes_option, program_options, replay_options
from cera.cli.output_paths import OutputFile
from cera.cli.recording import Terminal, report_formats
from cera.cli.side_files import check_not_read, check_side_files
from cera.cli.summary import refuse, show_missing_attributes, show_summary, show_unknown_labels
from cera.cli.tables import on_terminal
from cera.cli.verification import complete_from, from_option, possible_option, with_possible
from cera.connectors.sink import Sink, sink_of
from cera.constraints.reports import VIOLATION
from cera.errors import UsageError
from cera.program import Program
from cera.running.engine import answer
from cera.running.request import Request
from cera.running.run import Run


@click.command("run", short_help="Answer a program over recorded events.")
@replay_options
@program_options
@constraints_option
@trust_option
@action_options
@click.option("--select", metavar="LABEL,...", multiple=True, help="Write only events with these labels.")
@click.option("--base", is_flag=True, help="Write the input events too, in their place in the order of time.")
@changes_option
@possible_option
@from_option
@click.option(
    "--out",
    metavar="PATH",
    type=OutputFile(),
    help="Write to this file, whole or not at all, and not on standard output.",
)
@click.option(
    "--as",
    "shown_as",
    type=click.Choice(["table", "jsonl"]),
    help="What is written on standard output; a table if that is a terminal, else JSON lines.",
)
def run(
    program: Program,
    request: Request,
    actions: ActionOptions,
    select: tuple[str, ...],
    base: bool,
    changes: bool,
    possible: bool,
    since: str | None,
    out: Path | None,
    shown_as: str | None,
) -> None:
    """Answers the program of the FILEs over recorded events and writes the derived events.

    Events come as lines like {"begin": 70, "end": 80, "term": {"temp": {"sensor": "s", "value": 41}}}, with "at" for
    a point of time, or as flat records whose fields you name. Derived events are written as JSON lines in the order
    of their end, begin and term; on a terminal as a table. What was read, rejected and derived is counted on standard
    error. Actions of rules run for each event that the rule detects, in that order; what they write on standard output
    comes before the events, which --out keeps apart.

    \b
    Examples:
      cera run fire.xceq --events events.jsonl --time-unit s
      cera run fire.xceq --events log.csv --label-field type --time-field ts --select fire --as table
      cat events.jsonl | cera run fire.xceq --events - --out alarms.jsonl
      cera run bank.epl --events db:sqlite:bank.db --allow-sql sqlite:bank.db --out alerts.jsonl
    """
    sink = sink_of(out)
    request = with_engine(program, request, sink)
    _check_out(program, request, sink)
    if out is not None and shown_as == "table":
        raise UsageError("--as table is for standard output; a file of --out has JSON lines or Parquet, by its ending")
    if base and out is not None and sink.is_parquet:
        raise UsageError(f"--base is for JSON lines: a table of derived events has no input; write {out.stem}.jsonl")
    report_formats(request)
    labels = [label for part in select for name in part.split(",") if (label := name.strip())]
    table = out is None and (on_terminal() if shown_as is None else shown_as == "table")
    written = frozenset(labels) | ({VIOLATION} if program.verifying else set()) if labels else None
    request = replace(request, labels=written, base=base, changes=changes)
    layers = with_possible(program.layers, possible=possible)
    layers = complete_from(layers, since, request.times, request.until)
    with Performer(program, actions, request.times) as performer:
        report.show_diagnostics(program.diagnostics)
        check_side_files(request, program)
        terminal = Terminal(request, performer)
        tally = Tally(request.times)
        opened = partial(terminal.output, out, table=table)
        output = tally.counting(opened) if program.verifying else opened
        run = Run(layers, program.expectations, program.timezone, request, sink, output, terminal)
        outcome = answer(run)
        show_unknown_labels(labels, program, outcome.counts, outcome.derived)
        unusable = show_summary(program, request, outcome)
        show_missing_attributes(program, outcome)
        if program.verifying:
            show_violated(program, tally)
        performer.finish()
    refuse(unusable)


def _check_out(program: Program, request: Request, sink: Sink) -> None:
    out = sink.path
    if out is None:
        return
    if sink.is_parquet and request.engine != "spark":
        raise UsageError(f"--out: Parquet is written by Spark; use --engine spark, or write {out.stem}.jsonl")
    sink.check("--out")
    check_not_read("--out", out, request.sources, (source.name for source in program.sources))
    if request.rejected is not None and _same_file(out, request.rejected):
        raise UsageError(f"--out and --rejected both name {out}; one would overwrite the other")


def _same_file(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
