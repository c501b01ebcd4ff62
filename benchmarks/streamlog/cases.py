"""What is compared between checkouts: the listings on the local engine, as a user runs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts import Case
from benchmarks.streamlog.generate import RECORDINGS, generate
from benchmarks.streamlog.runner import WAYS


def cases(folder: Path, *, quick: bool) -> Iterator[Case]:
    events = 20_000 if quick else 100_000
    for name in RECORDINGS:
        path, out = folder / f"streamlog-{name}.jsonl", folder / "streamlog-answers.jsonl"
        generate(name, events, path)
        yield Case("streamlog", f"{name}, local, {events:,}", tuple(WAYS["cera, local"](name, path, out)), out)
        path.unlink()
