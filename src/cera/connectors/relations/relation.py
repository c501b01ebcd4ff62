"""A relation as it is read: its name, its attributes, and which of them say from when a row is valid."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cera.connectors.records.layout import RECORD_ERRORS, RecordError, Rejected, rejected
from cera.connectors.records.python_values import checked_text, plain
from cera.errors import DataError, UsageError
from cera.model.events.relation_rows import ReadRows, RelationRow, Version, versioned
from cera.model.message_text import did_you_mean
from cera.model.terms.json_terms import describe, term_from_json
from cera.model.terms.term import value_key
from cera.model.terms.values import is_number, number, scalar_key
from cera.model.time.time_text import TimeError, TimeFormat

_KINDS = {"string": "a string", "number": "a number", "boolean": "a truth value"}


class Record(NamedTuple):
    """A record of a source, with its place for messages. Values are those of Python; None is an absent one."""

    place: str
    values: Mapping[str, object]


@dataclass(frozen=True)
class Relation:
    """A relation of a program. `attributes` have the kinds of values that are declared; None if any may come.

    Where attributes are declared, others that a source has are left out.
    """

    name: str
    attributes: Mapping[str, str | None] | None = None
    valid_from: str | None = None
    versions_of: tuple[str, ...] = ()
    timezone: str = "UTC"

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The attributes that a source must have."""
        valid = () if self.valid_from is None else (self.valid_from, *self.versions_of)
        return tuple(dict.fromkeys((*(self.attributes or ()), *valid)))

    @property
    def texts(self) -> frozenset[str]:
        """The attributes that are strings, even if they look like numbers."""
        return frozenset(name for name, kind in (self.attributes or {}).items() if kind == "string")

    def missing(self, columns: Collection[str]) -> str | None:
        """Returns which attribute a table with these columns lacks; None if it has all."""
        lacking = next((name for name in self.needed if name not in columns), None)
        return None if lacking is None else f"no column `{lacking}`"

    def check_columns(self, place: str, columns: Collection[str]) -> None:
        """Raises UsageError if a table lacks an attribute."""
        if (missing := self.missing(columns)) is not None:
            found = ", ".join(columns) or "none"
            raise UsageError(f"the relation {self.name}: {place} has {missing}; its columns are {found}")

    def rows(self, records: Iterator[Record | Rejected]) -> ReadRows:
        """Returns the rows of records, which must all be right. Raises DataError with the place of one that is not."""
        found = list(self.versions(records))
        distinct = {(value_key(version.term), version.since): version for version in reversed(found)}
        ordered = tuple(reversed(distinct.values()))
        if self.valid_from is None:
            return ReadRows(tuple(RelationRow(version.term) for version in ordered))
        return versioned(ordered)

    def each(self, records: Iterator[Record | Rejected]) -> Iterator[RelationRow]:
        """Yields the rows of records, some perhaps twice. They are all in memory only where some replace others."""
        if self.valid_from is None:
            return (RelationRow(version.term) for version in self.versions(records))
        return iter(self.rows(records).rows)

    def versions(self, records: Iterator[Record | Rejected]) -> Iterator[Version]:
        """Yields the rows of records, which must all be right, and of which rows each is a version.

        Raises DataError with the place of one that is not, and where no row has an attribute.
        """
        fields: dict[str, None] | None = None
        for record in records:
            row = self.row(record) if isinstance(record, Record) else record
            if isinstance(row, Rejected):
                raise self.error(row.place, row.reason)
            fields = {} if fields is None else fields
            fields.update(dict.fromkeys(map(str, record.values) if isinstance(record, Record) else ()))
            yield row
        if fields is not None:
            self.check_fields(fields)

    def error(self, place: str, reason: str) -> DataError:
        """Returns the error for a row that cannot be read."""
        return DataError(f"the relation {self.name}: {place}: {reason}")

    def check_fields(self, fields: Collection[str]) -> None:
        """Raises DataError if none of the rows has an attribute; `fields` are those that some row has."""
        lacking = next((name for name in self.needed if name not in fields), None)
        if lacking is not None:
            there = f"{did_you_mean(lacking, fields)}; there are {', '.join(fields)}"
            raise DataError(f"the relation {self.name}: no row has the attribute `{lacking}`{there}")

    def row(self, record: Record) -> Version | Rejected:
        """Returns the row of a record, and of which rows it is a version; or why it cannot be read."""
        read = record.values
        if self.attributes is not None:
            read = {name: read[name] for name in self.needed if name in read}
        try:
            values = {name: value for name, given in read.items() if (value := self._value(name, given)) is not None}
            since = self._since(values)
            kept = values if self.attributes is None else {n: v for n, v in values.items() if n in self.attributes}
            key = tuple(_key(name, values.get(name)) for name in self.versions_of)
            return Version(term_from_json({self.name: kept}), since, key)
        except RECORD_ERRORS as error:
            return rejected(record.place, str(error))

    def _value(self, name: object, given: object) -> object:
        if not isinstance(name, str):
            raise RecordError(f"the name of an attribute is a text; found {describe(name)}")
        try:
            value = plain(given, self.timezone)
            checked_text(name)
        except RECORD_ERRORS as error:
            raise RecordError(f"in `{name}`: {error}") from None
        kind = (self.attributes or {}).get(name)
        if kind is not None and value is not None and not _is_of(kind, value):
            raise RecordError(f"`{name}` is declared as {_KINDS[kind]}, found {describe(value)}")
        return value

    def _since(self, values: Mapping[str, object]) -> int:
        if self.valid_from is None:
            return 0
        if self.valid_from not in values:
            raise RecordError(f"`{self.valid_from}`, from which on the row is valid, is missing")
        try:
            return TimeFormat(timezone=self.timezone).parse(values[self.valid_from])
        except TimeError as error:
            raise RecordError(f"in `{self.valid_from}`: {error}") from None


def _key(name: str, value: object) -> Hashable:
    """Returns a key that is equal for equal values of an attribute; one that is absent equals no value."""
    if isinstance(value, float):
        value = number(value)  # 1.0 is 1, also as text
    if value is None or isinstance(value, str | int | float):
        return None if value is None else scalar_key(value)
    return term_from_json({name: value}).key


def _is_of(kind: str, value: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "number":
            return is_number(value)
        case _:
            return isinstance(value, bool)
