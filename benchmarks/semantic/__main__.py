"""`python -m benchmarks.semantic [auctions|metro|files|rewriting|spark] [--concurrent N] [--waves N] [--only QUERY]…`

The queries of seed 002 with and without constraints, each alone and all of them as one program: CPU time, tuples in
state, and how long after the event that decides an answer it comes, in time of the stream and as CPU time of the piece
of a hundred events that gives it. Both runs must have the same answers. `--plots` draws them. `rewriting` measures how
long it takes to rewrite a hundred rules under a hundred constraints; `files` has `cera run` answer the queries over
auctions, from a file to written answers; `spark` takes a recording and a stream on Spark.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.semantic import from_files, plots
from benchmarks.semantic.measuring import FirstEnds, Measurement, first_ends, measure
from benchmarks.semantic.queries import Query
from benchmarks.semantic.rewriting import rewriting_seconds
from benchmarks.semantic.workloads import WORKLOADS, Workload, recorded
from cera.model.events.occurrence import Occurrence

ALL = "all as one program"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.semantic", description=__doc__)
    options.add_argument("workload", nargs="?", choices=[*WORKLOADS, "files", "rewriting", "spark"], default="auctions")
    options.add_argument("--concurrent", type=int, help="how many auctions or areas there are at a time")
    options.add_argument("--waves", type=int, default=20, help="how often these are replaced by others")
    options.add_argument("--only", action="append", help=f"only this query, or '{ALL}'; may be given again")
    options.add_argument("--recording", type=Path, help="where the events are kept for other runs; read if it exists")
    options.add_argument("--repeat", type=int, default=1, help="runs of each version in turn; the fastest one counts")
    options.add_argument("--part", action="append", help="on Spark, only the 'recording' or only the 'stream'")
    options.add_argument("--files", type=int, default=20, help="of a stream on Spark, each a micro-batch")
    options.add_argument("--plots", type=Path, help="where plots and figures of this run are put, or added")
    given = options.parse_args()
    if given.workload == "rewriting":
        print(f"100 rules under 100 constraints: {rewriting_seconds():.2f} s of CPU")
        return
    if given.workload == "spark":
        _on_spark(given)
        return
    if given.workload == "files":
        _from_files(given)
        return
    workload = WORKLOADS[given.workload]
    events = recorded(workload, given.concurrent or workload.concurrent, given.waves, given.recording)
    table = _table(f"{workload.name}: {given.concurrent or workload.concurrent:,} at a time, {len(events):,} events")
    first = first_ends(workload.queries, events)
    several = [(query.name, [query]) for query in workload.queries] + [(ALL, list(workload.queries))]
    for name, queries in several:
        if not given.only or name in given.only:
            figures = _compared(workload, queries, events, first, given.repeat)
            _tell(f"{name}: {figures['without']['cpu']:.2f} / {figures['with']['cpu']:.2f} s")
            table.add_row(name, queries[0].like if len(queries) == 1 else "", *_cells(figures, len(events)))
            if given.plots is not None:
                plots.save(given.plots, workload.name, name, figures)
    Console(width=None if sys.stdout.isatty() else 200).print(table)
    if given.plots is not None:
        plots.draw(given.plots, workload.name)


def _on_spark(given: argparse.Namespace) -> None:
    from benchmarks.semantic import on_spark  # the others run without Spark

    events = recorded(WORKLOADS["auctions"], given.concurrent or 250, given.waves, given.recording)
    console = Console(width=None if sys.stdout.isatty() else 200)
    parts = given.part or on_spark.PARTS
    for table in on_spark.measure(events, given.files, given.repeat, parts, _tell):
        console.print(table)


def _from_files(given: argparse.Namespace) -> None:
    workload = WORKLOADS["auctions"]
    queries = [query for query in workload.queries if not given.only or query.name in given.only]
    events = recorded(workload, given.concurrent or 1000, given.waves, given.recording)
    table = from_files.measure(workload, queries, events, given.repeat, _tell)
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _compared(
    workload: Workload, queries: list[Query], events: list[Occurrence], first: FirstEnds, repeat: int
) -> dict[str, plots.Figures]:
    plain = constrained = None
    for _ in range(repeat):
        plain = _faster(plain, measure(queries, None, events, first))
        constrained = _faster(constrained, measure(queries, workload.constraints, events, first))
        if plain.answers != constrained.answers:
            number = len(plain.answers ^ constrained.answers)
            raise SystemExit(f"{queries[0].name}: with constraints {number:,} answers are other ones")
    assert plain is not None
    assert constrained is not None
    return {"without": _figures(plain, len(events)), "with": _figures(constrained, len(events))}


def _faster(one: Measurement | None, other: Measurement) -> Measurement:
    return one if one is not None and one.cpu <= other.cpu else other


def _figures(measured: Measurement, events: int) -> plots.Figures:
    return {
        "cpu": measured.cpu,
        "events": events,
        "answers": len(measured.answers),
        "mean": measured.mean_state,
        "peak": measured.peak_state,
        "wait": None if measured.mean_wait is None else measured.mean_wait / 1e6,
        "processing": measured.mean_processing,
        "states": measured.states,
        "waits": measured.waits_over_time,
    }


def _table(title: str) -> Table:
    table = Table(title=title, caption="without constraints / with; CPU seconds, the same answers in both runs")
    for column in ("query", "like"):
        table.add_column(column, no_wrap=True)
    columns = ("answers", "CPU s", "times", "events/s", "mean state", "times", "peak state", "wait s", "processing ms")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _cells(figures: dict[str, plots.Figures], events: int) -> list[str]:
    plain, other = figures["without"], figures["with"]

    def both(name: str, form: str, scale: float = 1) -> str:
        return " / ".join("" if each[name] is None else format(each[name] * scale, form) for each in (plain, other))

    return [
        f"{plain['answers']:,}",
        both("cpu", ".1f"),
        f"{plain['cpu'] / other['cpu']:.2f}",
        f"{events / plain['cpu']:,.0f} / {events / other['cpu']:,.0f}",
        both("mean", ",.0f"),
        f"{plain['mean'] / max(other['mean'], 1):,.1f}",
        both("peak", ",.0f"),
        both("wait", ",.1f"),
        both("processing", ",.2f", 1000),
    ]


if __name__ == "__main__":
    main()
