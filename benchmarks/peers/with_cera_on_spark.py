"""The rules in cera on Spark: a file of typed columns as a batch, or a folder of files as a stream, a file at a time.

A batch is counted in the columns of its rule, without ids and causes; written are all columns. Nothing is said of the
keys of the table.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame

import cera
import cera.spark
from benchmarks.peers.on_spark import SCHEMA, SETTINGS, read, streamed
from benchmarks.peers.tasks import LOAN_RULES, SENSOR_RULES, Task
from benchmarks.peers.turns import given, take_turns
from cera.program import Program


def batch(program: Program, events: DataFrame, task: Task, answers: str | None) -> int:
    if answers is None:
        label = (SENSOR_RULES | LOAN_RULES)[task.rules[0]] if len(task.rules) == 1 else None
        return program.detect(events, max_duration=0, label=label).count()
    shutil.rmtree(answers, ignore_errors=True)
    program.detect(events, max_duration=0).write.json(answers)
    return events.sparkSession.read.text(answers).count()


def main() -> None:
    task, path, answers = given()
    with tempfile.NamedTemporaryFile("w", suffix=".xceq") as file:
        file.write(task.program)
        file.flush()
        program = cera.load(file.name)
    spark = cera.spark.session("local[2]", SETTINGS)
    spark.sparkContext.setLogLevel("ERROR")

    def turn() -> int:
        is_stream = Path(path).is_dir()
        table = read(spark, path, SCHEMA[task.loans])
        events = cera.spark.events(table, label="type", time="ts", time_unit="ms")
        if not is_stream:
            return batch(program, events, task, answers)
        return streamed(program.detect(events, max_delay="10 sec", max_duration=0), answers)

    take_turns(turn)
    spark.stop()


if __name__ == "__main__":
    main()
