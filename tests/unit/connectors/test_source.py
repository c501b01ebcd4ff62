"""Tests of sources of events: which kind a text names, and what can be asked of each."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import DatabaseSource, FileSource, Source, StandardInput, source_of
from cera.errors import UsageError

KINDS = ["-", "db:sqlite:bank.db", "events.jsonl"]
FLAT = Layout(label="a", time_field="ts")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("-", StandardInput()),
        ("db:sqlite:bank.db", DatabaseSource("sqlite:bank.db")),
        ("db:", DatabaseSource("")),
        ("events.jsonl", FileSource("events.jsonl")),
        ("./-", FileSource("./-")),
        ("DB:sqlite:bank.db", FileSource("DB:sqlite:bank.db")),
        ("", FileSource("")),
    ],
)
def test_a_text_names_one_source(text: str, source: Source) -> None:
    assert source_of(text) == source
    assert source.text == text


def test_what_is_not_a_recording_can_be_read_once() -> None:
    assert [source_of(text).is_recording for text in KINDS] == [False, False, True]
    assert [source_of(text).is_standard_input for text in KINDS] == [True, False, False]


def test_messages_name_a_source_without_its_password() -> None:
    source = source_of("db:postgresql://ann:secret@host/bank")
    assert source.shown == source.checkpoint_name == "db:postgresql://ann:***@host/bank"
    assert "secret" not in repr(source)
    assert source_of("-").shown == "standard input"
    assert source_of("./incoming/").shown == "./incoming/"


def test_a_checkpoint_knows_a_source_from_wherever_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bank.db").touch()
    database = f"db:sqlite:{tmp_path.resolve() / 'bank.db'}"
    assert source_of("db:sqlite:bank.db").checkpoint_name == source_of(database).checkpoint_name == database
    assert source_of("./in/").checkpoint_name == str(tmp_path.resolve() / "in")
    assert source_of("-").checkpoint_name == "-"


def test_the_same_folder_is_the_same_place() -> None:
    assert source_of("in").place == source_of("./in/../in").place != source_of("out").place


def test_changes_of_a_database_are_points_and_have_no_layout() -> None:
    assert [source_of(text).is_points(Layout()) for text in KINDS] == [False, True, False]
    assert all(source_of(text).is_points(FLAT) for text in KINDS)
    assert [source_of(text).has_layout for text in KINDS] == [True, False, True]


def test_a_format_that_cannot_be_read_is_refused_before_anything_is_read() -> None:
    layout = Layout(format="parquet")
    for text in ("-", "events.jsonl"):
        with pytest.raises(UsageError, match="Parquet is read by the Spark engine"):
            source_of(text).check_layout(layout)
    source_of("db:sqlite:bank.db").check_layout(layout)


def test_a_stream_waits_at_folders_only(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    assert source_of("-").reason_against_stream() is None
    assert source_of(str(tmp_path)).reason_against_stream() is None
    file = tmp_path / "a.jsonl"
    reason = f"{file} is a file; name the folder in which files appear"
    assert source_of(str(file)).reason_against_stream() == reason
    assert source_of("nowhere").reason_against_stream() == "nowhere is not there"
    assert "is a URL" in str(source_of("sqlite:bank.db").reason_against_stream())
    with pytest.raises(UsageError, match="names no database"):
        source_of("db:bank").reason_against_stream()


def test_only_files_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "b.txt").touch()
    file, unread = source_of(str(tmp_path)).files(Layout())
    assert not isinstance(file, Rejected)
    assert file.path.name == "a.jsonl"
    assert isinstance(unread, Rejected)
    assert [source_of(text).files(Layout()) for text in ("-", "db:sqlite:bank.db")] == [[], []]


def test_standard_input_is_copied_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"label,at\r\na,1\n")))
    copy = source_of("-").copy_into(tmp_path / "copy", Layout(format="csv"))
    assert copy is not None
    assert (copy.format, copy.shown) == ("csv", "<stdin>")
    assert copy.path.read_bytes() == b"label,at\r\na,1\n"
    assert source_of("db:sqlite:bank.db").copy_into(tmp_path / "other", Layout()) is None


def test_what_is_written_must_not_be_read(tmp_path: Path) -> None:
    folder, inside = source_of(str(tmp_path)), tmp_path / "out.jsonl"
    assert folder.contains(inside)
    assert not folder.is_overwritten_by(inside)
    inside.touch()
    assert source_of(str(inside)).is_overwritten_by(tmp_path / "x" / ".." / "out.jsonl")
    assert not source_of(str(inside)).contains(inside)
    assert not source_of("-").is_overwritten_by(Path("-"))
    assert source_of("db:x").is_overwritten_by(Path("db:x"))


def test_a_file_of_settings_names_paths_relative_to_itself() -> None:
    found = [source_of(text).in_folder(Path("project")).text for text in (*KINDS, "/log.csv")]
    assert found == ["-", "db:sqlite:bank.db", "project/events.jsonl", "/log.csv"]
