"""What the auction's constraints cost, kind by kind: `python -m benchmarks.constraints [EVENTS] [--without spark]`.

The constraints are those of `examples/auction` (Listings 7.1 to 7.6, and the rules of the workflow in words),
over a million events of `benchmarks.automata.auctions` and over a tenth of them; one auction in a hundred breaks a
rule. Constraints about states have the states of the automaton in the recording, with records of their own. Each cell
is a process of its own: violations, seconds of CPU from opening the file to the last violation, the most tuples in
state, the most memory, and seconds by the clock. On Spark, CPU is that of all its processes, with their start. By hand
is Python for these constraints alone. Different numbers of violations end the run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.constraints.handwritten import BY_HAND
from benchmarks.constraints.kinds import KINDS, Kind
from benchmarks.constraints.recording import write
from benchmarks.processes import cost

CONCURRENT, BROKEN = 200, 0.01


@dataclass(frozen=True)
class Cell:
    """What one way took for one kind."""

    violations: int
    seconds: float
    most: int | None
    memory: float
    #: Seconds by the clock, of the process from its start to its end.
    clock: float = 0.0


def measured(way: str, kind: Kind, path: Path) -> Cell:
    """Runs a way in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "cell.json"
        command = [sys.executable, "-m", "benchmarks.constraints.workloads", way, kind.name, str(path), str(out)]
        spent = cost(command, os.environ)
        if spent.status:
            raise SystemExit(f"{way}, {kind.name}: ended with status {spent.status}")
        found = Cell(**json.loads(out.read_text()))
    if way == "spark":
        return Cell(found.violations, spent.cpu, None, spent.megabytes, spent.seconds)
    return replace(found, clock=spent.seconds)


def line(kind: Kind, way: str, events: int, cell: Cell) -> str:
    most = "" if cell.most is None else f"{cell.most:,}"
    return (
        f"| {kind.name} | {way} | {events:,} | {cell.violations:,} | {cell.seconds:.1f} | "
        f"{events / cell.seconds:,.0f} | {most} | {cell.memory:.0f} | {cell.clock:.0f} |"
    )


def lines(kinds: Sequence[Kind], sizes: Sequence[int], ways: Sequence[str], folder: Path) -> Iterator[str]:
    """Yields the lines of the table."""
    paths = {size: write(folder, size, CONCURRENT, BROKEN) for size in sizes}
    yield "| kind | way | events | violations | CPU s | events/s | in state | MiB | clock s |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    for kind in kinds:
        for size, (plain, states) in paths.items():
            path = states if kind.states else plain
            found: set[int] = set()
            for way in ways:
                if way == "by hand" and kind.name not in BY_HAND:
                    continue
                cell = measured(way, kind, path)
                found.add(cell.violations)
                yield line(kind, way, size, cell)
            if len(found) > 1:
                raise SystemExit(f"{kind.name}: the ways find different violations")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--only", action="append", choices=[kind.name for kind in KINDS])
    parser.add_argument("--without", action="append", choices=["local", "spark", "by hand"], default=[])
    parser.add_argument("--one-size", action="store_true", help="over all the events only, and not over a tenth too")
    given = parser.parse_args()
    kinds = [kind for kind in KINDS if not given.only or kind.name in given.only]
    ways = [way for way in ("local", "spark", "by hand") if way not in given.without]
    with tempfile.TemporaryDirectory() as folder:
        sizes = (given.events,) if given.one_size else (given.events // 10, given.events)
        for each in lines(kinds, sizes, ways, Path(folder)):
            print(each, flush=True)


if __name__ == "__main__":
    main()
