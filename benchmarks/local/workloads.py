"""What is measured, each in a process of its own: `python -m benchmarks.local.workloads NAME FILE`.

Prints one line of JSON: how many events there were and how many were derived, the CPU seconds from opening the file to
the last answer, the most memory that the process ever had, and the tuples that were remembered along the way.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.local.handwritten import detect
from cera.algebra.plan import Plan
from cera.algebra.translation import translate
from cera.connectors.fast_jsonl import read_occurrences
from cera.connectors.layout import Layout, Rejected
from cera.connectors.sinks import event_line
from cera.engines.local.heads import Derived
from cera.engines.local.host import Host
from cera.engines.local.processor import Processor
from cera.model.time_text import TimeFormat
from cera.optimizer.driver import optimize
from cera.pipeline import load

PROGRAM = Path(__file__).parents[2] / "examples" / "sensors" / "fire.xceq"
_SAMPLES_EVERY = 25_000
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


def answers(plan: Plan, path: str, count: Count) -> Iterator[Derived]:
    """What the engine derives of a sorted file of points of time."""
    host = Host(Processor(plan, max_duration=0), max_delay=0)
    push = host.push
    events = 0
    for item in read_occurrences(path, Layout(times=TimeFormat("s"))):
        if isinstance(item, Rejected):
            raise SystemExit(f"{item.place}: {item.reason}")
        events += 1
        yield from push(item)
        if events % _SAMPLES_EVERY == 0:
            count.live.append(host.state.live)
    count.events = events
    yield from host.close()


def cera(path: str, count: Count) -> None:
    for _ in answers(optimize(sensor_plan()), path, count):
        count.derived += 1


def cera_plain(path: str, count: Count) -> None:
    for _ in answers(sensor_plan(), path, count):
        count.derived += 1


def cera_written(path: str, count: Count) -> None:
    """With terms, ids and causes, each answer a line of JSON."""
    times = TimeFormat("s")
    with open("/dev/null", "w") as out:
        for derived in answers(optimize(sensor_plan()), path, count):
            json.dump(event_line(derived.result(), times), out)
            out.write("\n")
            count.derived += 1


def sensor_plan() -> Plan:
    return translate(load(PROGRAM).rules)


def threshold_plan(rules: int) -> Plan:
    """So many rules that differ in a threshold: from 40 to 89.5 degrees."""
    texts = [_THRESHOLD_RULE.format(number=i, threshold=40 + 50 * i / rules) for i in range(rules)]
    return translate(load_text("\n".join(texts)))


def load_text(text: str) -> Any:
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".xceq") as file:
        file.write(text)
        file.flush()
        return load(file.name).rules


def thresholds(rules: int, *, optimized: bool) -> Callable[[str, Count], None]:
    def run(path: str, count: Count) -> None:
        plan = threshold_plan(rules)
        for _ in answers(optimize(plan) if optimized else plan, path, count):
            count.derived += 1

    return run


WORKLOADS: dict[str, Callable[[str, Count], None]] = {
    "json": read_json,
    "handwritten": handwritten,
    "cera": cera,
    "cera plain": cera_plain,
    "cera written": cera_written,
    **{f"{n} rules": thresholds(n, optimized=True) for n in (1, 10, 100)},
    **{f"{n} rules plain": thresholds(n, optimized=False) for n in (1, 10, 100)},
}


def main(name: str, path: str) -> None:
    count = Count()
    start = time.process_time()
    WORKLOADS[name](path, count)
    seconds = time.process_time() - start
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({**vars(count), "seconds": seconds, "megabytes": kilobytes / 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
