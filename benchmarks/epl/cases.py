"""What is compared between checkouts: EPL over changes of accounts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts import Case
from benchmarks.epl.generate import generate
from benchmarks.epl.handwritten import MACHINES


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    changes = 20_000 if quick else 100_000
    path = folder / "changes.jsonl"
    generate(changes, path)
    for name in MACHINES:
        yield Case("epl", f"{name}, {changes:,}", ("-m", "benchmarks.epl.workloads", "cera", name, str(path)))
