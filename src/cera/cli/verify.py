"""`cera verify`: whether recorded events keep to the automata and the constraints of a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from cera.automata.module import VIOLATION
from cera.cli import report
from cera.cli.constraint_report import Tally, with_locations, with_reference
from cera.cli.engine_choice import with_engine
from cera.cli.options import program_options, replay_options
from cera.cli.recording import Terminal, report_formats
from cera.cli.side_files import check_side_files
from cera.cli.summary import refuse, show_missing_attributes, show_summary
from cera.cli.tables import on_terminal
from cera.cli.verification import (
    VIOLATED,
    automata_of,
    instances,
    possible_option,
    strict_verify_option,
    verified,
    violations_text,
    written_labels,
)
from cera.connectors.sink import sink_of
from cera.constraints.module import UNKNOWN_PLACE, ConstraintModule
from cera.errors import UsageError
from cera.program import Program
from cera.running.engine import answer
from cera.running.outcome import Outcome
from cera.running.request import Request
from cera.running.run import Run


@click.command("verify", short_help="Check recorded events against automata and constraints.")
@replay_options
@program_options
@strict_verify_option
@possible_option
@click.option(
    "--locations",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where events come from, for constraints about places: rooms, areas, neighbours and coordinates, in TOML.",
)
@click.option(
    "--as",
    "shown_as",
    type=click.Choice(["table", "jsonl"]),
    help="What is written on standard output; a table if that is a terminal, else JSON lines.",
)
@click.option(
    "--out",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write to this file, whole or not at all, and not on standard output.",
)
def verify(
    program: Program,
    request: Request,
    expects_all: bool,
    possible: bool,
    locations: Path | None,
    shown_as: str | None,
    out: Path | None,
) -> None:
    """Follows recorded events through the automata of the FILEs and writes what violates them: which event, of which
    instance, in which state, and what was expected. Instances that are overdue, because nothing can happen to them any
    more, are written too, and are no violations. A stream is verified by `cera stream --verify`.

    Constraints (.escl) are verified by the reference engine, over a whole recording: what violates them is written with
    the values of the variables, what was expected and found, at the time at which it is certain.

    The exit status is 6 if there are violations, and 0 if there are none.

    \b
    Examples:
      cera verify FILE --events events.jsonl --time-unit s
      cera verify FILE --events loans.jsonl.gz --label-field activity --strict-verify --as table
      cera verify metro.escl --events smoke.jsonl --locations metro.toml
    """
    sink = sink_of(out)
    program.checked()
    constraints = [module for module in program.layers.modules if isinstance(module, ConstraintModule)]
    if not constraints and not automata_of(program.layers):
        raise UsageError("there is no automaton in the program, and no constraint; rules are answered by `cera run`")
    request = with_reference(request) if constraints else with_engine(program, request, sink)
    report_formats(request)
    table = out is None and (on_terminal() if shown_as is None else shown_as == "table")
    labels = written_labels(possible=possible) | {UNKNOWN_PLACE}
    request = replace(request, labels=labels, changes=True)
    layers = with_locations(verified(program.layers, expects_all=expects_all, possible=possible), locations)
    report.show_diagnostics(program.diagnostics)
    check_side_files(request, program)
    terminal = Terminal(request)
    tally = Tally(request.times)
    opened = partial(terminal.output, out, table=table)
    output = tally.counting(opened) if constraints else opened
    outcome = answer(Run(layers, program.expectations, program.timezone, request, sink, output, terminal))
    unusable = show_summary(program, request, replace(outcome, derived=_reports(outcome, labels)))
    show_missing_attributes(program, outcome)
    tally.show(constraints)
    for line in instances(layers, outcome.derived, outcome.ended_states):
        report.say(line)
    violations = outcome.derived[VIOLATION]
    report.say(violations_text(violations))
    refuse(unusable)
    if violations:
        click.get_current_context().exit(VIOLATED)


def _reports(outcome: Outcome, labels: frozenset[str]) -> Counter[str]:
    return Counter({name: outcome.derived[name] for name in labels if outcome.derived[name]})
