"""Events as Arrow columns on their way to an operator, packed without looking at single rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.engines.spark.streaming.messages.messages import OUTPUT, pack_results, pack_table
from cera.engines.spark.streaming.messages.worker_memory import settle
from cera.model.columns.flat_events import BEGIN, END, REPORTED_IF_LATE, arrow_stream, encoded

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
