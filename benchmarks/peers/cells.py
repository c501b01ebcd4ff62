"""The cells of the table: what was measured, kept in a file so that a run that was cut goes on, and compared."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.peers.measurement import Measurement


@dataclass(frozen=True)
class Place:
    """Where a cell is: a system, in a version, that answers a task over a file, counting or writing."""

    system: str
    version: str
    task: str
    file: str
    mode: str

    @property
    def answers_same(self) -> tuple[str, str]:
        """What cells with the same answers have in common: the task, and the events in whatever format."""
        return self.task, self.file.rpartition(".")[0]


@dataclass(frozen=True)
class Cell:
    """What was measured: CPU seconds of all processes from the start, and of the first and the second time; seconds by
    the clock; the most memory until the first time was over, in MiB; and how many cores were busy with other things.

    A cell that cannot be has a reason instead, and one that failed an error.
    """

    place: Place
    count: int | None = None
    start: float | None = None
    cold: float | None = None
    warm: float | None = None
    cold_seconds: float | None = None
    warm_seconds: float | None = None
    megabytes: float | None = None
    others: float | None = None
    reason: str = ""
    error: str = ""

    @property
    def best(self) -> float | None:
        """The CPU seconds of the second time, or of the first one if there was no other."""
        return self.cold if self.warm is None else self.warm


def measured(place: Place, found: Measurement) -> Cell:
    cold, *more = found.turns
    counts = {turn.count for turn in found.turns}
    cell = Cell(
        place,
        cold.count,
        found.start.cpu,
        cold.cpu,
        cold_seconds=cold.seconds,
        megabytes=cold.megabytes,
        others=found.others,
        error="" if len(counts) == 1 else f"counts {counts} one after another",
    )
    return replace(cell, warm=more[0].cpu, warm_seconds=more[0].seconds) if more else cell


class Finished:
    """The file of the cells that are finished, a line of JSON for each."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._cells: dict[Place, Cell] = {}
        if file.exists():
            for line in file.read_text().splitlines():
                record = json.loads(line)
                cell = Cell(**record | {"place": Place(**record["place"])})
                self._cells[cell.place] = cell

    def get(self, place: Place, turns: int) -> Cell | None:
        """Returns a cell that need not be measured again: it has not failed, and as many turns were taken."""
        cell = self._cells.get(place)
        if cell is None or cell.error or (turns > 1 and cell.warm is None and not cell.reason):
            return None
        return cell

    def add(self, cell: Cell) -> None:
        self._cells[cell.place] = cell
        with self._file.open("a") as out:
            out.write(json.dumps(asdict(cell)) + "\n")


def differing(cells: Sequence[Cell], expected: Mapping[str, int]) -> set[Place]:
    """Returns the cells that count something else than is expected of their task, or else than most others count."""
    found = set()
    for cell in cells:
        if cell.count is None:
            continue
        same = [each.count for each in cells if each.place.answers_same == cell.place.answers_same]
        right = expected.get(cell.place.task) or _usual(count for count in same if count is not None)
        if cell.count != right:
            found.add(cell.place)
    return found


def _usual(counts: Iterable[int]) -> int:
    [(count, _)] = Counter(counts).most_common(1)
    return count
