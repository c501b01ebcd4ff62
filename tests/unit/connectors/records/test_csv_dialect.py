"""CSV as people have it: separators, decimal commas, encodings, files without a header, cells that mean nothing."""

from __future__ import annotations

import io

import pytest

from cera.connectors.formats import csv_files
from cera.connectors.records.csv_dialect import CsvDialect, csv_dialect, described
from cera.connectors.records.layout import Layout, Rejected
from cera.errors import UsageError
from cera.model.time.time_text import TimeFormat
from cera.wording import on_command_line

FLAT = {"label_field": "type", "time_field": "ts", "times": TimeFormat("s")}


def read(content: str | bytes, *settings: str, **fields: object) -> list[str]:
    """What is read: terms and times, or reasons."""
    layout = Layout(**{**FLAT, **fields}, csv=csv_dialect(settings))  # type: ignore[arg-type]
    data = content if isinstance(content, bytes) else content.encode()
    found = csv_files.read(io.BytesIO(data), "f", layout)
    return [each.reason if isinstance(each, Rejected) else f"{each.term} {each.begin // 1_000_000}" for each in found]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_the_one_that_gives_the_columns_that_are_needed(separator: str) -> None:
    text = "type,ts,room\ntemp,5,hall\n".replace(",", separator)
    assert read(text) == ['temp{room{"hall"}} 5']


def test_a_separator_that_is_not_found_can_be_given() -> None:
    assert read("type:ts:room\ntemp:5:hall\n", "delimiter=:") == ['temp{room{"hall"}} 5']
    assert read("type\tts\ntemp\t5\n", "delimiter=tab") == ["temp{} 5"]


def test_a_wrong_separator_is_named_as_the_likely_cause() -> None:
    [reason] = read("kind;at;room\ntemp;5;hall\n")
    assert "the header is one column, `kind;at;room`; ';' seems to stand between its cells" in reason
    assert "give --csv delimiter=';'" in on_command_line(reason)
    [reason] = read("type;ts;room\ntemp;5;hall\n", "delimiter=,")
    assert "';' seems to stand between its cells" in reason


def test_commas_in_cells_do_not_make_a_comma_the_separator() -> None:
    assert read("type;ts;where\ntemp;5;a, b\n") == ['temp{where{"a, b"}} 5']


def test_decimal_commas_are_found_where_no_number_has_a_point() -> None:
    rows = "type;ts;value\ntemp;5;38,5\ntemp;6;-0,125\ntemp;7;40\n"
    assert read(rows) == ["temp{value{38.5}} 5", "temp{value{-0.125}} 6", "temp{value{40}} 7"]
    both = "type;ts;value\ntemp;5;38.5\ntemp;6;1,5\n"
    assert read(both, "decimal=.") == ["temp{value{38.5}} 5", 'temp{value{"1,5"}} 6']


@pytest.mark.parametrize(
    ("usual", "other"), [("5", "9,5"), ("5,5", "9.5"), ("5.5", "9,5")], ids=["none", "commas", "points"]
)
def test_a_decimal_sign_that_comes_late_is_not_taken_for_a_text(usual: str, other: str) -> None:
    rows = "".join(f"temp;{1_000_000 + at};{usual}\n" for at in range(150))
    *events, last = read(f"type;ts;value\n{rows}temp;1000200;{other}\n")
    assert len(events) == 150
    assert f"`value` is {other}, and the first lines of the file do not show whether that is a number" in last


def test_a_comma_that_may_stand_between_thousands_is_no_decimal_sign_unless_it_is_given() -> None:
    rows = "type;ts;value\ntemp;5;1,234\n"
    assert read(rows) == ['temp{value{"1,234"}} 5']
    assert read(rows, "decimal=,") == ["temp{value{1.234}} 5"]


def test_with_decimal_commas_a_point_makes_no_number() -> None:
    assert read("type;ts;value\ntemp;5,5;1.234\n", "decimal=,") == ['temp{value{"1.234"}} 5']


def test_other_quotes_and_none() -> None:
    assert read("type,ts,room\ntemp,5,'a,b'\n", "quote='") == ['temp{room{"a,b"}} 5']
    assert read('type,ts,room\ntemp,5,12"\n', "quote=") == ['temp{room{"12\\""}} 5']


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8"])
def test_encodings(encoding: str) -> None:
    text = "type,ts,room\ntemp,5,Küche\ntemp,6,Küche\n".encode(encoding)
    assert read(text, f"encoding={encoding}") == ['temp{room{"Küche"}} 5', 'temp{room{"Küche"}} 6']


def test_utf_16_with_its_mark_needs_no_word() -> None:
    assert read("type,ts,room\ntemp,5,Küche\n".encode("utf-16")) == ['temp{room{"Küche"}} 5']


def test_what_is_not_utf_8_is_rejected_with_the_option_that_helps() -> None:
    good, bad = read("type,ts,room\ntemp,5,hall\ntemp,6,Küche\n".encode("latin-1"))
    assert good == 'temp{room{"hall"}} 5'
    assert "not UTF-8: the byte 0xFC at column 9; if the file has another encoding, give it" in bad


def test_bytes_that_an_encoding_does_not_have_end_the_file_with_a_reason() -> None:
    text = "type,ts\ntemp,5\n".encode("utf-16") + b"\x00\xd8\x00"
    *rows, last = read(text, "encoding=utf-16")
    assert rows == ["temp{} 5"]
    assert "could not be read further: 'utf-16" in last


def test_a_file_without_a_header_has_the_names_that_are_given() -> None:
    assert read("temp,5,hall\ntemp,6,attic\n", "names=type,ts,room") == [
        'temp{room{"hall"}} 5',
        'temp{room{"attic"}} 6',
    ]
    assert read("a;b;c\ntemp;6;attic\n", "names=type,ts,room", "header=yes") == ['temp{room{"attic"}} 6']


def test_names_that_lack_what_is_needed_are_one_rejection() -> None:
    [reason] = read("temp,5,hall\ntemp,6,attic\n", "names=type,at,room")
    assert "no column `ts` for the time" in reason


def test_texts_that_mean_an_empty_cell() -> None:
    rows = "type,ts,room,value\ntemp,5,NA,3\ntemp,NA,x,3\n"
    assert read(rows, "empty=NA", "empty=-") == ["temp{value{3}} 5", "the time is missing: the cell of `ts` is empty"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("delimiter", "`csv` takes KEY=VALUE"),
        ("delimeter=;", "did you mean 'delimiter'"),
        ("delimiter=;;", "one character"),
        ("decimal=x", "',' or '.'"),
        ("encoding=latin-99", "there is no encoding 'latin-99'"),
        ("encoding=base64", "there is no encoding 'base64'"),
        ("header=perhaps", "yes or no"),
        ("header=no", "name the columns"),
        ("names=a,,b", "different names"),
        ("quote=''", "one character"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(setting: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        csv_dialect([setting])
    assert said in str(refused.value)


def test_what_was_found_is_described_and_what_was_given_is_not() -> None:
    found = CsvDialect(delimiter=";", decimal=",")
    assert described(found, CsvDialect()) == "';' between cells and decimal commas"
    assert described(found, found) is None
    assert described(CsvDialect(delimiter=",", decimal="."), CsvDialect()) is None


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("type,ts,v\na,2026-03-02T10:00Z,1\nb,wrong,2\nc,5,3\n", ()),
        ("type;ts;v\na;5,5;1,5\n\nb;6;2,5\nc;7\n", ()),
        ('type,ts,v\na,5,"x\nb,6,1\nc,7,"y\nz"\n', ()),
        ("a;5\nb;6\n", ("delimiter=;", "names=type,ts")),
        ("type,at\na,5\n", ()),
    ],
)
def test_the_times_of_all_events_are_found_without_the_events(text: str, settings: tuple[str, ...]) -> None:
    layout = Layout(**FLAT, csv=csv_dialect(settings))  # type: ignore[arg-type]
    read = csv_files.read(io.BytesIO(text.encode()), "f", layout)
    events = [(each.begin, each.end) for each in read if not isinstance(each, Rejected)]
    assert set(events) <= set(csv_files.read_times(io.BytesIO(text.encode()), layout))
