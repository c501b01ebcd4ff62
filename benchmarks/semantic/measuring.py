"""One run of queries over events: CPU time, tuples in state over time, and when each answer came."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.semantic.queries import Query
from cera.diagnostics import Source
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.modules.driving import Driver
from cera.modules.processor import Detection
from cera.program import load

#: Events are pushed in pieces of this size, and the state is looked at after every so many of them.
PIECE, SAMPLES = 100, 200


@dataclass
class Measurement:
    """What a run took. Times of the stream are microseconds, others seconds."""

    cpu: float = 0.0
    #: The tuples in state, by the time of the stream.
    states: list[tuple[int, int]] = field(default_factory=list)
    #: For each answer when it was known, and how long the piece took that gave it.
    answers: dict[Event, tuple[int, float]] = field(default_factory=dict)

    @property
    def mean_state(self) -> float:
        return sum(state for _, state in self.states) / len(self.states)

    @property
    def peak_state(self) -> int:
        return max(state for _, state in self.states)

    @property
    def processing(self) -> float:
        """How long an answer took to be computed on average, from the piece that made it certain."""
        return sum(seconds for _, seconds in self.answers.values()) / max(len(self.answers), 1)


def measure(queries: Sequence[Query], constraints: Path | None, events: Sequence[Occurrence]) -> Measurement:
    """Returns what queries, with or without constraints, took for events in the order of time."""
    text = "\n".join(query.text for query in queries)
    trusted = () if constraints is None else (constraints,)
    program = load(Source("queries.slog", text), constraints=trusted)
    driver = Driver(program.processor(max_duration=0), 0)
    for event in events:
        event.number = -1
    found = Measurement()
    gc.collect()
    gc.freeze()  # what other runs and the events take is not looked at again and again
    every = max(len(events) // PIECE // SAMPLES, 1)
    for number, at in enumerate(range(0, len(events), PIECE)):
        piece = events[at : at + PIECE]
        _timed(found, driver, piece)
        if number % every == 0:
            found.states.append((piece[-1].end, driver.counts.in_state))
    _timed(found, driver, None)
    gc.unfreeze()
    return found


def _timed(found: Measurement, driver: Driver, piece: Sequence[Occurrence] | None) -> None:
    begin = time.process_time()
    detections: list[Detection] = list(driver.close() if piece is None else driver.push(piece))
    seconds = time.process_time() - begin
    found.cpu += seconds
    for each in detections:
        result = each.result()
        found.answers[result.event] = (result.known, seconds)


def waits(queries: Sequence[Query], measured: Measurement, events: Sequence[Occurrence]) -> list[int]:
    """Returns for each answer that events decide how long it came after the first of them, in time of the stream."""
    deciding = {query.name: query.decided_by for query in queries if query.decided_by}
    asked = {each for several in deciding.values() for each in several}
    first: dict[tuple[object, ...], int] = {}
    for event in events:
        for label, names in asked:
            if event.label == label and event.content is not None:
                first.setdefault((label, *(event.content[name] for name in names)), event.end)
    found: list[int] = []
    for answer, (known, _) in measured.answers.items():
        values = {child.label: child.children[0] for child in answer.term.children if hasattr(child, "label")}
        times = [
            first[key]
            for label, names in deciding.get(answer.label, ())
            if (key := (label, *(values[name] for name in names))) in first
        ]
        decided = [at for at in times if at <= known]
        if decided:
            found.append(known - min(decided))
    return found
