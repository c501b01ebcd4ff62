"""The work of Python workers for modules: dividing events into histories, and running modules over these.

Modules that share their histories (`buckets.group_modules`) run together: each event comes to Python once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from json import JSONDecoder
from operator import itemgetter
from typing import Any

import pyarrow as pa

from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.division.buckets import NOWHERE, Histories
from cera.engines.spark.tables.event_rows import event_row
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Event
from cera.model.events.occurrence import Identified, Occurrence, json_occurrence, occurrence
from cera.model.terms.values import read_fraction
from cera.model.time.interval import Interval, Time
from cera.modules.arrivals import Recognizer
from cera.modules.detection import TermDetection, Way
from cera.modules.driving import Driver
from cera.modules.history_processor import HistoryProcessor, SharedHistories
from cera.modules.module import Module, Settings
from cera.modules.monitoring import MonitoredEvents
from cera.modules.processor import AnyProcessor, Detection
from cera.wording import keeping_marks

_ROWS_IN_BATCH = 5_000
_EVENTS_AT_ONCE = 1_000

#: Compiled once in each Python worker.
_KEPT = 100
_PROCESSORS: dict[str, AnyProcessor] = {}

#: The columns of histories; sorted by the first three.
PLACED = ("share", "bucket", "end", "begin", "h1", "h2", "term")
_Placed = tuple[int, int, int, int, int, int, str]

Shares = tuple[tuple[Module, ...], ...]

#: Reads the JSON of terms, which was checked when it was read or made.
_read = JSONDecoder(parse_float=read_fraction).decode


class EventDivider:
    """Divider that runs in the workers. In: end, begin, the halves of the id, the term as JSON. Out: the same behind
    the share and the bucket, a row for each share that sees the event."""

    def __init__(self, shares: Shares, buckets: int) -> None:
        self.shares = shares
        self.buckets = buckets

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kinds: dict[tuple[MonitoredEvents, ...], tuple[Recognizer, list[tuple[int, Histories]]]] = {}
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
class TimerLimits:
    """The limits of timers: repeating ones tick until the `end` of the recording, none after `until`; and how often
    they may between two events."""

    end: Time | None = None
    until: Time | None = None
    tick_limit: int = TICK_LIMIT


class HistoryDetector:
    """Detector that runs in the workers. In: the rows of histories, sorted. Out: rows of detections."""

    def __init__(self, shares: Shares, timezone: str, schema: pa.Schema, limits: TimerLimits) -> None:
        self.shares = shares
        self.timezone = timezone
        self.schema = schema
        self.limits = limits

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[tuple[Any, ...]] = []
        placed = (row for batch in batches for row in zip(*(part.to_pylist() for part in batch.columns), strict=True))
        for (number, bucket), history in groupby(placed, key=itemgetter(0, 1)):
            modules = self.shares[number]
            if bucket == NOWHERE:
                rows.append(self._counts(0, len(modules) * len({(h1, h2) for *_, h1, h2, _ in history})))
                continue
            settings = Settings(self.timezone, tick_limit=self.limits.tick_limit)
            driver = _driver([_processor(module, settings) for module in modules])
            before = driver.counts.undefined
            with keeping_marks():
                for found in _detections(driver, history, self.limits):
                    rows += _derivations(found)
                    if len(rows) >= _ROWS_IN_BATCH:
                        yield self._batch(rows)
                        rows = []
            rows.append(self._counts(driver.counts.undefined - before, 0))
        if rows:
            yield self._batch(rows)

    def _counts(self, undefined: int, left_out: int) -> tuple[Any, ...]:
        """Returns a row without an event."""
        return (*(None,) * (len(self.schema) - 2), undefined, left_out)

    def _batch(self, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(list(column), part.type) for column, part in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _processor(module: Module, settings: Settings) -> AnyProcessor:
    mark = fingerprint((module, settings.timezone))
    found = _PROCESSORS.get(mark)
    if found is None:
        if len(_PROCESSORS) >= _KEPT:
            _PROCESSORS.clear()
        found = _PROCESSORS[mark] = module.processor(settings)
    return found


def _driver(processors: Sequence[AnyProcessor]) -> Driver:
    if len(processors) == 1:
        return Driver(processors[0])
    return Driver(SharedHistories([each for each in processors if isinstance(each, HistoryProcessor)]))


def _detections(driver: Driver, history: Iterator[_Placed], limits: TimerLimits) -> Iterator[Detection]:
    """Yields the detections in one history, or in the histories of one bucket."""
    events = _events(history)
    while chunk := list(islice(events, _EVENTS_AT_ONCE)):
        yield from driver.push(chunk)
    if limits.end is not None:
        yield from driver.advance_to(limits.end)
    if limits.until is None:
        yield from driver.close()


def _events(history: Iterator[_Placed]) -> Iterator[Identified]:
    """Yields the events of rows that are sorted by their ends and ids, each once."""
    last: tuple[int, int, int] | None = None
    for _, _, end, begin, h1, h2, text in history:
        if (end, h1, h2) != last:
            last = (end, h1, h2)
            yield _event(begin, end, text, h1, h2)


def _occurrence(begin: int, end: int, text: str) -> Occurrence:
    [(label, body)] = _read(text).items()
    return json_occurrence(begin, end, label, body)


def _event(begin: int, end: int, text: str, h1: int, h2: int) -> Identified:
    made = _occurrence(begin, end, text)
    plain = made.content is not None or made.nested is not None
    return Identified(begin, end, made.label, made.content, None if plain else made.term, None, h1, h2, made.nested)


def _derivations(found: Detection) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of an event: one for each of its derivations, with only the ids of its causes."""
    event = event_row(Event(found.occurrence.term, Interval(found.begin, found.end)))
    known = set()
    for rule, named in _ways(found):
        named_causes = [(name, cause.end, cause.begin, _id(cause)) for name, cause in named]
        causes = sorted(named_causes)
        if (way := (rule, *causes)) not in known:
            known.add(way)
            yield (*event, (rule, causes), [(name, id_) for name, *_, id_ in named_causes], None, None, 0, 0)


def _ways(found: Detection) -> Iterator[Way]:
    if isinstance(found, TermDetection):
        return found.ways()
    derivations = found.result().derivations
    return ((each.rule, [(name, occurrence(cause)) for name, cause in each.causes.items()]) for each in derivations)


def _id(cause: Occurrence) -> str:
    return cause.id if isinstance(cause, Identified) else cause.event.id
