"""The queries as a user runs them: `cera run` from a file of flat records to written answers, with and without
constraints. What it writes is compared to the byte."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.table import Table

from benchmarks.processes import Cost, cost
from benchmarks.semantic.queries import Query
from benchmarks.semantic.workloads import Workload
from cera.model.events.occurrence import Occurrence

_OF_RECORDS = ("--label-field", "type", "--time-field", "ts", "--time-unit", "us")


def measure(
    workload: Workload,
    queries: Sequence[Query],
    events: Sequence[Occurrence],
    repeat: int,
    told: Callable[[str], object],
) -> Table:
    """Returns a table of the queries, each in a process of its own: of so many runs in turn the one with least CPU."""
    title = f"cera run over {workload.name}: {len(events):,} events as JSON lines, answers written"
    table = Table(
        title=title, caption="without constraints / with; CPU of the whole process; the same bytes are written"
    )
    table.add_column("query", no_wrap=True)
    for column in ("answers", "CPU s", "times"):
        table.add_column(column, justify="right", no_wrap=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recording = folder / "events.jsonl"
        with recording.open("w") as file:
            file.writelines(json.dumps({"type": each.label, "ts": each.end, **each.content}) + "\n" for each in events)
        for query in queries:
            plain, constrained = _compared(workload, query, recording, folder, repeat)
            with (folder / "without.jsonl").open() as file:
                answers = sum(1 for _ in file)
            table.add_row(
                query.name,
                f"{answers:,}",
                f"{plain.cpu:.1f} / {constrained.cpu:.1f}",
                f"{plain.cpu / constrained.cpu:.2f}",
            )
            told(f"{query.name}: {plain.cpu:.1f} / {constrained.cpu:.1f} s")
    return table


def _compared(workload: Workload, query: Query, recording: Path, folder: Path, repeat: int) -> tuple[Cost, Cost]:
    rules = folder / f"{query.name}.slog"
    rules.write_text(query.text)
    without, constrained = folder / "without.jsonl", folder / "with.jsonl"
    of_constraints = ("--constraints", str(workload.constraints), "--trust")
    plain, other = [], []
    for _ in range(repeat):
        plain.append(_run(rules, recording, without, ()))
        other.append(_run(rules, recording, constrained, of_constraints))
    if without.read_bytes() != constrained.read_bytes():
        raise SystemExit(f"{query.name}: what is written with constraints differs")
    return min(plain, key=_cpu), min(other, key=_cpu)


def _run(rules: Path, recording: Path, answers: Path, more: Sequence[str]) -> Cost:
    command = [sys.executable, "-m", "cera", "run", str(rules), *more, "--events", str(recording), *_OF_RECORDS]
    command += ["--engine", "local", "--quiet", "--out", str(answers)]
    measured = cost(command, os.environ)
    if measured.status != 0:
        raise SystemExit(f"this ended with {measured.status}: {' '.join(command)}")
    return measured


def _cpu(measured: Cost) -> float:
    return measured.cpu
