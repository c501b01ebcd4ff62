"""States in DataFrames of Spark: recorded and streaming, as columns, as terms and as VARIANT."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cera
import cera.spark
from cera.errors import UsageError
from state_recordings import ANSWERS, PROGRAM, RECORDS, rows

COLUMNS = "label string, begin bigint, end bigint, state boolean, id string, door string, no bigint"
#: Two of the rules, for streams, and one for recordings: Spark takes long to plan many.
RULES = PROGRAM.split("DETECT visits")[0]
RULE = PROGRAM.split("DETECT nobody")[0]


def as_columns(spark: SparkSession) -> DataFrame:
    table = spark.createDataFrame(rows(), COLUMNS).withColumnRenamed("id", "door_id")
    return cera.spark.events(table, label="label", time="begin", end="end", state="state")


def as_terms(spark: SparkSession) -> DataFrame:
    made = [
        (
            record["begin"],
            record.get("end"),
            record.get("state"),
            json.dumps({record["label"]: {n: record[n] for n in ("id", "door", "no") if n in record}}),
        )
        for record in RECORDS
    ]
    return spark.createDataFrame(made, "begin bigint, end bigint, state boolean, term string")


def as_variant(spark: SparkSession) -> DataFrame:
    table = spark.createDataFrame(rows(), COLUMNS)
    body = F.to_json(F.struct("id", "door", "no"))
    return table.select("label", "begin", "end", "state", F.parse_json(body).alias("body"))


FORMS: dict[str, Callable[[SparkSession], DataFrame]] = {
    "columns": as_columns,
    "terms": as_terms,
    "variant": as_variant,
}


def program(form: str, rules: str = RULES) -> cera.Program:
    return cera.load(rules.replace("{{ id{", "{{ door_id{") if form == "columns" else rules)


def expected(rules: str = RULES) -> list[tuple[int, int, str]]:
    return sorted((begin, end, label) for begin, end, term in ANSWERS for label in term if label in rules)


def found(answers: DataFrame) -> list[tuple[int, int, str]]:
    picked = answers.select(F.unix_micros("begin"), F.unix_micros("end"), "label").collect()
    return sorted((begin // 10**6, end // 10**6, label) for begin, end, label in picked)


def records_of(frame: DataFrame) -> list[dict[str, Any]]:
    """The rows as Spark writes them in files of JSON."""
    return [json.loads(text) for (text,) in frame.select(F.to_json(F.struct("*"))).collect()]


@pytest.mark.parametrize("form", FORMS)
def test_recorded_rows_have_states(spark: SparkSession, form: str) -> None:
    assert found(FORMS[form](spark).transform(program(form, RULE).detect)) == expected(RULE)


@pytest.mark.parametrize("form", ["columns", "terms"])
def test_rows_of_a_stream_have_states(spark: SparkSession, form: str, tmp_path: Path) -> None:
    recorded = FORMS[form](spark)
    (tmp_path / "in").mkdir()
    written = records_of(recorded)
    [last] = records_of(recorded.agg(F.max("begin").alias("begin"), F.max("begin").alias("end")))
    other = {"term": '{"other": {}}'} if form == "terms" else {"label": "other"}
    for number, records in enumerate((written[:4], written[4:6], written[6:], [{**last, **other}])):
        file = tmp_path / "in" / f"{number}.json"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))
    reader = spark.readStream.schema(recorded.schema).option("maxFilesPerTrigger", 1)
    answers = reader.json(str(tmp_path / "in")).transform(program(form).detect, left_out=True)
    rows: list[Any] = []
    writer = answers.writeStream.foreachBatch(lambda frame, _: rows.extend(frame.collect()))
    query = writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start()
    query.awaitTermination()
    assert [row["left_out"] for row in rows if row["left_out"] is not None] == []
    shown = sorted((int(r["begin"].timestamp()), int(r["end"].timestamp()), r["label"]) for r in rows)
    assert shown == [each for each in expected() if each[1] < 320]  # the last one waits for time to go on


def test_ids_are_those_of_every_other_engine(spark: SparkSession) -> None:
    answers = as_columns(spark).transform(program("columns").detect).collect()
    renamed = [{"door_id" if name == "id" else name: value for name, value in row.items()} for row in rows()]
    local = program("columns").run(renamed, label="label", state="state", time_unit="s").derived
    assert {row["id"]: row["causes"] for row in answers} == {
        each.event.id: {name: cause.id for name, cause in each.derivations[0].causes.items()} for each in local
    }


def test_what_is_not_a_state_is_left_out_with_its_reason(spark: SparkSession) -> None:
    bad = [
        ("door", None, 9, True, "d1"),
        ("door", 9, 5, True, "d1"),
        ("door", 1, None, False, "d1"),
        ("door", 1, None, None, "d1"),
        ("door", 1, None, True, "d1"),
    ]
    columns = "label string, begin bigint, end bigint, state boolean, door_id string"
    frame = spark.createDataFrame(bad, columns).withColumn("door", F.lit("d1"))
    result = program("columns").detect(frame, left_out=True).where("left_out is not null").collect()
    assert sorted(row["left_out"] for row in result) == [
        "the end lies before the begin: 5 before 9",
        "the time is missing: there is no field `begin`",
        "the time is missing: there is no field `end`",
        "the time is missing: there is no field `end`",
    ]


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ({"end": "end", "state": "no"}, "the column `no` says which rows are states, and holds no truth values"),
        ({"state": "state"}, "a state has an end, which is null while it is open; name its column with `end`"),
        ({"end": "end"}, "the column `state` would be a child, but events have a column of that name"),
        ({"end": "end", "state": "stat"}, "there is no column `stat` for the mark of states; did you mean 'state'"),
    ],
)
def test_what_is_wrong_with_the_column_of_states_is_said(
    spark: SparkSession, named: dict[str, str], reason: str
) -> None:
    table = spark.createDataFrame([], COLUMNS).withColumnRenamed("id", "name")
    with pytest.raises(UsageError, match=reason):
        cera.spark.events(table, label="label", time="begin", **named)
