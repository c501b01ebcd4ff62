"""Where the rows of a relation come from: a file, a table of a database, or rows of Python."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from cera.connectors.records.layout import Rejected, rejected
from cera.connectors.records.rows import is_spark_frame, table_rows
from cera.connectors.relations.files import read_file
from cera.connectors.relations.relation import Record, Relation
from cera.connectors.relations.tables import is_database, located_database, read_table
from cera.errors import UsageError
from cera.model.events.relation_rows import ReadRows, RelationRow, RelationRows
from cera.model.terms.json_terms import describe

#: A file or table with more rows than this is large.
FEW_ROWS = 10_000


def read_relation(
    relation: Relation, given: object, folder: Path | None = None, *, in_place: bool = False
) -> RelationRows:
    """Returns the rows of a relation. A path is relative to the folder, if there is one; a function returns the rows.

    With `in_place`, a large file or table is not read yet, beyond its first rows: it is a LocatedRows.

    Raises UsageError where the source is missing, or lacks an attribute, and DataError for a row that cannot be read.
    """
    if callable(given) and not is_spark_frame(given):
        given = given()
    if isinstance(given, RelationRows):
        return given
    if is_spark_frame(given):
        return FrameRows(relation, given)
    if isinstance(given, str | Path):
        there = LocatedRows(relation, _located(given, folder))
        return there if in_place and there.is_large() else ReadRows(there.rows)
    return relation.rows(_of_python(relation, given))


class LocatedRows(RelationRows):
    """The rows of a file or of a table of a database, which come to this process only where an engine asks for them."""

    def __init__(self, relation: Relation, source: str) -> None:
        self.relation = relation
        self.source = source

    @property
    def path(self) -> Path | None:
        """The file or folder that has the rows; None for a database."""
        return None if is_database(self.source) else Path(self.source)

    def records(self) -> Iterator[Record | Rejected]:
        """Yields the records of the source. Raises UsageError if it is missing, or lacks an attribute."""
        if self.path is None:
            return read_table(self.source, self.relation)
        return read_file(self.path, self.relation)

    def is_large(self) -> bool:
        """Returns whether there are more than a few rows."""
        with closed(self.records()) as records:
            return sum(1 for _ in islice(records, FEW_ROWS + 1)) > FEW_ROWS

    @cached_property
    def rows(self) -> tuple[RelationRow, ...]:
        with closed(self.records()) as records:
            return self.relation.rows(records).rows

    def each(self) -> Iterator[RelationRow]:
        with closed(self.records()) as records:
            yield from self.relation.each(records)

    def __reduce__(self) -> tuple[type[ReadRows], tuple[tuple[RelationRow, ...]]]:
        return ReadRows, (self.rows,)


@contextmanager
def closed(records: Iterator[Record | Rejected]) -> Iterator[Iterator[Record | Rejected]]:
    """Closes the file or the connection behind records at the end, also if they are not read to the end."""
    try:
        yield records
    finally:
        if isinstance(records, Generator):
            records.close()


class FrameRows(RelationRows):
    """The rows of a DataFrame of Spark, which come to this process only where an engine asks for them here."""

    def __init__(self, relation: Relation, frame: Any) -> None:
        if frame.isStreaming:
            raise UsageError(f"the relation {relation.name}: the DataFrame is a stream, and a relation is complete")
        relation.check_columns("the DataFrame", list(frame.columns))
        self.relation = relation
        self.frame = frame

    @cached_property
    def rows(self) -> tuple[RelationRow, ...]:
        rows = (row.asDict(recursive=True) for row in self.frame.toLocalIterator())
        return self.relation.rows(Record(f"row {number}", row) for number, row in enumerate(rows, 1)).rows

    def __reduce__(self) -> tuple[type[ReadRows], tuple[tuple[RelationRow, ...]]]:
        return ReadRows, (self.rows,)


def located(source: str, folder: Path) -> str:
    """Returns a source that is relative to a folder as one that is not."""
    return located_database(source, folder) if is_database(source) else str(folder / source)


def _located(given: str | Path, folder: Path | None) -> str:
    return str(given) if folder is None else located(str(given), folder)


def _of_python(relation: Relation, given: object) -> Iterator[Record | Rejected]:
    try:
        rows = table_rows(given, lambda columns: relation.check_columns("the table", columns))
    except UsageError as error:
        if error.message.startswith("the relation"):
            raise
        raise UsageError(f"the relation {relation.name}: {error.message}") from error
    for number, row in enumerate(rows):
        place = f"rows[{number}]"
        yield (
            Record(place, row)
            if isinstance(row, Mapping)
            else rejected(place, f"a row is a dict, found {describe(row)}")
        )
