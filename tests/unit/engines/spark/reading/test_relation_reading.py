"""Large relations are read by the workers of Spark: the same rows, the same errors, and nothing comes to the driver."""

from __future__ import annotations

import gzip
import json
import sqlite3
from functools import partial
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cera.connectors.relations import reading
from cera.connectors.relations.reading import LocatedRows, read_relation
from cera.connectors.relations.relation import Relation
from cera.engines.spark.reading import relation_reading
from cera.engines.spark.reading.relation_reading import Lines, relation_parts
from cera.engines.spark.reading.relation_tables import relation_tables
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.term_columns import written_term
from cera.errors import CeraError
from cera.model.events.relation_rows import RelationRows
from cera.model.terms.json_terms import loads, term_from_json

pytestmark = pytest.mark.xdist_group("spark")

PRICE = Relation("price", {"item": None, "euros": None})
VERSIONS = Relation("price", {"euros": None}, "since", ("item",))
ANY = Relation("price")

#: Rows with values of several kinds, one of them twice, and one without a price.
ROWS: list[dict[str, object]] = [
    {"item": "tea", "euros": 3},
    {"item": "tea", "euros": 3},
    {"item": "cup", "euros": 2.5},
    {"item": "pot", "euros": None},
    {"item": "kännchen", "euros": 4.0},
]


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FEW_ROWS", 0)


@pytest.fixture
def never_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: LocatedRows) -> None:
        raise AssertionError("the rows came to the driver")

    monkeypatch.setattr(LocatedRows, "rows", property(fail))


def in_place(relation: Relation, source: str | Path) -> RelationRows:
    found = read_relation(relation, source, in_place=True)
    assert isinstance(found, LocatedRows)
    return found


def on_spark(spark: SparkSession, relation: Relation, source: str | Path) -> set[tuple[str, int, int]]:
    """Returns the rows as workers read them, each with its first and last time if it has versions."""
    tables = relation_tables(spark, {"price": in_place(relation, source)})["price"]
    return {row for table in tables for row in rows_of(table, versions=relation.valid_from is not None)}


def rows_of(table: EventTable, *, versions: bool) -> set[tuple[str, int, int]]:
    found = table.frame.select(written_term(table).alias("term"), "begin", "end").collect()
    return {
        (str(term_from_json(loads(row["term"]))), *((row["begin"], row["end"]) if versions else (0, 0)))
        for row in found
    }


def read_here(relation: Relation, source: str | Path) -> set[tuple[str, int, int]]:
    """Returns the same as every other engine reads it."""
    rows = read_relation(relation, source).rows
    versions = relation.valid_from is not None
    return {(str(row.term), *((row.since, row.until - 1) if versions else (0, 0))) for row in rows}


def json_lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def sqlite_table(path: Path, rows: list[tuple[object, ...]], columns: str = "item, euros") -> str:
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE price ({columns})")
        database.executemany(f"INSERT INTO price VALUES ({', '.join('?' * len(rows[0]))})", rows)
    database.close()
    return f"sqlite:{path}"


def written(folder: Path, kind: str) -> str | Path:
    """Writes the rows in a format; returns where they are."""
    path = folder / f"prices.{kind}"
    match kind:
        case "csv":
            path.write_text("item,euros,more\n" + "".join(f'"{r["item"]}",{r["euros"] or ""},x\n' for r in ROWS))
        case "jsonl":
            path.write_text(json_lines(ROWS))
        case "jsonl.gz":
            path.write_bytes(gzip.compress(json_lines(ROWS).encode()))
        case "parquet":
            pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=2)
        case "folder.parquet":
            path.mkdir()
            whole = pa.Table.from_pylist(ROWS)
            pq.write_table(whole.slice(0, 2), path / "0.parquet")
            pq.write_table(whole.slice(2), path / "1.parquet")
        case _:
            return sqlite_table(path, [tuple(row.values()) for row in ROWS])
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "jsonl.gz", "parquet", "folder.parquet", "db"])
def test_workers_read_what_every_other_engine_reads(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    source = written(tmp_path, kind)
    expected = read_here(PRICE, source)
    assert len(expected) == 4
    assert on_spark(spark, PRICE, source) == expected


@pytest.mark.usefixtures("never_collected")
def test_rows_stay_on_spark_from_file_to_answer(spark: SparkSession, tmp_path: Path) -> None:
    source = written(tmp_path, "jsonl")
    import cera
    from cera.spark import events

    text = "relation price(item, euros).\nbill(item(I), euros(E)) <- order(item(I)) and price(item(I), euros(E))."
    rows = [("tea", 10), ("cup", 30), ("pot", 30)]
    orders = events(spark.createDataFrame(rows, "item string, at_time bigint"), label_value="order", time="at_time")
    found = cera.load(text).detect(orders, relations={"price": source})
    terms = {row["term"] for row in found.select("term").collect()}
    assert terms == {'{"bill": {"euros": 3, "item": "tea"}}', '{"bill": {"euros": 2.5, "item": "cup"}}'}


def test_rows_of_any_shape_keep_it(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"item": "tea", "size": {"x": 1}}\n{"item": 7, "flag": true}\n{}\n{"item": [1, 2]}\n')
    expected = read_here(ANY, path)
    assert len(expected) == 4
    assert on_spark(spark, ANY, path) == expected


def test_versions_have_a_key_that_need_not_be_an_attribute(spark: SparkSession, tmp_path: Path) -> None:
    """1 and 1.0 are one key, and true is another one; two rows with one time are valid together."""
    rows: list[dict[str, object]] = [
        {"item": 1, "euros": 3, "since": 5},
        {"item": 1.0, "euros": 4, "since": 20},
        {"item": 1, "euros": 5, "since": 20},
        {"item": True, "euros": 6, "since": 7},
        {"item": "1", "euros": 7, "since": "1970-01-01T00:00:09Z"},
        {"euros": 8, "since": 1},
        {"item": {"x": 1}, "euros": 9, "since": 4},
        {"item": {"x": 1.0}, "euros": 10, "since": 6},
    ]
    path = tmp_path / "p.jsonl"
    path.write_text(json_lines(rows))
    expected = read_here(VERSIONS, path)
    seconds = {(begin // 10**6, end // 10**6) for _, begin, end in expected if end < 10**9}
    assert seconds == {(5, 19), (4, 5)}
    assert on_spark(spark, VERSIONS, path) == expected


def test_a_long_file_of_json_lines_is_read_in_pieces_whose_lines_have_their_numbers(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relation_reading, "splits", partial(relation_reading.splits, size=1 << 20))
    path = tmp_path / "p.jsonl"
    lines = [json.dumps({"item": number, "euros": 1, "text": "x" * 2_000}) for number in range(2_000)]
    path.write_text("\n".join(lines) + "\n")
    parts = relation_parts(LocatedRows(PRICE, str(path)))
    assert len(parts) > 2
    assert all(isinstance(part, Lines) for part in parts)
    assert on_spark(spark, PRICE, path) == read_here(PRICE, path)
    for wrong in (1_700, 900):
        lines[wrong - 1] = '{"item": '
        path.write_text("\n".join(lines) + "\n")
        assert mistake(spark, PRICE, path).startswith(f"the relation price: {path}:{wrong}: ")


def mistake(spark: SparkSession, relation: Relation, source: str | Path) -> str:
    """Returns the error of the workers, which must be that of every other engine."""
    with pytest.raises(CeraError) as expected:
        _ = read_relation(relation, source).rows
    with pytest.raises(CeraError) as caught:
        relation_tables(spark, {"price": LocatedRows(relation, str(source))})
    assert type(caught.value) is type(expected.value)
    assert caught.value.message == expected.value.message
    return caught.value.message


def test_what_is_wrong_is_said_as_on_every_other_engine(spark: SparkSession, tmp_path: Path) -> None:
    csv, lines, parquet = tmp_path / "p.csv", tmp_path / "p.jsonl", tmp_path / "p.parquet"
    number = Relation("price", {"item": None, "euros": "number"})
    csv.write_text("item,euros\ntea,3\ncup,x\npot,y\n")
    assert mistake(spark, number, csv).endswith('p.csv:3: `euros` is declared as a number, found "x"')
    csv.write_text("item,euros\ntea,3\ncup\n")
    assert mistake(spark, PRICE, csv).endswith("p.csv:3: the row has 1 cell, the header has 2 cells")
    csv.write_text("item\ntea\n")
    assert "no column `euros`" in mistake(spark, PRICE, csv)
    lines.write_text('{"item": 1}\n{"item": 2}\n')
    assert "no row has the attribute `euros`; there are item" in mistake(spark, PRICE, lines)
    lines.write_text('{"item": 1, "euros": 1, "since": "soon"}\n')
    assert "p.jsonl:1: in `since`: " in mistake(spark, VERSIONS, lines)
    pq.write_table(pa.table({"item": ["a", "b", "c"], "euros": ["1", "2", "3"]}), parquet, row_group_size=1)
    assert "p.parquet, row 1: `euros` is declared as a number" in mistake(spark, number, parquet)
    pq.write_table(pa.table({"item": ["a"]}), parquet)
    assert "p.parquet has no column `euros`; its columns are item" in mistake(spark, PRICE, parquet)
    table = sqlite_table(tmp_path / "p.db", [("tea", 3), ("cup", b"x")])
    assert "p.db, price, row 2: in `euros`: " in mistake(spark, PRICE, table)
    assert "has no table prise; did you mean 'price'?" in mistake(spark, PRICE, f"{table}?table=prise")


@pytest.mark.parametrize("kind", ["csv", "jsonl.gz", "parquet", "db"])
def test_a_source_that_vanishes_before_it_is_read_is_an_error(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    source = str(written(tmp_path, kind))
    rows = in_place(PRICE, source)
    Path(source.removeprefix("sqlite:")).unlink()
    with pytest.raises(CeraError) as caught:
        relation_tables(spark, {"price": rows})
    assert caught.value.message.startswith("the relation price: ")
    assert f"prices.{kind}" in caught.value.message


def test_places_are_as_the_path_was_given(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text('{"item": "tea", "euros": 3}\n3\n')
    assert mistake(spark, PRICE, "p.jsonl") == "the relation price: p.jsonl:2: a row is an object, found 3"
    sqlite_table(tmp_path / "p.db", [("tea", b"x")])
    assert mistake(spark, PRICE, "sqlite:p.db").startswith("the relation price: sqlite:p.db, price, row 1: ")


def test_a_source_with_few_rows_is_read_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FEW_ROWS", 5)
    source = written(tmp_path, "csv")
    assert not isinstance(read_relation(PRICE, source, in_place=True), LocatedRows)
    monkeypatch.setattr(reading, "FEW_ROWS", 4)
    assert isinstance(read_relation(PRICE, source, in_place=True), LocatedRows)


@pytest.mark.processes
def test_a_table_of_postgresql_is_read_in_a_worker(spark: SparkSession, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as table:
        table.execute("CREATE TABLE price (item text, euros numeric, since timestamptz)")
        rows = [("tea", 3, "2026-01-01Z"), ("tea", 3.5, "2026-02-01Z"), ("cup", None, "2026-01-01Z")]
        with table.cursor() as cursor:
            cursor.executemany("INSERT INTO price VALUES (%s, %s, %s)", rows)
    for relation in (PRICE, VERSIONS):
        expected = read_here(relation, postgres)
        assert len(expected) == 3
        assert on_spark(spark, relation, postgres) == expected
    assert "has no table prise; did you mean 'price'?" in mistake(spark, PRICE, f"{postgres}&table=prise")
    wrong = Relation("price", {"item": "number"})
    assert "row 1: `item` is declared as a number" in mistake(spark, wrong, postgres)
