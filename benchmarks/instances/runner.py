"""One run over all programs, each in a process of its own, as one table."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.table import Table

from benchmarks.epl.runner import Measured
from benchmarks.instances.generate import generate
from benchmarks.instances.handwritten import MACHINES
from benchmarks.instances.programs import PROGRAMS

QUICK = 100_000
FULL = 1_000_000
_CAPTION = (
    "events/s of CPU time from opening the file to the last detection; the key is said by a condition (where) or by "
    "dividing the history (partition by), and both detect the same (compared in every run). By hand: queues in Python "
    "for the chronicle context, which detect the same; json: reading the lines alone. Live: instances remembered at a "
    "quarter, half, three quarters and the end, with where; what waits for its partner waits for ever. The sequences "
    "of three are Snoop's, two types one in the other; .cet: one type of three components."
)


def run(way: str, name: str, path: Path) -> Measured:
    command = [sys.executable, "-m", "benchmarks.instances.workloads", way, name, str(path)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(**json.loads(output))


def measure(events: int = QUICK) -> Table:
    table = Table(title=f"Event types over {events:,} events of 10,000 customers", caption=_CAPTION)
    table.add_column("sequence of", no_wrap=True)
    for column in (
        "detections",
        "where",
        "partition by",
        "by hand",
        "json",
        "of by hand",
        "peak MiB",
        "live instances",
    ):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        generate(events, path)
        reading = run("json", next(iter(MACHINES)), path)
        for name in PROGRAMS:
            print(f"{name} …", file=sys.stderr, flush=True)
            by_condition, divided = run("where", name, path), run("partition", name, path)
            by_hand = run("handwritten", name, path) if name in MACHINES else None
            same = {each.digest for each in (by_condition, divided, by_hand) if each is not None}
            if len(same) > 1:
                raise SystemExit(f"{name}: what is detected differs: {by_condition} {divided} {by_hand}")
            table.add_row(
                name.removesuffix(".snoop"),
                f"{by_condition.detected:,}",
                f"{by_condition.rate:,.0f}",
                f"{divided.rate:,.0f}",
                f"{by_hand.rate:,.0f}" if by_hand else "",
                f"{reading.rate:,.0f}",
                f"{by_condition.rate / by_hand.rate:.2f}" if by_hand else "",
                f"{by_condition.megabytes:.0f}",
                " ".join(f"{live:,}" for live in by_condition.live),
            )
    return table
