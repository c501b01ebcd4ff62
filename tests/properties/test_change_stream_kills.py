"""A stream over a database that is killed again and again detects and does everything once."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import bank_processes
from bank_processes import ACCOUNTS, PROGRAM, SEEDS, expected
from cera.connectors.databases.capture import capture

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("spark")]

KILLS = 6
WRITTEN = 'write("Account %d of %s was filled and emptied within a day\\n", X.Accno, X.Owner)'
STORED = 'sql "INSERT INTO ALERTS VALUES (:1, :2)", X.Accno, X.new_Balance - X.old_Balance'


def test_a_stream_over_a_database_that_is_killed_detects_and_does_everything_once(tmp_path: Path) -> None:
    program = PROGRAM.read_text()
    assert WRITTEN in program
    (tmp_path / "bank.epl").write_text(program.replace(WRITTEN, STORED))
    bank = sqlite3.connect(tmp_path / "bank.db", isolation_level=None, timeout=60)
    bank.execute(bank_processes.TABLE)
    bank.execute("CREATE TABLE ALERTS (account INTEGER, amount INTEGER)")
    bank.executemany("INSERT INTO ACC VALUES (?, 'Ann', 'Savings', 0)", [(n,) for n in range(ACCOUNTS * len(SEEDS))])
    capture(f"sqlite:{tmp_path / 'bank.db'}", ["ACC"])
    command = [sys.executable, "-m", "cera", "stream", "bank.epl", "--source", "db:sqlite:bank.db", "--sink", "out"]
    command += ["--checkpoint", "state", "--max-delay", "0 sec", "--max-duration", "0 sec", "--buckets", "3"]
    command += ["--allow-sql", "sqlite:bank.db"]
    chance = random.Random(7)
    writing: list[subprocess.Popen[bytes]] = []
    for kill in range(KILLS):
        with (tmp_path / "log").open("ab") as log:
            process = subprocess.Popen(command, cwd=tmp_path, stderr=log)
        if kill % 2 == 0 and len(writing) < len(SEEDS):  # one after the other, so that each kill has something to spoil
            number = len(writing)
            arguments = ["write", f"sqlite:{tmp_path / 'bank.db'}", str(SEEDS[number]), str(number * ACCOUNTS)]
            writing.append(subprocess.Popen([sys.executable, bank_processes.__file__, *arguments]))
        time.sleep(chance.uniform(6, 25))
        assert process.poll() is None, (tmp_path / "log").read_text()
        process.kill()
        process.wait()
    assert [writer.wait() for writer in writing] == [0, 0]
    time.sleep(0.01)
    bank.execute("UPDATE ACC SET Owner = 'Ben' WHERE Accno = 0")  # time goes on
    subprocess.run([*command, "--once"], cwd=tmp_path, check=True)

    lines = [line for file in (tmp_path / "out").glob("*.jsonl") for line in file.read_text().splitlines()]
    terms = [next(iter(json.loads(line)["term"].items())) for line in lines]
    found = Counter((label, body["account"], body.get("amount")) for label, body in terms)
    assert found == expected()
    done = Counter(("emptied", *row) for row in bank.execute("SELECT * FROM ALERTS"))
    assert done == Counter({each: times for each, times in expected().items() if each[0] == "emptied"})
