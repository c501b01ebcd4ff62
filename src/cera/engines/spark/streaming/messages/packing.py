"""Events on their way into messages, divided and packed in Python: those of any shape one by one, and Arrow columns
without looking at single rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.connectors.records.acceptance import lasts_longer
from cera.connectors.records.layout import Rejected
from cera.engines.spark.division.routing import Destination, DividedEventError, Router
from cera.engines.spark.streaming.messages.messages import (
    OUTPUT,
    EventCopy,
    LatePolicy,
    pack_events,
    pack_results,
    pack_table,
)
from cera.engines.spark.streaming.messages.stage_results import RejectedRecord
from cera.engines.spark.streaming.messages.worker_memory import settle
from cera.model.columns.flat_events import BEGIN, END, REPORTED_IF_LATE, arrow_stream, encoded
from cera.model.events.occurrence import Occurrence

_MESSAGES = pa.schema(
    [pa.field("operator", pa.string()), pa.field("bucket", pa.int32()), pa.field("payload", pa.binary())]
)
#: Looked up once, because there are many events.
_REPORT, _DROP = LatePolicy.REPORT, LatePolicy.DROP


class Packer:
    """A packer: it takes events and gives messages, one for each destination."""

    def __init__(self, router: Router, max_duration: int | None = None) -> None:
        self._router = router
        self._max_duration = max_duration
        self._events: dict[Destination, list[EventCopy]] = {}
        self._results: list[RejectedRecord] = []
        #: The latest end, and the number of events, since the last messages.
        self.latest: int | None = None
        self.size = 0

    def take(self, record: Occurrence | Rejected) -> None:
        if isinstance(record, Rejected):
            self._results.append(RejectedRecord(record.place, record.reason, record.text))
            return
        if self._max_duration is not None and record.end - record.begin > self._max_duration:
            self._reject(record, lasts_longer(self._max_duration))
            return
        self.size += 1
        if self.latest is None or record.end > self.latest:
            self.latest = record.end
        try:
            destinations = self._router.destinations(record)
        except DividedEventError as error:
            self._reject(record, str(error))
            return
        policy = _REPORT
        for destination in destinations:
            self._events.setdefault(destination, []).append((record, policy))
            policy = _DROP

    def _reject(self, event: Occurrence, reason: str) -> None:
        self._results.append(rejection(event, reason))

    def flush(self) -> pa.RecordBatch:
        """Returns the events taken since the last call as messages; the first message comes even if there were none."""
        rows: list[tuple[str, int, bytes]] = [(OUTPUT, 0, pack_results(self._results))]
        rows += [(to.operator, to.bucket, pack_events(events)) for to, events in self._events.items()]
        self._events, self._results, self.latest, self.size = {}, [], None, 0
        columns: Iterable[Sequence[object]] = zip(*rows, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _MESSAGES, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=_MESSAGES)


def rejection(event: Occurrence, reason: str) -> RejectedRecord:
    """Returns the rejection record for an event that cannot be routed."""
    return RejectedRecord(f"event {event.event.id}", reason, str(event.event))


#: How many rows are packed at a time.
_CHUNK = 200_000


class PackStage:
    """Stage that packs events. In: a column with the bucket for each operator, then the columns of the events."""

    def __init__(self, operators: tuple[str, ...]) -> None:
        self.operators = operators

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept: list[pa.RecordBatch] = []
        size = 0
        for batch in batches:
            kept.append(batch)
            size += batch.num_rows
            if size >= _CHUNK:
                yield self._messages(kept)
                kept, size = [], 0
        if size:
            yield self._messages(kept)
        settle()

    def _messages(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        table = pa.Table.from_batches(batches).combine_chunks()
        events = table.select(table.column_names[len(self.operators) :])
        if events.column(BEGIN).equals(events.column(END)):
            events = events.drop_columns([BEGIN])
        rows: list[tuple[str, int, bytes]] = []
        unreported = np.ones(table.num_rows, dtype=bool)
        for position, name in enumerate(self.operators):
            buckets = table.column(position).fill_null(-1).to_numpy()
            here = buckets >= 0
            if here.any():
                copies = events
                if not unreported[here].all():
                    copies = events.append_column(REPORTED_IF_LATE, pa.array(unreported))
                rows += [(name, bucket, payload) for bucket, payload in _payloads(copies, buckets, here)]
                unreported &= ~here
        return _message_batch(rows or [(OUTPUT, 0, pack_results([]))])


def _payloads(
    events: pa.Table, buckets: npt.NDArray[np.int32], here: npt.NDArray[np.bool_]
) -> Iterator[tuple[int, bytes]]:
    """Yields the events of each bucket."""
    order = np.argsort(np.where(here, buckets, np.iinfo(np.int32).max), kind="stable")[: int(here.sum())]
    ordered = events.take(pa.array(order))
    found, times = buckets[order], ordered.column(END).to_numpy()
    starts = np.flatnonzero(np.diff(found, prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(found)], strict=True):
        part = encoded(ordered.slice(start, end - start))
        yield int(found[start]), pack_table(int(times[start:end].min()), end - start, arrow_stream(part))


def _message_batch(rows: Sequence[tuple[str, int, bytes]]) -> pa.RecordBatch:
    operators, buckets, payloads = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(operators, pa.string()), pa.array(buckets, pa.int32()), pa.array(payloads, pa.binary())],
        ["operator", "bucket", "payload"],
    )
