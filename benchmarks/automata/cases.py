"""What is compared between checkouts: auctions as automata."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.automata.auctions import Market, generate
from benchmarks.checkouts import Case


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    """Yields all states of the auctions, and the violations alone."""
    events, concurrent = (20_000, 500) if quick else (200_000, 5_000)
    path = folder / "auctions.jsonl"
    generate(events, path, Market(concurrent, 0.01))
    for what in ("states", "violations"):
        arguments = ("-m", "benchmarks.automata.workloads", "cera", what, str(path))
        yield Case("automata", f"auctions, {what}, {events:,}", arguments)
