"""Heads of rules as columns: the terms in the answers are written as every engine writes them."""

from __future__ import annotations

import json

import pytest
from pyspark.sql import SparkSession

import cera.spark
from cera.model.terms.json_terms import term_to_json
from cera.program import load
from cera.testing import event

pytestmark = pytest.mark.xdist_group("spark")

HEADS = (
    "leaf{var A}",
    "nested{place{area{var A}, deep{value{var V}}}, none{}}",
    "ordered[area{var A}, var V, list[]]",
    "twice{a{var V}, a{var A}}",
    "mixed{var A, b{var V}}",
    '"odd`label"{""{var V}}',
    "missing{a{var A}, optional u{w{var U}}}",
    "empty{optional var U}",
    "instead{optional u{var U} with default u{0}}",
)


def test_derived_terms_are_written_as_on_every_engine(spark: SparkSession) -> None:
    body = "ON t{{a{{var A}}, v{{var V}}, optional u{{var U}}}} END"
    program = load("\n".join(f"DETECT {head} {body}" for head in HEADS))
    table = spark.createDataFrame([("t", 1, "x", 1.5)], "kind string, at long, a string, v double")
    found = cera.spark.events(table, label="kind", time="at", check=False).transform(program.detect).collect()
    expected = program.run([event('t{a{"x"}, v{1.5}}', 1)], engine="reference").derived
    assert {row["id"] for row in found} == {one.event.id for one in expected}
    terms = sorted((json.loads(row["term"]) for row in found), key=str)
    assert terms == sorted((term_to_json(one.event.term) for one in expected), key=str)
    assert len(terms) == len(HEADS)
