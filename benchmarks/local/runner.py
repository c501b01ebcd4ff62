"""One run over all workloads and sizes, each in a process of its own, as one table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.local.generate import generate

QUICK = (100_000, 1_000_000)
FULL = (*QUICK, 10_000_000)
_WRITTEN = 20_000
_RULES = ("1 rule", "10 rules", "100 rules", "100 rules without optimizer")
_TITLES = {
    "json": "reading the JSON alone",
    "handwritten": "hand-written loop",
    "cera": "cera, three rules",
    "cera without optimizer": "cera, plan not optimized",
    "cera written": "cera, answers written",
    **{name: f"cera, {name}" for name in _RULES},
}
_CAPTION = (
    "events/s of CPU time from opening the file to the last answer. The hand-written loop and cera both make a Python "
    "object of each answer and count it; terms, ids and causes are made when asked for: only answers that are written "
    "(as JSON lines, to /dev/null) have them. The last rows are rules that differ in a threshold. Live: tuples "
    "remembered at a quarter, half, three quarters and the end of the stream."
)


@dataclass(frozen=True)
class Measured:
    """What the process of a workload printed."""

    events: int
    derived: int
    live: list[int]
    seconds: float
    megabytes: float

    @property
    def rate(self) -> float:
        return self.events / self.seconds


def run(name: str, path: Path) -> Measured:
    command = [sys.executable, "-m", "benchmarks.local.workloads", name, str(path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(**json.loads(output))


def measure(sizes: tuple[int, ...] = QUICK) -> Table:
    table = Table(title="sensor readings through the rules of examples/sensors/fire.xceq", caption=_CAPTION)
    table.add_column("what", no_wrap=True)
    for column in ("events", "answers", "events/s", "of hand-written", "peak MiB", "live tuples"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = _generated(folder, size)
            measured = {name: run(name, path) for name in ("json", "handwritten", "cera")}
            if measured["cera"].derived != measured["handwritten"].derived:
                raise SystemExit(f"cera and the hand-written loop derive different numbers of events: {measured}")
            for name in measured:
                _add(table, name, measured[name], measured["handwritten"])
            table.add_section()
            path.unlink()
        path = _generated(folder, _WRITTEN)
        for name in ("cera", "cera without optimizer", "cera written"):
            _add(table, name, run(name, path))
        table.add_section()
        path = _generated(folder, sizes[0])
        for name in _RULES:
            _add(table, name, run(name, path))
    return table


def _generated(folder: str, size: int) -> Path:
    path = Path(folder) / f"{size}.jsonl"
    generate(size, path)
    return path


def _add(table: Table, name: str, measured: Measured, handwritten: Measured | None = None) -> None:
    quarters = [measured.live[len(measured.live) * i // 4 - 1] for i in range(1, 5)] if measured.live else []
    table.add_row(
        _TITLES[name],
        f"{measured.events:,}",
        f"{measured.derived:,}",
        f"{measured.rate:,.0f}",
        f"{measured.rate / handwritten.rate:.2f}" if handwritten else "",
        f"{measured.megabytes:.0f}",
        " ".join(f"{live:,}" for live in quarters),
    )
