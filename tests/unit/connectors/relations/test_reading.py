"""Relations are read from files, databases and Python, typed as events are; what is wrong has its place."""

from __future__ import annotations

import gzip
import pickle
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cera.connectors.relations.reading import located, read_relation
from cera.connectors.relations.relation import Relation
from cera.errors import CeraError, DataError, UsageError
from cera.model.events.relation_rows import RelationRows
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.testing import seconds

PRICE = Relation("price", {"item": None, "euros": None})
VERSIONS = Relation("price", None, "since", ("item",))


def terms(rows: RelationRows) -> list[str]:
    return [str(row.term) for row in rows.rows]


def refused(kind: type[CeraError], given: object, relation: Relation = PRICE) -> str:
    with pytest.raises(kind) as caught:
        _ = read_relation(relation, given).rows
    return caught.value.message


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_cells_of_csv_are_typed_as_those_of_events(tmp_path: Path) -> None:
    file = write(tmp_path, "p.csv", 'item,euros,left\ntea,3,x\n"cup",2.5,\n7,true,\npot,,\n')
    assert terms(read_relation(PRICE, file)) == [
        'price{euros{3}, item{"tea"}}',
        'price{euros{2.5}, item{"cup"}}',
        "price{euros{true}, item{7}}",
        'price{item{"pot"}}',
    ]


def test_a_declared_string_is_one_even_if_it_looks_like_a_number(tmp_path: Path) -> None:
    file = write(tmp_path, "p.csv", "item,euros\n007,3\n")
    assert terms(read_relation(Relation("price", {"item": "string"}), file)) == ['price{item{"007"}}']


def test_without_declared_attributes_a_row_has_all_that_the_source_has(tmp_path: Path) -> None:
    file = write(tmp_path, "p.jsonl", '{"item": "tea", "at": 3, "size": {"x": 1}}\n\n{"item": null}\n')
    assert terms(read_relation(Relation("price"), file)) == ['price{at{3}, item{"tea"}, size{x{1}}}', "price{}"]


def test_equal_rows_are_one(tmp_path: Path) -> None:
    file = write(tmp_path, "p.csv", "item;euros;note\ntea;3;a\ntea;3;b\ntea;3,0;c\n")
    assert terms(read_relation(PRICE, file)) == ['price{euros{3}, item{"tea"}}']


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"item": "tea", "euros": 3}\n'))
    assert terms(read_relation(PRICE, str(file))) == ['price{euros{3}, item{"tea"}}']


def test_a_path_is_relative_to_the_folder_of_the_program(tmp_path: Path) -> None:
    write(tmp_path, "p.csv", "item,euros\ntea,3\n")
    assert len(read_relation(PRICE, "p.csv", tmp_path).rows) == 1
    assert "there is no file p.csv" in refused(UsageError, "p.csv")


def test_parquet_is_read_with_its_types(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"item": ["tea"], "euros": [3.0], "since": [datetime(2026, 1, 1, tzinfo=UTC)]})
    pq.write_table(table, tmp_path / "p.parquet")
    [row] = read_relation(Relation("price", None, "since", ("item",)), tmp_path / "p.parquet").rows
    assert str(row.term) == 'price{euros{3}, item{"tea"}, since{"2026-01-01T00:00:00Z"}}'
    assert row.since == datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1_000_000
    broken = write(tmp_path, "broken.parquet", "PAR1")
    assert "broken.parquet is not Parquet" in refused(UsageError, broken)
    pq.write_table(table.select(["item"]), tmp_path / "short.parquet")
    assert "has no column `euros`" in refused(UsageError, tmp_path / "short.parquet")


@pytest.mark.parametrize(
    ("name", "text", "kind", "message"),
    [
        (
            "p.csv",
            "item,euro\ntea,3\n",
            DataError,
            "p.csv:1: the header has no column `euros`; its columns are item, euro",
        ),
        ("p.csv", "item,euros\ntea,3,4\n", DataError, "p.csv:2: the row has 3 cells, the header has 2 cells"),
        ("p.csv", 'item,euros\n"tea,3\n', DataError, "p.csv:2: not CSV"),
        ("p.jsonl", '{"item": "tea", "euros": 3}\n{"item": \n', DataError, "p.jsonl:2: "),
        ("p.jsonl", "[1]\n", DataError, "p.jsonl:1: a row is an object, found "),
        ("p.jsonl", '{"item": "tea"}\n', DataError, "no row has the attribute `euros`; there are item"),
        ("p.txt", "tea", UsageError, "the format of "),
    ],
)
def test_what_is_wrong_in_a_file_has_its_place(
    tmp_path: Path, name: str, text: str, kind: type[CeraError], message: str
) -> None:
    file = write(tmp_path, name, text)
    found = refused(kind, file)
    assert message in found
    assert found.startswith("the relation price: ")


def test_a_value_of_another_kind_than_declared_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, "p.jsonl", '{"item": "tea", "euros": "3"}\n')
    relation = Relation("price", {"item": "string", "euros": "number"})
    assert "p.jsonl:1: `euros` is declared as a number, found " in refused(DataError, file, relation)


def database(folder: Path) -> Path:
    file = folder / "shop.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE Price (item TEXT, euros REAL, picture BLOB)")
        connection.execute("INSERT INTO Price VALUES ('tea', 3, NULL), ('cup', NULL, x'00')")
        connection.execute("CREATE VIEW dear AS SELECT item, euros FROM Price WHERE euros > 2")
    connection.close()
    return file


def test_a_table_of_sqlite_has_the_name_of_the_relation_or_the_one_that_is_given(tmp_path: Path) -> None:
    file = database(tmp_path)
    rows = ['price{euros{3}, item{"tea"}}', 'price{item{"cup"}}']
    assert terms(read_relation(PRICE, f"sqlite:{file}")) == rows
    assert terms(read_relation(PRICE, "sqlite:shop.db?table=dear", tmp_path)) == rows[:1]
    assert terms(read_relation(PRICE, "sqlite:///shop.db?table=dear", tmp_path)) == rows[:1]
    assert located("sqlite:shop.db?table=dear", tmp_path) == f"sqlite:{file}?table=dear"


def test_what_is_wrong_in_sqlite_has_its_place(tmp_path: Path) -> None:
    file = database(tmp_path)
    assert "has no table prices; did you mean 'Price'?" in refused(UsageError, f"sqlite:{file}?table=prices")
    assert "the table dear of sqlite:" in refused(
        UsageError, f"sqlite:{file}?table=dear", Relation("p", {"size": None})
    )
    assert "Price, row 2: in `picture`" in refused(DataError, f"sqlite:{file}", Relation("price"))
    assert "is not there" in refused(UsageError, f"sqlite:{tmp_path}/none.db")
    assert "not a database" in refused(UsageError, f"sqlite:{write(tmp_path, 'text.db', 'x' * 2000)}")
    assert "give one table" in refused(UsageError, f"sqlite:{file}?table=a,b")
    assert "names no database" not in refused(UsageError, "mysql:shop.csv")


def test_a_table_of_postgresql_is_read_as_json(postgres: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE TABLE price (item text, euros numeric, since timestamptz, open boolean)")
        connection.execute(
            "INSERT INTO price VALUES ('tea', 2.50, '2026-01-01T00:00:00Z', true), ('cup', 3, NULL, NULL)"
        )
    assert terms(read_relation(PRICE, postgres)) == ['price{euros{2.5}, item{"tea"}}', 'price{euros{3}, item{"cup"}}']
    named = f"{postgres}&table=public.price"
    [row] = read_relation(Relation("p", {"open": "boolean", "since": None}), named).rows[:1]
    assert str(row.term).startswith("p{")
    assert "has no table prices; did you mean 'price'?" in refused(UsageError, f"{postgres}&table=prices")
    assert "has no column `size`" in refused(UsageError, postgres, Relation("price", {"size": None}))


def test_rows_of_python_are_dicts_or_tables() -> None:
    rows: list[dict[str, Any]] = [{"item": "tea", "euros": 3, "x": 1}, {"item": "cup", "euros": None}]
    expected = ['price{euros{3}, item{"tea"}}', 'price{item{"cup"}}']
    assert terms(read_relation(PRICE, rows)) == expected
    assert terms(read_relation(PRICE, iter(rows))) == expected
    pd = pytest.importorskip("pandas")
    assert terms(read_relation(PRICE, pd.DataFrame(rows))) == expected
    pa = pytest.importorskip("pyarrow")
    assert terms(read_relation(PRICE, pa.Table.from_pylist(rows))) == expected


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ([{"item": "tea", "euros": object()}], DataError, "rows[0]: in `euros`: a value is a text"),
        ([{"item": "tea"}, 3], DataError, "rows[1]: a row is a dict, found"),
        ([{1: "tea"}], DataError, "no row has the attribute `item`; there are 1"),
        (3, UsageError, "the relation price: "),
        ({"item": "tea"}, UsageError, "put it into a list"),
    ],
)
def test_what_is_wrong_in_rows_of_python_has_its_place(given: object, kind: type[CeraError], message: str) -> None:
    assert message in refused(kind, given)


def test_the_names_of_attributes_are_texts() -> None:
    message = "rows[0]: the name of an attribute is a text"
    assert message in refused(DataError, [{1: "tea"}], Relation("price"))


def test_versions_end_where_the_next_one_with_the_same_key_begins() -> None:
    given = [
        {"item": "tea", "euros": 4, "since": 20},
        {"item": "tea", "euros": 3, "since": 5},
        {"item": "tea", "euros": 5, "since": 20},
        {"item": "cup", "euros": 9, "since": "1970-01-01T00:00:10Z"},
        {"euros": 1, "since": 0},
    ]
    rows = read_relation(VERSIONS, given)
    valid = {str(row.term.children[0]): (row.since, row.until) for row in rows.rows if len(row.term.children) == 3}
    for_ever = MAX_TIME + 1
    assert valid == {
        "euros{4}": (seconds(20), for_ever),
        "euros{3}": (seconds(5), seconds(20)),
        "euros{5}": (seconds(20), for_ever),
        "euros{9}": (seconds(10), for_ever),
    }
    assert [len(rows.valid(seconds(at))) for at in (-1, 0, 5, 19, 20)] == [0, 1, 2, 3, 4]


def test_without_versions_rows_are_always_valid() -> None:
    rows = read_relation(PRICE, [{"item": "tea", "euros": 3}])
    assert len(rows.valid(MIN_TIME)) == len(rows.valid(MAX_TIME)) == 1
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_a_version_needs_a_time() -> None:
    assert "rows[0]: `since`, from which on the row is valid, is missing" in refused(
        DataError, [{"item": "tea"}], VERSIONS
    )
    assert "rows[0]: in `since`: " in refused(DataError, [{"item": "tea", "since": "soon"}], VERSIONS)


def test_a_file_of_csv_without_anything_in_it_is_refused_and_one_with_a_header_has_no_rows(tmp_path: Path) -> None:
    """A program that writes a table anew empties the file first."""
    empty = write(tmp_path, "p.csv", "\n")
    assert refused(DataError, empty).endswith("p.csv: the file is empty, and a file of CSV has a header")
    assert not read_relation(Relation("price"), empty).rows
    assert not read_relation(PRICE, write(tmp_path, "p.csv", "item,euros\n")).rows
    assert not read_relation(PRICE, write(tmp_path, "p.jsonl", "")).rows


def test_without_a_key_the_rows_of_the_latest_time_are_the_table() -> None:
    rows = [{"item": name, "since": since} for name, since in [("tea", 10), ("cup", 10), ("tea", 20), ("pot", 20)]]
    found = read_relation(Relation("price", None, "since"), rows)
    assert [str(term) for term in found.valid(seconds(9))] == []
    assert [str(term.children[0]) for term in found.valid(seconds(19))] == ['item{"tea"}', 'item{"cup"}']
    assert [str(term.children[0]) for term in found.valid(seconds(20))] == ['item{"tea"}', 'item{"pot"}']
