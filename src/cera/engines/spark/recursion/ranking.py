"""Ranks of the derivations of a recursion in DataFrames, as `cera.model.events.derivation_ranks` defines them.

Only events with one interval count for each other's ranks. So the derivations of each interval are ranked together, in
a Python worker; a limit keeps the events of a recursion that end at one time few enough for that. There may be about as
many intervals as events, and each call of a worker costs something, so that one call has many intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from cera.engines.spark.plan.deriving import DERIVATION
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values.hashing import hex_id
from cera.model.events.derivation_ranks import ranks

#: Intervals are divided among so many calls of workers.
_CALLS = 256

_ID = ("h1", "h2")
_COUNTING, _RANK, _CAUSE = "counting", "rank", "cause"


def ranked(ways: Sequence[DataFrame], given: DataFrame | None, *, spanning: bool) -> list[DataFrame]:
    """Returns the derivations of each rule of a recursion with their ranks.

    `given` are the ids of events from outside of the recursion. If no event can have the same interval as one that it
    causes (not `spanning`), nothing is to be computed.
    """
    found = _later_ranks(ways, given) if spanning else None
    if found is None:
        return [frame.withColumn(DERIVATION, _with_rank(F.lit(1))) for frame in ways]
    rank = F.coalesce(column(_RANK), F.lit(1))
    made = (frame.join(found, [*_ID, DERIVATION], "left").select(*_but(frame, rank)) for frame in ways)
    return [frame.localCheckpoint() for frame in made]


def _but(frame: DataFrame, rank: Column) -> list[Column]:
    """Returns the columns of a frame, with another rank in its derivations."""
    return [_with_rank(rank).alias(name) if name == DERIVATION else column(name) for name in frame.columns]


def _with_rank(rank: Column) -> Column:
    way = column(DERIVATION)
    return F.struct(rank.alias("rank"), way["rule"].alias("rule"), way["causes"].alias("causes"))


def _later_ranks(ways: Sequence[DataFrame], given: DataFrame | None) -> DataFrame | None:
    """Returns the id, the derivation and the rank of all derivations whose rank is not 1; None if there are none."""
    every = reduce(DataFrame.union, [frame.select("begin", "end", *_ID, DERIVATION) for frame in ways])
    alone = every.select(*_ID).distinct()
    alone = alone if given is None else alone.join(given, list(_ID), "left_anti")
    causes = F.filter(column(DERIVATION)["causes"], _spans)
    ids = F.array_distinct(F.transform(causes, lambda cause: cause["id"]))
    named = every.select("begin", "end", *_ID, DERIVATION, F.explode(ids).alias(_CAUSE))
    inside = named.join(alone.select(hex_id(*map(column, _ID)).alias(_CAUSE)), _CAUSE).localCheckpoint()
    if inside.isEmpty():
        return None
    counting = inside.groupBy("begin", "end", *_ID, DERIVATION).agg(F.collect_set(_CAUSE).alias(_COUNTING))
    intervals = inside.select("begin", "end").distinct()
    plain = every.join(intervals, ["begin", "end"], "left_semi").join(
        counting.select(*_ID, DERIVATION), [*_ID, DERIVATION], "left_anti"
    )
    every = plain.withColumn(_COUNTING, F.array().cast("array<string>")).unionByName(counting)
    rows = every.select("begin", "end", *_ID, hex_id(*map(column, _ID)).alias("id"), DERIVATION, _COUNTING)
    way = rows.schema[DERIVATION]
    schema = StructType([*(StructField(name, LongType()) for name in _ID), way, StructField(_RANK, IntegerType())])
    together = F.pmod(F.xxhash64("begin", "end"), F.lit(_CALLS))
    found = rows.groupBy(together).applyInArrow(_rank_intervals, schema)
    return found.where(column(_RANK) > 1)


def _spans(cause: Column) -> Column:
    return (cause["begin"] == column("begin")) & (cause["end"] == column("end"))


def _rank_intervals(table: pa.Table) -> pa.Table:
    """Ranks the derivations of the events with some intervals, in a worker."""
    derived = zip(table.column("id").to_pylist(), table.column(_COUNTING).to_pylist(), strict=True)
    found = pa.array(ranks(list(derived)), pa.int32())
    return table.select([*_ID, DERIVATION]).append_column(_RANK, found)
