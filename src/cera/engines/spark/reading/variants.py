"""VARIANT values as the children of flat events, natively."""

from __future__ import annotations

import math

from pyspark.sql import Column
from pyspark.sql import functions as F

from cera.engines.spark.tables.event_tables import FIELD, FIELDS
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import Cell

_PAST_INTEGERS = 2.0**63


def variant_fields(variant: Column) -> Column:
    """Returns the children of a flat object as FIELDS; null where the value is anything else. Null has no children."""
    members = F.try_variant_get(variant, "$", "map<string,variant>")
    present = F.map_filter(members, lambda _, value: ~F.is_variant_null(value) & ~_is_infinite(value))
    flat = F.forall(F.map_values(present), _is_scalar)
    found = F.when(members.isNotNull() & flat, F.transform_values(present, lambda _, value: _field(value)))
    return F.when(variant.isNull(), F.create_map().cast(FIELDS)).otherwise(found)


def _kind(value: Column) -> Column:
    return F.schema_of_variant(value)


def _double(value: Column) -> Column:
    return F.try_variant_get(value, "$", "double")


def _is_fraction(value: Column) -> Column:
    return _kind(value).isin("DOUBLE", "FLOAT")


def _is_infinite(value: Column) -> Column:
    """Returns whether it is NaN or infinite, and so not a value."""
    return _is_fraction(value) & ~(F.abs(_double(value)) < math.inf)


def _is_scalar(value: Column) -> Column:
    """Returns whether it is a string, a truth value or a number; Python rejects whole decimals beyond 64 bits."""
    decimal = _kind(value).startswith("DECIMAL")
    too_large = _kind(value).endswith(",0)") & (F.abs(_double(value)) >= _PAST_INTEGERS)
    return _kind(value).isin("STRING", "BOOLEAN", "BIGINT") | _is_fraction(value) | (decimal & ~too_large)


def _field(value: Column) -> Column:
    def when(kind: str, wanted: str) -> Column:
        return F.when(_kind(value) == kind, F.try_variant_get(value, "$", wanted))

    number = canonical(Cell(double=F.when(_is_fraction(value) | _kind(value).startswith("DECIMAL"), _double(value))))
    parts = {
        "integer": F.coalesce(when("BIGINT", "bigint"), *(c for kind, c in number if kind == "integer")),
        "fraction": F.coalesce(*(c for kind, c in number if kind == "fraction")),
        "string": when("STRING", "string"),
        "boolean": when("BOOLEAN", "boolean"),
    }
    return F.struct(*(parts[name].alias(name) for name in FIELD.names))
