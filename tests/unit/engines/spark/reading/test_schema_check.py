"""A program held against the columns of a DataFrame: errors before anything runs, warnings, and silence."""

from __future__ import annotations

import warnings

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cera
import cera.spark
from cera.engines.spark.reading.schema_check import MissingAttributeWarning
from cera.errors import UsageError

pytestmark = pytest.mark.xdist_group("spark")

SCHEMA = "auction bigint, country string, price double, place struct<x: int, y: int>, tags array<string>, at timestamp"


@pytest.fixture(scope="module")
def bids(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([], SCHEMA)


def detect(text: str, table: DataFrame, **options: object) -> None:
    cera.load(text).detect(cera.spark.events(table, **{"label_value": "bid", "time": "at", **options}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("DETECT x{ var A } ON bid{{ auctoin{ var A } }} END", "no column `auctoin`; did you mean `auction`?"),
        ("DETECT x{ var A } ON bid{{ Auction{ var A } }} END", "did you mean `auction`?"),
        ("DETECT x ON bid{{ place{{ z{{}} }} }} END", "no column `z` in `place`; there are x, y"),
        ("DETECT x ON bids{{ auction{{}} }} END", "asks for `bids` (<text>:1:13), and all events have the label `bid`"),
        ("DETECT x ON bid{{ country{ var C } }} where { var C > 3 } END", "`country` holds a text"),
        ("DETECT x ON bid{{ country{ 3 } }} END", "`country` holds a text, and the program compares it with a number"),
        ('DETECT x ON bid{{ price{ var P } }} where { var P = "1" } END', "`price` holds a number"),
        ("T := ;(bid as A, bid as B) where A.auctoin = B.auction as x(n: 1);", "did you mean `auction`?"),
        ("begin M monitor bid; R: bid(X, X.auctoin > 0) as x(a: X.auction). end.", "did you mean `auction`?"),
    ],
)
def test_what_every_match_needs_and_no_event_has_is_an_error(bids: DataFrame, text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        detect(text, bids)
    assert said in str(error.value)
    assert "check=False" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "DETECT x ON bid{{ optional auctoin{{}} }} END",
        "DETECT x ON bid{{ without auctoin{{}} }} END",
        "DETECT x ON or { bid{{ auctoin{{}} }}, bid{{ auction{{}} }} } END",
    ],
)
def test_what_some_matches_need_is_a_warning(bids: DataFrame, text: str) -> None:
    with pytest.warns(MissingAttributeWarning, match="did you mean `auction`"):
        detect(text, bids)


def test_the_check_can_be_turned_off(bids: DataFrame) -> None:
    detect("DETECT x ON bid{{ auctoin{{}} }} END", bids, check=False)


@pytest.mark.parametrize(
    "text",
    [
        "DETECT x ON bid{{ auction{{}}, place{{ x{{}} }}, tags{{ any{{}} }}, desc z{{}} }} END",
        "DETECT x{ n{ 1 } } ON bid{{}} END DETECT y ON x{{ n{ var N } }} where { var N > 1 } END",
        "DETECT x ON bid{{ price{ var P }, auction{ var A } }} where { var P > var A } END",
        "DETECT x ON and { bid{{}}, sale{{ seller{{}} }} } END",
        "DETECT x ON /b.*/{{ price{{}} }} END",
    ],
)
def test_what_can_be_there_is_fine(bids: DataFrame, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detect(text, bids)


def test_a_table_of_several_kinds_of_events_has_more_than_one_label(bids: DataFrame) -> None:
    both = cera.spark.events(bids, label_value="bid", time="at").unionByName(
        cera.spark.events(bids, label_value="sale", time="at")
    )
    cera.load("DETECT x ON sale{{ price{{}} }} END").detect(both)


def test_children_in_a_variant_may_be_anything(spark: SparkSession) -> None:
    table = spark.createDataFrame([('{"a": 1}',)], "text string").select(
        F.parse_json("text").alias("data"), F.lit("2026-01-01").alias("at")
    )
    detect("DETECT x ON bid{{ auction{{}} }} END", table)


def test_records_of_kafka_have_to_be_unpacked(spark: SparkSession) -> None:
    table = spark.createDataFrame([], "key string, value string, topic string, offset bigint, timestamp timestamp")
    with pytest.raises(UsageError, match=r"unpack it before: .*from_json"):
        detect("DETECT x ON bid{{ auction{{}} }} END", table, time="timestamp")
