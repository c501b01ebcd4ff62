"""Relations in files: CSV, JSON lines, Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cera.connectors.formats import csv_files
from cera.connectors.formats.compression import COMPRESSED, format_ending, open_events
from cera.connectors.records.layout import (
    RECORD_ERRORS,
    Layout,
    RecordError,
    Rejected,
    check_text,
    decode,
    rejected,
)
from cera.connectors.records.rows import table_rows
from cera.connectors.relations.relation import Record, Relation
from cera.errors import UsageError
from cera.model.message_text import did_you_mean
from cera.model.terms.json_terms import describe, loads
from cera.model.url_paths import shown_path

#: A file that begins with so many blanks is one without a header.
_BLANKS = 4096

_ROWS_AT_A_TIME = 10_000
_ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet")


def read_file(path: Path, relation: Relation) -> Iterator[Record | Rejected]:
    """Yields the records of a file. Raises UsageError if there is none, or its format is not known."""
    ending = format_ending(path)
    if ending not in _ENDINGS:
        known = f"known endings are {', '.join(_ENDINGS)}, also with {' or '.join(COMPRESSED)} behind"
        raise UsageError(f"the relation {relation.name}: the format of {shown_path(path)} is not known; {known}")
    if not path.exists():
        beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        raise UsageError(
            f"the relation {relation.name}: there is no file {shown_path(path)}{did_you_mean(path.name, beside)}"
        )
    if ending == ".parquet":
        return _parquet(path, relation)
    return _lines(path, relation, is_csv=ending == ".csv")


def is_json_lines(path: Path) -> bool:
    return format_ending(path) in (".jsonl", ".ndjson")


def _lines(path: Path, relation: Relation, *, is_csv: bool) -> Iterator[Record | Rejected]:
    try:
        with open_events(path) as stream:
            if is_csv:
                layout = Layout(label=relation.name, string_fields=relation.texts)
                row = None
                for row in csv_files.read_records(stream, str(path), layout, relation.missing):
                    yield row if isinstance(row, Rejected) else Record(*row)
                if row is None and relation.needed and _is_blank(path):  # as while another program writes it
                    yield rejected(str(path), "the file is empty, and a file of CSV has a header")
            else:
                yield from json_records(stream, str(path))
    except OSError as error:
        raise unreadable(relation, path, error) from error


def json_records(lines: Iterable[bytes], name: str, first: int = 1) -> Iterator[Record | Rejected]:
    """Yields the records of JSON lines, the first of which has the number `first` in its file."""
    for number, line in enumerate(lines, first):
        if text := decode(line).rstrip(" \t\r\n"):
            yield _object(text, f"{name}:{number}")


def unreadable(relation: Relation, path: Path, error: OSError) -> UsageError:
    return UsageError(f"the relation {relation.name}: {shown_path(path)} cannot be read: {error.strerror or error}")


def _is_blank(path: Path) -> bool:
    with open_events(path) as stream:
        return not stream.read(_BLANKS).strip()


def _object(text: str, place: str) -> Record | Rejected:
    try:
        check_text(text)
        found = loads(text)
        if not isinstance(found, Mapping):
            raise RecordError(f"a row is an object, found {describe(found)}")
    except RECORD_ERRORS as error:
        return rejected(place, str(error), text)
    return Record(place, found)


def _parquet(path: Path, relation: Relation) -> Iterator[Record]:
    for part in parquet_parts(path, relation):
        yield from part.records(relation)


@dataclass(frozen=True)
class ParquetPart:
    """A row group of a file of Parquet: rows with numbers from `first` on."""

    path: Path
    fragment: Any
    schema: Any
    first: int

    def records(self, relation: Relation) -> Iterator[Record]:
        with _reading_parquet(self.path, relation):
            batches = self.fragment.to_batches(schema=self.schema, batch_size=_ROWS_AT_A_TIME)
            rows = (row for batch in batches for row in table_rows(batch, _any_columns))
            for number, row in enumerate(rows, self.first):
                assert isinstance(row, Mapping)
                yield Record(f"{self.path}, row {number}", row)


def parquet_parts(path: Path, relation: Relation) -> list[ParquetPart]:
    """Returns the row groups of a file of Parquet, or of a folder of such files, without reading them."""
    with _reading_parquet(path, relation):
        import pyarrow.parquet as pq

        dataset = pq.ParquetDataset(path)
        found: list[ParquetPart] = []
        first = 1
        for fragment in dataset.fragments:
            for part in fragment.split_by_row_group():
                found.append(ParquetPart(path, part, dataset.schema, first))
                first += sum(group.num_rows for group in part.row_groups)
    table_rows(dataset.schema.empty_table(), partial(relation.check_columns, shown_path(path)))
    return found


@contextmanager
def _reading_parquet(path: Path, relation: Relation) -> Iterator[None]:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise UsageError(f"Parquet needs pyarrow ({error}); install it with: pip install pyarrow") from None
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"the relation {relation.name}: {shown_path(path)} is not Parquet: {reason}") from error


def _any_columns(names: Sequence[str]) -> None:
    """Takes whatever columns there are: they were checked before."""
