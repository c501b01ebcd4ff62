"""Aggregates over arrays against the reference's fold, on random arrays of every mixture of types."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructField, StructType

from cera.engines.reference.construction import distinct, fold
from cera.engines.spark.values import folding
from cera.engines.spark.values.cells import TYPES
from cera.engines.spark.values.folding import Elements
from cera.model.expressions.expression import AGGREGATES
from cera.model.terms.term import Value, value_key
from spark_values import as_value, comparable, packed, random_component, stored, unpacked

pytestmark = pytest.mark.xdist_group("spark")

MIXTURES = [
    ("integer",),
    ("double",),
    ("fraction",),
    ("string",),
    ("boolean",),
    ("term",),
    ("integer", "fraction"),
    ("integer", "double"),
    ("double", "string"),
    ("integer", "string"),
    ("integer", "fraction", "string", "boolean", "term"),
]
SMALL: dict[str, Sequence[Any]] = {
    "integer": (0, 1, -1, 40),
    "fraction": (0.1, 0.2, 0.7, 1e19),
    "double": (0.1, 0.2, 1.0, -0.0, 0.0, 40.5),
}


def random_array(rng: random.Random, components: Sequence[str], small: bool) -> list[tuple[str, Any] | None]:
    names = [rng.choice(components)] if rng.random() < 0.5 else components
    array: list[tuple[str, Any] | None] = []
    for _ in range(rng.choice((0, 1, 2, 3, 5, 8))):
        name = rng.choice(names)
        drawn = rng.choice(SMALL[name]) if small and name in SMALL else random_component(rng, name)
        array.append(None if rng.random() < 0.1 else (name, drawn))
    return array


def stored_element(entry: tuple[str, Any] | None, components: Sequence[str]) -> Any:
    """A struct of all components, or the only one of them."""
    parts = tuple(stored(entry[1]) if entry is not None and entry[0] == name else None for name in components)
    return parts if len(parts) > 1 else parts[0]


def values_of(array: Sequence[tuple[str, Any] | None]) -> list[Value]:
    return [as_value(entry[1]) for entry in array if entry is not None]


@pytest.mark.parametrize("components", MIXTURES, ids="+".join)
def test_an_aggregate_is_the_fold_of_the_reference(spark: SparkSession, components: tuple[str, ...]) -> None:
    rng = random.Random("+".join(components))
    arrays = [random_array(rng, components, small=n % 2 == 0) for n in range(60)]
    element = StructType([StructField(name, TYPES[name]) for name in components])
    values = ArrayType(element if len(components) > 1 else TYPES[components[0]])
    schema = StructType([StructField("number", TYPES["integer"]), StructField("values", values)])
    data = [(n, [stored_element(entry, components) for entry in array]) for n, array in enumerate(arrays)]
    calls = [(function, only) for function in AGGREGATES for only in (False, True)]
    columns = [
        packed(folding.fold(function, Elements(F.col("values"), components), only)).alias(f"{function} {only}")
        for function, only in calls
    ]
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    found = spark.createDataFrame(data, schema).coalesce(1).select("number", *columns).collect()
    spark.conf.unset("spark.sql.codegen.wholeStage")
    for row in found:
        for function, only in calls:
            folded = values_of(arrays[row["number"]])
            expected = comparable(fold(function, distinct(folded, value_key) if only else folded))
            assert unpacked(row[f"{function} {only}"]) == expected, f"{function} distinct={only} of {folded}"


def test_a_sum_that_leaves_64_bits_on_the_way_is_undefined(spark: SparkSession) -> None:
    data = [([2**63 - 1, 1, -5],), ([2**63 - 1, -5, 1],)]
    frame = spark.createDataFrame(data, "values array<bigint>").coalesce(1)
    total = folding.fold("sum", Elements(F.col("values"), ("integer",))).integer
    assert total is not None
    assert [row[0] for row in frame.select(total).collect()] == [None, 2**63 - 5]
