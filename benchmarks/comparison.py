"""Cases measured with two checkouts in turns, as one table: is this one slower than the other, or is that noise?"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.checkouts import CONTROL, HERE, Case, Checkout, Measurement, UnableError, other

#: How much slower is too much.
LIMIT = 0.05

#: How often each case is measured, unless that is said.
REPEATS = 3

_CAPTION = (
    "CPU seconds, the best of {repeats} runs, taken in turns. The control is the same code in both. Noise: how far the "
    "median of a side is above its best, for the worse side, or what the control differs by if that is more. Slower: "
    f"by more than {LIMIT:.0%} and the noise; slower?: by more than {LIMIT:.0%}, but not clearly (repeat more often)."
)


@dataclass
class Row:
    """A part of a case: its name, and what each run with the other checkout and with this one took."""

    benchmark: str
    name: str
    other: list[float] = field(default_factory=list)
    this: list[float] = field(default_factory=list)
    megabytes: tuple[float, float] = (0.0, 0.0)

    @property
    def ratio(self) -> float:
        return min(self.this) / max(min(self.other), 1e-9)

    @property
    def noise(self) -> float | None:
        """Returns a share of the best time; nothing is known of the noise of one run."""
        if len(self.this) < 2:
            return None
        return max(statistics.median(side) / max(min(side), 1e-9) - 1 for side in (self.other, self.this))


@dataclass
class Comparison:
    """What was found out, and what could not be."""

    repeats: int
    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    own_benchmarks: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    @property
    def is_slower(self) -> bool:
        return any(self.verdict(row) == "slower" for row in self.rows)

    @property
    def control(self) -> float:
        """Returns what the same code differs by at most."""
        return max((abs(row.ratio - 1) for row in self.rows if row.benchmark == CONTROL), default=0.0)

    def noise(self, row: Row) -> float | None:
        return None if row.noise is None else max(row.noise, self.control)

    def verdict(self, row: Row) -> str:
        noise, change = self.noise(row), row.ratio - 1
        if abs(change) <= LIMIT or row.benchmark == CONTROL:
            return ""
        word = "slower" if change > 0 else "faster"
        return word if noise is not None and abs(change) > LIMIT + noise else f"{word}?"

    def table(self, against: Path) -> Table:
        table = Table(title=f"this checkout against {against}", caption=_CAPTION.format(repeats=self.repeats))
        for column in ("benchmark", "what"):
            table.add_column(column, no_wrap=True)
        for column in ("other", "this", "this / other", "noise", "peak MiB"):
            table.add_column(column, justify="right")
        table.add_column("")
        for benchmark, rows in _grouped(self.rows):
            for row in rows:
                memory = " → ".join(f"{size:.0f}" for size in row.megabytes) if all(row.megabytes) else ""
                times = (f"{min(side):.3f}" for side in (row.other, row.this))
                figures = (*times, f"{row.ratio:.3f}", _percent(self.noise(row)), memory)
                table.add_row(benchmark, row.name, *figures, self.verdict(row))
            table.add_section()
        return table

    def summary(self) -> Iterator[str]:
        """Yields the ratio of each benchmark, and what has to be known besides."""
        for benchmark, rows in [*_grouped(self.rows), ("all", self.rows)]:
            measured = [row for row in rows if row.benchmark != CONTROL] if benchmark == "all" else rows
            if measured:
                ratio = statistics.geometric_mean(max(row.ratio, 1e-9) for row in measured)
                noises = [noise for row in measured if (noise := self.noise(row)) is not None]
                noise = _percent(statistics.median(noises) if noises else None)
                yield f"{benchmark}: {ratio:.3f} on average of {len(measured)}, noise {noise} in the middle"
        if self.control > LIMIT:
            yield f"the control differs by {self.control:.0%}: too busy a machine to find {LIMIT:.0%}, measure again"
        if self.repeats == 1:
            yield "one run each says nothing of the noise: give --repeat"
        for text, names in (
            ("answers differ", self.different),
            ("measured with the benchmarks of the other checkout", self.own_benchmarks),
            ("left out", self.left_out),
        ):
            if names:
                yield f"{text}: {'; '.join(names)}"


def compare(cases: Iterable[Case], against: Path, repeats: int, this: Checkout = HERE) -> Comparison:
    """Measures each case so many times with both checkouts, in turns; what one of them cannot do is left out."""
    found = Comparison(repeats)
    sides = (other(against), this)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            title = f"{case.benchmark}: {case.name}"
            print(f"{title} …", file=sys.stderr, flush=True)
            try:
                runs = _runs(case, sides, repeats, Path(folder), found)
            except UnableError as error:
                found.left_out.append(f"{title} ({error})")
            else:
                found.rows += _rows(case, *runs)
                found.left_out += [f"{title}, {part} (one of them only)" for part in _not_shared(*runs)]
                if len({repr(run.answers) for side in runs for run in side}) > 1:
                    found.different.append(title)
    return found


def _runs(
    case: Case, sides: tuple[Checkout, Checkout], repeats: int, folder: Path, found: Comparison
) -> tuple[list[Measurement], list[Measurement]]:
    """Returns the runs of both sides; a command that is measured with its start has one more, for its bytecode."""
    runs: dict[str, list[Measurement]] = {side.name: [] for side in sides}
    for number in range(-1 if case.answers else 0, repeats):
        for side in sides if number % 2 == 0 else reversed(sides):
            try:
                took, benchmarks = side.measure(case, folder / side.name)
            except UnableError as error:
                raise UnableError(f"with the {side.name} checkout: {error}") from error
            if number >= 0:
                runs[side.name].append(took)
            if number == 0 and benchmarks != side.benchmarks[0]:
                found.own_benchmarks.append(f"{case.benchmark}: {case.name}")
    before, now = (runs[side.name] for side in sides)
    return before, now


def _rows(case: Case, before: Sequence[Measurement], now: Sequence[Measurement]) -> Iterator[Row]:
    """Yields a row for each part that both have."""
    memory = (min(run.megabytes for run in before), min(run.megabytes for run in now))
    for part in before[0].parts:
        if all(part in run.parts for run in (*before, *now)):
            times = ([run.parts[part] for run in side] for side in (before, now))
            yield Row(case.benchmark, ", ".join(filter(None, (case.name, part))), *times, megabytes=memory)


def _not_shared(before: Sequence[Measurement], now: Sequence[Measurement]) -> list[str]:
    return sorted(set(before[0].parts) ^ set(now[0].parts))


def _grouped(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.benchmark, []).append(row)
    return list(groups.items())


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{share:.1%}"


def show(comparison: Comparison, against: Path, console: Console) -> int:
    """Prints a comparison; the status is 1 if something is slower, or answers differ."""
    console.print(comparison.table(against))
    for line in comparison.summary():
        console.print(line, highlight=False, soft_wrap=True)
    return 1 if comparison.is_slower or comparison.different else 0
