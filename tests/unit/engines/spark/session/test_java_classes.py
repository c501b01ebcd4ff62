"""Calls of Java while pyspark builds a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from py4j.java_gateway import GatewayClient
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def calls(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What has been asked of Java, but for news of objects that Python let go."""
    sent: list[str] = []
    client: Any = type(spark.sparkContext._gateway._gateway_client)  # type: ignore[union-attr]
    plain = client.send_command

    def send(self: GatewayClient, command: str, *more: Any, **options: Any) -> Any:
        sent.append(command)
        return plain(self, command, *more, **options)

    monkeypatch.setattr(client, "send_command", send)
    return lambda: [command for command in sent if not command.startswith("m\n")]


def test_a_column_is_made_with_a_single_command(calls: Callable[[], list[str]]) -> None:
    F.col("a")  # asks for the class and the function, if no test did before
    before = len(calls())
    F.col("b")
    [call] = calls()[before:]
    assert "b" in call


def test_a_short_list_of_columns_is_made_with_a_single_command(
    spark: SparkSession, calls: Callable[[], list[str]]
) -> None:
    columns = [F.lit(number) for number in range(10)]
    F.array(*columns)
    before = len(calls())
    F.array(*columns)
    assert len(calls()) - before == 3  # the list, the sequence of Scala, and the function
    for number in (0, 1, 10, 11, 30):
        [row] = spark.range(1).select(F.array(*(F.lit(each) for each in range(number))).alias("found")).collect()
        assert row["found"] == list(range(number))


def test_a_function_that_java_does_not_have_is_still_an_error(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    with pytest.raises(Exception, match="no_such_function"):
        jvm.functions.no_such_function()
