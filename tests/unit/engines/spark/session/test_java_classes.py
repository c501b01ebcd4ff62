"""Classes of Java that pyspark asks for by name."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.java_gateway import GatewayClient
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

pytestmark = pytest.mark.xdist_group("spark")


def test_a_column_is_made_with_a_single_command(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    F.col("a")  # asks for the class and the function, if no test did before
    sent: list[str] = []
    client: Any = type(spark.sparkContext._gateway._gateway_client)  # type: ignore[union-attr]
    plain = client.send_command

    def send(self: GatewayClient, command: str, *more: Any, **options: Any) -> Any:
        sent.append(command)
        return plain(self, command, *more, **options)

    monkeypatch.setattr(client, "send_command", send)
    F.col("b")
    calls = [command for command in sent if not command.startswith("m\n")]  # objects that Python let go
    assert len(calls) == 1, calls
    assert "b" in calls[0]


def test_a_function_that_java_does_not_have_is_still_an_error(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    with pytest.raises(Exception, match="no_such_function"):
        jvm.functions.no_such_function()
