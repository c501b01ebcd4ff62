"""Patterns on event tables, held against the matching of the model.

The random patterns resemble the terms, so that many of them match; every pattern is matched on every event.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from cera.engines.spark.plan.patterns import lower_match, match_table
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.session.failures import engine_failure
from cera.engines.spark.tables.event_rows import event_table
from cera.engines.spark.tables.event_tables import EventTable
from cera.errors import EngineError
from cera.model.events.event import Event
from cera.model.matching.patterns import Pattern, ScalarPattern
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from hypothesis_profiles import examples
from pattern_building import ANY, desc, optional, partial, regex, regex_label, total, total_ordered, var, without
from pattern_strategies import TERMS, competing_children, patterns_like
from spark_rows import expected_answers, spark_answers

pytestmark = pytest.mark.xdist_group("spark")

COLUMNS = "label string, begin bigint, end bigint, a bigint, b double, c string, d boolean, s struct<a:double,c:string>"


def flat_term(label: str, **children: Any) -> Term:
    return Term(
        label,
        [
            flat_term(name, **value) if isinstance(value, dict) else Term(name, [value])
            for name, value in children.items()
            if value is not None
        ],
    )


ROWS: list[dict[str, Any]] = [
    {"label": "t", "a": 1, "b": 1.0, "c": "x", "d": True, "s": {"a": 1.0, "c": "x"}},
    {"label": "t", "a": 1, "b": 2.5, "c": "xy", "d": False, "s": {"a": None, "c": None}},
    {"label": "t", "a": None, "b": None, "c": None, "d": None, "s": None},
    {"label": "u", "a": 2**63 - 1, "b": 2.0**63, "c": "", "d": None, "s": {"a": 2.5, "c": None}},
    {"label": "u", "a": None, "b": -0.0, "c": "1", "d": True, "s": None},
    {"label": "t u", "a": 0, "b": 0.0, "c": None, "d": None, "s": {"a": None, "c": "1"}},
]


def typed_table(spark: SparkSession, rows: list[dict[str, Any]]) -> tuple[EventTable, list[Event]]:
    """The rows as typed columns, with times that tell them apart, and as events."""
    data = [(row["label"], i, i + 1, *(row[n] for n in "abcds")) for i, row in enumerate(rows)]
    [table] = from_frame(spark.createDataFrame(data, COLUMNS)).tables
    table = replace(table, frame=table.frame.localCheckpoint())  # what the columns are is planned once
    events = [
        Event(flat_term(**row), Interval(i * 1_000_000, (i + 1) * 1_000_000))  # type: ignore[arg-type]
        for i, row in enumerate(rows)
    ]
    return table, events


NATIVE: list[Pattern] = [
    partial("t", total("a", var("X"))),
    partial("t", total("a", var("X")), total("b", var("X"))),
    partial(ANY, total("a", 1)),
    partial(regex_label("t.?u?"), total("c", regex("x.*"))),
    partial("t", partial("c")),
    partial("t", total("c")),
    total("t", total("a", var("A")), total("b", var("B"))),
    total(ANY, partial("b"), total("c", var("C"))),
    total("t"),
    partial("t", without(total("a", var("X")))),
    partial("t", total("a", var("X")), without(total("b", var("X")))),
    partial(ANY, optional(total("a", var("X"))), total("c", var("C"))),
    total(ANY, optional(partial("a")), total("b", var("B")), total("c", var("C")), optional(total("d", var("D")))),
    partial(ANY, total("s", total("a", var("X")), total("c", var("C")))),
    partial(ANY, partial("s", optional(total("a", var("X"))), without(total("c", "1")))),
    partial(ANY, partial("s", without(total("a", var("X")))), total("b", var("X"))),
    partial(ANY, var("S", partial("s"))),
    var("E", partial("t", total("d", True))),
    partial("t", total_ordered("a", var("X"))),
    total_ordered(ANY, total("b", var("X"))),
    partial(ANY, total(regex_label("[ab]"), var("X"))),
    partial(ANY, total(ANY, 1), total(ANY, "x")),
    partial(ANY, desc(total("c", var("X")))),
    partial(ANY, desc(total("a", var("X")))),
    partial(ANY, desc(ScalarPattern("x"))),
    partial("t", total("d", 1)),
    partial("t", total("a", 1.0)),
    partial("t", 1),
]


def test_every_pattern_that_columns_can_state_runs_without_python(spark: SparkSession) -> None:
    table, events = typed_table(spark, ROWS)
    fallbacks: list[str] = []
    assert spark_answers(NATIVE, table, fallbacks) == expected_answers(NATIVE, events)
    assert fallbacks == []


IN_PYTHON: list[Pattern] = [
    partial(ANY, total(ANY, var("X"))),
    desc(total("c", var("X"))),
    partial("t", var("X")),
    desc(var("X")),
    partial("t", total(ANY, var("X")), without(total("b", var("X")))),
    partial("t", total("c", regex("(x+)+y"))),
    partial("t", optional(total("a", var("X"))), without(total("b", var("X")))),
]


def test_other_patterns_run_in_python_and_are_named(spark: SparkSession) -> None:
    table, events = typed_table(spark, ROWS)
    fallbacks: list[str] = []
    assert spark_answers(IN_PYTHON, table, fallbacks) == expected_answers(IN_PYTHON, events)
    assert len(fallbacks) == len(IN_PYTHON)
    assert fallbacks[5] == "pattern `t`: has a regular expression that Java would go back in"


def test_on_terms_of_any_shape_only_flat_ones_stay_out_of_python(spark: SparkSession) -> None:
    terms = [flat_term(**row) for row in ROWS]  # type: ignore[arg-type]
    terms += [Term("t", [Term("a", [1]), Term("a", [2])]), Term("t", [Term("a", [1], ordered=True)]), Term("t", [1])]
    events = [Event(term, Interval(i, i)) for i, term in enumerate(terms)]
    fallbacks: list[str] = []
    everything = [*NATIVE, *IN_PYTHON]
    assert spark_answers(everything, event_table(spark, events), fallbacks) == expected_answers(everything, events)
    assert "pattern `t`: on events that are not flat" in fallbacks


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[Pattern], list[Term]]:
    """Terms, and patterns that resemble some of them."""
    terms = draw(st.lists(TERMS, min_size=4, max_size=12))
    likely = st.sampled_from(terms).flatmap(patterns_like)
    patterns = draw(st.lists(likely, min_size=6, max_size=6))
    competing = draw(st.lists(competing_children(), max_size=3))
    return [*patterns, *(p for p, _ in competing)], [*terms, *(term for _, term in competing)]


@settings(max_examples=examples(6), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(batches())
def test_random_patterns_match_random_terms_as_in_the_model(
    spark: SparkSession, batch: tuple[list[Pattern], list[Term]]
) -> None:
    patterns, terms = batch
    events = [Event(term, Interval(i, i)) for i, term in enumerate(terms)]
    assert spark_answers(patterns, event_table(spark, events)) == expected_answers(patterns, events)


@st.composite
def typed_batches(draw: st.DrawFn) -> tuple[list[Pattern], list[dict[str, Any]]]:
    """Rows of typed columns, and patterns that resemble some of them."""
    inner = st.fixed_dictionaries({"a": st.sampled_from([None, 1.0]), "c": st.sampled_from([None, "x"])})
    row = st.fixed_dictionaries(
        {
            "label": st.sampled_from(["a", "b"]),
            "a": st.sampled_from([None, 1, 2]),
            "b": st.sampled_from([None, 1.0, 2.5]),
            "c": st.sampled_from([None, "x", "xy"]),
            "d": st.sampled_from([None, True, False]),
            "s": st.none() | inner,
        }
    )
    rows = draw(st.lists(row, min_size=4, max_size=12))
    likely = st.sampled_from([flat_term(**row) for row in rows]).flatmap(patterns_like)
    return draw(st.lists(likely, min_size=8, max_size=8)), rows


@settings(max_examples=examples(3), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(typed_batches())
def test_random_patterns_match_typed_columns_as_in_the_model(
    spark: SparkSession, batch: tuple[list[Pattern], list[dict[str, Any]]]
) -> None:
    patterns, rows = batch
    table, events = typed_table(spark, rows)
    assert spark_answers(patterns, table) == expected_answers(patterns, events)


@pytest.mark.long
@settings(max_examples=examples(200), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(typed_batches())
def test_many_more_random_patterns_match_typed_columns_as_in_the_model(
    spark: SparkSession, batch: tuple[list[Pattern], list[dict[str, Any]]]
) -> None:
    patterns, rows = batch
    table, events = typed_table(spark, rows)
    assert spark_answers(patterns, table) == expected_answers(patterns, events)


def test_a_pattern_with_too_many_answers_is_an_error_that_names_it(spark: SparkSession) -> None:
    many = Term("t", [Term("a", [i]) for i in range(500)])
    table = event_table(spark, [Event(many, Interval(0, 0))])
    lowered = lower_match(table, partial("t", total("a", var("X")), total("a", var("Y"))))
    assert lowered is not None
    frame = match_table(lowered, "i", [].append)
    message = r"matching the pattern `t` was cut off.*more than 100,000"
    with pytest.raises(EngineError, match=message) as raised, engine_failure():
        frame.collect()
    assert "Traceback" not in str(raised.value)
