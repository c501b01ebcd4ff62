"""How the operators of comparisons relate to each other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.model.expressions.expression import ComparisonOperator

#: x operator y ⟺ y converse x.
CONVERSE: Mapping[ComparisonOperator, ComparisonOperator] = MappingProxyType(
    {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
)

#: Where x and y can be compared: x operator y ⟺ not (x opposite y).
OPPOSITE: Mapping[ComparisonOperator, ComparisonOperator] = MappingProxyType(
    {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
)
