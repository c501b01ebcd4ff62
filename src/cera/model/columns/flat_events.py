"""Events as Arrow columns: their names, and tables of them as bytes."""

from __future__ import annotations

import pyarrow as pa

#: The columns of every event; those of its children follow as `kind:name`: a component of a cell, or JSON.
BEGIN, END, LABEL = "begin", "end", "label"
#: Columns that may be missing: the halves of the ids where the operator can compute them, the source's own ids where it
#: gives none, and whether a late event is reported, where all are. Also `begin`, where all events are points.
HALVES = ("h1", "h2")
QUALIFIER = "qualifier"
REPORTED_IF_LATE = "told"  # the name is in checkpoints
JSON = "json"


def is_child(column: str) -> bool:
    return ":" in column


def encoded(events: pa.Table) -> pa.Table:
    """Returns the table with every text stored once, which makes it shorter, and each text one object in Python."""
    columns = [_dictionary(c.combine_chunks()) if pa.types.is_string(c.type) else c for c in events.columns]
    return pa.table(columns, events.column_names)


def _dictionary(texts: pa.Array) -> pa.DictionaryArray:
    encoded = texts.dictionary_encode()
    count = len(encoded.dictionary)
    kind = next((kind for kind, limit in _INDICES if count < limit), pa.int32())
    return pa.DictionaryArray.from_arrays(encoded.indices.cast(kind), encoded.dictionary)


#: The types of indexes, each for fewer texts than its limit; one more number stands for none.
_INDICES = ((pa.int8(), 2**7 - 1), (pa.int16(), 2**15 - 1))


def arrow_stream(table: pa.Table) -> bytes:
    """Returns a table as bytes, with its schema."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data
