"""Standard input as files."""

from __future__ import annotations

import io
from pathlib import Path

from cera.engines.spark.streaming.sources import spool
from cera.engines.spark.streaming.sources.spool import Spool, first_line


def spooled(text: bytes, folder: Path, ending: str = "jsonl") -> list[Path]:
    made = Spool(io.BytesIO(text), folder, ending)
    made.start()
    assert made.ended.wait(60)
    assert made.failure is None
    return sorted(folder.iterdir())


def test_lines_become_files_that_know_where_they_stood(tmp_path: Path) -> None:
    whole = b"".join(b"%d\n" % number for number in range(25))
    spool.LINES, before = 10, spool.LINES
    try:
        files = spooled(whole, tmp_path)
    finally:
        spool.LINES = before
    assert b"".join(file.read_bytes() for file in files) == whole
    assert [first_line(file) for file in files] == [1, 11, 21]


def test_a_second_run_goes_on_after_the_files_of_the_first(tmp_path: Path) -> None:
    [first] = spooled(b"1\n", tmp_path)
    assert spooled(b"2\n", tmp_path)[0] == first
    assert [file.read_bytes() for file in sorted(tmp_path.iterdir())] == [b"1\n", b"2\n"]


def test_no_name_is_given_again_when_the_files_of_the_first_run_are_gone(tmp_path: Path) -> None:
    [first] = spooled(b"1\n", tmp_path)
    first.unlink()
    assert spooled(b"2\n", tmp_path) != [first]


def test_what_is_no_lines_stays_in_one_piece(tmp_path: Path) -> None:
    [file] = spooled(b"at,label\n1,a\n", tmp_path, "csv")
    assert file.suffix == ".csv"


def test_nothing_gives_no_file(tmp_path: Path) -> None:
    assert spooled(b"", tmp_path) == []
