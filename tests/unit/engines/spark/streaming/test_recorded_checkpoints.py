"""Streams go on from checkpoints that were written long ago: what they write is what a run without an end in between
writes.

Whether a change of how states, sources, operators or actions are kept on disk leaves anybody behind is seen here.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recorded_checkpoints import (
    COLUMNS,
    COLUMNS_AFTER,
    COLUMNS_BEFORE,
    COLUMNS_PROGRAM,
    FOLDER,
    KINDS,
    ORDERS,
    STREAMS,
    at_once,
    detect,
    go_on,
    unpack,
    written,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("kind", STREAMS)
def test_a_stream_goes_on_from_an_old_checkpoint(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack(kind, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = written()
    result = go_on(kind)
    assert result.exit_code == 0, result.stderr
    assert written() == at_once(kind) != before


@pytest.mark.usefixtures("spark")
def test_changes_and_actions_go_on_from_an_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack(ORDERS, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = written()
    result = go_on(ORDERS)
    assert result.exit_code == 0, result.stderr
    assert written() == at_once(ORDERS) != before
    with sqlite3.connect("shop.db") as shop:
        assert shop.execute("SELECT * FROM refunds").fetchall() == [(16, 5), (17, 42.5)], "one again, and a new one"
    assert "Order 18 was paid twice, 10.00 each time" not in result.stdout, "that was done before"
    assert "Order 18 was paid twice, 12.50 each time" in result.stdout


def test_a_query_over_a_data_frame_goes_on_from_an_old_checkpoint(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack(COLUMNS, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = written()
    detect(spark, tmp_path, COLUMNS_AFTER, 2)
    whole = COLUMNS_PROGRAM.run([*COLUMNS_BEFORE, *COLUMNS_AFTER], label="label")
    assert written() == sorted(one.event.id for one in whole.derived) != before


def test_every_recorded_checkpoint_is_of_a_known_kind() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{kind}.tar.xz" for kind in KINDS)
