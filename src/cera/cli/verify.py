"""`cera verify`: whether recorded events keep to the automata and the constraints of a program."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from cera.automata.module import VIOLATION
from cera.cli import report
from cera.cli.constraint_report import Judged, Tally, recording_of, show_verdicts, unadmitted, warn_of_places
from cera.cli.engine_choice import with_engine
from cera.cli.options import program_options, replay_options
from cera.cli.output_paths import OutputFile
from cera.cli.recording import Terminal, report_formats
from cera.cli.side_files import check_side_files
from cera.cli.summary import refuse, show_missing_attributes, show_summary
from cera.cli.tables import on_terminal
from cera.cli.verdicts import WORDS, AutomatonVerdict, Verdict
from cera.cli.verification import (
    VIOLATED,
    automata_of,
    complete_from,
    constraints_of,
    from_option,
    instances,
    possible_option,
    strict_verify_option,
    verified,
    violations_text,
    written_labels,
)
from cera.connectors.line_writer import write_output
from cera.connectors.sink import Sink, StandardOutput, sink_of
from cera.constraints.reports import UNKNOWN_PLACE
from cera.errors import UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import name_of
from cera.program import Program
from cera.running.engine import answer
from cera.running.listener import Output
from cera.running.occasions import Occasions
from cera.running.outcome import InputCounts, Outcome
from cera.running.request import Request
from cera.running.run import Run


@click.command("verify", short_help="Check recorded events against automata and constraints.")
@replay_options
@program_options
@strict_verify_option
@possible_option
@from_option
@click.option("--json", "as_json", is_flag=True, help="Write a summary of it all as JSON on standard output instead.")
@click.option(
    "--as",
    "shown_as",
    type=click.Choice(["table", "jsonl"]),
    help="What is written on standard output; a table if that is a terminal, else JSON lines.",
)
@click.option(
    "--out",
    metavar="PATH",
    type=OutputFile(),
    help="Write to this file, whole or not at all, and not on standard output.",
)
def verify(
    program: Program,
    request: Request,
    expects_all: bool,
    possible: bool,
    since: str | None,
    as_json: bool,
    shown_as: str | None,
    out: Path | None,
) -> None:
    """Follows recorded events through the automata (.ihta) and the constraints (.escl) of the FILEs and writes what
    violates them. A stream is verified by `cera stream --verify`.

    Of an automaton: which event, of which instance, in which state, and what was expected. Instances that are overdue,
    because nothing can happen to them any more, are written too, and are no violations.

    Of a constraint: the values of the variables, what was expected and found, at the time at which it is certain.
    Standard error says which constraints held, which were violated, how often, and shows the first violations. What
    must be there is looked for between the first event, or --from, and the last, or --until.

    The exit status is 6 if there are violations, and 0 if there are none.

    \b
    Examples:
      cera verify FILE --events events.jsonl --time-unit s
      cera verify FILE --events loans.jsonl.gz --label-field activity --strict-verify --as table
      cera verify metro.escl --events smoke.jsonl --locations metro.toml
      cera verify auction.ihta fair.escl --events auctions.jsonl --json
    """
    sink: Sink = sink_of(out)
    if sink.is_parquet:
        raise UsageError(f"--out: {out} would be Parquet, and violations are written as JSON lines; name it .jsonl")
    program.checked()
    if as_json and shown_as is not None and out is None:
        raise UsageError("--json writes a summary instead of the violations; give --out to have them too, or no --as")
    constraints, automata = constraints_of(program.layers), automata_of(program.layers)
    if not constraints and not automata:
        raise UsageError("there is no automaton in the program, and no constraint; rules are answered by `cera run`")
    request = with_engine(program, request, sink)
    report_formats(request)
    table = out is None and (on_terminal() if shown_as is None else shown_as == "table")
    labels = written_labels(possible=possible) | {UNKNOWN_PLACE}
    request = replace(request, labels=labels, changes=True, counts_open=bool(constraints))
    layers = verified(program.layers, expects_all=expects_all, possible=possible)
    layers = complete_from(layers, since, request.times, request.until)
    report.show_diagnostics(program.diagnostics)
    check_side_files(request, program)
    terminal = Terminal(request)
    tally = Tally(request.times)
    silent = as_json and out is None
    opened = nothing_written if silent else partial(terminal.output, out, table=table)
    # of whatever engine, what is written comes by here, and is counted
    again = request.engine != "reference" and all(source.is_recording for source in request.sources)
    occasions = Occasions(layers, tally.number, rules_may_look=again) if constraints else None
    output = tally.counting(opened)
    run = Run(
        layers,
        program.expectations,
        program.timezone,
        request,
        StandardOutput(),
        output,
        terminal,
        occasions=occasions,
    )
    outcome = answer(run)
    unusable = show_summary(program, request, replace(outcome, derived=_reports(outcome, labels)))
    show_missing_attributes(program, outcome)
    complete = next((module.since for module in constraints_of(layers)), None)
    recording = recording_of(outcome, complete, request.until, request.times, program.timezone)
    judged = Judged.of(outcome, unusable, recording, None if occasions is None else occasions.missing)
    verdicts = {module.name: tally.verdicts(module, judged) for module in constraints}
    for name, several in verdicts.items():
        show_verdicts(name, several)
    followed = [tally.automaton(each) for each in instances(layers, outcome.derived, outcome.ended_states)]
    for line in (line for each in followed for line in each.lines):
        report.say(report.printable(line))
    warn_of_places(tally.places)
    for warning in unadmitted(constraints, automata, outcome.counts.late_labels, outcome.counts.rejected):
        report.warn(warning)
    violations = outcome.derived[VIOLATION]
    report.say(violations_text(violations))
    if as_json:
        every = [each for several in verdicts.values() for each in several]
        found = summary(violations, every, followed, tally.places, outcome.counts)
        write_output(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    refuse(unusable)
    if violations:
        click.get_current_context().exit(VIOLATED)


def summary(
    violations: int,
    verdicts: Sequence[Verdict],
    followed: Sequence[AutomatonVerdict],
    places: Sequence[str],
    counts: InputCounts,
) -> dict[str, Any]:
    """Returns the JSON record of a verification."""
    late: Counter[str] = Counter()
    for label, number in counts.late_labels.items():
        late[name_of(label)] += number
    return {
        "violations": violations,
        "outcomes": {each: sum(one.outcome == each for one in verdicts) for each in WORDS},
        "constraints": [each.as_json for each in verdicts],
        "automata": [each.as_json for each in followed],
        "unknown_places": sorted(places),
        "events": counts.records,
        "late": counts.late,
        "late_labels": dict(sorted(late.items())),
        "rejected": counts.rejected,
        "warnings": report.warnings(),
    }


class _Nothing:
    def write(self, item: Event | DerivedEvent) -> None:
        """Does nothing."""

    def finish(self) -> None:
        """Does nothing."""


@contextmanager
def nothing_written() -> Iterator[Output]:
    """Opens an output that drops what it gets."""
    yield _Nothing()


def _reports(outcome: Outcome, labels: frozenset[str]) -> Counter[str]:
    return Counter({name: outcome.derived[name] for name in labels if outcome.derived[name]})
