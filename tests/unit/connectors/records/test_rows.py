"""Rows that Python has already are events as the records of a file would be."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cera
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.records.rows import read_rows
from cera.model.time.time_text import TimeFormat

FLAT = Layout(label_field="type", time_field="ts")
ROWS = [
    {"type": "reading", "ts": datetime(2026, 3, 2, 10, tzinfo=UTC), "fridge": "f1", "temp": 4.5, "open": True},
    {"type": "reading", "ts": datetime(2026, 3, 2, 11, tzinfo=UTC), "fridge": None, "temp": 9.0, "open": None},
]
TERMS = ['reading{fridge{"f1"}, open{true}, temp{4.5}}', "reading{temp{9}}"]


def read(data: object, layout: Layout = FLAT) -> list[str]:
    """Events as texts, of rejected rows the place and reason."""
    return [
        f"{found.place}: {found.reason}" if isinstance(found, Rejected) else str(found.term)
        for found in read_rows(data, layout)
    ]


TABLES: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "dicts": list,
    "generator": lambda rows: (row for row in rows),
    "pandas": pd.DataFrame,
    "pandas of nullable types": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "polars": pl.DataFrame,
    "arrow": pa.Table.from_pylist,
    "record batch": lambda rows: pa.RecordBatch.from_pylist(rows),
    "batches": lambda rows: pa.Table.from_pylist(rows).to_reader(),
    "list of batches": lambda rows: pa.Table.from_pylist(rows).to_batches(max_chunksize=1),
    "generator of batches": lambda rows: iter(pa.Table.from_pylist(rows).to_batches()),
    "list of frames": lambda rows: [pd.DataFrame(rows)],
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_gives_the_same_events(kind: str) -> None:
    events = list(read_rows(TABLES[kind](ROWS), FLAT))
    assert [str(event.term) for event in events if not isinstance(event, Rejected)] == TERMS
    assert [TimeFormat().format(event.end) for event in events if not isinstance(event, Rejected)] == [
        "2026-03-02T10:00:00Z",
        "2026-03-02T11:00:00Z",
    ]


@pytest.mark.parametrize(
    ("value", "child"),
    [
        (None, ""),
        (float("nan"), ""),
        (float("inf"), ""),
        (pd.NaT, ""),
        (pd.NA, ""),
        (np.datetime64("NaT"), ""),
        (Decimal("NaN"), ""),
        (np.int64(3), "{x{3}}"),
        (np.float32(0.5), "{x{0.5}}"),
        (np.bool_(True), "{x{true}}"),
        (np.str_("a"), '{x{"a"}}'),
        (np.array([1, 2]), "{x[1, 2]}"),
        (Decimal("3.00"), "{x{3}}"),
        (Decimal("2.5"), "{x{2.5}}"),
        (date(2026, 3, 2), '{x{"2026-03-02"}}'),
        (datetime(2026, 3, 2, 1, 2, 3, 450_000), '{x{"2026-03-02T01:02:03.45Z"}}'),
        (datetime(2026, 3, 2, 1, tzinfo=timezone(timedelta(hours=2))), '{x{"2026-03-01T23:00:00Z"}}'),
        (pd.Timestamp("2026-03-02T00:00:00.000001999"), '{x{"2026-03-02T00:00:00.000001Z"}}'),
        (np.datetime64("2026-03-02T00:00:00.000001999"), '{x{"2026-03-02T00:00:00.000001Z"}}'),
        ({"y": {"z": 1}, "n": None}, "{x{y{z{1}}}}"),
        ([{"y": 1}, 2, None], "{x[y{1}, 2]}"),
    ],
)
def test_values_of_python_are_children_as_elsewhere(value: object, child: str) -> None:
    assert read([{"label": "a", "at": 1, "x": value}], Layout()) == [f"a{child}" if child else "a{}"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"x", "found a Python bytes"),
        (timedelta(1), "found a Python timedelta"),
        (np.timedelta64(1, "s"), "found a Python timedelta64"),
        ({1: 2}, "a field's name is a text; found 1"),
        (2**70, "64 bits"),
        (Decimal("1e30"), "too large: integers have 64 bits"),
        (Decimal("1e999999"), "too large: integers have 64 bits"),
        ("\ud800", "in the field `x`: a string contains half of a surrogate pair"),
        (["a", "\udc80"], "half of a surrogate pair"),
        ({"\ud800": 1}, "half of a surrogate pair"),
    ],
)
def test_what_has_no_value_is_rejected_with_its_field(value: object, reason: str) -> None:
    [found] = read([{"label": "a", "at": 1, "x": value}], Layout())
    assert found.startswith("rows[0]: ")
    assert reason in found


def test_a_value_that_contains_itself_is_rejected() -> None:
    endless: list[object] = []
    endless.append(endless)
    [found] = read([{"label": "a", "at": 1, "x": endless}], Layout())
    assert "nested deeper than" in found


def test_times_without_a_zone_are_those_of_the_layout() -> None:
    layout = Layout(label="a", time_field="ts", times=TimeFormat("ms", "Europe/Berlin"))
    rows = [{"ts": datetime(2026, 7, 1)}, {"ts": date(2026, 7, 1)}, {"ts": 1_000}, {"ts": "2026-07-01"}]
    found = [TimeFormat().format(each.begin) for each in read_rows(rows, layout) if not isinstance(each, Rejected)]
    assert found == ["2026-06-30T22:00:00Z"] * 2 + ["1970-01-01T00:00:01Z", "2026-06-30T22:00:00Z"]


def test_a_format_is_for_texts_of_times_and_leaves_times_alone() -> None:
    layout = Layout(label="a", time_field="ts", times=TimeFormat(pattern="%d/%m/%Y"))
    rows = [
        {"ts": "02/03/2026"},
        {"ts": datetime(2026, 3, 2)},
        {"ts": date(2026, 3, 2)},
        {"ts": pd.Timestamp(2026, 3, 2)},
    ]
    found = [TimeFormat().format(each.begin) for each in read_rows(rows, layout) if not isinstance(each, Rejected)]
    assert found == ["2026-03-02T00:00:00Z"] * 4


def test_files_of_csv_are_read_as_the_arguments_say(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("type;when;temp\nreading;02/03/2026;8,5\n")
    program = cera.load("DETECT warm{var T} ON reading{{temp{{var T}}}} END")
    csv = {"delimiter": ";", "decimal": ","}
    [derived] = program.run(file, label="type", time="when", time_format="%d/%m/%Y", csv=csv)
    assert str(derived.event).startswith("warm{8.5}")
    with pytest.raises(cera.UsageError, match="did you mean 'delimiter'") as caught:
        program.run(file, csv={"delimeter": ";"})
    assert "--" not in str(caught.value)


def test_event_objects_are_rows_too() -> None:
    assert read([{"at": 1, "term": {"a": {"x": 1}}}], Layout()) == ["a{x{1}}"]
    assert read(pd.DataFrame({"at": [1], "term": [{"a": {"x": 1}}]}), Layout()) == ["a{x{1}}"]


def test_answers_can_be_rows() -> None:
    first = cera.load("DETECT b ON a{{}} END").run([{"label": "a", "at": 1}])
    assert [str(one.event.term) for one in cera.load("DETECT c ON b{{}} END").run(first)] == ["c{}"]


def test_a_time_in_another_format_is_told_of_the_argument() -> None:
    with pytest.raises(cera.DataError, match="for another format give `time_format`, like '%d/%m/%Y %H:%M'"):
        cera.load("DETECT b ON a{{}} END").run([{"label": "a", "at": "02/03/2026 10:00"}])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (3, "a row is a dict or a cera.Event, found 3"),
        ({"typ": "a", "ts": 1}, "no label: there is no field `type`; did you mean 'typ'?, found typ, ts"),
        ({"type": "a"}, "the time is missing: there is no field `ts`"),
        ({"type": "a", "ts": pd.NaT}, "the field `ts` is null"),
        ({"type": None, "ts": 1}, "the field `type` is null"),
        ({"type": 3, "ts": 1}, "the label is a text, found 3"),
        ({"type": "a", "ts": "noon"}, "in the field `ts`: 'noon' is not a time"),
        ({"type": "a", "ts": 1, 5: 1}, "label is a string"),
        ({"type": "\ud800", "ts": 1}, "in the field `type`: a string contains half of a surrogate pair"),
        ({"type": "a", "ts": 1, "\ud800": 1}, "a string contains half of a surrogate pair"),
        (None, "a row is a dict or a cera.Event, found None"),
    ],
)
def test_a_bad_row_does_not_cost_the_others(row: object, reason: str) -> None:
    good = {"type": "a", "ts": 1}
    first, bad, last = read([good, row, good])
    assert (first, last) == ("a{}", "a{}")
    assert bad.startswith("rows[1]: ")
    assert reason in bad


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist], ids=["pandas", "polars", "arrow"])
def test_a_table_without_a_column_is_refused_before_anything_runs(make: Callable[[object], object]) -> None:
    with pytest.raises(cera.UsageError, match=r"no column `typ` .*did you mean 'type'\?; its columns are type, ts"):
        read_rows(make([{"type": "a", "ts": 1}]), Layout(label_field="typ", time_field="ts"))
    with pytest.raises(cera.UsageError, match="no column `when` for the time"):
        read_rows(make([{"type": "a", "ts": 1}]), Layout(label_field="type", time_field="when"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "found 3"),
        (None, "found None"),
        (b"x", "found a Python bytes"),
        ({"type": "a", "ts": 1}, r"put it into a list: run\(\[record\]\)"),
        (pl.LazyFrame({"type": ["a"]}), "give frame.collect()"),
        (pd.Series([1]), "a column alone has no events"),
        (pd.DataFrame([[1, 2]]), "column 0 is called 0"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "the column `a` twice"),
    ],
)
def test_data_of_another_kind_is_refused_with_what_can_be_given(data: object, message: str) -> None:
    with pytest.raises(cera.UsageError, match=message.replace("()", r"\(\)")):
        read_rows(data, FLAT)


def test_a_batch_without_a_column_is_refused() -> None:
    with pytest.raises(cera.UsageError, match="no column `typ`"):
        list(read_rows(pa.Table.from_pylist(ROWS).to_batches(), Layout(label_field="typ", time_field="ts")))


def test_a_spark_dataframe_is_sent_to_detect() -> None:
    fake = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe"})()
    with pytest.raises(cera.UsageError, match=r"use program\.detect"):
        read_rows(fake, FLAT)


def test_rows_and_a_file_of_the_same_give_the_same_answers(tmp_path: Path) -> None:
    program = cera.load("DETECT warm{var F} ON reading{{fridge{{var F}}, temp{{var T}}}} where {var T > 4} END")
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps({**row, "ts": str(row["ts"])}) + "\n" for row in ROWS))
    from_rows = program.run(ROWS, label="type", time="ts")
    assert len(from_rows) == 1
    assert from_rows == program.run(file, label="type", time="ts")
    assert from_rows == program.run(pd.DataFrame(ROWS), layout=FLAT, engine="reference")
