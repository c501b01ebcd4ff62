"""What is compared between checkouts: the recursion on the local engine, as a user runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts import Case
from benchmarks.recursion.runner import WAYS, write_events


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    links = 2_000 if quick else 8_000
    home = folder / "recursion"
    write_events(links, home)
    out = home / "paths"
    arguments = tuple(WAYS["cera, local"](home, str(out)))
    yield Case("recursion", f"local, {links:,}", arguments, out.with_suffix(".jsonl"))
