"""What is measured, each in a process of its own: `python -m benchmarks.epl.workloads WAY MODULE FILE`.

Prints one line of JSON: how many changes there were, how many detections and a digest of them, the CPU seconds from
opening the file to the last answer, the most memory that the process ever had, and the facts that were remembered along
the way.
"""

from __future__ import annotations

import gc
import hashlib
import json
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.epl.handwritten import MACHINES, Found, updates
from benchmarks.pieces import pieces
from cera.cli.main import SELDOM
from cera.model.terms.term import Term
from cera.modules.driving import Driver
from cera.modules.processor import Detection as Detected
from cera.program import Program, load

PROGRAM = Path(__file__).with_name("patterns.epl")
_SAMPLES = 4


class Count:
    """What a run saw."""

    def __init__(self, events: int) -> None:
        self.events = events
        self.seen = 0
        self.live: list[int] = []


def module(name: str) -> Program:
    return load(PROGRAM, enable=[name])


def read_json(lines: Iterable[str]) -> Iterator[Found]:
    """Every line as a Python object, nothing else."""
    for line in lines:
        json.loads(line)
        yield from ()


def detections(program: Program, path: str, count: Count) -> Iterator[Detected]:
    """What the local engine detects in a sorted file of changes."""
    driver = Driver(program.processor(max_duration=0), max_delay=0)
    every = max(1, count.events // _SAMPLES)
    for piece in pieces(path):
        yield from driver.push(piece)
        count.seen += len(piece)
        if count.seen % every < len(piece):
            count.live.append(driver.counts.in_state)
    yield from driver.close()


def found(detected: Detected) -> Found:
    """A detection as the machines tell it."""
    return Found(detected.begin, detected.end, tuple(_number(child) for child in detected.occurrence.term.children))


def _number(child: Any) -> int:
    assert isinstance(child, Term)
    (value,) = child.children
    assert isinstance(value, int)
    return value


def digest(answers: Iterable[Found]) -> str:
    """The same for the same detections, in whatever order."""
    hashed = hashlib.sha256()
    for one in sorted(set(answers)):
        hashed.update(repr(tuple(one)).encode())
    return hashed.hexdigest()


def peak_megabytes() -> float:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(count: Count, told: Iterable[Found], seconds: float, megabytes: float) -> str:
    """The line of JSON that a process prints."""
    different = set(told)
    found = {"events": count.events, "detected": len(different), "digest": digest(different), "live": count.live}
    return json.dumps({**found, "seconds": seconds, "megabytes": megabytes})


def main(way: str, name: str, path: str) -> None:
    with open(path) as file:
        count = Count(sum(1 for _ in file))
    answers: list[Found] = []
    program = module(name) if way == "cera" else None
    if program is not None:
        program.processor(max_duration=0)
    gc.set_threshold(*SELDOM)  # as the command does, for all ways
    start = time.process_time()
    if program is not None:
        answers = [found(one) for one in detections(program, path, count)]
    else:
        with open(path) as lines:
            answers = list(MACHINES[name](updates(lines)) if way == "handwritten" else read_json(lines))
    seconds = time.process_time() - start
    print(measured(count, answers, seconds, peak_megabytes()))


if __name__ == "__main__":
    main(*sys.argv[1:])
