"""Relations on Spark: DataFrames are joined where they are, and streams take their rows to the workers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import cera
from cera.connectors.relations.reading import FrameRows
from cera.errors import CeraError, UsageError
from cera.spark import events

pytestmark = pytest.mark.xdist_group("spark")

SHOP = """\
RELATION price{ item, euros: number }

DETECT bill{ item{var I}, euros{var E} }
ON and { event o: order{{ item{var I} }}, relation price{{ item{var I}, euros{var E} }} }
END
"""
VERSIONS = SHOP.replace("euros: number }", "euros, since } VALID FROM since BY item")


def orders(spark: SparkSession) -> DataFrame:
    rows = [("tea", 10), ("tea", 30), ("cup", 30), ("pot", 30)]
    return events(spark.createDataFrame(rows, "item string, at_time bigint"), label_value="order", time="at_time")


def bills(found: DataFrame) -> set[str]:
    terms = [json.loads(row["term"]) for row in found.select("term").collect()]
    return {json.dumps(term, separators=(",", ":"), sort_keys=True) for term in terms}


@pytest.fixture
def never_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: FrameRows) -> None:
        raise AssertionError("the rows came to the driver")

    monkeypatch.setattr(FrameRows, "rows", property(fail))


@pytest.mark.usefixtures("never_collected")
def test_a_dataframe_is_joined_where_it_is(spark: SparkSession) -> None:
    prices = spark.createDataFrame(
        [("tea", 3, "a"), ("tea", 3, "b"), ("cup", None, "c")], "item string, euros int, x string"
    )
    found = cera.load(SHOP).detect(orders(spark), relations={"price": prices})
    assert bills(found) == {'{"bill":{"euros":3,"item":"tea"}}'}
    assert found.count() == 2


@pytest.mark.usefixtures("never_collected")
def test_versions_of_a_dataframe_are_those_of_rows(spark: SparkSession) -> None:
    given = [("tea", 3, 5), ("tea", 4, 20), ("tea", 5, 20), ("cup", 9, 31), ("cup", 8, 0)]
    prices = spark.createDataFrame(given, "item string, euros int, since bigint")
    program = cera.load(VERSIONS)
    found = program.detect(orders(spark), relations={"price": prices})
    expected = {
        f'{{"bill":{{"euros":{euros},"item":"{item}"}}}}'
        for item, euros in [("tea", 3), ("tea", 4), ("tea", 5), ("cup", 8)]
    }
    assert bills(found) == expected
    rows = [dict(zip(("item", "euros", "since"), row, strict=True)) for row in given]
    assert bills(program.detect(orders(spark), relations={"price": rows})) == expected
    times = [(item, euros, datetime.fromtimestamp(since, UTC)) for item, euros, since in given]
    stamped = spark.createDataFrame(times, "item string, euros int, since timestamp")
    assert bills(program.detect(orders(spark), relations={"price": stamped})) == expected


def test_what_is_wrong_with_a_dataframe_is_an_error(spark: SparkSession) -> None:
    def refused(types: str, text: str = SHOP) -> str:
        prices, given = spark.createDataFrame([], types), orders(spark)
        with pytest.raises(UsageError) as caught:
            cera.load(text).detect(given, relations={"price": prices})
        return caught.value.message

    assert "the relation price: the DataFrame has no column `euros`" in refused("item string")
    assert "`euros` is declared as number, and its type is string" in refused("item string, euros string")
    assert "`since` has the type boolean" in refused("item string, euros int, since boolean", VERSIONS)
    late = spark.createDataFrame([("tea", 3, "soon")], "item string, euros int, since string")
    with pytest.raises(Exception, match="the relation price: in `since`: soon is not a time"):
        bills(cera.load(VERSIONS).detect(orders(spark), relations={"price": late}))


def test_an_engine_in_this_process_collects_a_dataframe(spark: SparkSession) -> None:
    prices = spark.createDataFrame([("tea", 3)], "item string, euros int")
    rows = [{"label": "order", "at": 10, "item": "tea"}]
    answer = cera.load(SHOP).run(rows, label="label", relations={"price": prices}, engine="local")
    assert [str(one.event.term) for one in answer.derived] == ['bill{euros{3}, item{"tea"}}']


def test_a_stream_of_a_dataframe_looks_rows_up(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "in"
    orders(spark).write.json(str(source))
    streamed = spark.readStream.schema("label string, at timestamp, item string").json(str(source))
    prices = spark.createDataFrame([("tea", 3), ("cup", 4)], "item string, euros int")
    found = cera.load(SHOP).detect(streamed, relations={"price": prices})
    query = found.writeStream.format("memory").queryName("bills").option("checkpointLocation", str(tmp_path / "state"))
    started = query.trigger(availableNow=True).start()
    started.awaitTermination()
    assert '{"bill":{"euros":3,"item":"tea"}}' in bills(spark.table("bills"))


def test_a_stream_refuses_to_read_again(spark: SparkSession, tmp_path: Path) -> None:
    streamed = spark.readStream.schema("label string, at timestamp, item string").json(str(tmp_path))
    again = cera.load(SHOP.replace("number }", 'number } FROM "p.csv" REFRESH 1 hour'))
    with pytest.raises(CeraError, match="is to be read again every 1 hour"):
        again.detect(streamed, relations={"price": [{"item": "tea", "euros": 3}]})
