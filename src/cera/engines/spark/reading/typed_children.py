"""The columns of a user's table as children of terms, by their types.

Null, NaN and the infinities are absent children. Times are ISO 8601 texts as the function `iso` writes them, dates are
dates. A struct is a child with children of its own; an array has ordered children, a map unordered ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from cera.engines.spark.reading.json_terms import hashes_in_python
from cera.engines.spark.reading.time_columns import clock_microseconds
from cera.engines.spark.tables.event_tables import Flat, Opaque
from cera.engines.spark.tables.relations import column as reference
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import is_defined
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.hashing import hash_cell, hash_term
from cera.engines.spark.values.json_text import object_json
from cera.engines.spark.values.temporal import IntervalColumns, iso

_LONG_DIGITS = 18
_TOO_LARGE = " is too large: integers have 64 bits"
_INTEGERS = (ByteType, ShortType, IntegerType, LongType)


class NoChildError(Exception):
    """A column has a type that children of terms cannot have; the message names both."""

    def __init__(self, kind: DataType, path: tuple[str, ...] = ()) -> None:
        super().__init__(f"the column `{'.'.join(path)}` has the type {kind.simpleString()}, which no term holds")
        self.kind = kind
        self.path = path

    def inside(self, name: str) -> NoChildError:
        return NoChildError(self.kind, (name, *self.path))


@dataclass(frozen=True)
class Children:
    """The children, and the reasons for which a row is rejected: each null where it does not apply."""

    children: dict[str, Cell | Flat | Opaque]
    problems: tuple[Column, ...] = ()


def typed_children(columns: Iterable[tuple[str, Column, DataType]], zone: str) -> Children:
    """Returns the children of rows with these columns; times without a zone are those of `zone`."""
    children: dict[str, Cell | Flat | Opaque] = {}
    problems: list[Column] = []
    for name, column, kind in columns:
        if isinstance(kind, NullType):
            continue
        try:
            children[name], found = _child(name, column, kind, zone)
        except NoChildError as error:
            raise error.inside(name) from None
        problems += found
    return Children(children, tuple(problems))


def _child(name: str, column: Column, kind: DataType, zone: str) -> tuple[Cell | Flat | Opaque, Sequence[Column]]:
    match kind:
        case StructType():
            inside = typed_children([(f.name, column.getField(f.name), f.dataType) for f in kind.fields], zone)
            return Flat(inside.children, column.isNotNull()), inside.problems
        case ArrayType() | MapType():
            return _collection(name, column, kind, zone), ()
        case VariantType():
            return _variant(name, column)
        case _:
            cell = _scalar(column, kind, zone)
            if not _may_be_too_large(kind):
                return cell, ()
            reason = F.concat(F.lit(f"in `{name}`: the number "), column.cast("string"), F.lit(_TOO_LARGE))
            return cell, [F.when(column.isNotNull() & ~is_defined(cell), reason)]


def _may_be_too_large(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) and kind.scale <= 0 and kind.precision > _LONG_DIGITS


def _scalar(column: Column, kind: DataType, zone: str) -> Cell:
    match kind:
        case StringType():
            return Cell(string=column if kind == StringType() else F.collate(column, "UTF8_BINARY"))
        case BooleanType():
            return Cell(boolean=column)
        case FloatType() | DoubleType():
            double = column.cast("double")
            return Cell(double=F.when(F.abs(double) < math.inf, double))
        case DecimalType() if kind.scale > 0:
            return Cell(double=column.cast("double"))
        case DecimalType():
            return Cell(integer=column.try_cast("bigint"))
        case TimestampType():
            return Cell(string=_iso(F.unix_micros(column)))
        case TimestampNTZType():
            return Cell(string=_iso(clock_microseconds(column, zone)))
        case DateType():
            return Cell(string=column.cast("string"))
        case _ if isinstance(kind, _INTEGERS):
            return Cell(integer=column.cast("bigint"))
        case _:
            raise NoChildError(kind)


def _iso(time: Column) -> Column:
    return iso(IntervalColumns(time, time, is_point=True))


def _collection(name: str, column: Column, kind: ArrayType | MapType, zone: str) -> Opaque:
    """Returns an array or a map as a child."""
    body = F.to_json(_as_json(column, kind, zone))
    inner = kind.elementType if isinstance(kind, ArrayType) else kind.valueType
    if isinstance(inner, StructType | ArrayType | MapType | VariantType):
        return Opaque(F.when(column.isNotNull(), hashes_in_python(object_json([(name, body)]))), body)

    def children(first: int) -> Column:
        if isinstance(kind, ArrayType):
            return F.transform(column, lambda item: hash_cell(_scalar(item, inner, zone), first))

        def child(entry: Column) -> Column:
            cell = _scalar(entry["value"], inner, zone)
            return F.when(is_defined(cell), hash_term(entry["key"], [hash_cell(cell, first)], False, first))

        return F.transform(F.map_entries(column), child)

    h1, h2 = (hash_term(name, children(first), isinstance(kind, ArrayType), first) for first in (1, 2))
    text = object_json([(name, body)]).alias("json")
    return Opaque(F.when(column.isNotNull(), F.struct(text, h1.alias("h1"), h2.alias("h2"))), body)


def _as_json(column: Column, kind: DataType, zone: str) -> Column:
    """Casts the value to types that Spark writes to JSON as cera reads them."""
    match kind:
        case ArrayType():
            return F.transform(column, lambda item: _as_json(item, kind.elementType, zone))
        case MapType():
            if not isinstance(kind.keyType, StringType):
                raise NoChildError(kind)
            return F.transform_values(column, lambda _, value: _as_json(value, kind.valueType, zone))
        case StructType():
            parts = [_as_json(column.getField(f.name), f.dataType, zone).alias(f.name) for f in kind.fields]
            return F.when(column.isNotNull(), F.struct(*parts))
        case VariantType() | NullType():
            return column
        case _ if _may_be_too_large(kind):  # a row could not be rejected for it
            raise NoChildError(kind)
        case _:
            [(_, value)] = _scalar(column, kind, zone)
            return value


def _variant(name: str, column: Column) -> tuple[Opaque, Sequence[Column]]:
    body = F.to_json(column)
    term = F.when(~F.is_variant_null(column), hashes_in_python(object_json([(name, body)])))
    bad = term.isNotNull() & term["reason"].isNotNull()
    return Opaque(term, body), [F.when(bad, F.concat(F.lit(f"in `{name}`: "), term["reason"]))]


def in_columns(content: Flat) -> tuple[Flat, list[Column]]:
    """Returns the same content as columns of a table, and the expressions of these columns.

    So the parts of a child are computed once, however often they are mentioned. The columns have numbers for names: a
    child may be called `label` or `begin`.
    """
    columns: list[Column] = []

    def kept(value: Column, kind: str) -> Column:
        name = f"child {len(columns)} {kind}"
        columns.append(value.alias(name))
        return reference(name)

    def moved(child: Cell | Flat | Opaque) -> Cell | Flat | Opaque:
        match child:
            case Cell():
                return Cell(**{kind: kept(value, kind) for kind, value in child})
            case Flat():
                return moved_flat(child)
            case Opaque():
                return Opaque(kept(child.term, "term"), kept(child.body, "body"))

    def moved_flat(flat: Flat) -> Flat:
        present = None if flat.present is None else kept(flat.present, "present")
        return Flat({name: moved(child) for name, child in flat.children.items()}, present)

    return moved_flat(content), columns
