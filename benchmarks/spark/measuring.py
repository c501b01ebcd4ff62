"""Seconds by the clock, and CPU seconds of Spark with its Python workers: these hardly change on a busy machine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

_TICKS = os.sysconf("SC_CLK_TCK")


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
        seconds, cpu = time.perf_counter(), self._cpu()
        work()
        return Cost(time.perf_counter() - seconds, self._cpu() - cpu)

    def _cpu(self) -> float:
        """CPU seconds of the Java process and all below it; those that ended are counted by their parents."""
        parents: dict[int, int] = {}
        ticks: dict[int, int] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:  # it ended meanwhile
                    continue
                parents[int(entry.name)] = int(fields[1])
                ticks[int(entry.name)] = sum(map(int, fields[11:15]))
        return sum(ticks[process] for process in parents if self._is_below(process, parents)) / _TICKS

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
