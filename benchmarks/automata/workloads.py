"""What is measured, each in a process of its own: `python -m benchmarks.automata.workloads WAY WHAT FILE [check]`.

The way is `cera`, `handwritten` or `json`; the outcome is all `states` with the violations, the same as `records` with
ids and causes, or the `violations` alone, as `cera verify` has it. Prints one line of JSON: how many events there were,
how many states and violations, the CPU seconds from opening the file to the last of them, the memory that the process
had along the way beyond what it began with, and the instances that were alive. With `check`, a digest of all that was
found as well, which takes time.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.automata.handwritten import Found, Machine, Record, Records, steps
from benchmarks.epl.workloads import peak_megabytes
from benchmarks.pieces import pieces
from cera.cli.main import SELDOM
from cera.cli.verification import verified
from cera.model.events.states import ENDING, OPENING
from cera.model.terms.term import Term
from cera.modules.detection import TermDetection
from cera.modules.driving import Driver
from cera.modules.layered_processor import program_processor
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor, Detection
from cera.program import load

AUCTION = Path(__file__).parents[2] / "examples" / "auction-workflow" / "auction.ihta"
_SAMPLES = 8


class Watch:
    """The memory of the process and what was alive, at even distances."""

    def __init__(self, events: int) -> None:
        self.events = events
        self._every = max(1, events // _SAMPLES)
        self._next = self._every
        self._first = megabytes()
        self.live: list[int] = []
        self.memory: list[float] = []

    def is_due(self, seen: int) -> bool:
        if seen < self._next:
            return False
        self._next += self._every
        return True

    def note(self, live: int) -> None:
        self.live.append(live)
        self.memory.append(round(megabytes() - self._first, 1))


def megabytes() -> float:
    """The memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor(*, states: bool) -> AnyProcessor:
    """The automaton, as the local engine runs it for `cera run` or for `cera verify`."""
    layers = load(AUCTION).layers
    return program_processor(layers if states else verified(layers, expects_all=False, possible=False), Settings())


def by_cera(prepared: AnyProcessor, path: str, watch: Watch) -> Iterator[Detection]:
    """What the local engine reports."""
    driver = Driver(prepared, max_delay=0)
    seen = 0
    for piece in pieces(path):
        yield from driver.push(piece)
        seen += len(piece)
        if watch.is_due(seen):
            watch.note(driver.counts.in_state)
    yield from driver.close()


def as_found(detections: Iterable[Detection], *, states: bool) -> Iterator[Found]:
    """The reports of cera as the machine has them: states when they have ended, and those that are open at last."""
    is_open: dict[tuple[str, int, int, int], None] = {}
    for one in detections:
        label = one.label
        if label.startswith("violated:"):  # the mark of an instance, beside its violation
            continue
        values = {child.label: child.children for child in one.occurrence.term.children if isinstance(child, Term)}
        instance = {child.label: child.children[0] for child in values.get("instance", ()) if isinstance(child, Term)}
        known = {**{name: inside[0] for name, inside in values.items()}, **instance}
        auction, part = _number(known, "auctionID"), _number(known, "enrollID") or _number(known, "itemID")
        if not label.startswith((OPENING, ENDING)):
            yield Found(label, auction, part if label == "overdue" else 0, one.begin, one.end)
        elif states:
            key = (label.removeprefix(OPENING).removeprefix(ENDING), auction, part, one.begin)
            if label.startswith(OPENING):
                is_open[key] = None
            else:
                del is_open[key]
                yield Found(*key, one.end)
    for key in is_open:
        yield Found(*key, None)


def as_records(detections: Iterable[Detection]) -> Iterator[Record]:
    """The states and violations of cera with ids and causes; states when they have ended, and those that are open."""
    is_open: dict[str, Detection] = {}
    for one in detections:
        label = one.label
        if label.startswith(OPENING):
            is_open[one.occurrence.id] = one
        elif label.startswith(ENDING):
            found = one.occurrence.id
            del is_open[found]
            yield Record(found, one.begin, one.end, _cause_id(one))
        elif label == "violation":
            yield Record(label, one.begin, one.end, _cause_id(one))
    for found, one in is_open.items():
        yield Record(found, one.begin, None, "")


def _cause_id(one: Detection) -> str:
    """The id of the event, or of the last one before, that a report rests on."""
    assert isinstance(one, TermDetection)
    [(_, causes)] = one.ways()
    return next(cause.id for name, cause in causes if name in ("event", "last"))


def _number(values: dict[str, object], name: str) -> int:
    found = values.get(name, 0)
    assert isinstance(found, int)
    return found


def digest(found: Iterable[Found | Record]) -> str:
    """The same for the same findings, in whatever order."""
    hashed = hashlib.sha256()
    for text in sorted(repr(tuple(one)) for one in found):
        hashed.update(text.encode())
    return hashed.hexdigest()


def main(way: str, what: str, path: str, check: str = "") -> None:
    states = what != "violations"
    with open(path) as file:
        events = sum(1 for _ in file)
    prepared = processor(states=states)
    watch = Watch(events)
    gc.set_threshold(*SELDOM)  # as the command does, for all ways
    kept: list[Found | Record] = []
    labels: Counter[str] = Counter()
    start = time.process_time()
    if way == "cera":
        reports = by_cera(prepared, path, watch)
        if what == "records":
            _keep(as_records(reports), kept, labels, check=bool(check))
        elif check:
            kept += as_found(reports, states=states)
        else:
            labels.update(one.label for one in reports)
    elif way == "handwritten":
        _by_hand(path, what, kept.append if check else partial(_count, labels), watch)
    else:
        with open(path) as lines:
            for line in lines:
                json.loads(line)
    seconds = time.process_time() - start
    found = {"events": watch.events, "found": sum(labels.values()), "violations": labels["violation"]}
    taken = {"seconds": seconds, "peak": peak_megabytes(), "live": watch.live, "memory": watch.memory}
    print(json.dumps({**found, **taken, "digest": digest(kept) if check else ""}))


def _keep(records: Iterable[Record], kept: list[Found | Record], labels: Counter[str], *, check: bool) -> None:
    if check:
        kept += records
    else:
        for each in records:
            _count(labels, each)


def _count(labels: Counter[str], one: Found | Record) -> None:
    labels[one.label if isinstance(one, Found) else "violation" if one.id == "violation" else "state"] += 1


def _by_hand(path: str, what: str, report: Callable[[Found | Record], object], watch: Watch) -> None:
    if what == "records":
        machine = Machine(lambda found: records.take(found), causes=True)
        records = Records(report, lambda: machine.cause)
    else:
        machine = Machine(report, states=what == "states")
    with open(path) as lines:
        for seen, step in enumerate(steps(lines), 1):
            machine.take(step)
            if watch.is_due(seen):
                watch.note(machine.live)
    machine.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
