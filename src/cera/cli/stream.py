"""`cera stream`: a program over events as they come, on Spark Structured Streaming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from cera.automata.module import VIOLATION
from cera.cli import report
from cera.cli.actions import ActionOptions, Performer, action_options, check_actions
from cera.cli.ahead import ahead_option, max_ahead_of
from cera.cli.constraint_options import constraints_option
from cera.cli.layout_options import check_layout, layout_options
from cera.cli.options import (
    changes_option,
    program_options,
    recursion_limit_option,
    relation_option,
    relation_sources,
    spark_settings,
    tick_limit_option,
)
from cera.cli.output_paths import SideFile
from cera.cli.stream_reports import StreamReports, Verification, left_out_reason, undefined_text, without_key_text
from cera.cli.summary import all_rejected, late_ends, refuse, repaired_ends, show_unknown_labels
from cera.cli.termination import end_at_once
from cera.cli.verification import (
    VIOLATED,
    automata_of,
    complete_from,
    constraints_of,
    from_option,
    possible_option,
    strict_verify_option,
    verified,
    violations_text,
    with_possible,
    written_labels,
)
from cera.connectors.files import ENDINGS, Layout
from cera.connectors.records.python_values import microseconds
from cera.connectors.sink import SinkFormat, stream_sink_of
from cera.connectors.source import Source, source_of
from cera.constraints.reports import UNKNOWN_PLACE
from cera.errors import UsageError
from cera.program import Program, verifying
from cera.running.engine import stream as open_stream
from cera.running.outcome import InputCounts
from cera.running.run import StreamRun
from cera.running.streams.request import StreamRequest, StreamSource
from cera.running.streams.running_stream import StreamCounts


@click.command("stream", short_help="Answer a program over events as they come.")
@click.option(
    "--source",
    "sources",
    type=source_of,
    metavar="PATH",
    multiple=True,
    required=True,
    help="A folder in which event files appear (.jsonl, .json, .xml, .csv, .parquet), db:URL for the changes of a "
    "database, or - for JSON lines on standard input. May be given several times; time goes on as far as all sources "
    "have come.",
)
@click.option(
    "--sink",
    metavar="PATH",
    required=True,
    help="The folder for derived events, a file for each micro-batch that has some; - for standard output.",
)
@click.option(
    "--sink-format",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="What the files of --sink are.",
)
@click.option(
    "--checkpoint",
    metavar="DIR",
    required=True,
    type=SideFile(),
    help="The folder for what must be remembered. Started again with the same one, the stream goes on where it was.",
)
@click.option(
    "--max-delay",
    metavar="DURATION",
    default="10 sec",
    show_default=True,
    help="How far an event may come behind the latest one. What comes later is late and does not count.",
)
@relation_option
@recursion_limit_option
@tick_limit_option
@ahead_option("standard input and databases without --once")
@click.option("--late", metavar="DIR", type=SideFile(), help="The folder for late events.")
@click.option(
    "--max-duration",
    metavar="DURATION",
    help="What the source promises: no event lasts longer (0 sec: they are all points). Bounds what must be "
    "remembered; an event that breaks it is rejected. 0 sec for flat records without --end-field and for changes of "
    "databases, unless given.",
)
@click.option("--rejected", metavar="DIR", type=SideFile(), help="The folder for malformed records.")
@click.option("--select", metavar="LABEL,...", multiple=True, help="Write only events with these labels.")
@changes_option
@possible_option
@click.option(
    "--verify",
    is_flag=True,
    help="Write what violates the automata and the constraints of the program, and what is overdue, instead of all "
    "that is derived. With --constraints: check these beside the rules, which run as they are, and write violations "
    "too. With --once the exit status is 6 if there were violations.",
)
@click.option("--trust", is_flag=True, help="Rely on --constraints: the default, unless there is --verify.")
@strict_verify_option
@from_option
@click.option(
    "--trigger",
    metavar="INTERVAL",
    help="Start a micro-batch every so often; as soon as there is something if not given.",
)
@click.option("--once", is_flag=True, help="Take what is there now, and end.")
@click.option(
    "--files-per-batch", metavar="N", type=click.IntRange(min=1), help="At most so many new files in a micro-batch."
)
@click.option(
    "--buckets",
    metavar="N",
    type=click.IntRange(min=1),
    help="Into how many parts events are divided by the correlation keys of the rules; 1 divides nothing.",
)
@click.option(
    "--restart-changed",
    is_flag=True,
    help="Where the program has changed: keep what unchanged rules remember, and start the others without memory.",
)
@click.option(
    "--master",
    metavar="URL",
    default="local[*]",
    show_default=True,
    help="Where Spark runs; local[*] needs no cluster.",
)
@click.option("--conf", metavar="KEY=VALUE", multiple=True, help="A setting of Spark. May be given several times.")
@layout_options((*ENDINGS.values(), "parquet"))
@program_options
@constraints_option
@action_options
def stream(
    program: Program,
    layout: Layout,
    actions: ActionOptions,
    sources: tuple[Source, ...],
    sink: str,
    select: tuple[str, ...],
    changes: bool,
    possible: bool,
    verify: bool,
    trust: bool,
    expects_all: bool,
    since: str | None,
    trigger: str | None,
    once: bool,
    files_per_batch: int | None,
    buckets: int | None,
    max_delay: str,
    max_duration: str | None,
    max_ahead: str | None,
    recursion_limit: int,
    tick_limit: int | None,
    conf: tuple[str, ...],
    relations: tuple[str, ...],
    checkpoint: Path,
    sink_format: SinkFormat,
    late: Path | None,
    rejected: Path | None,
    restart_changed: bool,
    master: str,
) -> None:
    """Answers the program of the FILEs over events as they come, and writes the derived events as they are decided.

    An event is decided when time has passed it, which is what --max-delay behind the latest event says. Kill it at any
    time: started again with the same --checkpoint it goes on, and the files of --sink are those of a run that was not
    killed. Standard error tells of each micro-batch: events in and out, late and rejected ones, what is remembered, and
    how far time has come. Actions of rules run when the micro-batch that detected the event is written, each once.

    \b
    Examples:
      cera stream fire.xceq --source incoming --sink alarms --checkpoint state
      cera stream fire.xceq --source incoming --sink - --checkpoint state --once
      tail -f log.jsonl | cera stream fire.xceq --source - --sink alarms --checkpoint state --late late
      cera stream bank.epl --source db:sqlite:bank.db --sink alerts --checkpoint state --allow-sql sqlite:bank.db
    """
    end_at_once()
    if trust and verify:
        raise UsageError("--trust and --verify exclude each other: constraints are relied on, or checked")
    beside = verify and bool(program.trusted)
    if beside:
        program = verifying(program)
    layers = with_possible(program.layers, possible=possible)
    report.show_diagnostics(program.findings)
    if expects_all and not verify:
        raise UsageError("--strict-verify is for --verify")
    layers = complete_from(layers, since, layout.times)
    if verify:
        if not automata_of(layers) and not constraints_of(layers):
            raise UsageError("there is no automaton in the program, and no constraint, to verify the stream against")
        layers = verified(layers, expects_all=expects_all, possible=possible)
    _check_sources(sources)
    check_layout(layout, sources)
    check_actions(program, actions.permissions)
    labels = frozenset(label for part in select for name in part.split(",") if (label := name.strip()))
    show_unknown_labels(sorted(labels), program, InputCounts({}, 0), {})
    reports = written_labels(possible=possible) | {UNKNOWN_PLACE}
    if beside:
        labels = labels | reports if labels else labels
    elif verify:
        labels = labels or reports
    request = StreamRequest(
        sources=tuple(StreamSource(source, max_ahead_of(max_ahead, source, recorded=once)) for source in sources),
        sink=stream_sink_of(sink, sink_format),
        checkpoint=checkpoint,
        layout=layout,
        max_delay=microseconds(max_delay),
        max_duration=None if max_duration is None else microseconds(max_duration),
        late=late,
        rejected=rejected,
        trigger=_interval(trigger),
        once=once,
        files_a_batch=files_per_batch,
        buckets=buckets,
        labels=labels or None,
        changes=changes,
        counts_by_rule=frozenset({VIOLATION}) if verify else frozenset(),
        restart_changed=restart_changed,
        tick_limit=tick_limit,
        recursion_limit=recursion_limit,
        master=master,
        settings=spark_settings(conf),
        relations=relation_sources(relations),
    )
    if trigger is not None and once:
        raise UsageError("--once takes what is there and ends, so there is no --trigger; give one of them")
    _check_apart(request, sources)
    acting = frozenset(one.rule for each in program.modules.found for one in each.actions)
    left_out = left_out_reason(layers)
    checked = program if beside else None
    listener = Verification(layout.times, layers, checked) if verify else StreamReports(layout.times, left_out)
    running = open_stream(StreamRun(layers, program.timezone, request, listener, acting))
    if isinstance(listener, Verification):
        listener.counters = running.counters
    kept = actions if actions.ledger is not None else replace(actions, ledger=running.ledger)
    with Performer(program, kept, layout.times) as performer:
        try:
            running.run(performer.perform_all)
        except KeyboardInterrupt:
            listener.finish()
            report.say("stopped; the same command goes on from here")
            raise
        counters = running.counters
        unusable = all_rejected(counters.rejected) if once and counters.rejected and not counters.events else None
        if unusable is not None:
            report.fail(unusable)
        _say(counters, left_out)
        performer.finish()
        listener.finish()
        refuse(unusable)
        if verify and (violations := counters.totals_now.labels.get(VIOLATION, 0)):
            report.say(f"{violations_text(violations)} in this run")
            click.get_current_context().exit(VIOLATED)


def _say(counters: StreamCounts, left_out: str) -> None:
    if not counters.batches:
        report.say("nothing new was there to read, and nothing was decided")
        return
    report.say(
        f"{report.count(counters.events, 'event')} read; {counters.derived:,} derived, {counters.late:,} late"
        f"{late_ends(counters.late_ends)}, "
        f"{counters.rejected:,} rejected{undefined_text(counters.undefined)}"
        f"{without_key_text(counters.without_key, left_out)}"
        f"{_unread(counters.unread)}; "
        f"{repaired_ends(counters.repaired) + '; ' if counters.repaired else ''}"
        f"{report.count(counters.live, 'tuple')} in state"
    )


def _check_sources(sources: Sequence[Source]) -> None:
    for source in sources:
        if (reason := source.reason_against_stream()) is not None:
            raise UsageError(f"--source: {reason}")
    if len({source.place for source in sources}) < len(sources):
        raise UsageError("--source: the same source is given twice")


def _check_apart(request: StreamRequest, sources: Sequence[Source]) -> None:
    """Raises UsageError if a folder that is written lies in a source: its files would be read as new events."""
    written = {
        "--sink": request.sink.path,
        "--late": request.late,
        "--rejected": request.rejected,
        "--checkpoint": request.checkpoint,
    }
    for source in sources:
        for option, folder in written.items():
            if folder is not None and source.contains(folder):
                raise UsageError(
                    f"{option}: {folder} lies in --source {source.text}, and would be read; name another folder"
                )


def _interval(text: str | None) -> int | None:
    if text is None:
        return None
    length = microseconds(text)
    if length <= 0:
        raise UsageError(f"--trigger: '{text}' is no interval; write for example '5 sec'")
    return length


def _unread(number: int) -> str:
    return f", relations not read again {number:,} times" if number else ""
