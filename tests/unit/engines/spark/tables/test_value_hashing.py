"""Hashes, calculated by Spark, against those of the model."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from cera.engines.spark.values.hashing import event_hashes, hash_cell, hash_term, hex_id, unsigned
from cera.model.terms.hashing import event_id, hash_value
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Interval
from spark_values import FRACTIONS, STRINGS, VARIABLES, FrameScope, frame_of, random_row

pytestmark = pytest.mark.xdist_group("spark")

LABELS = ("a", "b", "reading", "größe")


def random_term(rng: random.Random, depth: int) -> Term:
    children: list[Value] = [
        random_term(rng, depth - 1) if depth and rng.random() < 0.5 else rng.choice((*STRINGS, 1, 40, True, *FRACTIONS))
        for _ in range(rng.randrange(5))
    ]
    return Term(rng.choice(LABELS), children, ordered=rng.random() < 0.5)


def literal_hash(value: Value, first: int, as_array: bool) -> Column:
    """The hash as Spark calculates it from the leaves up."""
    from cera.engines.spark.values.arithmetic import literal

    if not isinstance(value, Term):
        return hash_cell(literal(value), first)
    hashes: Sequence[Column] = [literal_hash(child, first, as_array) for child in value.children]
    absent = F.lit(None).cast("bigint")
    children = F.array(absent, *hashes) if as_array else [*hashes, absent]
    return hash_term(value.label, children, value.ordered, first)


def test_values_of_every_type_have_the_hash_of_the_model(spark: SparkSession) -> None:
    rng = random.Random(1)
    rows = [random_row(rng) for _ in range(60)]
    scope = FrameScope()
    hashes = [hash_cell(scope.cell(name), first).alias(f"{name} {first}") for name in VARIABLES for first in (1, 2)]
    for found in frame_of(spark, rows).coalesce(1).select("row", *hashes).collect():
        values = rows[found["row"]].values
        for name in VARIABLES:
            for first in (1, 2):
                expected = hash_value(values[name], first) if name in values else None
                assert found[f"{name} {first}"] == expected, (name, values.get(name))


@pytest.mark.parametrize("as_array", [False, True])
def test_terms_have_the_hash_of_the_model_and_absent_children_do_not_count(spark: SparkSession, as_array: bool) -> None:
    rng = random.Random(2)
    terms = [random_term(rng, 2) for _ in range(25)]
    columns = [
        literal_hash(term, first, as_array).alias(f"{n} {first}") for n, term in enumerate(terms) for first in (1, 2)
    ]
    [found] = spark.range(1).select(*columns).collect()
    assert list(found) == [hash_value(term, first) for term in terms for first in (1, 2)]


def test_ids_are_those_of_the_model_and_sort_like_their_digits(spark: SparkSession) -> None:
    rng = random.Random(3)
    events = [
        (random_term(rng, 1), Interval(rng.randrange(100), rng.randrange(100, 200)), rng.choice((None, "", "no 1")))
        for _ in range(40)
    ]
    data = [(hash_value(t, 1), hash_value(t, 2), *interval, q, event_id(t, interval, q)) for t, interval, q in events]
    frame = spark.createDataFrame(data, "t1 bigint, t2 bigint, begin bigint, end bigint, qualifier string, id string")
    h1, h2 = event_hashes(*(F.col(name) for name in ("t1", "t2", "begin", "end", "qualifier")))
    ordered = frame.select("id", hex_id(h1, h2).alias("found"), unsigned(h1).alias("u1"), unsigned(h2).alias("u2"))
    rows = ordered.coalesce(1).orderBy("u1", "u2").collect()
    assert [row["found"] for row in rows] == [row["id"] for row in rows]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
