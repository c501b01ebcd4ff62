"""Modules on Spark Structured Streaming against the local engine: one query, disorder and a restart.

Random cuts are in `test_epl_streaming`, without Spark."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from cera.connectors.event_lines import event_line
from cera.connectors.records.layout import Layout
from cera.connectors.sink import BatchFolder
from cera.connectors.source import source_of
from cera.program import load
from cera.testing import event
from properties.epl_modules import random_program, random_stream
from properties.local_runs import disordered
from properties.test_spark_streaming import DELAY, TIMES, lines_in, write_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

LAST = event("the-end", 1_000)

#: A program and a stream in which all layers have something to say.
SEED = 4


@pytest.mark.usefixtures("spark")
def test_random_modules_between_rules_on_spark_streaming_with_a_restart(tmp_path: Path) -> None:
    from cera.engines.spark.division.operators import operators
    from cera.engines.spark.streaming.live import LiveStream
    from cera.running.streams.listener import StreamListener
    from cera.running.streams.request import StreamRequest, StreamSource

    random = Random(SEED)
    program = random_program(random, 8)
    events = disordered(random_stream(random, 90), DELAY, random)
    cut = random.randrange(30, 60)
    source = tmp_path / "in"
    source.mkdir()
    options = StreamRequest(
        (StreamSource(source_of(str(source))),),
        BatchFolder(tmp_path / "out"),
        tmp_path / "checkpoint",
        Layout(times=TIMES),
        max_delay=DELAY,
        rejected=tmp_path / "rejected",
        late=tmp_path / "late",
        once=True,
        files_a_batch=1,
    )
    made = operators(program.layers, buckets=4)
    assert len({operator.layer for operator in made}) >= 4
    without_key = 0
    for number, part in enumerate((events[:cut], [*events[cut:], LAST])):
        write_files(source, [part], number)
        stream = LiveStream(made, options, StreamListener())
        stream.run()
        without_key += stream.counters.without_key

    assert not lines_in(tmp_path / "late")
    assert not lines_in(tmp_path / "rejected")
    answer = program.run([*events, LAST], engine="local", until=LAST.end - DELAY - 1)
    assert {"twice", "pair", "seen"} <= {one.event.label for one in answer.derived}
    assert without_key == answer.left_out > 0
    expected = [json.dumps(event_line(one, TIMES), ensure_ascii=False) for one in answer.derived]
    assert sorted(lines_in(tmp_path / "out")) == sorted(expected)


def test_detect_runs_modules_over_streaming_frames_divided_by_columns(spark: SparkSession, tmp_path: Path) -> None:
    program = load(
        "begin Sinks monitor temp; partition by sensor;"
        " Fall: (temp(X), temp(Y, Y.value < X.value)) as fall(sensor: X.sensor, by: X.value - Y.value)."
        " Any: temp(X, X.value > 44) as high(value: X.value). end."
    )
    random = Random(1)
    records = [
        {"label": "temp", "at": second, "sensor": random.randrange(5), "value": random.choice((40, 41.5, 45))}
        for second in range(100)
    ]
    records += [{"label": "temp", "at": 101, "value": 45}, {"label": "other", "at": 1_000}]
    source = tmp_path / "in"
    source.mkdir()
    for number in range(2):
        lines = [json.dumps(record) + "\n" for record in (records[50:] if number else records[:50])]
        file = source / f"{number}.json"
        file.write_text("".join(lines))
        os.utime(file, (1_000_000_000 + number, 1_000_000_000 + number))
    columns = "label string, at bigint, sensor int, value double"

    from cera.spark import counts

    def detected(events):  # type: ignore[no-untyped-def]
        return program.detect(events, max_delay="5 sec")

    recorded = detected(spark.read.schema(columns).json(str(source))).collect()
    stream = detected(spark.readStream.schema(columns).option("maxFilesPerTrigger", 1).json(str(source)))
    query = (
        stream.writeStream.format("memory")
        .queryName("falls")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert sum(counts(progress).without_key for progress in query.recentProgress) == 1
    found = spark.table("falls").collect()
    assert {row["label"] for row in recorded} == {"fall", "high"}
    assert sorted(map(told, found)) == sorted(map(told, recorded))


def told(row):  # type: ignore[no-untyped-def]
    return row["id"], row["begin"], row["end"], row["term"], row["rule"], sorted(row["causes"].items())
