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
from cera.engines.spark.division.buckets import NOWHERE, Histories, ValueBuckets
from cera.engines.spark.tables.event_rows import event_row
from cera.model.events.event import Event
from cera.model.events.occurrence import Identified, Occurrence, json_occurrence
from cera.model.events.states import INTERNAL
from cera.model.terms.json_terms import term_text
from cera.model.terms.values import read_fraction
from cera.model.time.interval import Interval, Time
from cera.modules.arrivals import Recognizer
from cera.modules.detection import TermDetection
from cera.modules.driving import Driver
from cera.modules.history_processor import HistoryProcessor, SharedHistories
from cera.modules.module import Module, Settings
from cera.modules.monitoring import MonitoredEvents
from cera.modules.processor import AnyProcessor, Detection
from cera.modules.rules.module import RuleModule
from cera.wording import keeping_marks

_ROWS_IN_BATCH = 5_000
_EVENTS_AT_ONCE = 1_000

#: Compiled once in each Python worker.
_KEPT = 100
_PROCESSORS: dict[str, AnyProcessor] = {}

#: The columns of histories; sorted by the first three.
PLACED = ("share", "bucket", "end", "begin", "h1", "h2", "term")
Placed = tuple[int, int, int, int, int, int, str]

Shares = tuple[tuple[Module, ...], ...]

#: The term of an event that no module reads.
NOTHING = f'{{"{INTERNAL}nothing": {{}}}}'

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
        values: list[tuple[int, frozenset[str | None], ValueBuckets]] = []
        for number, (module, *_) in enumerate(self.shares):
            if module.is_divided_by_values:
                values.append((number, module.reads, ValueBuckets(module, self.buckets)))
                continue
            kind = kinds.setdefault(module.monitored, (Recognizer(module), []))
            kind[1].append((number, Histories(module, self.buckets)))
        for batch in batches:
            rows: list[int] = []
            numbers: list[int] = []
            places: list[int] = []
            changed: dict[int, str] = {}
            texts = batch.column("term").to_pylist()
            for row, text in enumerate(texts):
                event = (read_occurrence(0, 0, text),)
                for number, labels, by_value in values:
                    if event[0].label not in labels:
                        continue
                    place = by_value.alone(event[0])
                    for part, term in by_value.terms(event[0]).items() if place is None else ((place, None),):
                        if term is not None:
                            changed[len(rows)] = term_text(term)
                        rows.append(row)
                        numbers.append(number)
                        places.append(part)
                for recognizer, shares in kinds.values():
                    for _, arrival in recognizer.arrivals(event, 0):
                        for number, histories in shares:
                            rows.append(row)
                            numbers.append(number)
                            places.append(histories.bucket_of(arrival))
            taken = batch.take(pa.array(rows, pa.int64()))
            if changed:
                known = [changed.get(place, texts[row]) for place, row in enumerate(rows)]
                taken = taken.set_column(taken.schema.get_field_index("term"), "term", pa.array(known, pa.string()))
            placed = [pa.array(numbers, pa.int32()), pa.array(places, pa.int32())]
            yield pa.RecordBatch.from_arrays([*placed, *taken.columns], PLACED)


@dataclass(frozen=True)
class TimerLimits:
    """The limits of timers: repeating ones tick until the `end` of the recording, none after `until`."""

    end: Time | None = None
    until: Time | None = None


class HistoryDetector:
    """Detector that runs in the workers. In: the rows of histories, sorted. Out: rows of detections.

    `rows_identity` identifies the rows of relations: a worker keeps what it has compiled, and may serve another run.
    """

    def __init__(
        self, shares: Shares, settings: Settings, schema: pa.Schema, limits: TimerLimits, rows_identity: str = ""
    ) -> None:
        self.shares = shares
        self.settings = settings
        self.schema = schema
        self.limits = limits
        self.rows_identity = rows_identity

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[tuple[Any, ...]] = []
        placed = (row for batch in batches for row in zip(*(part.to_pylist() for part in batch.columns), strict=True))
        for (number, bucket), history in groupby(placed, key=itemgetter(0, 1)):
            modules = self.shares[number]
            if bucket == NOWHERE:
                rows.append(self._counts(0, len(modules) * len({(h1, h2) for *_, h1, h2, _ in history})))
                continue
            driver = _driver([_processor(module, self.settings, self.rows_identity) for module in modules])
            before = driver.counts.undefined
            with keeping_marks():
                for found in self.detections(driver, history):
                    rows += _derivations(found)
                    if len(rows) >= _ROWS_IN_BATCH:
                        yield self._batch(rows)
                        rows = []
            counts = driver.counts
            rows.append(self._counts(counts.undefined - before, counts.left_out))
        if rows:
            yield self._batch(rows)

    def detections(self, driver: Driver, history: Iterator[Placed]) -> Iterator[Detection]:
        """Yields the detections in one history, or in the histories of one bucket."""
        yield from pushed(driver, events_of(history))
        if self.limits.end is not None:
            yield from driver.advance_to(self.limits.end)
        if self.limits.until is None:
            yield from driver.close()

    def _counts(self, undefined: int, left_out: int) -> tuple[Any, ...]:
        """Returns a row without an event."""
        return (*(None,) * (len(self.schema) - 2), undefined, left_out)

    def _batch(self, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(list(column), part.type) for column, part in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _processor(module: Module, settings: Settings, rows_identity: str) -> AnyProcessor:
    if module.looks_up and not rows_identity:  # rows have no mark
        return module.processor(settings)
    limits = (settings.max_duration, settings.tick_limit, settings.recursion_limit, settings.until, settings.begins)
    whole: object = (module.plan, module.plan.answer_limit) if isinstance(module, RuleModule) else module
    if module.depends_on_extent and whole is module:  # constraints, which may declare relations that they never ask for
        whole = module.identity
    mark = fingerprint((whole, settings.timezone, limits, rows_identity))
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


def pushed(driver: Driver, events: Iterator[Identified]) -> Iterator[Detection]:
    """Yields what a driver detects while it takes events."""
    while chunk := list(islice(events, _EVENTS_AT_ONCE)):
        yield from driver.push(chunk)


def events_of(history: Iterator[Placed]) -> Iterator[Identified]:
    """Yields the events of rows that are sorted by their ends and ids, each once.

    The opening of a state and its ending have one id, and one end if the state ends when it begins.
    """
    last: tuple[int, int, int] | None = None
    labels: set[str] = set()
    for _, _, end, begin, h1, h2, text in history:
        made = _event(begin, end, text, h1, h2)
        if (end, h1, h2) != last:
            last = (end, h1, h2)
            labels = {made.label}
            yield made
        elif made.label not in labels:
            labels.add(made.label)
            yield made


def read_occurrence(begin: int, end: int, text: str) -> Occurrence:
    [(label, body)] = _read(text).items()
    return json_occurrence(begin, end, label, body)


def _event(begin: int, end: int, text: str, h1: int, h2: int) -> Identified:
    made = read_occurrence(begin, end, text)
    plain = made.content is not None or made.nested is not None
    return Identified(begin, end, made.label, made.content, None if plain else made.term, None, h1, h2, made.nested)


def _derivations(found: Detection) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of an event: one for each of its derivations, with only the ids of its causes."""
    event = event_row(Event(found.occurrence.term, Interval(found.begin, found.end)))
    known = set()
    for rank, rule, named_causes in _ways(found):
        causes = sorted(named_causes)
        if (way := (rule, *causes)) not in known:
            known.add(way)
            yield (*event, (rank, rule, causes), [(name, id_) for name, *_, id_ in named_causes], None, None, 0, 0)


#: A cause of a derivation: its name, end, begin and id.
_Cause = tuple[str, Time, Time, str]


def _ways(found: Detection) -> Iterator[tuple[int, str, list[_Cause]]]:
    """Yields the derivations of an event: rank, rule and causes."""
    if isinstance(found, TermDetection):
        for rule, named in found.ways():
            yield 0, rule, [(name, cause.end, cause.begin, _id(cause)) for name, cause in named]
    else:
        for each in found.result().derivations:
            yield each.rank, each.rule, [(name, c.end, c.begin, c.id) for name, c in each.causes.items()]


def _id(cause: Occurrence) -> str:
    return cause.id if isinstance(cause, Identified) else cause.event.id
