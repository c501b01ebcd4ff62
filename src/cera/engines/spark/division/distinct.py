"""Decides whether parts of a stream can derive the same event, so that duplicates must be dropped."""

from __future__ import annotations

from collections.abc import Sequence

from cera.engines.spark.division.operators import Operator


def may_repeat(operators: Sequence[Operator]) -> bool:
    """Returns whether two operators, or two buckets of one, may derive the same event."""
    seen: set[str | None] = set()
    for operator in operators:
        labels = operator.derives
        if labels & seen or (labels and None in seen) or (seen and None in labels):
            return True
        seen |= labels
        if operator.buckets > 1 and not all(operator.division.distinguishes(label) for label in labels):
            return True
    return False
