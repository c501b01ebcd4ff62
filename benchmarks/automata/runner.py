"""One run over the auctions, each way in a process of its own, as one table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.automata.auctions import Market, generate

QUICK = (50_000, 1_000)
FULL = (1_000_000, 10_000)
_BROKEN = 0.01
_CAPTION = (
    "events/s of CPU time from opening the file to the last report; what is found is compared in every run, on a "
    "tenth of the events. States: all states of all instances and the violations, as `cera run` has them; records: the "
    "same with ids and causes, which are compared too; violations: as `cera verify`. Nothing is written. By hand: a "
    "state machine in Python for this workflow, which takes simultaneous events as they come, and says of a violation "
    "where and when; cera says what was expected and what would have been accepted. json: reading the lines alone. "
    "Memory: MiB beyond those before the first event, at eight times along the way. Live: instances, and for cera the "
    "numbers of auctions of the last day, which must not be used again."
)


@dataclass(frozen=True)
class Measured:
    """What the process of a workload printed."""

    events: int
    found: int
    violations: int
    seconds: float
    peak: float
    live: list[int]
    memory: list[float]
    digest: str

    @property
    def rate(self) -> float:
        return self.events / self.seconds


def run(way: str, what: str, path: Path, *more: str) -> Measured:
    print(f"{way}, {what} …", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.automata.workloads", way, what, str(path), *more]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(**json.loads(output))


def measure(size: tuple[int, int] = QUICK) -> Table:
    events, concurrent = size
    title = f"Automata over {events:,} events of auctions, about {concurrent:,} at a time"
    table = Table(title=title, caption=_CAPTION)
    table.add_column("", no_wrap=True)
    columns = (
        "reports",
        "events/s",
        "by hand",
        "json",
        "of by hand",
        "memory",
        "by hand",
        "of by hand",
        "live instances",
    )
    for column in columns:
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        path, part = Path(folder) / "auctions.jsonl", Path(folder) / "part.jsonl"
        generate(events, path, Market(concurrent, _BROKEN))
        generate(events // 10, part, Market(concurrent // 10, _BROKEN))
        reading = run("json", "states", path)
        for what in ("states", "records", "violations"):
            same = {run(way, what, part, "check").digest for way in ("cera", "handwritten")}
            if len(same) > 1:
                raise SystemExit(f"{what}: cera and the machine written by hand find different things")
            by_cera, by_hand = run("cera", what, path), run("handwritten", what, path)
            table.add_row(
                what,
                f"{by_cera.found:,}",
                f"{by_cera.rate:,.0f}",
                f"{by_hand.rate:,.0f}",
                f"{reading.rate:,.0f}",
                f"{by_cera.rate / by_hand.rate:.2f}",
                " ".join(f"{each:.0f}" for each in by_cera.memory),
                " ".join(f"{each:.0f}" for each in by_hand.memory),
                f"{by_cera.memory[-1] / by_hand.memory[-1]:.1f}",
                " ".join(f"{each:,}" for each in by_cera.live),
            )
    return table
