"""CSV: a header, then flat records."""

from __future__ import annotations

import pytest

from cera.connectors.formats import csv_files
from cera.connectors.records.layout import Layout, Rejected
from cera.wording import on_command_line
from event_reading import EVENTS, happened, places_and_reasons, read


def test_a_row_is_an_event_and_its_cells_have_types() -> None:
    content = 'label,at,area,value,share,ok,code,note\ntemp,60,a,40,-2.50,true,007,"x, ""y"""\n'
    assert read(csv_files.read, content) == [
        happened('temp{area{"a"}, value{40}, share{-2.5}, ok{true}, code{"007"}, note{"x, \\"y\\""}}', 60)
    ]


def test_an_empty_cell_is_an_absent_field() -> None:
    assert read(csv_files.read, "label,at,area,value\ntemp,60,,40\n") == [happened("temp{value{40}}", 60)]


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", "label,at\n", "label,at\n\n  \n"])
def test_a_file_without_rows_has_no_events(content: str) -> None:
    assert read(csv_files.read, content) == []


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_do_not_matter() -> None:
    content = "\ufeff\r\nlabel , at\r\n\r\ntemp,60\r\n   \r\ntemp,61"
    assert read(csv_files.read, content) == [happened("temp{}", 60), happened("temp{}", 61)]


@pytest.mark.parametrize(
    ("layout", "content", "event"),
    [
        (EVENTS, "label,begin,end,x\nt,60,63,1\n", happened("t{x{1}}", 60, 63)),
        (EVENTS, "label,at,begin,end\nt,,60,63\n", happened("t{}", 60, 63)),
        (EVENTS, "label,at,id\nt,1970-01-01T00:01:00Z,7\n", happened("t{id{7}}", 60)),
        (Layout(label="t"), "at,label\n60,x\n", happened('t{label{"x"}}', 60)),
        (Layout(label_field="type", time_field="ts"), "type,ts,at\n42,60,1\n", happened('"42"{at{1}}', 60)),
        (
            Layout(label_field="type", time_field="ts", end_field="te", id_field="id"),
            "type,ts,te,id\nt,60,63,007\n",
            happened("t{}", 60, 63, "007"),
        ),
    ],
)
def test_columns_are_used_as_the_layout_says(layout: Layout, content: str, event: object) -> None:
    assert read(csv_files.read, content, layout) == [event]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"temp,60,a,b", "the row has 4 cells, the header has 3 cells"),
        (b"temp,60", "the row has 2 cells, the header has 3 cells"),
        (b"temp", "the row has 1 cell, the header has 3 cells"),
        (b",60,a", "the label is missing: the cell of `label` is empty"),
        (b"temp,,a", "the time is missing"),
        (b"temp,soon,a", "in the field `at`: 'soon' is not a time"),
        (b"temp,60,\xff", "not UTF-8: the byte 0xFF at column 9"),
        (b"temp,60,99999999999999999999", "in `area`: the number 99999999999999999999 is too large: integers have 64"),
        (b'temp,60,"9223372036854775808"', "if it is a text and not a number, give --string-field area"),
        (b"temp,60," + b"9" * 400 + b".5", "too large for a 64-bit floating point number"),
        (b'temp,60,"a"b', "not CSV: "),
        (b'temp,60,"a', "not CSV: "),
    ],
)
def test_a_bad_row_is_rejected_and_the_rest_goes_on(row: bytes, reason: str) -> None:
    content = b"\n".join([b"label,at,area", b"temp,1,a", row, b"temp,2,b", b'temp,3,"c"', b"temp,4,d"])
    found = read(csv_files.read, content)
    assert [item for item in found if not isinstance(item, Rejected)] == [
        happened('temp{area{"a"}}', 1),
        happened('temp{area{"b"}}', 2),
        happened('temp{area{"c"}}', 3),
        happened('temp{area{"d"}}', 4),
    ]
    [bad] = [item for item in found if isinstance(item, Rejected)]
    assert bad.place == "f:3"
    assert reason in on_command_line(bad.reason)
    assert bad.text == row.decode(errors="replace")


def test_a_column_can_be_named_whose_cells_are_texts() -> None:
    content = "label,at,card,zip,n\nt,1,99999999999999999999,01234,5\nt,2,17,91234,true\n"
    assert read(csv_files.read, content, Layout(string_fields=frozenset({"card", "zip"}))) == [
        happened('t{card{"99999999999999999999"}, zip{"01234"}, n{5}}', 1),
        happened('t{card{"17"}, zip{"91234"}, n{true}}', 2),
    ]


@pytest.mark.parametrize("name", ["id", "at", "label"])
def test_the_cells_of_id_time_and_label_are_no_numbers_that_could_be_too_large(name: str) -> None:
    cells = {"label": "t", "at": "60", "id": "7", name: "99999999999999999999"}
    [item] = read(csv_files.read, f"{','.join(cells)}\n{','.join(cells.values())}\n", Layout(id_field="id"))
    assert isinstance(item, Rejected) == (name == "at")


def test_a_cell_may_have_several_lines_and_lines_are_counted_all_the_same() -> None:
    found = read(csv_files.read, 'label,at,x\nt,1,"a\nb"\nt,2,"c\n\nd"\nbad\n')
    assert found[:2] == [happened('t{x{"a\\nb"}}', 1), happened('t{x{"c\\n\\nd"}}', 2)]
    assert [place for place, _ in places_and_reasons(found)] == ["f:7"]


def test_a_quote_that_is_never_closed_costs_its_own_line_only() -> None:
    rows = "".join(f"t,{i},{i}\n" for i in range(10_000, 30_000))
    found = read(csv_files.read, f'label,at,x\nt,1,"oops\n{rows}')
    assert len(found) == 20_001
    assert [place for place, _ in places_and_reasons(found)] == ["f:2"]


@pytest.mark.parametrize(
    ("layout", "header", "reason"),
    [
        (EVENTS, "at,x", "no column `label` for the label; give --label-field or --label"),
        (EVENTS, "label,x", "no column `at` for the time, nor `begin` and `end`; give --time-field"),
        (EVENTS, "label,begin", "no column `at` for the time, nor `begin` and `end`"),
        (Layout(time_field="ts"), "label,at", "no column `ts` for the time"),
        (Layout(end_field="te"), "label,te", "no column `begin` for the time"),
        (EVENTS, "label,at,x,x", "the header has the column `x` twice"),
        (EVENTS, ",label,at", "column 1 of the header has no name"),
    ],
)
def test_a_header_that_cannot_work_is_said_once_for_the_file(layout: Layout, header: str, reason: str) -> None:
    [bad] = read(csv_files.read, f"{header}\n1,2,3\n4,5,6\n", layout)
    assert isinstance(bad, Rejected)
    assert bad.place == "f:1"
    assert reason in on_command_line(bad.reason)
    assert bad.reason.endswith("no row of the file was read")
    assert bad.text == header


def test_a_header_that_is_not_utf_8_is_said_once_for_the_file() -> None:
    [(place, reason)] = places_and_reasons(read(csv_files.read, b"label,at,\xff\na,1,2\na,1,2\n"))
    assert place == "f:1"
    assert reason.startswith("not UTF-8: the byte 0xFF at column 10; if the file has another encoding, give it")
    assert reason.endswith("; no row of the file was read")


def test_the_columns_that_are_there_are_named() -> None:
    [(_, reason)] = places_and_reasons(read(csv_files.read, "kind,when,x\n"))
    assert "its columns are kind, when, x" in reason
