"""Queries give the rows that DataFrames give, and Spark sees them when it is asked for rows."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as in_java

from cera.engines.spark.tables.queries import Query, broadcast, query
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values import sql_functions as F


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT * FROM VALUES (1, 'a', 10), (2, 'b', 20), (2, 'b', 20), (3, NULL, 30) AS t(n, `x:y`, m)")


def _sorted(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def test_a_query_is_not_looked_at_by_spark_before_it_is_asked_for(rows: DataFrame) -> None:
    made = query(rows).where(column("n") > 1).select("m", column("x:y").alias("text"))
    assert isinstance(made, Query)
    assert made.columns == ["m", "text"]
    assert "_jdf" not in vars(made)
    assert _sorted(made) == [(20, "b"), (20, "b"), (30, None)]


def test_conditions_and_columns_that_are_added_or_replaced(rows: DataFrame) -> None:
    made = query(rows).where(column("n") > 1).where(column("m") < 30).withColumn("n", column("n") + 1)
    made = made.withColumns({"o": column("n") * 2}).where(column("o") > 5).drop("m")
    assert made.columns == ["n", "x:y", "o"]
    assert _sorted(made) == [(3, "b", 6), (3, "b", 6)]


def test_joins_of_every_kind_and_a_side_that_is_sent_to_workers(rows: DataFrame) -> None:
    left = query(rows)
    right = left.select(column("n").alias("k"), column("m").alias("v")).distinct().where(column("k") > 1)
    same = column("n") == column("k")
    inner = left.join(broadcast(right), same, "inner").where(column("v") > 20).select("n", "v")
    assert _sorted(inner) == [(3, 30)]
    assert "BroadcastHashJoin" in inner._jdf.queryExecution().executedPlan().toString()
    assert _sorted(left.join(right, same, "left_anti").select("n")) == [(1,)]
    pairs = left.join(right, same).select(column("k").alias("j"))
    assert _sorted(left.join(pairs, column("n") == column("j"), "left").select("n", "j")) == [
        (1, None),
        *[(2, 2)] * 4,
        (3, 3),
    ]


def test_unions_by_name_groups_and_rows_that_are_there_again(rows: DataFrame) -> None:
    first = query(rows)
    both = first.unionByName(first.select("m", "x:y", "n").where(column("n") == 1))
    assert isinstance(both, Query)
    assert _sorted(both.dropDuplicates()) == [(1, "a", 10), (2, "b", 20), (3, None, 30)]
    groups = both.groupBy("x:y", (column("n") % 2).alias("odd")).agg(F.count("*").alias("c"), F.max("m").alias("m"))
    assert _sorted(groups) == [("a", 1, 2, 10), ("b", 0, 2, 20), (None, 1, 1, 30)]
    assert both.agg(F.sum("n").alias("s")).collect()[0].s == 9
    assert both.count() == 5


def test_what_text_cannot_say_is_done_by_pyspark(rows: DataFrame) -> None:
    doubled = in_java.udf(lambda n: 2 * n, "int")
    made = query(rows).where(doubled(column("n")) < 6).withColumn("twice", doubled(column("n")))
    assert not isinstance(made, Query)
    assert not isinstance(query(rows).withColumn("twice", doubled(column("n"))), Query)
    assert not isinstance(query(rows).select(doubled(column("n"))), Query)
    assert not isinstance(query(rows).groupBy(doubled(column("n"))).agg(F.count("*").alias("c")), Query)
    assert not isinstance(query(rows).groupBy("n").agg(in_java.max("m")), Query)
    assert not isinstance(query(rows).join(rows.toDF("a", "b", "c"), doubled(column("n")) == 2), Query)
    assert not isinstance(query(rows).drop(in_java.col("n")), Query)
    assert not isinstance(query(rows).dropDuplicates(["n"]), Query)
    joined = query(made).join(query(rows).select(column("n").alias("k")), column("twice") == column("k"), "inner")
    assert _sorted(joined.select("n", "k")) == [(1, 2), (1, 2)]


def test_what_is_cached_stays_so(rows: DataFrame) -> None:
    kept = query(rows).select(column("n").alias("k")).persist()
    try:
        assert _sorted(kept.where(column("k") > 2)) == [(3,)]
        assert kept.is_cached
        assert kept.storageLevel.useMemory
    finally:
        kept.unpersist()


def test_many_steps_are_no_deep_text(rows: DataFrame) -> None:
    made: DataFrame = query(rows).select("n")
    for _ in range(80):
        made = made.withColumn("n", column("n") + 1)
    assert isinstance(made, Query)
    assert len(made._text.written) < 5_000
    assert _sorted(made) == [(81,), (82,), (82,), (83,)]
