"""Tables of a user as events: every type of column, what is rejected, and errors about columns.

The events of a table are read back with their ids, which `events_in` holds against the model.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import cera.spark
from cera.connectors.records.layout import Layout, RecordError
from cera.connectors.records.records import flat_event
from cera.engines.spark.reading.frames import from_frame
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import Interval
from cera.model.time.time_text import OTHER_FORMAT, TimeFormat
from spark_rows import events_in

pytestmark = pytest.mark.xdist_group("spark")

SECOND = 1_000_000


def event(begin: int, end: int, term: object, name: str | None = None) -> Event:
    """An event with times in seconds and its term in JSON."""
    return Event(term_from_json(term), Interval(begin * SECOND, end * SECOND), name)


def test_columns_of_every_type_become_children(spark: SparkSession) -> None:
    schema = """label string, at timestamp, i tinyint, l bigint, f float, d double, n decimal(5,2), w decimal(20,0),
        b boolean, t timestamp, u timestamp_ntz, day date, s struct<x: int, y: struct<z: string>>,
        xs array<double>, m map<string, int>, deep array<struct<k: int, v: string>>, nothing void"""
    start, moment = datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 11, 15, 12, 30, 0, 500_000)
    scalars = (1, 2**53 + 1, 0.5, 2.0, Decimal("1.50"), Decimal(7), True, moment, moment, date(2026, 11, 15))
    others = ((1, ("q",)), [1.0, float("nan"), 2.5], {"k": 1, "none": None}, [(1, "a"), (2, None)], None)
    no_values = (None, None, float("inf"), float("nan"), *[None] * 6)
    rows = [
        ("e", start, *scalars, *others),
        ("e", start, *[None] * 15),
        ("e", start, *no_values, (None, None), [], {}, None, None),
    ]
    layout = Layout(times=TimeFormat(timezone="Europe/Berlin"))
    reading = from_frame(spark.createDataFrame(rows, schema), layout)
    first = {
        "i": 1,
        "l": 2**53 + 1,
        "f": 0.5,
        "d": 2,
        "n": 1.5,
        "w": 7,
        "b": True,
        "t": "2026-11-15T12:30:00.500000Z",
        "u": "2026-11-15T11:30:00.500000Z",
        "day": "2026-11-15",
        "s": {"x": 1, "y": {"z": "q"}},
        "xs": [1, 2.5],
        "m": {"k": 1},
        "deep": [{"k": 1, "v": "a"}, {"k": 2}],
    }
    assert set(events_in(reading.tables)) == {
        event(0, 0, {"e": first}),
        event(0, 0, {"e": {}}),
        event(0, 0, {"e": {"s": {}, "xs": [], "m": {}}}),
    }


def test_a_row_that_is_no_event_is_rejected_with_its_reason(spark: SparkSession) -> None:
    rows = [
        ("a", "1", "2", Decimal(1)),
        (None, "1", "2", None),
        ("", "1", "2", None),
        ("a", None, "2", None),
        ("a", "soon", "2", None),
        ("a", "02/03/2026", "2", None),
        ("a", "2", "1.5", None),
        ("a", "1", "2", Decimal(10**20)),
    ]
    frame = spark.createDataFrame(rows, "kind string, since string, till string, n decimal(38,0)")
    reading = from_frame(frame, Layout(label_field="kind", time_field="since", end_field="till"))
    assert events_in(reading.tables) == [event(1, 2, {"a": {"n": 1}})]
    reasons = [rejected.reason for rejected in reading.rejects()]
    expected = "expected ISO 8601 like 2006-09-18T09:00:00Z, or a number of seconds"
    assert sorted(reasons) == [
        "in `n`: the number 100000000000000000000 is too large: integers have 64 bits",
        f"in the field `since`: '02/03/2026' is not a time; {expected}{OTHER_FORMAT}",
        f"in the field `since`: 'soon' is not a time; {expected}",
        'the end lies before the begin: "1.5" before "2"',
        'the label is a text, found "" in the field `kind`',
        "the label is missing: there is no field `kind`",
        "the time is missing: there is no field `since`",
    ]
    assert '{"kind":"a","since":"soon","till":"2"}' in [rejected.text for rejected in reading.rejects()]


_TEXTS = [
    "soon",
    " x ",
    "2026",
    "20260302",
    " 0999 ",
    "1e30",
    "1.0000001",
    "2026-13-01",
    "2026-01-01T24:01",
    "20260101T250000Z",
    "20260101T0000+24:00",
    "2026-01-01T00:00 CET",
    "",
    "x" * 70,
]
WRONG_TIMES: dict[str, list[Any]] = {
    "string": [*_TEXTS, "2026-01-01T00:00+24:00", "0001-01-01T00:00+01:00", None],
    "bigint": [2**60, -(2**60), None],
    "double": [1.0000001, 12.3456789],
}


def test_the_reasons_for_wrong_times_are_those_of_the_other_readers(spark: SparkSession) -> None:
    plain, named = Layout(label="a"), Layout(label="a", time_field="at", times=TimeFormat("ms"))
    for kind, layout in {"string": plain, "bigint": named, "double": plain}.items():
        values = WRONG_TIMES[kind]
        frame = spark.createDataFrame([(i, value) for i, value in enumerate(values)], f"n int, at {kind}")
        found = {json.loads(each.text)["n"]: each.reason for each in from_frame(frame, layout).rejects()}
        for number, value in enumerate(values):
            with pytest.raises(RecordError) as expected:
                flat_event({"at": value} if value is not None else {}, layout)
            # what exactly is wrong with a date that the calendar lacks only Python says
            assert str(expected.value).startswith(found[number]), value
            assert len(found[number]) > 40


RIGHT_TIMES = [
    "2026-01-01T00:00:00.1234567Z",
    "2026-01-01T00:00:00,999999999",
    "2026-03-28T24:00:00Z",
    "2026-03-28 24:00",
    "2026-01-01 10:00:00 UTC",
    "2026-01-01T10:00 +0200",
    "20260101T100000Z",
    "20260101t1000",
    "20260101T100000.5-0130",
    "20260328T2400",
    "1772445600",
]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_times_of_all_spellings_are_those_of_the_other_readers(spark: SparkSession, zone: str) -> None:
    layout = Layout(label="a", times=TimeFormat(timezone=zone))
    frame = spark.createDataFrame([(text,) for text in RIGHT_TIMES], "at string")
    found = sorted(e.begin for e in events_in(from_frame(frame, layout).tables))
    assert found == sorted(layout.times.parse(text) for text in RIGHT_TIMES)


def test_nanoseconds_and_patterns_are_those_of_the_other_readers(spark: SparkSession) -> None:
    nanoseconds = Layout(label="a", times=TimeFormat("ns"))
    for kind, values in {"bigint": [1_999, -1, 0], "string": ["1999", "-1001"], "double": [1.5, 2e3]}.items():
        frame = spark.createDataFrame([(value,) for value in values], f"at {kind}")
        found = [e.begin for e in events_in(from_frame(frame, nanoseconds).tables)]
        assert sorted(found) == sorted(nanoseconds.times.parse(value) for value in values), kind
    pattern = Layout(label="a", times=TimeFormat(pattern="%d/%m/%Y %H:%M"))
    texts = ["02/03/2026 10:01", "31/12/2026 23:59", "2026-03-02"]
    reading = from_frame(spark.createDataFrame([(text,) for text in texts], "at string"), pattern)
    assert sorted(e.begin for e in events_in(reading.tables)) == sorted(map(pattern.times.parse, texts[:2]))
    [rejected] = reading.rejects()
    assert rejected.reason == "in the field `at`: '2026-03-02' is not a time like %d/%m/%Y %H:%M"


def test_a_variant_holds_the_children_of_flat_events_and_others(spark: SparkSession) -> None:
    texts = [
        '{"a": 1, "b": "x", "c": 1.5, "d": true, "e": null, "f": 2.0, "g": 1e3}',
        '{"a": {"b": [1, 2]}, "c": 1}',
        "{}",
        "[1, 2]",
        '{"a": 100000000000000000000}',
    ]
    frame = spark.createDataFrame([("e", i, text) for i, text in enumerate(texts)], "label string, at int, t string")
    infinite = spark.sql(
        """SELECT 'e' AS label, 9 AS at, to_variant_object(struct(struct(double('Infinity') AS x, 'NaN' AS y) AS a,
        array(double('NaN'), 1d) AS b)) AS children"""
    )
    children = frame.select("label", "at", F.parse_json("t").alias("children")).unionByName(infinite)
    reading = from_frame(children)
    flat, _ = reading.tables
    assert len(events_in([flat])) == 2
    assert set(events_in(reading.tables)) == {
        event(0, 0, {"e": {"a": 1, "b": "x", "c": 1.5, "d": True, "f": 2, "g": 1000}}),
        event(1, 1, {"e": {"a": {"b": [1, 2]}, "c": 1}}),
        event(2, 2, {"e": {}}),
        event(3, 3, {"e": [1, 2]}),
        event(9, 9, {"e": {"a": {"y": "NaN"}, "b": [1]}}),
    }
    [rejected] = reading.rejects()
    assert rejected.reason == "the number 100000000000000000000 is too large: integers have 64 bits"


def test_ids_tell_equal_events_apart_unless_they_are_our_own(spark: SparkSession) -> None:
    own = event(1, 1, {"e": {"a": 1}}).id
    frame = spark.createDataFrame(
        [("e", 1, 1, "x"), ("e", 1, 1, "y"), ("e", 1, 1, own), ("e", 1, 1, None)],
        "label string, at int, a int, id string",
    )
    assert sorted(e.qualifier or "" for e in events_in(from_frame(frame).tables)) == ["", "", "x", "y"]


def test_a_column_of_terms_in_json_text_is_read_as_files_are(spark: SparkSession) -> None:
    rows = [(1, 2, '{"e": {"a": 1}}', "x"), (1, 2, '{"e": [1]}', None), (1, 2, '{"e": {"a": 1, "a": 2}}', None)]
    reading = from_frame(spark.createDataFrame(rows, "begin int, end int, term string, id string"))
    assert set(events_in(reading.tables)) == {event(1, 2, {"e": {"a": 1}}, "x"), event(1, 2, {"e": [1]})}
    assert [rejected.reason for rejected in reading.rejects()] == ['the key "a" is given twice in one object']


def test_the_table_that_cera_writes_can_be_read_again(spark: SparkSession) -> None:
    own = event(1, 2, {"e": {"a": 1}})
    row = (own.id, 1, 2, "e", '{"e": {"a": 1}}', "e", {"i": "…"}, None, None)
    schema = "id string, begin int, end int, label string, term string, rule string, causes map<string,string>"
    frame = spark.createDataFrame([row], f"{schema}, recipient string, transport string")
    assert [found.id for found in events_in(from_frame(frame).tables)] == [own.id]


def test_events_gives_a_table_its_standard_columns(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("temp", 1_500, 9, 40)], "kind string, ts bigint, nr bigint, value int")
    made = cera.spark.events(frame, label="kind", time="ts", id="nr", time_unit="ms")
    assert made.columns == ["label", "at", "id", "value"]
    lasting = cera.spark.events(frame, label="kind", time="ts", end="nr")
    assert lasting.columns == ["label", "begin", "end", "value"]
    [found] = events_in(from_frame(made).tables)
    assert found == Event(term_from_json({"temp": {"value": 40}}), Interval(1_500_000, 1_500_000), "9")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"label": "kind", "time": "tsx"},
            "no column `tsx` for the begin; did you mean 'ts'? The columns are kind, ts",
        ),
        ({"label": "kin", "time": "ts"}, "no column `kin` for the label"),
        ({"label": "ts", "time": "ts"}, "the column `ts` has the type bigint; a label is a text"),
        ({"label": "kind", "time": "on"}, "the column `on` has the type boolean; a time is"),
        ({"label": "kind", "time": "ts", "id": "on"}, "an id is a text or a whole number"),
        ({"time": "ts"}, "give `label`"),
        ({"label": "kind", "label_value": "x", "time": "ts"}, "give `label`"),
        ({"label_value": "x", "time": "ts"}, "the column `id` would be a child"),
    ],
)
def test_a_wrong_column_is_told_with_those_that_are_there(
    spark: SparkSession, arguments: dict[str, str], message: str
) -> None:
    frame = spark.createDataFrame([], "kind string, ts bigint, on boolean, id string")
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        cera.spark.events(frame, **arguments)  # type: ignore[arg-type]


def test_a_column_that_no_term_can_hold_is_an_error(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], "label string, at bigint, picture binary")
    with pytest.raises(UsageError, match="the column `picture` has the type binary"):
        from_frame(frame)
