"""The rules of `examples/sensors/fire.xceq` on the Spark engines of cera."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import cera.spark
from benchmarks.local.workloads import PROGRAM
from cera.engines.spark.detecting import detect as detect_batch
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.streaming.engine import detect
from cera.modules.rules.module import rule_layers
from cera.program import load
from cera.rules.rule import RuleProgram


def rule(name: str) -> RuleProgram:
    """The program with one of its rules alone."""
    program = load(PROGRAM).rules
    return replace(program, rules=tuple(one for one in program.rules if one.name == name))


def same_columns(program: RuleProgram, events: DataFrame) -> DataFrame:
    """The columns that the rules by hand give, for a table of which is known what they know: its key."""
    [label] = {one.name for one in program.rules}
    keyed = cera.spark.events(events, label="label", time="at", unique=["sensor"])
    found = detect_batch(rule_layers(program), keyed, max_delay=0, max_duration=0, timezone="UTC", label=label)
    times = (F.unix_micros(name).alias(name) for name in ("begin", "end"))
    return found.select(*times, "children.*")


def batch(program: RuleProgram, events: DataFrame) -> DataFrame:
    """The derived events, with ids, terms and causes."""
    return answers(rule_layers(program), from_frame(events).tables, events.sparkSession, max_duration=0).events()


def stream(events: DataFrame, max_delay: int) -> DataFrame:
    """What all rules derive from a stream."""
    return detect(load(PROGRAM).layers, events, max_delay=max_delay, max_duration=0)
