"""Large relations over streams and in recursions by key: a worker reads them, and all workers read what it wrote."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import cera
from cera.connectors.relations import reading
from cera.connectors.relations.reading import FrameRows, LocatedRows
from cera.connectors.relations.versions import VersionFolder
from cera.engines.spark.reading.kept_relations import keep_rows
from cera.errors import CeraError, DataError, UsageError
from cera.spark import events

pytestmark = pytest.mark.xdist_group("spark")

SHOP = """\
RELATION price{ item, euros: number }

DETECT bill{ item{var I}, euros{var E} }
ON and { event o: order{{ item{var I} }}, relation price{{ item{var I}, euros{var E} }} }
END
"""
#: Three relations in one stream, each of which costs Spark a start: read when it starts, with REFRESH, with versions.
PRICES = (
    SHOP
    + SHOP.replace("number }", "number } REFRESH 1 hour").replace("price", "offer").replace("bill", "deal")
    + SHOP.replace("euros: number }", "euros, since } VALID FROM since BY item")
    .replace("price", "rate")
    .replace("bill", "fee")
)
#: Who can be reached from whom, with the area of each place from a relation.
REACHED = """\
RELATION area{ place, name }

DETECT reached{ site{var S}, from{var A}, to{var B}, area{var N} }
ON and { event l: link{{ site{var S}, from{var A}, to{var B} }}, relation area{{ place{var B}, name{var N} }} }
END

DETECT reached{ site{var S}, from{var A}, to{var C}, area{var N} }
ON and { event r: reached{{ site{var S}, from{var A}, to{var B} }},
         event l: link{{ site{var S}, from{var B}, to{var C} }},
         relation area{{ place{var C}, name{var N} }} } where { r before l }
END
"""


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file and table counts as large, and none may come to the driver."""

    def fail(self: object) -> None:
        raise AssertionError("the rows came to the driver")

    monkeypatch.setattr(reading, "FEW_ROWS", 0)
    monkeypatch.setattr(LocatedRows, "rows", property(fail))
    monkeypatch.setattr(FrameRows, "rows", property(fail))


class Shop:
    """A folder with orders, one more for each run of a stream, and what the stream remembers."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.source = folder / "in"
        self.source.mkdir()
        self.second = 0

    def order(self) -> None:
        self.second += 10
        line = {"label": "order", "at": f"2026-01-01T00:00:{self.second:02}Z", "item": "tea"}
        (self.source / f"{self.second}.json").write_text(json.dumps(line) + "\n")

    def detect(self, program: str, relations: Mapping[str, object], *, label: str | None = None) -> DataFrame:
        """The stream of bills, which is not started; the rows of relations are kept already."""
        streamed = self.spark.readStream.schema("label string, at timestamp, item string").json(str(self.source))
        versions = self.folder / "versions"
        return cera.load(program).detect(streamed, relations=relations, versions=versions, label=label)

    def run(self, program: str, relations: Mapping[str, object], *, label: str | None = None) -> set[str]:
        """Starts the stream with a new order, and returns the bills that it writes until nothing is left to do."""
        self.order()
        seen: set[str] = set()
        found = self.detect(program, relations, label=label)
        query = found.writeStream.foreachBatch(lambda frame, number: seen.update(terms(frame)))
        query = query.option("checkpointLocation", str(self.folder / "state"))
        query.trigger(availableNow=True).start().awaitTermination()
        return seen

    def versions(self, relation: str) -> list[str]:
        """The names of the versions that are kept of a relation."""
        found = (self.folder / "versions").rglob("*.jsonl")
        return sorted(file.name for file in found if relation in file.relative_to(self.folder / "versions").parts)


@pytest.fixture
def shop(spark: SparkSession, tmp_path: Path) -> Shop:
    return Shop(spark, tmp_path)


def terms(found: DataFrame) -> set[str]:
    return {row["term"] for row in found.select("term").collect()}


def bill(euros: int, label: str = "bill") -> set[str]:
    return {f'{{"{label}": {{"euros": {euros}, "item": "tea"}}}}'}


def test_a_stream_that_is_started_again_reads_again_what_it_may_and_keeps_the_rest(
    shop: Shop, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Rows count from the start of a stream on; with REFRESH they stay where they cannot be read; versions may come
    from DataFrames and from Python."""
    prices, database = tmp_path / "prices.csv", tmp_path / "shop.db"
    prices.write_text("item,euros\ntea,3\ntea,3\ncup,4\n")
    with sqlite3.connect(database) as table:
        table.execute("CREATE TABLE offer (item TEXT, euros)")
        table.execute("INSERT INTO offer VALUES ('tea', 3)")
    frame = shop.spark.createDataFrame(
        [("tea", 3, 5), ("tea", 4, 15), ("cup", 9, 0)], "item string, euros int, since int"
    )
    given: dict[str, object] = {"price": prices, "offer": f"sqlite:{database}", "rate": frame.where("since < 10")}
    assert shop.run(PRICES, given) == set()  # the last event is decided when time has passed it

    prices.write_text("item,euros\ntea,4\n")
    with sqlite3.connect(database) as table:
        table.execute("UPDATE offer SET euros = 4")
    since = "2026-01-01T00:00:15Z"
    given["rate"] = [{"item": "tea", "euros": 5, "since": 0}, {"item": "tea", "euros": 6, "since": since}]
    assert shop.run(PRICES, given) == bill(4) | bill(4, "deal") | bill(5, "fee")

    with sqlite3.connect(database) as table:
        table.execute("UPDATE offer SET euros = 'x'")
    assert shop.run(PRICES, given) == bill(4) | bill(4, "deal") | bill(6, "fee")
    assert "`euros` is declared as a number" in caplog.text
    assert "its rows stay as they were" in caplog.text
    assert shop.versions("price") == ["000001.jsonl", "000002.jsonl"], "the same rows are the same version"

    database.unlink()
    assert shop.run(PRICES, given) == bill(4) | bill(4, "deal") | bill(6, "fee")


def test_what_is_missing_or_wrong_when_a_stream_starts_again_is_an_error(shop: Shop, tmp_path: Path) -> None:
    prices = tmp_path / "prices.jsonl"
    prices.write_text('{"item": "tea", "euros": 3}\n')
    shop.detect(SHOP, {"price": prices})
    assert shop.versions("price") == ["000001.jsonl"]
    prices.write_text('{"item": "tea", "euros": "x"}\n')
    with pytest.raises(DataError, match=r"the relation price: .*prices.jsonl:1: `euros` is declared as a number"):
        shop.detect(SHOP, {"price": prices})
    prices.unlink()
    with pytest.raises(UsageError, match=r"prices\.jsonl"):
        shop.detect(SHOP, {"price": prices})


def test_a_version_that_is_gone_ends_the_stream_and_the_error_names_it(shop: Shop, tmp_path: Path) -> None:
    streamed = shop.spark.readStream.schema("label string, at timestamp, item string").json(str(shop.source))
    for second in (10, 20):
        line = {"label": "order", "at": f"2026-01-01T00:00:{second}Z", "item": "tea"}
        (shop.source / f"{second}.json").write_text(json.dumps(line) + "\n")
    prices = tmp_path / "prices.csv"
    prices.write_text("item,euros\ntea,3\n")
    found = cera.load(SHOP).detect(streamed, relations={"price": prices}, versions=tmp_path / "versions")
    [file] = (tmp_path / "versions").rglob("*.jsonl")
    file.unlink()
    query = found.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "state"))
    with pytest.raises(Exception, match="version 1 of the relation price is not in"):
        query.trigger(availableNow=True).start().awaitTermination()


def test_the_children_of_a_label_are_typed_without_the_rows(shop: Shop, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text("item,euros\ntea,3\n")
    shop.order()
    assert shop.run(SHOP, {"price": prices}, label="bill") == bill(3)


def test_errors_of_a_worker_are_those_of_a_reader_in_this_process(spark: SparkSession, tmp_path: Path) -> None:
    relation = reading.Relation("price", {"item": None, "euros": "number"})
    frame = spark.createDataFrame([("tea", "3")], "item string, euros string")
    wanted = 'the relation price: row 1: `euros` is declared as a number, found "3"'
    with pytest.raises(DataError, match=wanted):
        keep_rows(spark, VersionFolder(tmp_path), "price", FrameRows(relation, frame))
    (tmp_path / "prices.csv").write_text("item\ntea\n")
    with pytest.raises(CeraError, match="has no column `euros`"):
        keep_rows(spark, VersionFolder(tmp_path), "price", LocatedRows(relation, str(tmp_path / "prices.csv")))


def test_recursive_rules_look_into_the_rows_that_they_are_given_and_not_into_those_of_a_run_before(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The workers of Spark go on from run to run, and keep what they have compiled."""
    links = [("s", "a", "b", 1), ("s", "b", "c", 2), ("t", "a", "d", 3)]
    given = events(
        spark.createDataFrame(links, "site string, from string, to string, at_time bigint"),
        label_value="link",
        time="at_time",
    )
    program = cera.load(REACHED)
    areas = tmp_path / "areas.csv"
    rows = [{"place": place, "name": "south"} for place in "bcd"]
    for name, source in [("north", areas), ("south", rows)]:
        areas.write_text("place,name\n" + "".join(f"{place},{name}\n" for place in "bcd"))
        found = {
            json.dumps(json.loads(term)["reached"]) for term in terms(program.detect(given, relations={"area": source}))
        }
        expected = [("s", "a", "b"), ("s", "b", "c"), ("s", "a", "c"), ("t", "a", "d")]
        assert {tuple(json.loads(one)[part] for part in ("site", "from", "to", "area")) for one in found} == {
            (*link, name) for link in expected
        }
