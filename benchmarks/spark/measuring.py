"""Seconds by the clock, and CPU seconds of Spark with its Python workers: these hardly change on a busy machine."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_SECONDS = 0.25

#: A process: its number, and when it was started, because numbers are used again.
Process = tuple[int, int]


@dataclass(frozen=True)
class Cost:
    """What some work took."""

    seconds: float
    cpu: float

    def best(self, other: Cost) -> Cost:
        return Cost(min(self.seconds, other.seconds), min(self.cpu, other.cpu))

    def over(self, other: Cost) -> Cost:
        """How many times as much as another."""
        return Cost(self.seconds / other.seconds, self.cpu / max(other.cpu, 1 / _TICKS))


class Clock:
    """Measures work that Spark does."""

    def __init__(self, spark: SparkSession) -> None:
        self._java: int = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]

    def cost(self, work: Callable[[], object]) -> Cost:
        before = self._ticks()
        seen = dict(before)
        done = threading.Event()

        def look() -> None:  # Python workers end when they were idle for a while, and then nobody knows their time
            while not done.wait(_LOOK_SECONDS):
                seen.update(self._ticks())

        looking = threading.Thread(target=look, daemon=True)
        seconds = time.perf_counter()
        looking.start()
        try:
            work()
        finally:
            seconds = time.perf_counter() - seconds
            done.set()
            looking.join()
        seen.update(self._ticks())
        ticks = sum(last - before.get(process, 0) for process, last in seen.items())
        return Cost(seconds, ticks / _TICKS)

    def _ticks(self) -> dict[Process, int]:
        """The CPU time of the Java process and of all processes below it."""
        parents: dict[int, int] = {}
        found: dict[int, tuple[Process, int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:  # it ended meanwhile
                    continue
                process = int(entry.name)
                parents[process] = int(fields[1])
                found[process] = (process, int(fields[19])), int(fields[11]) + int(fields[12])
        return dict(found[process] for process in parents if self._is_below(process, parents))

    def _is_below(self, process: int, parents: Mapping[int, int]) -> bool:
        while process in parents:
            if process == self._java:
                return True
            process = parents[process]
        return False


def interleaved(clock: Clock, works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Cost]:
    """The best of each, taken in turns, so that what else the machine does meets all of them."""
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for name, work in works.items():
            cost = clock.cost(work)
            best[name] = cost.best(best[name]) if name in best else cost
    return best
