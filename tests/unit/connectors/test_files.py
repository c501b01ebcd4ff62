"""Files, folders and standard input: what is read, in which order, and what is not."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.connectors.files import Layout, Rejected, event_files, formats
from cera.connectors.formats import csv_files, json_files, jsonl, xml_files
from cera.connectors.records.layout import TEXT_LIMIT
from cera.connectors.source import source_of
from cera.errors import UsageError
from cera.model.events.event import Event
from event_reading import EVENTS, happened, places_and_reasons, read

LINE = '{"at": 1, "term": {"%s": 1}}'
CONTENTS = {
    ".jsonl": LINE,
    ".ndjson": LINE,
    ".json": f"[{LINE}]",
    ".csv": "label,at,x\n%s,1,1\n",
    ".xml": '<r><event at="1"><%s>1</%s></event></r>',
}


def write(folder: Path, name: str, label: str = "a") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CONTENTS.get(path.suffix.lower(), "?").replace("%s", label))
    return path


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".json", ".csv", ".xml", ".JSONL", ".Xml"])
def test_a_file_is_read_by_its_ending(tmp_path: Path, ending: str) -> None:
    [event] = source_of(str(write(tmp_path, f"events{ending}"))).events(EVENTS)
    assert event == (happened("a{x{1}}", 1) if ending == ".csv" else happened("a{1}", 1))


def test_a_format_that_is_given_goes_before_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "events.log"
    path.write_text(LINE % "a")
    assert list(source_of(str(path)).events(Layout(format="jsonl"))) == [happened("a{1}", 1)]


def test_a_rejected_record_is_placed_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("\nx\n")
    assert places_and_reasons(list(source_of(str(path)).events(EVENTS))) == [
        (f"{path}:2", "not JSON at column 1: Expecting value")
    ]


def test_a_folder_is_read_in_the_order_of_paths_whatever_the_formats(tmp_path: Path) -> None:
    for name, label in [("b.csv", "b"), ("a/z.jsonl", "az"), ("a/b/c.xml", "abc"), ("c.json", "c"), ("A.jsonl", "A")]:
        write(tmp_path, name, label)
    events = list(source_of(str(tmp_path)).events(EVENTS))
    assert [event.label for event in events if isinstance(event, Event)] == ["A", "abc", "az", "b", "c"]


def test_in_a_folder_hidden_and_underscored_names_are_left_out_and_others_are_reported(tmp_path: Path) -> None:
    for name in (".hidden.jsonl", "_SUCCESS", "_temporary/x.jsonl", ".git/x.json", "ok.jsonl"):
        write(tmp_path, name)
    for name in ("notes.txt", "old.parquet", "README"):
        write(tmp_path, name)
    (tmp_path / "link").symlink_to(tmp_path)
    found = list(source_of(str(tmp_path)).events(EVENTS))
    assert [item for item in found if isinstance(item, Event)] == [happened("a{1}", 1)]
    reasons = {Path(place).name: reason for place, reason in places_and_reasons(found)}
    assert set(reasons) == {"notes.txt", "old.parquet", "README", "link"}
    assert reasons["notes.txt"].startswith("unknown ending, not read; known endings are .jsonl")
    assert "Spark" in reasons["old.parquet"]
    assert reasons["link"] == "a link to a folder, not followed"


def test_a_format_reads_files_of_unknown_endings_in_a_folder_too(tmp_path: Path) -> None:
    write(tmp_path, "a.csv")
    (tmp_path / "b.log").write_text(LINE % "b")
    labels = [
        event.label for event in source_of(str(tmp_path)).events(Layout(format="jsonl")) if isinstance(event, Event)
    ]
    assert labels == ["a", "b"]


def test_options_for_flat_records_of_one_file_leave_the_events_of_others_alone(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.json", "c.xml"):
        write(tmp_path, name, name[0])
    (tmp_path / "d.csv").write_text("type,ts\nd,1\n")
    events = list(source_of(str(tmp_path)).events(Layout(label_field="type", time_field="ts")))
    assert [event.label for event in events if isinstance(event, Event)] == ["a", "b", "c", "d"]


def test_standard_input_is_json_lines_unless_said_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((LINE % "a" + "\nx\n").encode())))
    event, bad = source_of("-").events(EVENTS)
    assert event == happened("a{1}", 1)
    assert isinstance(bad, Rejected)
    assert bad.place == "<stdin>:2"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"label,at\na,1\n")))
    assert list(source_of("-").events(Layout(format="csv"))) == [happened("a{}", 1)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.jsonl", r"there is no file or folder .*none\.jsonl"),
        ("event.jsonl", r"did you mean 'events\.jsonl'"),
        ("events.jsonl/x", "there is no file or folder"),
        ("nul\0byte", "there is no file or folder"),
        ("x" * 5000, "cannot be read: File name too long"),
        (
            "notes.txt",
            r"has the ending \.txt, so its format is not known; known endings are .*; or give .*format",
        ),
        ("README", "has no ending"),
        ("old.parquet", "Parquet is read by the Spark engine"),
        ("empty", r"the folder .*empty is empty: looked for files that end in \.jsonl, .*\.xml, in it and in the"),
        ("hidden", r"has no event files, only _x\.jsonl: looked for .*; names that begin with \. or _ are left out"),
        ("hollow", r"has no event files, only deeper: looked for .* folders without files do not count"),
        ("many", r"only a0\.txt, a1\.txt, a2\.txt, a3\.txt, a4\.txt and 2 more; known endings are"),
        ("texts", r"the folder .* has no event files, only notes\.txt"),
    ],
)
def test_a_path_that_cannot_be_read_is_an_error_before_anything_is_read(
    tmp_path: Path, name: str, message: str
) -> None:
    for present in ("events.jsonl", "notes.txt", "README", "old.parquet", "texts/notes.txt", "hidden/_x.jsonl"):
        write(tmp_path, present)
    for number in range(7):
        write(tmp_path, f"many/a{number}.txt")
    (tmp_path / "empty").mkdir()
    (tmp_path / "hollow" / "deeper").mkdir(parents=True)
    with pytest.raises(UsageError, match=message):
        source_of(f"{tmp_path}/{name}").events(EVENTS)


def test_the_formats_in_a_folder_are_counted(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/c.ndjson", "d.csv", "notes.txt", "_x.xml"):
        write(tmp_path, name)
    assert formats(event_files(tmp_path, EVENTS)) == {"csv": 1, "jsonl": 2}
    assert formats(event_files(tmp_path, Layout(format="json"))) == {"csv": 1, "json": 1, "jsonl": 2}
    assert formats(event_files(tmp_path / "b.jsonl", EVENTS)) == {"jsonl": 1}


@pytest.mark.parametrize(("name", "message"), [("jsonlines", "unknown format 'jsonlines'"), ("parquet", "Spark")])
def test_an_unknown_format_is_an_error(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        source_of("-").events(Layout(format=name))


SEEDS = [
    b'{"at": 1, "term": {"a": {"b": [1, "x", true]}}}\n{"begin": 1, "end": 2, "term": {"a": -2.5e3}, "id": 7}\n',
    b'[{"at": 1, "term": {"a": 1}}, {"at": "2006-09-18T09:00:00Z", "term": {"{}": []}}]',
    b'label,at,begin,end,x\na,1,,,"q ""u"""\nb,,1,2,2.5\n',
    b'<?xml version="1.0"?><r xmlns:n="u"><event at="1" id="2"><a n:b="c">d<e/>f</a></event><n:x/>t</r>',
]
READERS = {"jsonl": jsonl.read, "json": json_files.read, "csv": csv_files.read, "xml": xml_files.read}
LAYOUTS = [EVENTS, Layout(label_field="label", time_field="at"), Layout(label="x", id_field="x")]


@st.composite
def mutated_files(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.integers(0, 4))
        pieces = st.sampled_from([b'"', b"{", b"}", b"]", b"<", b"&", b"\n", b",", b"\xff", b"\0", b"9" * 30, b"</r>"])
        data[start:end] = draw(pieces | st.binary(max_size=3))
    return bytes(data)


@given(mutated_files(), st.sampled_from(sorted(READERS)), st.sampled_from(LAYOUTS))
def test_whatever_a_file_holds_only_events_and_rejections_come_out(data: bytes, name: str, layout: Layout) -> None:
    for item in read(READERS[name], data, layout):
        if isinstance(item, Rejected):
            assert item.place.startswith("f:")
            assert item.reason
            assert len(item.text) <= TEXT_LIMIT
            item.text.encode()
        else:
            assert len(item.id) == 32
