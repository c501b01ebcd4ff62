"""What runs in Python workers for modules: finding the histories of events, and going through those histories.

Modules that share their histories (`histories.sharing`) are gone through together: each event comes to Python once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from json import JSONDecoder
from operator import itemgetter
from typing import Any

import pyarrow as pa

from cera.datalog.modules import Monitored
from cera.datalog.tuples import EventTuple
from cera.engines.layers.modules import Detected, Module, Processing, processor_of
from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.division.histories import NOWHERE, Histories
from cera.engines.spark.tables.event_rows import event_row
from cera.engines.stagewise import detections as facts
from cera.engines.stagewise.arrivals import Recognizer
from cera.instances.detections import occurrences
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Event
from cera.model.events.occurrence import Identified, Occurrence, json_occurrence
from cera.model.terms.values import read_fraction
from cera.model.time.interval import Interval, Time

_ROWS_IN_BATCH = 5_000

#: Compiled once in each Python worker.
_KEPT = 100
_PROCESSORS: dict[str, Processing] = {}

#: The columns of histories; sorted by the first three.
PLACED = ("share", "bucket", "end", "begin", "h1", "h2", "term")
_Placed = tuple[int, int, int, int, int, int, str]

Shares = tuple[tuple[Module, ...], ...]

#: Reads the JSON of terms, which was checked when it was read or made.
_read = JSONDecoder(parse_float=read_fraction).decode


class Dividing:
    """In: end, begin, the halves of the id, the term as JSON. Out: the same behind the share and the bucket, a row for
    each share that sees the event."""

    def __init__(self, shares: Shares, buckets: int) -> None:
        self.shares = shares
        self.buckets = buckets

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kinds: dict[tuple[Monitored, ...], tuple[Recognizer, list[tuple[int, Histories]]]] = {}
        for number, (module, *_) in enumerate(self.shares):
            kind = kinds.setdefault(module.monitored, (Recognizer(module), []))
            kind[1].append((number, Histories(module, self.buckets)))
        for batch in batches:
            rows: list[int] = []
            numbers: list[int] = []
            places: list[int] = []
            for row, text in enumerate(batch.column("term").to_pylist()):
                event = (_occurrence(0, 0, text),)
                for recognizer, shares in kinds.values():
                    for _, arrival in recognizer.arrivals(event, 0):
                        for number, histories in shares:
                            rows.append(row)
                            numbers.append(number)
                            places.append(histories.bucket_of(arrival))
            taken = batch.take(pa.array(rows, pa.int64()))
            placed = [pa.array(numbers, pa.int32()), pa.array(places, pa.int32())]
            yield pa.RecordBatch.from_arrays([*placed, *taken.columns], PLACED)


@dataclass(frozen=True)
class Lasting:
    """How long timers tick: those that repeat until the `end` of the recording, and none after `until`; and how often
    between two events."""

    end: Time | None = None
    until: Time | None = None
    tick_limit: int = TICK_LIMIT


class Detecting:
    """Runs in the workers. In: the rows of histories, sorted. Out: rows of detections."""

    def __init__(self, shares: Shares, timezone: str, schema: pa.Schema, lasting: Lasting) -> None:
        self.shares = shares
        self.timezone = timezone
        self.schema = schema
        self.lasting = lasting

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[tuple[Any, ...]] = []
        placed = (row for batch in batches for row in zip(*(part.to_pylist() for part in batch.columns), strict=True))
        for (number, bucket), history in groupby(placed, key=itemgetter(0, 1)):
            modules = self.shares[number]
            if bucket == NOWHERE:
                rows.append(self._counts(0, len(modules) * len({(h1, h2) for *_, h1, h2, _ in history})))
                continue
            processors = [_processor(module, self.timezone) for module in modules]
            before = sum(processor.evaluator.undefined for processor in processors)
            for found in _detections(processors, history, self.lasting):
                rows += _derivations(found)
                if len(rows) >= _ROWS_IN_BATCH:
                    yield self._batch(rows)
                    rows = []
            rows.append(self._counts(sum(processor.evaluator.undefined for processor in processors) - before, 0))
        if rows:
            yield self._batch(rows)

    def _counts(self, undefined: int, left_out: int) -> tuple[Any, ...]:
        """A row without an event."""
        return (*(None,) * (len(self.schema) - 2), undefined, left_out)

    def _batch(self, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(list(column), part.type) for column, part in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _processor(module: Module, timezone: str) -> Processing:
    mark = fingerprint((module, timezone))
    found = _PROCESSORS.get(mark)
    if found is None:
        if len(_PROCESSORS) >= _KEPT:
            _PROCESSORS.clear()
        found = _PROCESSORS[mark] = processor_of(module, timezone=timezone)
    return found


def _detections(processors: Sequence[Processing], history: Iterator[_Placed], lasting: Lasting) -> Iterator[Detected]:
    running: list[tuple[Processing, Any]] = [(processor, processor.start()) for processor in processors]
    ticking = [pair for pair in running if pair[0].ticks]
    for now, together in groupby(history, key=itemgetter(2)):
        for pair in ticking:
            yield from _ticks(*pair, lasting, before=now)
        different = {(h1, h2): (begin, text) for _, _, _, begin, h1, h2, text in together}
        events = [_event(begin, now, text, *id_) for id_, (begin, text) in different.items()]
        seen = processors[0].by_history(running[0][1], events)
        for processor, state in running:
            yield from processor.advance(state, now, seen, len(events))
    for processor, state in ticking:
        if lasting.end is not None:
            yield from _ticks(processor, state, lasting, before=lasting.end + 1)
        if lasting.until is None:
            processor.close(state)
            yield from _ticks(processor, state, lasting, before=None)


def _ticks(processor: Processing, state: Any, lasting: Lasting, *, before: Time | None) -> Iterator[Detected]:
    """What timers make happen before a time."""
    if before is not None:
        processor.check_ticks(state, before - 1, lasting.tick_limit)
    while (now := processor.next_wakeup(state)) is not None and (before is None or now < before):
        yield from processor.advance(state, now, {}, 0)


def _occurrence(begin: int, end: int, text: str) -> Occurrence:
    [(label, body)] = _read(text).items()
    return json_occurrence(begin, end, label, body)


def _event(begin: int, end: int, text: str, h1: int, h2: int) -> Identified:
    made = _occurrence(begin, end, text)
    plain = made.content is not None or made.nested is not None
    return Identified(begin, end, made.label, made.content, None if plain else made.term, None, h1, h2, made.nested)


def _derivations(found: Detected) -> Iterator[tuple[Any, ...]]:
    """The rows of an event: one for each way in which it was derived. Nothing but the ids of its causes is needed."""
    event = event_row(Event(found.term, Interval(found.begin, found.end)))
    known = set()
    for rule, named in _ways(found):
        told = [(name, cause.end, cause.begin, _id(cause)) for name, cause in named]
        causes = sorted(told)
        if (way := (rule, *causes)) not in known:
            known.add(way)
            yield (*event, (rule, causes), [(name, id_) for name, *_, id_ in told], None, None, 0, 0)


def _ways(found: Detected) -> Iterator[tuple[str, Iterable[tuple[str, Occurrence]]]]:
    """The rules that told of an event, each with its causes."""
    if isinstance(found, facts.Detection):
        for output, row in found.facts:
            cells = zip(output.variables, row, strict=True)
            yield output.rule, [(name, cell.event) for name, cell in cells if isinstance(cell, EventTuple)]
        return
    for rule, instance in found.found:
        yield rule, occurrences(instance).items()


def _id(cause: Occurrence) -> str:
    return cause.id if isinstance(cause, Identified) else cause.event.id
