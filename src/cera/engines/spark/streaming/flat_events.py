"""Events as Arrow columns on their way to an operator: packed without a look at single rows, read in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from cera.engines.spark.streaming.identified import Identified
from cera.engines.spark.streaming.messages import OUTPUT, Told, pack_results, pack_table
from cera.model.json_terms import loads, term_from_json
from cera.model.occurrence import PLAIN, Occurrence
from cera.model.terms import Term
from cera.model.values import number

#: The columns of every event; those of its children follow as `kind:name`: a component of a cell, or JSON.
EVENT = ("begin", "end", "label", "qualifier", "h1", "h2")
TOLD = "told"
JSON = "json"


class Pack:
    """The stage that packs events. In: a column with the bucket for each operator, then the columns of the events."""

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

    def _messages(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        table = pa.Table.from_batches(batches).combine_chunks()
        events = table.select(table.column_names[len(self.operators) :])
        rows: list[tuple[str, int, bytes]] = []
        ends_of_all = events.column("end").to_numpy()
        untold = np.ones(table.num_rows, dtype=bool)
        for position, name in enumerate(self.operators):
            buckets = table.column(position).fill_null(-1).to_numpy()
            here = buckets >= 0
            if not here.any():
                continue
            order = np.argsort(np.where(here, buckets, np.iinfo(np.int32).max), kind="stable")[: int(here.sum())]
            sorted_events = events.take(pa.array(order)).append_column(TOLD, pa.array(untold[order]))
            untold &= ~here
            found, times = buckets[order], ends_of_all[order]
            starts = np.flatnonzero(np.diff(found, prepend=-1))
            ends = [*starts[1:].tolist(), len(found)]
            for start, end in zip(starts.tolist(), ends, strict=True):
                part = sorted_events.slice(start, end - start)
                first = int(times[start:end].min())
                rows.append((name, int(found[start]), pack_table(first, end - start, arrow_stream(part))))
        if not rows:
            rows = [(OUTPUT, 0, pack_results([]))]
        columns = list(zip(*rows, strict=True))
        return pa.RecordBatch.from_arrays(
            [pa.array(columns[0], pa.string()), pa.array(columns[1], pa.int32()), pa.array(columns[2], pa.binary())],
            ["operator", "bucket", "payload"],
        )


#: How many rows are packed at a time.
_CHUNK = 200_000


def arrow_stream(table: pa.Table) -> bytes:
    """A table as bytes, with its schema."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def read_table(data: memoryview) -> list[tuple[Occurrence, Told]]:
    """The events of a packed table, with whether they are told of if late."""
    table = pa.ipc.open_stream(data).read_all().combine_chunks()
    begins, ends, labels, qualifiers, h1s, h2s, told = (_values(table.column(name)) for name in (*EVENT, TOLD))
    events = map(Identified, begins, ends, labels, *_contents(table, labels), qualifiers, h1s, h2s)
    return list(zip(events, told, strict=True))


def _contents(table: pa.Table, labels: list[str]) -> tuple[list[dict[str, Any] | None], list[Term | None]]:
    """The contents of the events, or their terms where they are not flat."""
    children = [name for name in table.column_names if name not in (*EVENT, TOLD)]
    names = [name.split(":", 1)[1] for name in children]
    rows = list(zip(*(_child_values(name, table.column(name)) for name in children), strict=True))
    contents: list[dict[str, Any] | None]
    if not children:
        contents = [{} for _ in labels]
    elif any(table.column(name).null_count for name in children):
        contents = [{n: v for n, v in zip(names, row, strict=True) if v is not None} for row in rows]
    else:
        contents = [dict(zip(names, row, strict=True)) for row in rows]
    terms: list[Term | None] = [None] * len(labels)
    if any(name.startswith(f"{JSON}:") for name in children):
        for number, content in enumerate(contents):
            if content is not None and not PLAIN.issuperset(map(type, content.values())):
                contents[number], terms[number] = None, term_from_json({labels[number]: content})
    return contents, terms


def _child_values(name: str, column: pa.ChunkedArray) -> list[Any]:
    values = _values(column)
    if name.startswith("double:"):
        return [number(v) if v is not None and v.is_integer() else v for v in values]
    if name.startswith(f"{JSON}:"):
        return [None if v is None else loads(v) for v in values]
    return values


def _values(column: pa.ChunkedArray) -> list[Any]:
    if not column.null_count:
        array: list[Any] = column.to_numpy().tolist()
        return array
    if column.null_count == len(column):
        return [None] * len(column)
    values: list[Any] = column.to_pylist()
    return values
