"""Derived events of streaming DataFrames, on Spark."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.time.interval import point
from cera.program import Program, load
from cera.testing import SECOND
from module_runs import run_locally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cera.spark import Counts

pytestmark = pytest.mark.xdist_group("spark")

SENSORS = """
DETECT fire{ area{ var A }, sensor{ var S } }
ON and { event s: smoke{{ area{{ var A }} }},
         event t: temp{{ area{{ var A }}, unit{{ sensor{{ var S }} }}, value{{ var T }} }} }
where { s before t, {s, t} within 1 min, var T > 40 } END

DETECT silent{ sensor{ var S } }
ON and { event t: temp{{ unit{{ sensor{{ var S }} }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ unit{{ sensor{{ var S }} }} }} } END

DETECT mean{ sensor{ var S }, value{ avg(all var T) } }
ON and { event m: temp{{ unit{{ sensor{{ var S }} }} }}, event w: from-start-backward[event m, 1 min],
         while w: collect temp{{ unit{{ sensor{{ var S }} }}, value{{ var T }} }} } END
"""
#: With events that do not carry the key, so that different parts may derive the same one.
ALARM = """
DETECT alarm{} ON and { event f: fire{{ sensor{{ var S }} }}, event s: silent{{ sensor{{ var S }} }} }
where { f before s, {f, s} within 1 min } END
"""
COLUMNS = "label string, begin bigint, area string, unit struct<sensor: int, on: boolean>, value double"


def readings(chance: random.Random) -> list[dict[str, Any]]:
    """Records of a stream, in disorder of up to two seconds; the last one is of no use but for its time."""
    found: list[tuple[float, dict[str, Any]]] = []
    for second in range(0, 200, 2):
        record: dict[str, Any] = {"begin": second, "label": "smoke", "area": chance.choice("ab")}
        if chance.random() < 0.8:
            record |= {"label": "temp", "unit": {"sensor": chance.randint(1, 4), "on": chance.random() < 0.5}}
            record["value"] = chance.choice((39, 40.5, 41.0, 44.25))
        found.append((second + chance.random() * 2, record))
    ordered = [record for _, record in sorted(found, key=lambda item: item[0])]
    return [*ordered, {"begin": 1_000, "label": "other"}]


def event_of(record: dict[str, Any]) -> Event:
    children = {name: value for name, value in record.items() if name not in ("label", "begin")}
    return Event(term_from_json({record["label"]: children}), point(record["begin"] * SECOND))


def write_files(folder: Path, records: Sequence[dict[str, Any]], count: int) -> None:
    folder.mkdir()
    for number in range(count):
        part = records[number * len(records) // count : (number + 1) * len(records) // count]
        file = folder / f"{number}.json"
        file.write_text("".join(json.dumps(record) + "\n" for record in part))
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))


def detected(
    program: Program, events: DataFrame, checkpoint: Path, *, left_out: bool = False
) -> tuple[list[dict[str, Any]], Counts]:
    """What comes out, and what was counted over all micro-batches."""
    from cera.engines.spark.streaming.engine import detect
    from cera.engines.spark.streaming.patience import patiently
    from cera.spark import Counts, counts

    found: list[dict[str, Any]] = []
    derived = detect(program.layers, events, max_delay=3 * SECOND, max_duration=0, buckets=4, left_out=left_out)
    writer = derived.writeStream.foreachBatch(lambda frame, _: found.extend(row.asDict() for row in frame.collect()))
    ready = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)

    def run() -> Counts:
        query = ready.start()
        query.awaitTermination()
        each = [asdict(counts(progress)) for progress in query.recentProgress]
        return Counts(**{name: sum(batch[name] for batch in each) for name in asdict(Counts())})

    counted = patiently(run)
    return found, counted


def expected(program: Program, records: Sequence[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    answer = run_locally(program.checked(), map(event_of, records), until=997 * SECOND - 1)
    assert {one.event.label for one in answer.derived} == {rule.name.partition("#")[0] for rule in program.rules.rules}
    return {
        one.event.id: (
            one.event.begin,
            one.event.end,
            one.event.term,
            one.derivations[0].rule,
            {name: cause.id for name, cause in one.derivations[0].causes.items()},
        )
        for one in answer.derived
    }


def shown(rows: Sequence[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    assert len({row["id"] for row in rows}) == len(rows), "an event came out twice"
    return {
        row["id"]: (row["begin"], row["end"], term_from_json(loads(row["term"])), row["rule"], row["causes"])
        for row in rows
    }


def test_typed_columns_as_a_stream_give_what_the_local_engine_does(spark: SparkSession, tmp_path: Path) -> None:
    program, records = load(SENSORS), readings(random.Random(1))
    write_files(tmp_path / "in", records, 4)
    stream = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    frame = stream.withColumn("end", stream["begin"])
    found, counted = detected(program, frame, tmp_path / "checkpoint")
    assert shown(found) == expected(program, records)
    assert (counted.events, counted.late, counted.rejected) == (len(records), 0, 0)
    assert all(list(json.loads(row["term"])) == [row["label"]] for row in found)


PATHS = """
DETECT path{ net{ var N }, from{ var X }, to{ var Y } } ON hop{{ net{{ var N }}, from{{ var X }}, to{{ var Y }} }} END
DETECT path{ net{ var N }, from{ var X }, to{ var Z } }
ON and { event p: path{{ net{{ var N }}, from{{ var X }}, to{{ var Y }} }},
         event h: hop{{ net{{ var N }}, from{{ var Y }}, to{{ var Z }} }} }
where { {p, h} within 10 sec } END
"""


@pytest.mark.parametrize("key", ["net", "none"])
def test_a_recursion_over_typed_columns_gives_what_the_local_engine_does(
    key: str, spark: SparkSession, tmp_path: Path
) -> None:
    text = PATHS if key == "net" else PATHS.replace("net{ var N }, ", "").replace("net{{ var N }}, ", "")
    program, chance = load(text), random.Random(3)
    records: list[dict[str, Any]] = [
        {"begin": second, "label": "hop", "net": chance.randint(1, 5)}
        | {"from": chance.randint(1, 3), "to": chance.randint(1, 3)}
        for second in range(40)
    ]
    records.append({"begin": 1_000, "label": "other"})
    write_files(tmp_path / "in", records, 3)
    columns = "label string, begin bigint, net int, `from` int, `to` int"
    stream = spark.readStream.schema(columns).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    found, _ = detected(program, stream.withColumn("end", stream["begin"]), tmp_path / "checkpoint")
    assert shown(found) == expected(program, records)
    assert {row["rule"] for row in found} == {"path", "path#2"}


def test_terms_as_json_text_give_the_same_and_what_is_left_out_can_be_had(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from cera.engines.spark.streaming.messages.left_out import log_left_out

    log_left_out(spark)
    program, records = load(SENSORS + ALARM), readings(random.Random(2))
    terms = []
    for record in records:
        children = {name: value for name, value in record.items() if name not in ("label", "begin")}
        terms.append({"at": record["begin"], "term": json.dumps({record["label"]: children})})
    late, divided = {"smoke": {"area": "a"}}, {"smoke": {"{}": [{"area": "a"}, {"area": "b"}]}}
    left_out = [
        {"at": 1, "term": json.dumps(late)},
        {"at": 2, "term": json.dumps(divided)},
        {"at": 3, "term": "no JSON"},
        {"at": None, "term": json.dumps(late)},
    ]
    write_files(tmp_path / "in", [*terms, *left_out], 2)
    stream = spark.readStream.schema("at bigint, term string").option("maxFilesPerTrigger", 1)
    frame = stream.json(str(tmp_path / "in"))
    found, counted = detected(program, frame, tmp_path / "checkpoint", left_out=True)
    assert shown([row for row in found if row["left_out"] is None]) == expected(program, records)
    others = sorted((row for row in found if row["left_out"] is not None), key=lambda row: str(row["left_out"]))
    assert [row["left_out"].split(":")[0].split(" for rule")[0] for row in others] == [
        "`var A`, by which the stream is divided",
        "late",
        "not JSON at column 1",
        "the time is missing",
    ]
    assert (json.loads(others[1]["term"]), others[1]["begin"]) == (late, SECOND)
    assert json.loads(others[3]["record"]) == {"term": json.dumps(late)}
    assert (counted.late, counted.rejected) == (1, 3)
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    said = [record.message for record in caplog.records if record.name == "cera"]
    assert said[0].endswith("batch 1: 1 event late, 3 rows rejected")


def test_a_stream_without_a_time_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    from cera.engines.spark.streaming.engine import detect

    frame = spark.readStream.schema("label string, area string").json(str(tmp_path))
    with pytest.raises(UsageError, match="no column"):
        detect(load(SENSORS).layers, frame, max_delay=0)


def test_a_session_whose_state_is_not_in_rocks_db_is_told_what_to_set(spark: SparkSession, tmp_path: Path) -> None:
    setting = "spark.sql.streaming.stateStore.providerClass"
    package = "org.apache.spark.sql.execution.streaming.state"
    other = spark.newSession()
    other.conf.set(setting, f"{package}.HDFSBackedStateStoreProvider")
    program, columns = (
        load("DETECT x{ var A } ON smoke{{ area{ var A } }} END"),
        "label string, at timestamp, area string",
    )
    frame = other.readStream.schema(columns).json(str(tmp_path))
    wanted = f'spark.conf.set("{setting}", "{package}.RocksDBStateStoreProvider")'
    with pytest.raises(UsageError, match=re.escape(wanted)):
        program.detect(frame, max_delay="1 sec")
    assert program.detect(other.createDataFrame([], columns)).columns, "recorded events need no state"
    other.conf.set(setting, f"{package}.RocksDBStateStoreProvider")
    assert program.detect(frame, max_delay="1 sec").isStreaming


def test_columns_and_python_agree_on_buckets(spark: SparkSession) -> None:
    from pyspark.sql import functions as F

    from cera.engines.spark.division.routing import bucket, key_hash
    from cera.engines.spark.streaming.sources.table_messages import _hash
    from cera.engines.spark.values.cells import Cell
    from cera.model.terms.values import number

    values: dict[str, list[Any]] = {
        "string": ["", "a", "ä€𝄞", "1"],
        "integer": [0, -1, 2**63 - 1, -(2**63)],
        "double": [0.5, -0.0, 3.0, 1e300, -2.25, 2.0**63],
        "boolean": [True, False],
    }
    kinds = {"integer": "bigint"}
    for kind, some in values.items():
        frame = spark.createDataFrame([(each,) for each in some], f"v {kinds.get(kind, kind)}")
        column = F.pmod(_hash(Cell(**{kind: F.col("v")})), F.lit(1000))
        found = [row[0] for row in frame.select(column).collect()]
        plain = [number(each) if kind == "double" else each for each in some]
        assert found == [bucket([key_hash(each)], 1000) for each in plain], kind


FLAT = """
DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }}, value{{ var T }} }} }
where { s before t, {s, t} within 1 min, var T > 40 } END

DETECT silent{ sensor{ var S } }
ON and { event t: temp{{ sensor{{ var S }} }}, event w: from-end[event t, 12 sec],
         while w: not temp{{ sensor{{ var S }} }} } END

DETECT mean{ sensor{ var S }, value{ avg(all var T) } }
ON and { event m: temp{{ sensor{{ var S }} }}, event w: from-start-backward[event m, 1 min],
         while w: collect temp{{ sensor{{ var S }}, value{{ var T }} }} } END
"""


@pytest.mark.parametrize("switch", ["", "0"], ids=["in columns", "event by event"])
def test_flat_rules_over_typed_columns_give_what_the_local_engine_does(
    spark: SparkSession, tmp_path: Path, switch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cera.engines.local.state_bytes import restore

    monkeypatch.setenv("CERA_COLUMNS", switch)
    nested = readings(random.Random(11))
    records = [
        {name: value for name, value in record.items() if name != "unit"}
        | ({"sensor": record["unit"]["sensor"]} if "unit" in record else {})
        for record in nested
    ]
    write_files(tmp_path / "in", records, 4)
    columns = "label string, begin bigint, area string, sensor int, value double"
    source = spark.readStream.schema(columns).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    program = load(FLAT)
    rows, _ = detected(program, source.withColumn("end", source["begin"]), tmp_path / "state")
    assert shown(rows) == expected(program, records)
    reader = spark.read.format("statestore").option("path", str(tmp_path / "state")).option("stateVarName", "part")
    reader = reader.option("batchId", 2)  # at the end nothing matters any more
    states = [restore(row["value"]["data"])[0] for row in reader.load().collect()]
    assert states
    assert {state == "columns" for state in states} == {switch == ""}
