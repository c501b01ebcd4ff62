"""A stream over a database that is killed detects and does everything once, also if the database goes for a while."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import bank_processes
import postgres_server
from bank_processes import ACCOUNTS, PROGRAM, SEEDS, expected
from cera.connectors.databases.capture import capture

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.xdist_group("spark")]

WRITTEN = 'write("Account %d of %s was filled and emptied within a day\\n", X.Accno, X.Owner)'
STORED = 'sql "INSERT INTO ALERTS VALUES (:1, :2)", X.Accno, X.new_Balance - X.old_Balance'
#: How far transactions of PostgreSQL that overlap may be out of order.
DELAY = 5
#: Between transactions, so that they are in many batches.
PAUSE = 0.3


class Stream:
    """A stream over a bank, in a process that can be killed; and the writers that change the bank."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder
        self.url = url
        self._chance = random.Random(7)
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        program = PROGRAM.read_text()
        assert WRITTEN in program
        (folder / "bank.epl").write_text(program.replace(WRITTEN, STORED))
        bank = bank_processes.connect(url)
        bank.execute(bank_processes.TABLE)
        bank.execute("CREATE TABLE ALERTS (account INTEGER, amount INTEGER)")
        for account in range(ACCOUNTS * len(SEEDS)):
            bank.execute(f"INSERT INTO ACC VALUES ({account}, 'Ann', 'Savings', 0)")
        bank.close()
        capture(url, ["ACC"])
        self._command = [sys.executable, "-m", "cera", "stream", "bank.epl", "--source", f"db:{url}", "--sink", "out"]
        self._command += ["--checkpoint", "state", "--max-delay", f"{DELAY} sec", "--max-duration", "0 sec"]
        self._command += ["--buckets", "3", "--allow-sql", url]

    def start(self) -> None:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(self._command, cwd=self._folder, stderr=log)

    def kill(self) -> None:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()
        self._process.kill()
        self._process.wait()

    def wait_for(self, text: str, times: int = 1) -> None:
        """Until the stream has said something so often."""
        assert self._process is not None
        deadline = time.monotonic() + 600
        while self._log.read_text().count(text) < times:
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.05)

    def work_and_be_killed(self) -> None:
        """Starts, does some batches and then a part of one, and is killed."""
        self.start()
        self.wait_for("batch ")
        time.sleep(self._chance.uniform(0, 6))
        self.kill()

    def write(self, number: int) -> subprocess.Popen[bytes]:
        arguments = ["write", self.url, str(SEEDS[number]), str(number * ACCOUNTS), str(PAUSE)]
        return subprocess.Popen([sys.executable, bank_processes.__file__, *arguments])

    def finish(self) -> None:
        """Time goes on, and everything is decided."""
        time.sleep(DELAY + 1)
        bank = bank_processes.connect(self.url)
        bank.execute("UPDATE ACC SET Owner = 'Ben' WHERE Accno = 0")
        bank.close()
        subprocess.run([*self._command, "--once", "--retry-failed"], cwd=self._folder, check=True)

    def found(self) -> Iterator[tuple[str, int, int | None]]:
        for file in (self._folder / "out").glob("*.jsonl"):
            for line in file.read_text().splitlines():
                [(label, body)] = json.loads(line)["term"].items()
                yield label, body["account"], body.get("amount")

    def done(self) -> Iterator[tuple[str, int, int | None]]:
        bank = bank_processes.connect(self.url)
        yield from (("emptied", *row) for row in bank.execute("SELECT * FROM ALERTS").fetchall())
        bank.close()


def check(stream: Stream) -> None:
    assert Counter(stream.found()) == expected()
    assert Counter(stream.done()) == Counter({each: n for each, n in expected().items() if each[0] == "emptied"})


def test_a_stream_over_sqlite_that_is_killed_detects_and_does_everything_once(tmp_path: Path) -> None:
    (tmp_path / "bank.db").touch()
    stream = Stream(tmp_path, f"sqlite:{tmp_path / 'bank.db'}")
    for number in range(len(SEEDS)):  # one after the other, so that each kill has something to spoil
        writer = stream.write(number)
        stream.work_and_be_killed()
        stream.work_and_be_killed()
        assert writer.wait() == 0
    stream.finish()
    check(stream)


def test_a_stream_over_postgres_that_is_killed_and_loses_its_database_detects_and_does_everything_once(
    tmp_path: Path,
) -> None:
    with postgres_server.server() as server:
        stream = Stream(tmp_path, server.url)
        writers = [stream.write(0)]
        stream.work_and_be_killed()
        stream.work_and_be_killed()
        assert writers[0].wait() == 0

        stream.start()
        stream.wait_for("batch ")
        server.stop()
        stream.wait_for("is away, and is tried again")
        server.start()
        stream.wait_for("answers again")
        writers.append(stream.write(1))
        stream.wait_for("batch ", 3)
        stream.kill()
        stream.work_and_be_killed()
        assert writers[1].wait() == 0
        stream.finish()
        check(stream)
