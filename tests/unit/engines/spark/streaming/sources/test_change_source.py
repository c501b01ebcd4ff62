"""A database as the source of a stream: away, back again, and gone for good."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cera.connectors import change_spool as spool
from cera.connectors.databases.capture import capture
from cera.connectors.databases.reading import ChangePage, poll
from cera.connectors.databases.urls import UnreachableError
from cera.engines.spark.streaming.sources import change_source
from cera.engines.spark.streaming.sources.change_source import ChangeSource
from cera.errors import UsageError


@pytest.fixture(name="url")
def _url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(change_source, "SECONDS", 0.01)
    monkeypatch.setattr(change_source, "AWAY_SECONDS", 0.01)
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    connection.execute("CREATE TABLE T (a)")
    capture(f"sqlite:{tmp_path / 'x.db'}", ["T"])
    connection.execute("INSERT INTO T VALUES (1), (2)")
    connection.close()
    return f"sqlite:{tmp_path / 'x.db'}"


def polling(answer: Callable[[int], object]) -> Callable[..., ChangePage]:
    """As `poll`, but first `answer` says what happens at each call."""
    calls = 0

    def polled(url: str, after: str | None, limit: int) -> ChangePage:
        nonlocal calls
        calls += 1
        answer(calls)
        return poll(url, after, limit)

    return polled


def test_a_database_that_is_away_is_told_of_once_and_read_when_it_is_back(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(call: int) -> None:
        if call <= 3:
            raise UnreachableError("no answer")

    monkeypatch.setattr(spool, "poll", polling(away))
    told: list[str | None] = []
    back = threading.Event()

    def tell(why: str | None) -> None:
        told.append(why)
        if why is None:
            back.set()

    following = ChangeSource(url, tmp_path / "spool", tmp_path / "place", tell)
    following.start()
    assert back.wait(60)
    following.stop()
    assert told == ["no answer", None]
    assert [file.name for file in (tmp_path / "spool").iterdir()] == ["000000001-1.jsonl"]
    assert following.failure is None


def test_what_will_not_come_back_ends_the_copying(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()

    def dropped(call: int) -> None:
        gone.set()
        raise UsageError("no changes are captured there")

    monkeypatch.setattr(spool, "poll", polling(dropped))
    following = ChangeSource(url, tmp_path / "spool", tmp_path / "place", lambda why: None)
    following.start()
    assert gone.wait(60)
    following.stop()
    assert isinstance(following.failure, UsageError)
