"""A change of how plans are made that shall not change them is seen here; `python -m optimized_plans` records them."""

from collections.abc import Mapping

import pytest
from pyspark.sql import SparkSession

from optimized_plans import GOLDEN, PLANS, plans


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> Mapping[str, str]:
    return plans(spark)


@pytest.mark.parametrize("name", PLANS)
def test_spark_plans_each_program_as_it_did(found: Mapping[str, str], name: str) -> None:
    assert found[name] == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
