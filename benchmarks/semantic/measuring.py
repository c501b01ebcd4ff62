"""One run of queries over events: CPU time, tuples in state over time, and when each answer came."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from benchmarks.semantic.queries import Deciding, Query
from cera.diagnostics import Source
from cera.model.events.occurrence import Occurrence
from cera.modules.driving import Driver
from cera.modules.processor import Detection
from cera.program import load

#: Events are pushed in pieces of this size, and the state is looked at so often in a run.
PIECE, SAMPLES = 100, 100
#: Waits are kept as means of so many stretches of the recording.
STRETCHES = 60

#: The first end of the events with a label and values.
FirstEnds = Mapping[tuple[object, ...], int]


@dataclass
class Measurement:
    """What a run took. Times of the stream are microseconds, others seconds."""

    cpu: float = 0.0
    #: The tuples in state, by the time of the stream.
    states: list[tuple[int, int]] = field(default_factory=list)
    #: A part of the id of each answer.
    answers: set[int] = field(default_factory=set)
    #: How long the pieces took that gave them, all together.
    processing: float = 0.0
    #: Of the answers that an event decides, the time of that event, and how long after it the answer came.
    waits: list[tuple[int, int]] = field(default_factory=list)

    @property
    def mean_state(self) -> float:
        return fmean(state for _, state in self.states)

    @property
    def peak_state(self) -> int:
        return max(state for _, state in self.states)

    @property
    def mean_processing(self) -> float:
        """How long an answer took to be computed on average, from the piece that made it certain."""
        return self.processing / max(len(self.answers), 1)

    @property
    def mean_wait(self) -> float | None:
        return fmean(wait for _, wait in self.waits) if self.waits else None

    @property
    def waits_over_time(self) -> list[tuple[int, float]]:
        """The mean waits of the answers that are decided in each stretch of the recording."""
        if not self.waits:
            return []
        first, last = min(at for at, _ in self.waits), max(at for at, _ in self.waits)
        length = (last - first) // STRETCHES + 1
        stretches: dict[int, list[int]] = {}
        for at, wait in self.waits:
            stretches.setdefault((at - first) // length, []).append(wait)
        return [(first + number * length, fmean(stretches[number])) for number in sorted(stretches)]


def measure(
    queries: Sequence[Query], constraints: Path | None, events: Sequence[Occurrence], first: FirstEnds
) -> Measurement:
    """Returns what queries, with or without constraints, took for events in the order of time.

    Each run has events of its own: what one run has computed of an event must not make the next one faster.
    """
    text = "\n".join(query.text for query in queries)
    trusted = () if constraints is None else (constraints,)
    program = load(Source("queries.slog", text), constraints=trusted)
    driver = Driver(program.processor(max_duration=0), 0)
    deciding = {query.name: query.decided_by for query in queries if query.decided_by}
    found = Measurement()
    gc.collect()
    gc.freeze()  # what other runs and the recording take is not looked at again and again
    every = max(len(events) // PIECE // SAMPLES, 1)
    for number, at in enumerate(range(0, len(events), PIECE)):
        piece = [Occurrence(each.begin, each.end, each.label, each.content) for each in events[at : at + PIECE]]
        _timed(found, driver, piece, deciding, first)
        if number % every == 0:
            found.states.append((piece[-1].end, driver.counts.in_state))
    _timed(found, driver, None, deciding, first)
    gc.unfreeze()
    return found


def _timed(
    found: Measurement,
    driver: Driver,
    piece: list[Occurrence] | None,
    deciding: Mapping[str, Sequence[Deciding]],
    first: FirstEnds,
) -> None:
    begin = time.process_time()
    detections = driver.close() if piece is None else driver.push(piece)
    seconds = time.process_time() - begin
    found.cpu += seconds
    for each in detections:
        found.answers.add(int(each.occurrence.id[:32], 16))
        found.processing += seconds
        found.waits += _wait(each, deciding.get(each.label, ()), first)


def _wait(answer: Detection, deciding: Sequence[Deciding], first: FirstEnds) -> Iterator[tuple[int, int]]:
    """Yields when an answer was decided, by the first of the events that decide it, and how long after that it came."""
    if not deciding:
        return
    known = answer.end if answer.early is None else answer.early
    term = answer.occurrence.term
    values = {child.label: child.children[0] for child in term.children if hasattr(child, "label")}
    times = [first.get((label, *(values[name] for name in names)), known + 1) for label, names in deciding]
    decided = min(times)
    if decided <= known:
        yield decided, known - decided


def first_ends(queries: Iterable[Query], events: Sequence[Occurrence]) -> FirstEnds:
    """Returns the first end of the events that decide answers of some queries, by their labels and values."""
    asked: dict[str, set[tuple[str, ...]]] = {}
    for query in queries:
        for label, names in query.decided_by:
            asked.setdefault(label, set()).add(names)
    first: dict[tuple[object, ...], int] = {}
    for event in events:
        for names in asked.get(event.label, ()):
            if event.content is not None:
                first.setdefault((event.label, *(event.content[name] for name in names)), event.end)
    return first
