"""What is measured, each in a process of its own: `python -m benchmarks.instances.workloads WAY NAME FILE`.

The way is how cera is told the key (`where`, `partition`), or `handwritten`, or `json`. Prints one line of JSON: how
many events there were, how many detections and a digest of them, the CPU seconds from opening the file to the last
answer, the most memory that the process ever had, and the instances that were remembered along the way.
"""

from __future__ import annotations

import gc
import sys
import time

from benchmarks.epl.handwritten import Found
from benchmarks.epl.workloads import Count, detections, measured, peak_megabytes, read_json
from benchmarks.instances.handwritten import MACHINES, steps
from benchmarks.instances.programs import PROGRAMS
from cera.cli.main import SELDOM
from cera.diagnostics import Source
from cera.model.terms.term import Term
from cera.modules.processor import Detection as Detected
from cera.program import Program


def program(name: str, way: str) -> Program:
    return Program((Source(name, PROGRAMS[name][way]),))


def found(detected: Detected) -> Found:
    """A detection as the machines tell it. What several instances do not agree on is not a child."""
    children = [child for child in detected.occurrence.term.children if isinstance(child, Term)]
    values = [child.children[0] for child in children]
    return Found(detected.begin, detected.end, tuple(value for value in values if isinstance(value, int)))


def main(way: str, name: str, path: str) -> None:
    with open(path) as file:
        count = Count(sum(1 for _ in file))
    answers: list[Found] = []
    by_cera = program(name, way) if way in PROGRAMS[name] else None
    if by_cera is not None:
        by_cera.processor(max_duration=0)
    gc.set_threshold(*SELDOM)  # as the command does, for all ways
    start = time.process_time()
    if by_cera is not None:
        answers = [found(one) for one in detections(by_cera, path, count)]
    else:
        with open(path) as lines:
            answers = list(MACHINES[name](steps(lines)) if way == "handwritten" else read_json(lines))
    seconds = time.process_time() - start
    print(measured(count, answers, seconds, peak_megabytes()))


if __name__ == "__main__":
    main(*sys.argv[1:])
