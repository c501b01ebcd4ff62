"""Which cells there are, in which order, and how each is measured: in a process of its own, in two turns."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import recordings
from benchmarks.peers.cells import Cell, Finished, Place, measured
from benchmarks.peers.measurement import FailedError, measure
from benchmarks.peers.systems import ROOT, SYSTEMS, System
from benchmarks.peers.tasks import TASKS, Task

MODES = ("count", "write")
PARTS = ("sensors", "loans", "growth")
#: How many events there are of each sensor before keys grow by a thousand, and after.
EVENTS_OF_A_KEY = (10_000, 10)


@dataclass(frozen=True)
class Choice:
    """What is asked for. Growth is asked of the least number of events, counted, over Parquet."""

    systems: Sequence[str]
    tasks: Sequence[str]
    events: Sequence[int]
    formats: Sequence[str]
    modes: Sequence[str]
    parts: Sequence[str]
    folder: Path
    turns: int = 2
    limit: int = 900

    def works(self) -> Iterator[tuple[Task, Path, str]]:
        """Yields each task with a file and a mode."""
        if "sensors" in self.parts:
            for events in self.events:
                for format in self.formats:
                    for task in self._chosen(lambda task: not task.loans and not task.grown):
                        for mode in self.modes:
                            yield task, recordings.sensors(events, format, self.folder), mode
        if "loans" in self.parts:
            for format in self.formats:
                for task in self._chosen(lambda task: task.loans):
                    for mode in self.modes:
                        yield task, recordings.loan_applications(format, self.folder), mode
        if "growth" in self.parts:
            events = min(self.events)
            file = recordings.sensors(events, "parquet", self.folder)
            for task in self._chosen(lambda task: not task.loans):
                yield task, file, "count"  # what has grown, and what it has grown from
                if not task.grown:
                    for more in self.events:
                        yield task, recordings.sensors(more, "parquet", self.folder), "count"
                    for each in EVENTS_OF_A_KEY:
                        yield task, recordings.sensors(events, "parquet", self.folder, events // each), "count"

    def _chosen(self, among: Callable[[Task], bool]) -> list[Task]:
        return [TASKS[name] for name in self.tasks if among(TASKS[name])]


def cells(choice: Choice, finished: Finished, until: float = math.inf) -> Iterator[Cell]:
    """Yields the cells: those that an earlier run finished, and others as long as they begin before a time."""
    seen = set()
    for task, file, mode in choice.works():
        for name in choice.systems:
            system = SYSTEMS[name]
            place = Place(name, system.version, task.name, file.name, mode)
            if place in seen or (task.grown and system.cannot(task, file)):
                continue
            seen.add(place)
            cell = finished.get(place, choice.turns)
            if cell is None and time.monotonic() > until:
                continue
            if cell is None:
                cell = _measured(system, place, task, file, choice)
                finished.add(cell)
            yield cell


def _measured(system: System, place: Place, task: Task, file: Path, choice: Choice) -> Cell:
    if reason := system.cannot(task, file):
        return Cell(place, reason=reason)
    answers = choice.folder / "answers"
    shutil.rmtree(answers, ignore_errors=True)
    answers.mkdir()
    environments = choice.folder / "environments"
    try:
        path = str(answers / "answers") if place.mode == "write" else "-"
        command = system.command(task, file, path, environments)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        roots = (ROOT / "src", ROOT) if system.is_cera else (ROOT,)
        environment["PYTHONPATH"] = os.pathsep.join(map(str, roots))
        environment["PYSPARK_PYTHON"] = command[0]
        environment.pop("SPARK_HOME", None)
        return measured(place, measure(command, environment, choice.folder, choice.turns, choice.limit))
    except FailedError as error:
        return Cell(place, error=str(error))
    finally:
        shutil.rmtree(answers)
