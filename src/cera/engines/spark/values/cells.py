"""Values of the language as Spark columns.

A value has one of several types, and which one is known only when a row is there. A cell therefore has a column for
each type that is possible, of which at most one is not null in a row; all null means that there is no value (an unbound
variable, an undefined expression). Where the type is known beforehand a cell has one column, and what Spark runs is
what one would write by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from pyspark.sql import Column
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

#: A term: its JSON (numbers written so that they are read back exactly), and the two chains of its hash.
TERM = StructType([StructField("json", StringType()), StructField("h1", LongType()), StructField("h2", LongType())])


@dataclass(frozen=True)
class Cell:
    """The columns of one value. A component that is None is impossible in all rows.

    A number is an `integer` if it is whole and has 64 bits, else a `fraction`. `double` stands in the place of both:
    any finite double, whole or not, as a table of the user has them; a cell with it has no `fraction`, and an `integer`
    only for calculated numbers that no double can hold.
    """

    integer: Column | None = None
    fraction: Column | None = None
    double: Column | None = None
    string: Column | None = None
    boolean: Column | None = None
    term: Column | None = None

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the possible types."""
        return tuple(name for name, _ in self)

    def __iter__(self) -> Iterator[tuple[str, Column]]:
        for part in fields(self):
            column = getattr(self, part.name)
            if column is not None:
                yield part.name, column


TYPES: Mapping[str, DataType] = MappingProxyType(
    {
        "integer": LongType(),
        "fraction": DoubleType(),
        "double": DoubleType(),
        "string": StringType(),
        "boolean": BooleanType(),
        "term": TERM,
    }
)
