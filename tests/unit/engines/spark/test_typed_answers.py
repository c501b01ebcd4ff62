"""Derived events of one label with typed children, recorded and streaming, and tables with a key."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import cera
import cera.spark
from cera.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.xdist_group("spark")

COLUMNS = "kind string, at timestamp, sensor string, value double, number bigint, good boolean"

PROGRAM = """
DETECT high{sensor{var S}, value{var T}, number{var N}, good{var G}}
ON event t: temp{{sensor{{var S}}, value{{var T}}, number{{var N}}, good{{var G}}}} where { var T > 40 } END

DETECT mixed{value{var T}} ON event t: temp{{value{{var T}}}} END
DETECT mixed{value{var N}, sensor{var S}} ON event t: temp{{number{{var N}}, sensor{{var S}}}} END

DETECT mean{value{avg(all var T)}, sensor{var S}}
ON and { event m: temp{{sensor{{var S}}}}, event i: from-start-backward[m, 1 min],
         while i: collect temp{{sensor{{var S}}, value{{var T}}}} } END

DETECT all_means{value{avg(all var T)}}
ON and { event m: temp{{sensor{{var S}}}}, event i: from-start-backward[m, 1 min],
         while i: collect temp{{sensor{{var S}}, value{{var T}}}} } END

DETECT around{value{sum(all var T)}, sensor{var S}}
ON and { event m: temp{{sensor{{var S}}}}, event i: extend-begin[m, 5 sec],
         while i: collect temp{{sensor{{var S}}, value{{var T}}}} } END

DETECT nested{where{sensor{var S}}} ON event t: temp{{sensor{{var S}}}} END
"""


def table(spark: SparkSession) -> DataFrame:
    """Readings of two sensors that report the same at the same times."""
    rows = [
        ("temp", datetime.fromtimestamp(at, UTC), sensor, 39.5 + at, at, at % 2 == 0)
        for at in range(4)
        for sensor in ("a", "b")
    ]
    return spark.createDataFrame(rows, COLUMNS)


def events(spark: SparkSession) -> DataFrame:
    return cera.spark.events(table(spark), label="kind", time="at")


def test_children_have_their_types_and_events_their_ids_terms_and_causes(spark: SparkSession) -> None:
    program = cera.load(PROGRAM)
    every = {row["id"]: row for row in events(spark).transform(program.detect).collect()}
    types = {
        "high": "struct<sensor:string,value:double,number:bigint,good:boolean>",
        "mixed": "struct<value:double,sensor:string>",
        "mean": "struct<value:double,sensor:string>",
        "all_means": "struct<value:double>",
    }
    for label, expected in types.items():
        typed = events(spark).transform(program.detect, label=label)
        assert typed.schema["children"].dataType.simpleString() == expected
        found = typed.collect()
        assert sorted(row["id"] for row in found) == sorted(i for i, row in every.items() if row["label"] == label)
        for row in found:
            plain = every[row["id"]].asDict()
            assert {name: row[name] for name in plain if name != "term"} == {
                name: value for name, value in plain.items() if name != "term"
            }
            children = {name: value for name, value in row["children"].asDict().items() if value is not None}
            assert json.loads(row["term"]) == json.loads(plain["term"]) == {label: children}


def test_an_event_that_two_sensors_give_is_one(spark: SparkSession) -> None:
    [seconds] = [events(spark).transform(cera.load(PROGRAM).detect, label="all_means").select("end").collect()]
    assert sorted(row["end"].timestamp() for row in seconds) == [1, 2, 3]


def test_what_nobody_asks_for_is_not_computed(spark: SparkSession) -> None:
    typed = events(spark).transform(cera.load(PROGRAM).detect, label="high")
    asked = typed.select("begin", "children.sensor")._jdf.queryExecution().optimizedPlan().toString()
    assert "hash" not in asked
    assert "hash" in typed._jdf.queryExecution().optimizedPlan().toString()


def test_a_label_that_no_rule_derives_or_that_has_no_columns_is_an_error(spark: SparkSession) -> None:
    program = cera.load(PROGRAM)
    with pytest.raises(UsageError, match=r"no rule derives events with the label `hihg`; did you mean 'high'\?"):
        program.detect(events(spark), label="hihg")
    with pytest.raises(UsageError, match="the rule nested derives events with children that are no single values"):
        program.detect(events(spark), label="nested")


@pytest.mark.parametrize("rules", ["", "unbounded: warm(value(V)) <- temp(value(V)).\n"])
def test_a_label_whose_rules_constraints_rule_out_is_an_error_that_says_so(
    spark: SparkSession, tmp_path: Path, rules: str
) -> None:
    below = tmp_path / "below.escl"
    below.write_text("CONSTRAINT below: IF event: temp(value(V)) THEN V < 40 END\n")
    text = rules + "unbounded: high(value(V)) <- temp(value(V)) and V > 50.\n"
    with pytest.raises(UsageError, match="label `high`: by the constraints there can be none"):
        cera.load(text, constraints=[below]).detect(events(spark), label="high")
    verified = cera.load(text, constraints=[below], verify=True)
    assert verified.detect(events(spark), label="high").count() == 0
    with pytest.raises(UsageError, match=r"label `hihg`; (no rule is left that derives any|there are warm)$"):
        cera.load(text, constraints=[below]).detect(events(spark), label="hihg")


@pytest.mark.parametrize(("moving", "fewest", "most"), [("0", 1, 3), ("1", 0, 0)])
def test_a_key_of_the_table_changes_no_answer(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, moving: str, fewest: int, most: int
) -> None:
    monkeypatch.setenv("CERA_COLUMNS", moving)
    program = cera.load(PROGRAM)
    keyed = cera.spark.events(table(spark), label="kind", time="at", unique=["sensor"])
    for label in ("mean", "around"):
        plain, with_key = (one.transform(program.detect, label=label) for one in (events(spark), keyed))
        assert sorted(plain.collect(), key=lambda row: row["id"]) == sorted(
            with_key.collect(), key=lambda row: row["id"]
        )
        windows = [
            one._jdf.queryExecution().optimizedPlan().toString().count("+- Window ") for one in (plain, with_key)
        ]
        assert fewest == windows[1] <= windows[0] <= most


def test_a_key_that_is_none_fails_the_query_that_relies_on_it(spark: SparkSession) -> None:
    doubled = table(spark).unionByName(table(spark).where("sensor = 'a' and number = 2"))
    keyed = cera.spark.events(doubled, label="kind", time="at", unique=["sensor"])
    with pytest.raises(Exception, match=r"two events `temp` at .* have the same `sensor`"):
        keyed.transform(cera.load(PROGRAM).detect, label="mean").collect()
    assert keyed.transform(cera.load(PROGRAM).detect, label="high").count() == 6  # it does not rely on it


def test_a_key_names_children_of_points_of_time(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match=r"`unique` names `sensr`, which is no child of the events; did you mean 'sen"):
        cera.spark.events(table(spark), label="kind", time="at", unique=["sensr"])
    with pytest.raises(UsageError, match="`unique` is for events that are points of time"):
        cera.spark.events(table(spark), label="kind", time="at", end="number", unique=["sensor"])


def test_a_stream_gives_the_same_children(spark: SparkSession, tmp_path: Path) -> None:
    program = cera.load(PROGRAM)
    later = spark.createDataFrame([("temp", datetime.fromtimestamp(60, UTC), "a", None, None, None)], COLUMNS)
    table(spark).unionByName(later).write.parquet(str(tmp_path / "events"))  # what is before it is decided
    rows = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "events"))
    streamed = cera.spark.events(rows, label="kind", time="at").transform(program.detect, label="high")
    query = (
        streamed.writeStream.format("memory")
        .queryName("typed_answers")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    names = ["id", "begin", "end", "children"]
    recorded = events(spark).transform(program.detect, label="high")
    kinds = [one.schema["children"].dataType.simpleString() for one in (streamed, recorded)]
    assert kinds[0] == kinds[1]
    assert sorted(spark.table("typed_answers").select(*names).collect()) == sorted(recorded.select(*names).collect())


def test_names_that_differ_in_case_only_need_a_session_that_tells_them_apart(spark: SparkSession) -> None:
    program = cera.load("DETECT x{} ON and { event s: temp{{}}, event S: temp{{}} } where { s before S } END")
    assert program.detect(events(spark)).count() == 6
    other = spark.newSession()
    other.conf.set("spark.sql.caseSensitive", "false")
    with pytest.raises(UsageError, match="has both `S` and `s`, which Spark takes for the same; set spark"):
        program.detect(events(other))
    with pytest.raises(UsageError, match="`detect` takes a DataFrame of Spark, and list is none"):
        program.detect([1])  # type: ignore[arg-type]
