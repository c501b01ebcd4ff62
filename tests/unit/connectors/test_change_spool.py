"""Changes copied into files: each into one, wherever the copying is killed."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from cera.connectors import change_spool as module
from cera.connectors.change_spool import ChangeSpool
from cera.connectors.databases.capture import capture
from cera.connectors.databases.reading import read_changes
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import source_of
from cera.errors import DataError


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it, and nothing is tidied up."""


def killed_after(steps: int) -> Any:
    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        if event == "line" and frame.f_code.co_filename == module.__file__:
            steps -= 1
            if steps == 0:
                raise Killed
        return trace

    return trace


def copied(url: str, folder: Path, steps: int = 0, rejected: list[Rejected] | None = None) -> None:
    before = sys.gettrace()
    sys.settrace(killed_after(steps))
    try:
        spool = ChangeSpool(url, folder / "spool", folder / "place", (rejected if rejected is not None else []).append)
        while spool.copy(limit=2):
            pass
    finally:
        sys.settrace(before)


@pytest.fixture
def url(tmp_path: Path) -> str:
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    connection.execute("CREATE TABLE T (a)")
    capture(f"sqlite:{tmp_path / 'x.db'}", ["T"])
    connection.executemany("INSERT INTO T VALUES (?)", [(1,), ("two",), (None,), (1,), (5.5,)])
    connection.close()
    return f"sqlite:{tmp_path / 'x.db'}"


@pytest.mark.slow
def test_wherever_it_is_killed_every_change_is_in_one_file(url: str, tmp_path: Path) -> None:
    expected = list(read_changes(url))
    assert len(expected) == 5
    for steps in range(1, 1000):
        folder = tmp_path / str(steps)
        folder.mkdir()
        try:
            copied(url, folder, steps)
            break
        except Killed:
            copied(url, folder)
            assert list(source_of(str(folder / "spool")).events(Layout())) == expected, steps
    assert steps > 50
    assert list(source_of(str(folder / "spool")).events(Layout())) == expected


def test_files_that_were_read_and_removed_are_not_written_again(url: str, tmp_path: Path) -> None:
    copied(url, tmp_path)
    names = sorted(path.name for path in (tmp_path / "spool").iterdir())
    assert names == ["000000001-1.jsonl", "000000002-1.jsonl", "000000003-1.jsonl"]
    for name in names:
        (tmp_path / "spool" / name).unlink()
    copied(url, tmp_path)
    assert list((tmp_path / "spool").iterdir()) == []


def test_what_cannot_be_read_is_rejected(url: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(url.removeprefix("sqlite:"), isolation_level=None)
    connection.execute("UPDATE cera_changes SET new_row = '{' WHERE position = 2")
    connection.close()
    rejected: list[Rejected] = []
    copied(url, tmp_path, rejected=rejected)
    assert [record.place.rpartition(" ")[2] for record in rejected] == ["2"]
    assert len(list(source_of(str(tmp_path / "spool")).events(Layout()))) == 4


def test_a_place_that_cannot_be_read_is_told(url: str, tmp_path: Path) -> None:
    (tmp_path / "place").write_text("{}")
    with pytest.raises(DataError, match="does not say how far"):
        copied(url, tmp_path)
