"""Derived events from typed columns, natively: their terms, ids and causes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cera.engines.spark.cells import Cell
from cera.engines.spark.hashing import event_hashes, hash_cell, hash_term, hex_id
from cera.engines.spark.relations import column
from cera.engines.spark.streaming.compact import Shape
from cera.engines.spark.streaming.messages import OUTPUT, is_columns, unpack_columns, unpack_results
from cera.engines.spark.tables import Flat
from cera.engines.spark.term_columns import flat_term

_COMPONENTS = {"integer": pa.int64(), "fraction": pa.float64(), "string": pa.string(), "boolean": pa.bool_()}
#: What the results of other events say of them, all text.
_TEXTS = ("id", "label", "term", "rule", "causes", "recipient", "transport")


def derived_events(messages: DataFrame, shapes: Sequence[Shape]) -> DataFrame:
    """The derived events among the results, in the columns that the answers over recorded events have."""
    schema = _schema(shapes)
    rows = messages.where(F.col("operator") == OUTPUT).select("payload")
    unpacked = rows.mapInArrow(_Unpack(schema), from_arrow_schema(schema))
    terms = _chosen([flat_term(shape.label, _content(shape)) for shape in shapes])
    found = unpacked if terms is None else unpacked.withColumn("made", terms)
    label = _chosen([F.lit(shape.label) for shape in shapes])
    rule = _chosen([F.lit(shape.rule) for shape in shapes])
    causes = _chosen([_causes(shape) for shape in shapes])
    told = F.from_json("causes", "map<string,string>")
    if terms is None or label is None or rule is None or causes is None:
        return unpacked.select("id", "begin", "end", "label", "term", "rule", told.alias("causes"), *_TEXTS[-2:])
    made = column("made")
    own = hex_id(*event_hashes(made["h1"], made["h2"], column("begin"), column("end")))
    return found.select(
        F.when(made.isNotNull(), own).otherwise(column("id")).alias("id"),
        "begin",
        "end",
        F.coalesce(label, column("label")).alias("label"),
        F.coalesce(made["json"], column("term")).alias("term"),
        F.coalesce(rule, column("rule")).alias("rule"),
        F.when(made.isNotNull(), causes).otherwise(told).alias("causes"),
        *_TEXTS[-2:],
    )


def _chosen(columns: Sequence[Column]) -> Column | None:
    """Of the columns for each shape the one for the shape of the row."""
    chosen: Column | None = None
    for number, value in enumerate(columns):
        here = column("shape") == number
        chosen = F.when(here, value) if chosen is None else chosen.when(here, value)
    return chosen


def _content(shape: Shape) -> Flat:
    return Flat(
        {
            child: Cell(**{kind: column(f"{kind} {number}") for kind in _COMPONENTS})
            for number, child in enumerate(shape.children)
        }
    )


def _causes(shape: Shape) -> Column:
    """The ids of the causes; a timer's is the hash of what it is, as everywhere."""
    ids: dict[str, Column] = {}
    for place, name in enumerate(shape.events):
        ids[name] = column(f"event {place}")
    for place, timer in enumerate(shape.timers):
        parts = [Cell(string=ids[timer.anchor]), Cell(string=F.lit(str(timer.duration)))]
        begin, end = (column(f"timer {2 * place + edge}") for edge in (0, 1))
        h1, h2 = (
            hash_term(f"timer:{timer.kind}", [hash_cell(part, chain) for part in parts], True, chain)
            for chain in (1, 2)
        )
        ids[timer.identifier] = hex_id(*event_hashes(h1, h2, begin, end))
    return F.create_map(*(part for name, value in ids.items() for part in (F.lit(name), value)))


def _schema(shapes: Sequence[Shape]) -> pa.Schema:
    """The columns of any of the shapes, and those of results that have none."""
    children = max((len(shape.children) for shape in shapes), default=0)
    events = max((len(shape.events) for shape in shapes), default=0)
    timers = max((2 * len(shape.timers) for shape in shapes), default=0)
    fields = [("shape", pa.int32()), ("begin", pa.int64()), ("end", pa.int64())]
    fields += [(f"{kind} {number}", arrow) for number in range(children) for kind, arrow in _COMPONENTS.items()]
    fields += [(f"event {place}", pa.string()) for place in range(events)]
    fields += [(f"timer {place}", pa.int64()) for place in range(timers)]
    fields += [(name, pa.string()) for name in _TEXTS]
    return pa.schema(fields)


class _Unpack:
    """The stage that makes rows of the payloads of results."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for payload in batch.column(0).to_pylist():
                if is_columns(payload):
                    number, data = unpack_columns(payload)
                    table = pa.ipc.open_stream(data).read_all()
                    known = {name: table.column(name).combine_chunks() for name in table.column_names}
                    yield self._batch({**known, "shape": pa.array([number] * table.num_rows, pa.int32())})
                else:
                    rows = [result[1:10] for result in unpack_results(payload) if result[0] == "derived"]
                    if rows:
                        id_, begin, end, *texts = zip(*rows, strict=True)
                        known = {"begin": pa.array(begin, pa.int64()), "end": pa.array(end, pa.int64())}
                        named = zip(_TEXTS, (id_, *texts), strict=True)
                        yield self._batch({**known, **{name: pa.array(some, pa.string()) for name, some in named}})

    def _batch(self, known: dict[str, pa.Array]) -> pa.RecordBatch:
        rows = len(known["begin"])
        arrays = [known[field.name] if field.name in known else pa.nulls(rows, field.type) for field in self.schema]
        return pa.RecordBatch.from_arrays([_whole(array) for array in arrays], schema=self.schema)


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
