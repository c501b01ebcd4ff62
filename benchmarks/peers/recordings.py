"""The recordings of a run, which are made where they are not there."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pyarrow as pa

from benchmarks.peers import data, loans
from benchmarks.peers.tasks import Task

FORMATS = ("jsonl", "parquet")


def sensors(events: int, format: str, folder: Path, of: int = data.SENSORS) -> Path:
    """Returns the file with so many events of so many sensors."""
    file = folder / f"{data.name(events, of)}.{format}"
    if not file.exists():
        arguments = [str(events), str(folder), str(of)]  # in a process of its own: it takes memory
        subprocess.run([sys.executable, "-m", "benchmarks.peers.data", *arguments], check=True, cwd=loans.ROOT)
    return file


def loan_applications(format: str, folder: Path) -> Path:
    """Returns the file with the loan applications, in the layout of the sensors."""
    file = folder / f"loans.{format}"
    if not file.exists():
        data.write(pa.Table.from_pylist(loans.events(loans.FILE)), folder / "loans")
    return file


@cache
def independent_counts() -> Counter[str]:
    """Returns what is counted by hand over the loan applications as they are."""
    counts = loans.by_hand(loans.FILE)
    return counts + Counter(loans=counts.total())


def expected(task: Task) -> int | None:
    """Returns the count that is known without any of the systems, if there is one."""
    return independent_counts()[task.name] if task.loans else None
