"""How often an expression has no value is counted on Spark too: rows of conditions, and heads."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from cera.engines.spark.engine import answers
from cera.engines.spark.plan.undefined_counts import Tally
from cera.engines.spark.reading.frames import from_frame
from cera.model.events.event import Event
from cera.model.terms.term_text import parse_term
from cera.model.time.interval import point
from cera.modules.rules.module import rule_layers
from cera.program import load
from cera.testing import SECOND
from module_runs import run_locally, run_on_spark

pytestmark = pytest.mark.xdist_group("spark")


def events(*terms: str) -> list[Event]:
    return [Event(parse_term(term), point(at * SECOND)) for at, term in enumerate(terms)]


READINGS = events(
    'r{n{1}, v{"high"}}', "r{n{2}, v{0}}", "r{n{3}, v{4}, k{1}}", "r{n{4}, v{true}}", "r{n{9223372036854775807}, v{2}}"
)

#: Rules over r{n, v}: n is a whole number; v is a text, a number or a truth value; k is there once.
COUNTED = {
    "DETECT a{ n{ var N } } ON r{{ n{ var N }, v{ var V } }} where { var V > 1 } END": 2,
    "DETECT a{ n{ var N } } ON r{{ n{ var N }, v{ var V } }} where { not var V > 1, var N < 9 } END": 2,
    "DETECT a{ n{ var N } } ON r{{ n{ var N }, v{ var V } }} where { var V = 1 } END": 0,
    "DETECT a{ n{ var N } } ON r{{ n{ var N }, v{ var V } }} where { 8 / var V > 1 } END": 3,
    "DETECT a{ n{ var N } } ON r{{ n{ var N }, optional k{ var K } }} where { var K = 1 } END": 4,
    "DETECT a{ n{ var N + 1 } } ON r{{ n{ var N } }} END": 1,
    "DETECT a{ n{ 8 / var V } } ON r{{ v{ var V } }} END": 3,
    "DETECT a{ b{ c{ 8 / var V }, c{ 1 } } } ON r{{ v{ var V } }} END": 3,
    "DETECT a{ n{ optional 8 / var V with default 0 } } ON r{{ v{ var V } }} END": 0,
    "DETECT a{ n{ sum(var N) } } ON and { event x: x{{}}, event w: extend-begin[event x, 9 sec], "
    "while w: collect r{{ n{ var N } }} } END": 1,
    "DETECT a{ n{ 8 / count(var N) } } ON and { event x: x{{}}, event w: extend-begin[event x, 9 sec], "
    "while w: collect r{{ n{ var N } }} } END": 0,
    "DETECT a{ all b{ var N } group-by var N, n{ 8 / var V } } ON r{{ n{ var N }, v{ var V } }} END": 3,
}


def test_rows_whose_conditions_or_heads_have_no_value_are_counted(spark: SparkSession) -> None:
    del spark  # the one session
    stream = [*READINGS, Event(parse_term("x{}"), point(5 * SECOND))]
    program = load("\n".join(text.replace("a{", f"a{i}{{", 1) for i, text in enumerate(COUNTED))).checked()
    assert run_locally(program, stream).undefined == sum(COUNTED.values())
    assert run_on_spark(program, stream).undefined == sum(COUNTED.values())


def test_nothing_is_watched_where_nothing_can_be_undefined_or_nobody_asks(spark: SparkSession) -> None:
    table = spark.sql("SELECT 'r' AS label, timestamp'2026-01-01' AS at, 1L AS n, 2L AS v")
    program = "DETECT a{{ n{{ {} }} }} ON r{{{{ n{{ var N }}, v{{ var V }} }}}} where {{ var V > 1 }} END"

    def plan(head: str, tally: Tally | None) -> str:
        rules = load(program.format(head)).checked()
        frame = answers(rule_layers(rules), from_frame(table).tables, spark, tally=tally).events()
        return str(frame._jdf.queryExecution().analyzed().toString())

    assert "CollectMetrics" not in plan("var N", Tally())
    assert "CollectMetrics" in plan("var N / 2", Tally())
    assert "CollectMetrics" not in plan("var N / 2", None)
