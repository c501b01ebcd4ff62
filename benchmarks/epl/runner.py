"""One run over all patterns, each in a process of its own, as one table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from benchmarks.epl.generate import generate
from benchmarks.epl.handwritten import MACHINES

QUICK = 100_000
FULL = 1_000_000
_TITLES = {
    "Sequence": "relaxed sequence with a key, within 4 hours",
    "Star": "star with a negation",
    "Unrestricted": "three in a row, within 1 hour",
    "Recent": "three in a row, recent",
    "Chronicle": "three in a row, chronicle",
    "ChronicleWithKey": "two in a row with a key, chronicle",
}
_CAPTION = (
    "changes/s of CPU time from opening the file to the last detection. By hand: a state machine in Python for this "
    "pattern, which detects the same (compared in every run); json: reading the lines alone. The patterns of three are "
    "divided by accounts, those with a key are not. Live: facts remembered at a quarter, half, three quarters and the "
    "end; what waits in a chronicle waits for ever, and each account that was seen has four counters there."
)


@dataclass(frozen=True)
class Measured:
    """What the process of a workload printed."""

    events: int
    detected: int
    digest: str
    live: list[int]
    seconds: float
    megabytes: float

    @property
    def rate(self) -> float:
        return self.events / self.seconds


def run(way: str, module: str, path: Path) -> Measured:
    command = [sys.executable, "-m", "benchmarks.epl.workloads", way, module, str(path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(**json.loads(output))


def measure(changes: int = QUICK) -> Table:
    table = Table(title=f"EPL over {changes:,} changes of 10,000 accounts", caption=_CAPTION)
    table.add_column("pattern", no_wrap=True)
    for column in ("detections", "changes/s", "by hand", "json", "of by hand", "peak MiB", "live facts"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changes.jsonl"
        generate(changes, path)
        reading = run("json", "Star", path)
        for name in MACHINES:
            by_hand, by_cera = run("handwritten", name, path), run("cera", name, path)
            if by_cera.digest != by_hand.digest:
                raise SystemExit(f"{name}: cera and the machine written by hand differ: {by_cera} {by_hand}")
            table.add_row(
                _TITLES[name],
                f"{by_cera.detected:,}",
                f"{by_cera.rate:,.0f}",
                f"{by_hand.rate:,.0f}",
                f"{reading.rate:,.0f}",
                f"{by_cera.rate / by_hand.rate:.2f}",
                f"{by_cera.megabytes:.0f}",
                " ".join(f"{live:,}" for live in by_cera.live),
            )
    return table
