"""What is measured, each in a process of its own: `python -m benchmarks.local.workloads NAME FILE`.

Prints one line of JSON: how many events there were and how many were derived, the CPU seconds from opening the file to
the last answer, the most memory that the process ever had, and the tuples that were remembered along the way.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.local.handwritten import detect
from benchmarks.pieces import pieces
from cera.algebra.plan import Plan
from cera.algebra.translation import translate
from cera.connectors.event_lines import event_line
from cera.diagnostics import Source
from cera.engines.local.derived import RuleDetection
from cera.engines.local.processor import RuleProcessor
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.parser import parse
from cera.model.time.time_text import TimeFormat
from cera.modules.driving import Driver
from cera.optimizer.driver import optimize
from cera.program import load

PROGRAM = Path(__file__).parents[2] / "examples" / "sensors" / "fire.xceq"
_SAMPLES_EVERY = 5_000
_THRESHOLD_RULE = """\
DETECT fire_{number}{{area{{var A}}}}
ON and {{
  event s: smoke{{{{area{{{{var A}}}}}}}},
  event t: temp{{{{area{{{{var A}}}}, value{{{{var T}}}}}}}}
}} where {{ s before t, {{s, t}} within 1 min, var T > {threshold} }}
END
"""


class Count:
    """What a run saw."""

    def __init__(self) -> None:
        self.events = 0
        self.derived = 0
        self.live: list[int] = []


Workload = Callable[[str, Count], None]


def read_json(path: str, count: Count) -> None:
    """Every line as a Python object, nothing else."""
    with open(path) as file:
        for line in file:
            json.loads(line)
            count.events += 1


def handwritten(path: str, count: Count) -> None:
    def lines() -> Iterator[str]:
        with open(path) as file:
            for line in file:
                count.events += 1
                yield line

    for _ in detect(lines()):
        count.derived += 1


def answers(plan: Plan, path: str, count: Count) -> Iterator[RuleDetection]:
    """What the engine derives of a sorted file of points of time."""
    driver = Driver(RuleProcessor(plan, max_duration=0), max_delay=0)
    events = 0
    for piece in pieces(path):
        yield from driver.push(piece)
        events += len(piece)
        if events % _SAMPLES_EVERY < len(piece):
            count.live.append(driver.counts.in_state)
    count.events = events
    yield from driver.close()


def counted(plan: Plan) -> Workload:
    """The answers as Python objects; what a `RuleDetection` makes when asked (terms, ids, causes) is not asked for."""

    def run(path: str, count: Count) -> None:
        for _ in answers(plan, path, count):
            count.derived += 1

    return run


def written(plan: Plan) -> Workload:
    """Each answer as a line of JSON with its term, its id and its causes."""
    times = TimeFormat("s")

    def run(path: str, count: Count) -> None:
        with open("/dev/null", "w") as out:
            for derived in answers(plan, path, count):
                out.write(json.dumps(event_line(derived.result(), times), ensure_ascii=False) + "\n")
                count.derived += 1

    return run


def sensor_plan() -> Plan:
    return translate(load(PROGRAM).rules)


def threshold_plan(rules: int) -> Plan:
    """So many rules that differ in a threshold between 40 and 90 degrees."""
    texts = [_THRESHOLD_RULE.format(number=i, threshold=40 + 50 * i / rules) for i in range(rules)]
    parsed = parse(Source("thresholds.xceq", "\n".join(texts)))
    program, _ = lower([parsed.program], calendars=(), timezone="UTC", semantics=None)
    return translate(program)


#: How each is got ready; that is not measured.
WORKLOADS: Mapping[str, Callable[[], Workload]] = {
    "json": lambda: read_json,
    "handwritten": lambda: handwritten,
    "cera": lambda: counted(optimize(sensor_plan())),
    "cera without optimizer": lambda: counted(sensor_plan()),
    "cera written": lambda: written(optimize(sensor_plan())),
    "1 rule": lambda: counted(optimize(threshold_plan(1))),
    "10 rules": lambda: counted(optimize(threshold_plan(10))),
    "100 rules": lambda: counted(optimize(threshold_plan(100))),
    "100 rules without optimizer": lambda: counted(threshold_plan(100)),
}


def main(name: str, path: str) -> None:
    count = Count()
    workload = WORKLOADS[name]()
    start = time.process_time()
    workload(path, count)
    seconds = time.process_time() - start
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({**vars(count), "seconds": seconds, "megabytes": kilobytes / 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
