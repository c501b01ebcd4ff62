"""The layers of operators as stateful operators of Spark, one behind the other."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from cera.engines.spark.division.operators import Operator, may_repeat
from cera.engines.spark.streaming.messages.messages import SCHEMA
from cera.engines.spark.streaming.results.compact import Shape
from cera.engines.spark.streaming.state.shell import Distinct, Layer


def results(
    messages: DataFrame, operators: Sequence[Operator], *, distinct: bool = True, shapes: Sequence[Shape] = ()
) -> DataFrame:
    """Sends the messages of a stream through the layers of operators; returns messages that are results.

    With `distinct`, an event that several parts derive comes out once. Events of the `shapes` come out as columns.
    """
    by_id = max(operator.buckets for operator in operators) if distinct and may_repeat(operators) else 0
    flow = messages
    for number in sorted({operator.layer for operator in operators}):
        here = [operator for operator in operators if operator.layer == number]
        later = [operator for operator in operators if operator.layer > number]
        flow = flow.groupBy("operator", "bucket").transformWithStateInPandas(
            Layer(here, later, by_id=by_id, shapes=shapes), SCHEMA, "append", "eventTime"
        )
    if by_id:
        flow = flow.groupBy("operator", "bucket").transformWithStateInPandas(Distinct(), SCHEMA, "append", "none")
    return flow
