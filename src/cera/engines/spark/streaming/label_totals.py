"""How much a stream has derived since it began, by label: kept in its checkpoint, each micro-batch counted once."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path


class LabelTotals:
    """Sums in a file. It has the last micro-batch apart from those before, because that one may come again."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._before: Counter[str] = Counter()
        self._last: Counter[str] = Counter()
        self._batch: int | None = None
        #: What was taken in this process.
        self.now: Counter[str] = Counter()
        if file.exists():
            saved = json.loads(file.read_text(encoding="utf-8"))
            self._before, self._last = Counter(saved["before"]), Counter(saved["last"])
            self._batch = saved["batch"]

    def take(self, batch: int, labels: Iterable[str]) -> None:
        """Counts a micro-batch; in the place of what it was before if it comes again."""
        if batch != self._batch:
            self._before += self._last
            self._batch = batch
        self._last = Counter(labels)
        self.now += self._last
        unfinished = self._file.with_suffix(".unfinished")
        unfinished.write_text(
            json.dumps({"batch": batch, "before": self._before, "last": self._last}), encoding="utf-8"
        )
        os.replace(unfinished, self._file)

    @property
    def sums(self) -> Counter[str]:
        return self._before + self._last
