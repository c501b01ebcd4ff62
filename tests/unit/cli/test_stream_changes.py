"""`cera stream --source db:URL`: changes of a database, and actions that run once."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import psycopg
import pytest

from cera.connectors.databases.capture import capture
from unit.cli.command_line import Cera

pytestmark = pytest.mark.xdist_group("spark")

PROGRAM = """\
begin Alerts
  monitor update(ACC);
  partition by Accno;
  Paid: [update(ACC(X), X.Balance = 0), update(ACC(Y), Y.Balance > 0)] in chronicle context
    as paid(account: X.Accno, balance: Y.Balance)
    -> sql "INSERT INTO ALERTS VALUES (:1, :2)", X.Accno, Y.Balance.
  Empty: update(ACC(X), X.Balance = 0)
    -> write to "empty.txt" ("%d of %s is empty\\n", X.Accno, X.Owner).
end.
"""
OUTPUT = ("--sink", "out", "--checkpoint", "state", "--once", "--max-delay", "0 sec", "--buckets", "2")


@pytest.fixture(name="bank")
def _bank(folder: Path) -> sqlite3.Connection:
    (folder / "bank.epl").write_text(PROGRAM)
    connection = sqlite3.connect("bank.db", isolation_level=None)
    connection.execute("CREATE TABLE ACC (Accno INTEGER PRIMARY KEY, Owner TEXT, Balance REAL)")
    connection.execute("CREATE TABLE ALERTS (account INTEGER, balance REAL)")
    connection.execute("INSERT INTO ACC VALUES (1, 'Ann', 10), (2, 'Ben', 20)")
    capture("sqlite:bank.db", ["ACC"])
    return connection


def set_balances(bank: sqlite3.Connection, *changes: tuple[int, str]) -> None:
    """Each at a time of its own, which SQLite knows to the millisecond."""
    for account, balance in changes:
        bank.execute(f"UPDATE ACC SET Balance = {balance} WHERE Accno = {account}")
        time.sleep(0.003)


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--source", "db:sqlite:bank.db"), "the SQL command of the rule Alerts.Paid is not allowed; give --allow-sql"),
        (("--source", "db:sqlite:none.db"), "the database none.db is not there"),
        (("--source", "db:sqlite:bank.db", "--source", "db:sqlite:bank.db"), "the same source is given twice"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_is_made(
    cera: Cera, folder: Path, options: tuple[str, ...], said: str
) -> None:
    result = cera("stream", "bank.epl", *options, *OUTPUT)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (folder / "state").exists()


@pytest.mark.usefixtures("spark")
def test_changes_are_read_once_and_actions_are_done_once_in_one_run_after_the_other(
    cera: Cera, folder: Path, bank: sqlite3.Connection
) -> None:
    arguments = ("stream", "bank.epl", "--source", "db:sqlite:bank.db", *OUTPUT, "--allow-sql", "sqlite:bank.db")
    arguments += ("--allow-write", ".")
    set_balances(bank, (1, "0"), (2, "3"), (2, "0"), (1, "5"), (1, "6"))
    bank.execute("UPDATE cera_changes SET operation = 'merge' WHERE position = 2")
    first = cera(*arguments)
    assert first.exit_code == 0, first.stderr
    assert "4 events in" in first.stderr
    assert "position 2: the operation is insert, update or delete" in first.stderr
    assert bank.execute("SELECT * FROM ALERTS").fetchall() == [(1, 5)]
    assert (folder / "empty.txt").read_text() == "1 of Ann is empty\n2 of Ben is empty\n"

    again = cera(*arguments)
    assert again.exit_code == 0, again.stderr
    set_balances(bank, (2, "7"), (1, "0"), (2, "8"))
    second = cera(*arguments)
    assert second.exit_code == 0, second.stderr
    assert "3 events in" in second.stderr
    assert bank.execute("SELECT * FROM ALERTS").fetchall() == [(1, 5), (2, 7)]
    assert (folder / "empty.txt").read_text() == "1 of Ann is empty\n2 of Ben is empty\n1 of Ann is empty\n"
    lines = [json.loads(line) for file in sorted((folder / "out").iterdir()) for line in file.read_text().splitlines()]
    told = [line["term"] for line in lines if line["rule"] == "Alerts.Paid"]
    assert told == [{"paid": {"account": 1, "balance": 5}}, {"paid": {"account": 2, "balance": 7}}]
    assert not list((folder / "state" / "changes" / "0").glob("*unfinished"))


@pytest.mark.usefixtures("spark")
def test_changes_of_postgres_are_read_once_and_actions_that_failed_are_done_when_asked_for(
    cera: Cera, folder: Path, postgres: str
) -> None:
    relation = "relation ACC(Accno, Owner, Balance);"  # PostgreSQL writes names in lower case
    (folder / "bank.epl").write_text(PROGRAM.replace("partition by", f"{relation} partition by"))
    arguments = ("stream", "bank.epl", "--source", f"db:{postgres}", *OUTPUT, "--allow-sql", postgres)
    arguments += ("--allow-write", ".")
    with psycopg.connect(postgres, autocommit=True) as bank:
        bank.execute("CREATE TABLE ACC (Accno int PRIMARY KEY, Owner text, Balance float8)")
        bank.execute("INSERT INTO ACC VALUES (1, 'Ann', 10), (2, 'Ben', 20)")
        capture(postgres, ["ACC"])

        def set_balances(*changes: tuple[int, float]) -> None:
            for account, balance in changes:
                bank.execute("UPDATE ACC SET Balance = %s WHERE Accno = %s", (balance, account))
                time.sleep(0.003)  # Spark's time goes on by milliseconds

        set_balances((1, 0), (2, 0), (1, 5), (1, 6))
        first = cera(*arguments)
        assert first.exit_code == 5, first.stderr
        assert 'relation "alerts" does not exist' in first.stderr
        [kept] = (folder / "state" / "actions.failed.jsonl").read_text().splitlines()
        assert json.loads(kept)["event"]["term"] == {"paid": {"account": 1, "balance": 5}}

        bank.execute("CREATE TABLE ALERTS (account int, balance float8)")
        set_balances((2, 7), (1, 8))
        second = cera(*arguments)
        assert second.exit_code == 0, second.stderr
        assert "1 action failed in earlier runs; --retry-failed tries them again" in second.stderr
        assert bank.execute("SELECT * FROM ALERTS").fetchall() == [(2, 7)]

        third = cera(*arguments, "--retry-failed")
        assert third.exit_code == 0, third.stderr
        assert "1 action done" in third.stderr
        assert bank.execute("SELECT * FROM ALERTS").fetchall() == [(2, 7), (1, 5)]
    assert (folder / "empty.txt").read_text() == "1 of Ann is empty\n2 of Ben is empty\n"
