"""How much a stream has derived since it began, by label, and of some labels by rule with the first lines of each: kept
in its checkpoint, each micro-batch counted once."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

#: So many lines of each rule are kept.
SHOWN = 3


@dataclass(frozen=True)
class RuleTotal:
    """How many events a rule has derived, and the lines of the first of them."""

    number: int = 0
    first: tuple[str, ...] = ()

    def __add__(self, other: RuleTotal) -> RuleTotal:
        return RuleTotal(self.number + other.number, (*self.first, *other.first)[:SHOWN])


@dataclass(frozen=True)
class Totals:
    """What some micro-batches have derived."""

    labels: Counter[str] = field(default_factory=Counter)
    rules: Mapping[str, RuleTotal] = field(default_factory=dict)

    @classmethod
    def of(cls, labels: Iterable[str], lines: Iterable[tuple[str, str]]) -> Totals:
        """Returns the totals of labels, and of lines by their rules."""
        rules: dict[str, RuleTotal] = {}
        for rule, line in lines:
            rules[rule] = rules.get(rule, RuleTotal()) + RuleTotal(1, (line,))
        return cls(Counter(labels), rules)

    def __add__(self, other: Totals) -> Totals:
        names = dict.fromkeys((*self.rules, *other.rules))
        none = RuleTotal()
        both = {name: self.rules.get(name, none) + other.rules.get(name, none) for name in names}
        return Totals(self.labels + other.labels, both)

    @property
    def data(self) -> tuple[Mapping[str, int], Mapping[str, tuple[int, Sequence[str]]]]:
        return self.labels, {name: (each.number, each.first) for name, each in self.rules.items()}

    @classmethod
    def read(cls, data: object) -> Totals:
        match data:
            case [dict() as labels, dict() as rules]:
                return cls(Counter(labels), {name: RuleTotal(n, tuple(first)) for name, (n, first) in rules.items()})
            case dict():  # as written before rules were counted
                return cls(Counter(data))
            case _:
                return cls()


class StreamTotals:
    """Sums in a file. It has the last micro-batch apart from those before, because that one may come again."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._before = Totals()
        self._last = Totals()
        self._batch: int | None = None
        #: What was taken in this process.
        self.now = Totals()
        if file.exists():
            saved = json.loads(file.read_text(encoding="utf-8"))
            self._before, self._last = Totals.read(saved["before"]), Totals.read(saved["last"])
            self._batch = saved["batch"]

    def take(self, batch: int, found: Totals) -> None:
        """Counts a micro-batch; in the place of what it was before if it comes again."""
        if batch != self._batch:
            self._before += self._last
            self._batch = batch
        self._last = found
        self.now += found
        unfinished = self._file.with_suffix(".unfinished")
        data = {"batch": batch, "before": self._before.data, "last": self._last.data}
        unfinished.write_text(json.dumps(data), encoding="utf-8")
        os.replace(unfinished, self._file)

    @property
    def sums(self) -> Totals:
        return self._before + self._last
