"""One cell of the table: `python -m benchmarks.constraints.workloads WAY KIND FILE OUT`, in a process of its own.

Writes the violations, the CPU seconds of this process, the most tuples in state if that is known, and the most memory.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.constraints.handwritten import BY_HAND
from benchmarks.constraints.kinds import BY_NAME, Kind, layers_of
from benchmarks.constraints.rows import SECOND, Row
from cera.connectors.files import Layout
from cera.connectors.sink import StandardOutput
from cera.connectors.source import source_of
from cera.model.events.event import DerivedEvent, Event
from cera.model.time.time_text import TimeFormat
from cera.modules.expectations import expectations_of
from cera.running.choice import Engine
from cera.running.engine import answer
from cera.running.listener import Output, Unattended
from cera.running.request import Request
from cera.running.run import Run


class _Nothing:
    def write(self, item: Event | DerivedEvent) -> None:
        """Does nothing."""

    def finish(self) -> None:
        """Does nothing."""


@contextmanager
def _nothing() -> Iterator[Output]:
    yield _Nothing()


def verify(kind: Kind, path: Path, engine: Engine = "local") -> tuple[int, int | None]:
    """Returns the violations of the constraints of a kind, and the most tuples in state."""
    layers = layers_of(kind)
    request = Request((source_of(str(path)),), Layout(times=TimeFormat("s")), engine)
    run = Run(layers, expectations_of(layers), "UTC", request, StandardOutput(), _nothing, Unattended())
    outcome = answer(run)
    return outcome.derived["violation"], outcome.most_in_state


def rows(path: Path) -> Iterator[Row]:
    """Yields the records of a file, with states as what begins and ends."""
    with path.open() as lines:
        for line in lines:
            record = json.loads(line)
            [(label, given)] = record["term"].items()
            if "state" not in record:
                yield Row(round(record["at"] * SECOND), label, given)
            elif record["end"] is None:
                yield Row(round(record["begin"] * SECOND), label, given, "begins")
            else:
                yield Row(round(record["end"] * SECOND), label, given, "ends")


def by_hand(kind: Kind, path: Path) -> int:
    return BY_HAND[kind.name](rows(path))


def main(way: str, name: str, path: Path, out: Path) -> None:
    begin = time.process_time()
    most: int | None = None
    if way == "by hand":
        found = by_hand(BY_NAME[name], path)
    else:
        found, most = verify(BY_NAME[name], path, "spark" if way == "spark" else "local")
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    out.write_text(json.dumps({"violations": found, "seconds": seconds, "most": most, "memory": memory}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
