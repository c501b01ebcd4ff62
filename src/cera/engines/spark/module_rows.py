"""What runs in Python workers for modules: finding the histories of events, and going through those histories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa

from cera.datalog.modules import EventModule
from cera.engines.local.fingerprint import fingerprint
from cera.engines.spark.histories import NOWHERE, Histories
from cera.engines.spark.rows import event_row
from cera.engines.spark.streaming.identified import Identified
from cera.engines.stagewise.processor import ModuleProcessor
from cera.model.events import DerivedEvent
from cera.model.json_terms import loads
from cera.model.occurrence import Occurrence, json_occurrence

_ROWS_IN_BATCH = 5_000

#: Compiled once in each Python worker.
_KEPT = 100
_PROCESSORS: dict[str, ModuleProcessor] = {}

#: The columns of histories; sorted by the first three.
PLACED = ("module", "bucket", "end", "begin", "h1", "h2", "term")
_Placed = tuple[int, int, int, int, int, int, str]


class Dividing:
    """In: end, begin, the halves of the id, the term as JSON. Out: the same behind the module and the bucket, a row for
    each module that sees the event."""

    def __init__(self, modules: tuple[EventModule, ...], buckets: int) -> None:
        self.modules = modules
        self.buckets = buckets

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        histories = [Histories(module, self.buckets) for module in self.modules]
        for batch in batches:
            rows: list[int] = []
            numbers: list[int] = []
            places: list[int] = []
            for row, text in enumerate(batch.column("term").to_pylist()):
                [(label, body)] = loads(text).items()
                event = json_occurrence(0, 0, label, body)
                for number, each in enumerate(histories):
                    bucket = each.bucket(event)
                    if bucket is not None:
                        rows.append(row)
                        numbers.append(number)
                        places.append(bucket)
            taken = batch.take(pa.array(rows, pa.int64()))
            placed = [pa.array(numbers, pa.int32()), pa.array(places, pa.int32())]
            yield pa.RecordBatch.from_arrays([*placed, *taken.columns], PLACED)


class Detecting:
    """Runs in the workers. In: the rows of histories, sorted. Out: rows of detections."""

    def __init__(self, modules: tuple[EventModule, ...], timezone: str, schema: pa.Schema) -> None:
        self.modules = modules
        self.timezone = timezone
        self.schema = schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows: list[tuple[Any, ...]] = []
        placed = (row for batch in batches for row in zip(*(part.to_pylist() for part in batch.columns), strict=True))
        for (number, bucket), history in groupby(placed, key=itemgetter(0, 1)):
            if bucket == NOWHERE:
                rows.append(self._counts(0, len({(h1, h2) for *_, h1, h2, _ in history})))
                continue
            processor = _processor(self.modules[number], self.timezone)
            before = processor.evaluator.undefined
            for derived in _detections(processor, history):
                rows += _derivations(derived)
                if len(rows) >= _ROWS_IN_BATCH:
                    yield self._batch(rows)
                    rows = []
            rows.append(self._counts(processor.evaluator.undefined - before, 0))
        if rows:
            yield self._batch(rows)

    def _counts(self, undefined: int, left_out: int) -> tuple[Any, ...]:
        """A row without an event."""
        return (*(None,) * (len(self.schema) - 2), undefined, left_out)

    def _batch(self, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(list(column), part.type) for column, part in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _processor(module: EventModule, timezone: str) -> ModuleProcessor:
    mark = fingerprint((module, timezone))
    found = _PROCESSORS.get(mark)
    if found is None:
        if len(_PROCESSORS) >= _KEPT:
            _PROCESSORS.clear()
        found = _PROCESSORS[mark] = ModuleProcessor(module, timezone=timezone)
    return found


def _detections(processor: ModuleProcessor, history: Iterator[_Placed]) -> Iterator[DerivedEvent]:
    state = processor.start()
    for now, together in groupby(history, key=itemgetter(2)):
        different = {(h1, h2): (begin, text) for _, _, _, begin, h1, h2, text in together}
        events: list[Occurrence] = [_event(begin, now, text, *id_) for id_, (begin, text) in different.items()]
        for found in processor.step(state, now, events):
            yield found.result()


def _event(begin: int, end: int, text: str, h1: int, h2: int) -> Identified:
    [(label, body)] = loads(text).items()
    made = json_occurrence(begin, end, label, body)
    plain = made.content is not None or made.nested is not None
    return Identified(begin, end, label, made.content, None if plain else made.term, None, h1, h2, made.nested)


def _derivations(derived: DerivedEvent) -> Iterator[tuple[Any, ...]]:
    """The rows of an event: one for each way in which it was derived."""
    event = event_row(derived.event)
    for way in derived.derivations:
        causes = [(name, cause.end, cause.begin, cause.id) for name, cause in sorted(way.causes.items())]
        by_name = [(name, id_) for name, *_, id_ in causes]
        yield (*event, (way.rule, causes), by_name, None, None, 0, 0)
