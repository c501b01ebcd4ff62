"""Random constraints over recordings on Spark: several side by side, what the definition says, with ids and causes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

pytest.importorskip("pyspark")

from cera.engines.reference import engine as reference
from cera.engines.spark import engine as spark
from cera.modules.module import Settings
from conformance.constraints import SECOND
from conformance.violations import shown
from module_runs import side_by_side
from properties.constraint_cases import ROWS, events_of, random_module, random_stream


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    ("seed", "constraints", "until"),
    [
        pytest.param(1, 12, None, id="to the end"),
        pytest.param(2, 12, 15 * SECOND, id="until a time"),
        *(pytest.param(seed, 40, None, id=f"long {seed}", marks=pytest.mark.long) for seed in range(3, 9)),
    ],
)
def test_constraints_on_spark_find_what_the_definition_does(seed: int, constraints: int, until: int | None) -> None:
    choose = random.Random(seed)
    made = [random_module(choose) for _ in range(constraints)]
    modules = [replace(module, name=f"file{number}") for number, (_, module) in enumerate(made)]
    events = events_of([*random_stream(choose), *random_stream(choose)], choose)
    settings = Settings(relations=ROWS, until=until)
    layers = side_by_side(*modules)
    expected = shown(reference.run(layers, events, settings).derived)
    assert expected
    assert shown(spark.run(layers, events, settings).derived) == expected, "\n".join(text for text, _ in made)
