"""`cera run`: the answers of a program over recorded events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import click

from cera.cli import report
from cera.cli.actions import ActionOptions, Performer, action_options
from cera.cli.attributes import look_at, show_missing_attributes
from cera.cli.engine_choice import with_engine
from cera.cli.options import Replay, program_options, replay_options
from cera.cli.output import Lines, Tables, output_line
from cera.cli.recording import Recording, answer, tell_formats
from cera.cli.spark_run import run_on_spark
from cera.cli.streaming import Flow
from cera.cli.summary import refuse, show_summary, show_unknown_labels
from cera.cli.tables import on_terminal, print_table
from cera.cli.writing import LineWriter, check_not_read, lines, write_output
from cera.connectors.sink import Sink, sink_of
from cera.errors import UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.interval import Time
from cera.modules.answers.answer import Answer
from cera.pipeline import Program


@click.command("run", short_help="Answer a program over recorded events.")
@replay_options
@program_options
@action_options
@click.option("--select", metavar="LABEL,...", multiple=True, help="Write only events with these labels.")
@click.option("--base", is_flag=True, help="Write the input events too, in their place in the order of time.")
@click.option(
    "--out",
    metavar="PATH",
    type=click.Path(path_type=Path),
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
    replay: Replay,
    actions: ActionOptions,
    select: tuple[str, ...],
    base: bool,
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
    replay = with_engine(program, replay, sink)
    _check_out(program, replay, sink)
    if out is not None and shown_as == "table":
        raise UsageError("--as table is for standard output; a file of --out has JSON lines or Parquet, by its ending")
    if base and out is not None and sink.is_parquet:
        raise UsageError(f"--base is for JSON lines: a table of derived events has no input; write {out.stem}.jsonl")
    tell_formats(replay)
    labels = [label for part in select for name in part.split(",") if (label := name.strip())]
    table = out is None and (on_terminal() if shown_as is None else shown_as == "table")
    program.checked()
    if replay.engine == "spark":
        with Performer(program, actions, replay.times) as performer:
            run_on_spark(program, replay, labels, sink, performer, base=base, table=table)
        return
    if replay.engine == "local":
        with Performer(program, actions, replay.times) as performer:
            _flow(program, replay, labels, out, performer, base=base, table=table)
        return
    with Performer(program, actions, replay.times) as performer:
        recording, answered = answer(program, replay)
        performer.perform(answered.derived)
        performer.end_line()
    written = output(recording, answered, labels or None, replay.until, base=base)
    if table:
        if written:
            print_table(written, replay.times)
    else:
        write_output(lines(output_line(item, replay.times) for item in written), out)
    counts = recording.counts(program, replay.until)
    derived = Counter(item.event.label for item in answered.derived)
    show_unknown_labels(labels, program, counts, derived)
    unusable = show_summary(
        program, replay, counts, derived, answered.undefined, len(written), left_out=answered.left_out
    )
    show_missing_attributes(program, look_at(program, recording.events), counts)
    performer.finish()
    refuse(unusable)


def _flow(
    program: Program,
    replay: Replay,
    labels: list[str],
    out: Path | None,
    performer: Performer,
    *,
    base: bool,
    table: bool,
) -> None:
    """Events flow through the engine, and answers to where they are written.

    What actions write on standard output comes before the events of a recording there, which wait for that.
    """
    report.show_diagnostics(program.diagnostics)
    waits = bool(performer.rules) and replay.max_delay is None
    with LineWriter(out, held=waits) as writer:
        shared = out is None and not waits and bool(performer.rules)
        output = (
            Tables(writer, replay.times)
            if table
            else Lines(writer, replay.times, performer.end_line if shared else None)
        )
        flow = Flow(program, replay, output, labels or None, performer, base=base)
        flow.run()
        performer.end_line()
    show_unknown_labels(labels, program, flow.counts, flow.derived)
    unusable = show_summary(
        program, replay, flow.counts, flow.derived, flow.undefined, flow.written, left_out=flow.left_out
    )
    show_missing_attributes(program, flow.observed, flow.counts)
    performer.finish()
    refuse(unusable)


def output(
    recording: Recording, answered: Answer, labels: Collection[str] | None, until: Time | None, *, base: bool
) -> list[Event | DerivedEvent]:
    """The events to be written in the order of output; an input event that was derived too is written once."""
    events: list[Event | DerivedEvent] = list(answered.derived)
    if base:
        derived = {item.event for item in answered.derived}
        events += [e for e in recording.events if e not in derived and (until is None or e.end <= until)]
    chosen = [item for item in events if labels is None or _event(item).label in labels]
    return sorted(chosen, key=lambda item: _event(item).output_key)


def _event(item: Event | DerivedEvent) -> Event:
    return item.event if isinstance(item, DerivedEvent) else item


def _check_out(program: Program, replay: Replay, sink: Sink) -> None:
    out = sink.path
    if out is None:
        return
    if sink.is_parquet and replay.engine != "spark":
        raise UsageError(f"--out: Parquet is written by Spark; use --engine spark, or write {out.stem}.jsonl")
    sink.check("--out")
    check_not_read("--out", out, replay.sources, (source.name for source in program.sources))
    if replay.rejected is not None and _same_file(out, replay.rejected):
        raise UsageError(f"--out and --rejected both name {out}; one would overwrite the other")


def _same_file(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
