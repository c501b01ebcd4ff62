"""Relations in files: CSV, JSON lines, Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

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

_ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet")


def read_file(path: Path, relation: Relation) -> Iterator[Record | Rejected]:
    """Returns the records of a file. Raises UsageError if there is none, or its format is not known."""
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
                for number, line in enumerate(stream, 1):
                    if text := decode(line).rstrip(" \t\r\n"):
                        yield _object(text, f"{path}:{number}")
    except OSError as error:
        raise UsageError(
            f"the relation {relation.name}: {shown_path(path)} cannot be read: {error.strerror or error}"
        ) from error


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
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise UsageError(f"Parquet needs pyarrow ({error}); install it with: pip install pyarrow") from None
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"the relation {relation.name}: {shown_path(path)} is not Parquet: {reason}") from error
    rows = table_rows(table, lambda columns: relation.check_columns(shown_path(path), columns))
    for number, row in enumerate(rows, 1):
        assert isinstance(row, Mapping)
        yield Record(f"{path}, row {number}", row)
