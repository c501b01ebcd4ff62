"""`examples/bank/alerts.epl` over a database while others commit: every detection comes once, whoever is killed."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import bank_processes
from bank_processes import ACCOUNTS, PROGRAM, SEEDS, Told, connect, expected
from cera.cli.main import main
from cera.connectors.databases.capture import capture


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        sqlite3.connect(tmp_path / "bank.db").close()
    url = f"sqlite:{tmp_path / 'bank.db'}" if request.param == "sqlite" else request.getfixturevalue("postgres")
    connection = connect(url)
    connection.execute(bank_processes.TABLE)
    for account in range(ACCOUNTS * len(SEEDS)):
        connection.execute(f"INSERT INTO ACC VALUES ({account}, 'Ann', 'Savings', 0)")
    connection.close()
    capture(url, ["ACC"])
    return url


def process(*arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, bank_processes.__file__, *map(str, arguments)])


def stored(store: Path, query: str) -> list[Any]:
    """What a reader has kept; nothing as long as it has not begun."""
    try:
        connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=60)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()
    except sqlite3.OperationalError:
        return []


def places(store: Path, readers: list[subprocess.Popen[bytes]]) -> Iterator[str]:
    """Where the last of some readers is, as often as that changes; nothing more if it does not for minutes."""
    last, deadline = None, time.monotonic() + 300
    while readers[-1].poll() is None and time.monotonic() < deadline:
        for (place,) in stored(store, "SELECT position FROM place"):
            if place != last:
                last = place
                yield place
        time.sleep(0.002)


def lines(path: Path) -> Iterator[Told]:
    for line in path.read_text().splitlines():
        [(label, body)] = json.loads(line)["term"].items()
        yield label, body["account"], body.get("amount")


def run(url: str, folder: Path) -> Result:
    arguments = ["run", str(PROGRAM), "--engine", "local", "--events", f"db:{url}", "--out", str(folder / "out.jsonl")]
    return CliRunner().invoke(main, [*arguments, "--actions-ledger", str(folder / "actions.db")])


@pytest.mark.processes
def test_every_detection_comes_once_while_others_commit_and_the_reader_is_killed(url: str, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    reading = ("read", url, store, tmp_path / "stop")
    readers = [process(*reading)]
    place = places(store, readers)
    next(place)
    pause = 0.004  # SQLite knows times to the millisecond
    writers = [process("write", url, seed, number * ACCOUNTS, pause) for number, seed in enumerate(SEEDS)]
    for pages in (3, 5):
        for _ in range(pages):
            next(place)
        readers[-1].kill()
        readers[-1].wait()
        readers.append(process(*reading))
    early = run(url, tmp_path)
    assert early.exit_code == 0, early.output
    assert [writer.wait() for writer in writers] == [0, 0]
    (tmp_path / "stop").touch()
    assert readers[-1].wait() == 0

    wanted = expected()
    assert Counter(stored(store, "SELECT * FROM found")) == wanted
    assert {label for label, *_ in wanted} == {"emptied", "paidBack"}
    late = run(url, tmp_path)
    assert late.exit_code == 0, late.output
    assert Counter(lines(tmp_path / "out.jsonl")) == wanted
    done = Counter(int(line.split()[1]) for line in (early.stdout + late.stdout).splitlines())
    emptied: Counter[int] = Counter()
    for (label, account, _), times in wanted.items():
        emptied[account] += times if label == "emptied" else 0
    assert done == +emptied
