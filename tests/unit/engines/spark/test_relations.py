"""Relations on Spark: DataFrames are joined where they are, and streams take their rows to the workers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import psycopg
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


def test_a_stream_looks_into_the_rows_that_it_is_given_and_not_into_those_of_one_before_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The workers of Spark go on from stream to stream, and keep what they have compiled."""
    source = tmp_path / "in"
    orders(spark).write.json(str(source))
    streamed = spark.readStream.schema("label string, at timestamp, item string").json(str(source))
    for euros in (3, 4):
        found = cera.load(SHOP).detect(streamed, relations={"price": [{"item": "tea", "euros": euros}]})
        assert run_once(found, tmp_path / f"state {euros}") == {f'{{"bill":{{"euros":{euros},"item":"tea"}}}}'}


def run_once(found: DataFrame, checkpoint: Path) -> set[str]:
    """Runs a query over what is there, and returns what it derives, from its checkpoint on."""
    seen: set[str] = set()
    query = found.writeStream.foreachBatch(lambda frame, number: seen.update(bills(frame)))
    query.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start().awaitTermination()
    return seen


AGAIN = SHOP.replace("number }", "number } REFRESH 1 hour")


def test_a_stream_that_is_started_again_reads_again_and_what_is_decided_later_sees_that(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source, prices = tmp_path / "in", tmp_path / "prices.csv"
    source.mkdir()
    program = cera.load(AGAIN)
    streamed = spark.readStream.schema("label string, at timestamp, item string").json(str(source))

    def run(second: int, table: str) -> set[str]:
        line = {"label": "order", "at": f"2026-01-01T00:00:{second:02}Z", "item": "tea"}
        (source / f"{second}.json").write_text(json.dumps(line) + "\n")
        prices.write_text(table)
        again = program.detect(streamed, relations={"price": str(prices)}, versions=tmp_path / "versions")
        return run_once(again, tmp_path / "state")

    def bill(euros: int) -> set[str]:
        return {f'{{"bill":{{"euros":{euros},"item":"tea"}}}}'}

    assert run(10, "item,euros\ntea,3\n") == set()  # the last event is decided when time has passed it
    assert run(20, "item,euros\ntea,4\n") == bill(4)
    assert run(30, "item,euros\ntea,x\n") == bill(4)
    assert "`euros` is declared as a number" in caplog.text
    assert "its rows stay as they were" in caplog.text


def test_a_stream_needs_a_folder_for_what_it_reads_again(spark: SparkSession, tmp_path: Path) -> None:
    streamed = spark.readStream.schema("label string, at timestamp, item string").json(str(tmp_path))
    with pytest.raises(CeraError, match="the relation price is read again, and what was read has to be kept"):
        cera.load(AGAIN).detect(streamed, relations={"price": [{"item": "tea", "euros": 3}]})


@pytest.mark.processes
def test_a_table_of_postgresql_is_read_again_over_a_stream(
    spark: SparkSession, tmp_path: Path, postgres: str, caplog: pytest.LogCaptureFixture
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    streamed = spark.readStream.schema("label string, at timestamp, item string").json(str(source))

    def run(second: int, change: str) -> set[str]:
        line = {"label": "order", "at": f"2026-01-01T00:00:{second:02}Z", "item": "tea"}
        (source / f"{second}.json").write_text(json.dumps(line) + "\n")
        with psycopg.connect(postgres, autocommit=True) as table:
            table.execute(change)
        again = cera.load(AGAIN).detect(streamed, relations={"price": postgres}, versions=tmp_path / "versions")
        return run_once(again, tmp_path / "state")

    with psycopg.connect(postgres, autocommit=True) as table:
        table.execute("CREATE TABLE price (item text, euros int)")
    assert run(10, "INSERT INTO price VALUES ('tea', 3)") == set()
    assert run(20, "UPDATE price SET euros = 4") == {'{"bill":{"euros":4,"item":"tea"}}'}
    assert run(30, "ALTER TABLE price RENAME euros TO dollars") == {'{"bill":{"euros":4,"item":"tea"}}'}
    assert "no column `euros`" in caplog.text
    assert "its rows stay as they were" in caplog.text
