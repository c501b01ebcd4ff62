"""`cera capture`: what it says and how it ends."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main


def capture(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["capture", *arguments])


@pytest.fixture
def url(tmp_path: Path) -> str:
    connection = sqlite3.connect(tmp_path / "bank.db")
    connection.execute("CREATE TABLE ACC (a)")
    connection.execute("CREATE TABLE ORDERS (a)")
    connection.close()
    return f"sqlite:{tmp_path / 'bank.db'}"


def test_it_says_what_it_did_and_undoes_it(url: str) -> None:
    made = capture("--db", url, "--tables", "ACC,ORDERS")
    assert made.stdout.splitlines() == ["made the table cera_changes", "ACC: captured", "ORDERS: captured"]
    assert capture("--db", url, "--tables", "ACC", "--tables", "ORDERS").stdout.splitlines() == [
        "ACC: captured already",
        "ORDERS: captured already",
    ]
    dropped = capture("--db", url, "--drop")
    assert dropped.stdout.splitlines()[-1] == "removed the table cera_changes"
    assert capture("--db", url, "--drop").stdout == "nothing was captured there\n"


def test_other_tables_that_were_altered_are_told(url: str) -> None:
    capture("--db", url, "--tables", "ACC")
    connection = sqlite3.connect(url.removeprefix("sqlite:"))
    connection.execute("ALTER TABLE ACC ADD COLUMN b")
    connection.close()
    assert "b is not recorded" in capture("--db", url, "--tables", "ORDERS").stderr


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        (["--tables", "ACT"], 2, "there is no table ACT; did you mean 'ACC'?"),
        ([], 2, "--tables names the tables"),
        (["--db", "mysql://x", "--tables", "ACC"], 2, "names no database that cera knows"),
        (["--db", "postgresql://me@localhost:1/x", "--tables", "ACC"], 4, "cannot be reached"),
    ],
)
def test_errors_are_messages(url: str, arguments: list[str], status: int, expected: str) -> None:
    done = capture("--db", url, *arguments)
    assert (done.exit_code, expected in done.stderr) == (status, True), done.stderr
