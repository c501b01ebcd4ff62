"""Tests of sinks: which kind a path names, and what can be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.connectors.sink import BatchFolder, LineFile, ParquetFolder, Sink, StandardOutput, sink_of, stream_sink_of
from cera.errors import UsageError


@pytest.mark.parametrize(
    ("path", "sink"),
    [
        (None, StandardOutput()),
        (Path("out.jsonl"), LineFile(Path("out.jsonl"))),
        (Path("out"), LineFile(Path("out"))),
        (Path("-"), LineFile(Path("-"))),
        (Path("out.parquet"), ParquetFolder(Path("out.parquet"))),
    ],
)
def test_the_ending_of_a_path_says_what_is_written(path: Path | None, sink: Sink) -> None:
    assert sink_of(path) == sink
    assert sink.path == path
    assert sink.is_parquet == isinstance(sink, ParquetFolder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.csv", "JSON lines or Parquet are written, no csv; write out.jsonl"),
        ("out.xml", "JSON lines or Parquet are written, no xml; write out.jsonl"),
        ("nowhere/out.jsonl", "there is no folder"),
        ("full", "is a folder; name a file"),
        ("full.parquet", "is there already; Parquet is written to a new folder"),
        ("file.parquet", "is there already; Parquet is written to a new folder"),
    ],
)
def test_what_cannot_be_written_is_refused_with_the_option_that_names_it(
    name: str, message: str, tmp_path: Path
) -> None:
    for folder in ("full", "full.parquet"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one").touch()
    (tmp_path / "file.parquet").touch()
    with pytest.raises(UsageError, match=f"^--out: .*{message}"):
        sink_of(tmp_path / name).check("--out")


def test_what_can_be_written_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "empty.parquet").mkdir()
    for path in (None, tmp_path / "out.jsonl", tmp_path / "new.parquet", tmp_path / "empty.parquet"):
        sink_of(path).check("--out")


def test_a_stream_writes_to_a_folder_or_to_standard_output() -> None:
    assert stream_sink_of("-") == stream_sink_of("console") == stream_sink_of("-", "parquet") == StandardOutput()
    assert stream_sink_of("alarms") == BatchFolder(Path("alarms"))
    assert stream_sink_of("alarms", "parquet") == BatchFolder(Path("alarms"), is_parquet=True)


def test_the_folder_of_a_stream_is_made_and_must_be_one(tmp_path: Path) -> None:
    BatchFolder(tmp_path / "a" / "b").check("--sink")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"^--sink: .*file is a file; name a folder"):
        BatchFolder(tmp_path / "file").check("--sink")
