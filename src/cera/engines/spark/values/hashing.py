"""The 128-bit identity of terms and events as columns, the same as `cera.model.terms.hashing` computes.

`first` is 1 or 2: which of the two chains. A hash is a signed bigint. Spark's `xxhash64` ignores nulls, and so does
everything here that takes children.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from pyspark.sql import Column

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical, is_whole
from cera.engines.spark.values.cells import Cell
from cera.model.terms.hashing import BOOLEAN, FRACTION, INTEGER, ORDERED, STRING, UNORDERED

_KINDS = {"integer": INTEGER, "fraction": FRACTION, "string": STRING, "boolean": BOOLEAN}
_SIGN = -(2**63)
_FIRST_DIGIT = -(2**60)


def hash_cell(cell: Cell, first: int, *, certain: bool = False) -> Column:
    """Returns the hash of a value; null where there is none, unless there is `certain`ly one."""
    if cell.double is not None and cell.components == ("double",):
        return _hash_double(cell.double, first, certain=certain)
    scalars = [(name, column) for name, column in canonical(cell) if name != "term"]
    found = [] if cell.term is None else [cell.term[f"h{first}"]]
    if len(scalars) == 1:
        [(name, column)] = scalars
        chained = _chain(first, _KINDS[name], _hashed(name, column))
        found.append(chained if certain and not found else F.when(column.isNotNull(), chained))
    elif scalars:
        kind = F.coalesce(*(F.when(column.isNotNull(), _bigint(_KINDS[name])) for name, column in scalars))
        chained = F.xxhash64(_bigint(first), kind, *(_hashed(name, column) for name, column in scalars))
        found.append(F.when(kind.isNotNull(), chained))
    match found:
        case []:
            return F.lit(None).cast("bigint")
        case [only]:
            return only
        case _:
            return F.coalesce(*found)


def _hash_double(double: Column, first: int, *, certain: bool) -> Column:
    """Returns the hash of a double; whole numbers of 64 bits have that of the integer."""
    whole = double.try_cast("bigint")
    integer = F.when(is_whole(double, whole), _chain(first, INTEGER, whole))
    fraction = _chain(first, FRACTION, double)
    return integer.otherwise(fraction) if certain else integer.when(double.isNotNull(), fraction)


def _hashed(name: str, column: Column) -> Column:
    return column.cast("bigint") if name == "boolean" else column


def _bigint(value: int) -> Column:
    return F.lit(value).cast("bigint")


def _chain(first: int, kind: int, *rest: Column) -> Column:
    return F.xxhash64(_bigint(first), _bigint(kind), *rest)


def hash_term(
    label: str | Column,
    children: Column | Sequence[Column],
    ordered: bool,
    first: int,
    present: Sequence[Column | None] | None = None,
) -> Column:
    """Returns the hash of the term from those of its children: columns, or one array column. Null ones do not count.

    `present` is where each of the columns is not null, if that is known without computing it; None: everywhere.
    """
    name = F.lit(label) if isinstance(label, str) else label
    kind = ORDERED if ordered else UNORDERED
    if isinstance(children, Column):
        array = F.array_compact(children)
        size = F.size(array).cast("bigint")
        return _chain(first, kind, name, size, array if ordered else F.sort_array(array))
    count = _count([child.isNotNull() for child in children] if present is None else present)
    if not ordered and len(children) > 2:
        return _chain(first, kind, name, count, F.sort_array(F.array(*children)))  # xxhash64 ignores nulls in it
    return _chain(first, kind, name, count, *(children if ordered else _in_order(children)))


def _count(present: Sequence[Column | None]) -> Column:
    certain = sum(one is None for one in present)
    return reduce(add, [one.cast("bigint") for one in present if one is not None], _bigint(certain))


def _in_order(children: Sequence[Column]) -> Sequence[Column]:
    """Returns at most two, the lesser one first; `least` and `greatest` of one and null are that one."""
    if len(children) < 2:
        return children
    one, other = children
    return F.least(one, other), F.when(one.isNotNull() & other.isNotNull(), F.greatest(one, other))


def event_hashes(
    h1: Column, h2: Column, begin: Column, end: Column, qualifier: Column | None = None
) -> tuple[Column, Column]:
    """Returns the two halves of an event's id from those of its term; a null qualifier does not count."""
    tail = () if qualifier is None else (qualifier,)
    return F.xxhash64(_bigint(1), h1, begin, end, *tail), F.xxhash64(_bigint(2), h2, begin, end, *tail)


def hex_id(h1: Column, h2: Column) -> Column:
    """Returns the id as `hashing.event_id` writes it: 32 hexadecimal digits."""
    return F.lower(F.concat(_digits(h1), _digits(h2)))


def _digits(half: Column) -> Column:
    """Returns 16 digits; padding takes as long as all the rest, and is rarely needed."""
    digits = F.hex(half)
    return F.when(half.bitwiseAND(F.lit(_FIRST_DIGIT)) != 0, digits).otherwise(F.lpad(digits, 16, "0"))


def unsigned(half: Column) -> Column:
    """Returns a bigint that sorts as the hexadecimal digits of `half` do: order by unsigned(h1), unsigned(h2)."""
    return half.bitwiseXOR(F.lit(_SIGN))
