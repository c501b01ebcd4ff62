"""Aggregates over periodic windows are groups of Spark: no join, and nothing in Python."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from cera.engines.spark.engine import answers
from cera.engines.spark.tables.event_rows import event_tables
from cera.modules.rules.module import rule_layers
from cera.rules.rule import PeriodicWindow
from cera.testing import SECOND, event
from unit.rules.programs import program

pytestmark = pytest.mark.xdist_group("spark")


def test_S_07_a_rule_over_windows_is_an_explode_and_a_group(spark: SparkSession) -> None:
    made = program("DETECT mean{ k{var A}, v{avg(all var V)} } ON event t: temp{{ area{var A}, value{var V} }} END")
    [rule] = made.rules
    windows = (PeriodicWindow("w", 60 * SECOND, 30 * SECOND, 0, ("t",)),)
    rule = replace(rule, branches=(replace(rule.branches[0], windows=windows, gathered=("t",)),))
    tables = event_tables(spark, [event('temp{ area{"a"}, value{1} }', 10)])
    found = answers(rule_layers(replace(made, rules=(rule,))), tables, spark)
    [batch] = found.batches
    plan = batch.derived["mean"][0].frame._jdf.queryExecution().executedPlan().toString()
    assert not batch.joins
    assert not batch.environment.fallbacks
    assert "Generate explode" in plan
    assert "Aggregate" in plan
    assert "Join" not in plan
    assert "Python" not in plan
