"""Counts that the parts of a long test add up over a whole run, whichever workers the parts run on.

Each part writes a file into the folder that the workers of a run share. The summary of the run prints the sums.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class WholeCounts:
    """The sums of the parts that are done, and how many these are."""

    parts: int
    counts: Counter[str]


@dataclass(frozen=True)
class RunCounts:
    """The counts of the tests of a run, in a folder."""

    folder: Path

    def add(self, test: str, part: int, counts: Mapping[str, int]) -> WholeCounts:
        """Adds the counts of a part of a test, and returns those of all parts that are done."""
        self.folder.mkdir(exist_ok=True)
        unfinished = self.folder / f"{test}.{part}.unfinished"
        unfinished.write_text(json.dumps(counts))
        unfinished.rename(self.folder / f"{test}.{part}.json")
        return self.whole(test)

    def whole(self, test: str) -> WholeCounts:
        found = [json.loads(each.read_text()) for each in self.folder.glob(f"{test}.*.json")]
        return WholeCounts(len(found), sum((Counter(each) for each in found), Counter()))

    def lines(self) -> Iterator[str]:
        """Yields what the summary of a run says."""
        for test in sorted({each.name.split(".")[0] for each in self.folder.glob("*.json")}):
            whole = self.whole(test)
            yield f"{test}, {whole.parts} parts:"
            yield from (f"  {number:>9,}  {name}" for name, number in sorted(whole.counts.items()))


def run_folder(config: pytest.Config) -> Path:
    """Returns the folder of a run, which the workers share: that of a worker is inside of it."""
    # the summary of a run has no fixtures, and pytest has no other way to this folder
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    base = factory.getbasetemp()
    return (base.parent if hasattr(config, "workerinput") else base) / "counts"
