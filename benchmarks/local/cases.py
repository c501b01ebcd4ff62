"""What is compared between checkouts: the local engine over sensor readings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts import CONTROL, Case
from benchmarks.local.generate import generate

#: Workloads, each with the share of the events that it takes: those that write their answers take longest.
_WORKLOADS = {"cera": 1.0, "cera without optimizer": 0.5, "cera written": 0.05, "10 rules": 1.0, "100 rules": 0.5}


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    events = 50_000 if quick else 200_000
    for name, share in _WORKLOADS.items():
        yield _case("local", name, int(events * share), folder)


def control(folder: Path, *, quick: bool) -> Case:
    """Returns a case that runs no code of cera: what two checkouts differ by is noise."""
    return _case(CONTROL, "handwritten", 100_000 if quick else 200_000, folder)


def _case(benchmark: str, name: str, events: int, folder: Path) -> Case:
    path = folder / f"readings-{events}.jsonl"
    if not path.exists():
        generate(events, path)
    return Case(benchmark, f"{name}, {events:,}", ("-m", "benchmarks.local.workloads", name, str(path)))
