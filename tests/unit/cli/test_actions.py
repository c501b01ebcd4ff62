"""Actions that fail: they are recorded in a file, the status tells of them, and they are tried again when asked for."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import cera as package
from cera.connectors.actions.ledger import Ledger
from cera.model.terms.json_terms import term_to_json
from unit.cli.command_line import Cera, records, write_lines

PROGRAM = """\
begin M
  monitor A;
  Seen: A(X) as seen(X.n) -> write("%d\\n", X.n).
  Kept: A(X) as kept(X.n) -> sql "insert into log values (:1) -- not :2", X.n.
end.
"""
DATABASE = "sqlite:log.db"
RUN = ("run", "m.epl", "--events", "a.jsonl", "--engine", "local", "--out", "found.jsonl", "--allow-sql", DATABASE)


@pytest.fixture(name="database")
def _database(folder: Path) -> sqlite3.Connection:
    """A database in which the table is still missing."""
    (folder / "m.epl").write_text(PROGRAM)
    write_lines(folder / "a.jsonl", ['{"at": 1, "term": {"A": {"n": 4}}}', '{"at": 2, "term": {"A": {"n": 3}}}'])
    connection = sqlite3.connect(folder / "log.db", isolation_level=None)
    connection.execute("PRAGMA user_version = 1")
    return connection


def test_failed_actions_are_in_a_file_whether_one_is_named_or_not(
    cera: Cera, folder: Path, database: sqlite3.Connection
) -> None:
    failed = cera(*RUN)
    assert failed.exit_code == 5
    assert failed.stdout == "4\n3\n"
    assert len(records((folder / "found.jsonl").read_text())) == 4
    assert (
        "2 actions done; 2 failed\nerror: 2 actions failed, with the events in failed-actions.jsonl\n" in failed.stderr
    )
    assert "no such table: log" in failed.stderr
    kept = records((folder / "failed-actions.jsonl").read_text())
    assert [(each["rule"], each["arguments"], each["event"]["term"]) for each in kept] == [
        ("M.Kept", [4], {"kept": {"n": 4}}),
        ("M.Kept", [3], {"kept": {"n": 3}}),
    ]
    assert kept[0]["text"] == "insert into log values (:1) -- not :2"
    assert cera(*RUN, "--actions-ledger", "done.db").exit_code == 5
    assert len(records((folder / "done.failed.jsonl").read_text())) == 2
    database.execute("CREATE TABLE log (n)")
    again = cera(*RUN)  # without a ledger nothing is known but what the database notes
    assert again.exit_code == 0
    assert database.execute("SELECT n FROM log").fetchall() == [(4,), (3,)]


def test_failed_actions_are_tried_again_when_asked_for(cera: Cera, folder: Path, database: sqlite3.Connection) -> None:
    ledger = ("--actions-ledger", "done.db")
    assert cera(*RUN, "--retry-failed").exit_code == 2
    first = cera(*RUN, *ledger)
    assert "2 actions failed, with the events in done.failed.jsonl; --retry-failed tries them again" in first.stderr
    database.execute("CREATE TABLE log (n)")
    left = cera(*RUN, *ledger)
    assert left.exit_code == 5
    assert "2 actions failed in earlier runs; --retry-failed tries them again" in left.stderr
    assert "no actions done; 2 done before; 2 failed before\n" in left.stderr
    write_lines(folder / "a.jsonl", ['{"at": 2, "term": {"A": {"n": 3}}}'])  # what failed is known without its events
    retried = cera(*RUN, *ledger, "--retry-failed")
    assert retried.exit_code == 0, retried.stderr
    assert "2 actions done; 2 done before\n" in retried.stderr
    again = cera(*RUN, *ledger, "--retry-failed")
    assert (again.exit_code, again.stdout) == (0, "")
    assert database.execute("SELECT n FROM log").fetchall() == [(4,), (3,)]


def test_an_action_that_was_edited_is_done_for_the_same_events(
    cera: Cera, folder: Path, database: sqlite3.Connection
) -> None:
    database.execute("CREATE TABLE log (n)")
    ledger = ("--actions-ledger", "done.db")
    assert cera(*RUN, *ledger).exit_code == 0
    (folder / "m.epl").write_text(PROGRAM.replace('write("%d\\n", X.n)', 'write( "%d\\n" , X.n )'))
    assert "no actions done; 4 done before" in cera(*RUN, *ledger).stderr
    (folder / "m.epl").write_text(PROGRAM.replace("X.n).\n  Kept", "X.n + 1).\n  Kept"))
    edited = cera(*RUN, *ledger)
    assert edited.stdout == "5\n4\n"
    assert "2 actions done; 2 done before" in edited.stderr


def test_in_python_actions_are_done_by_who_asks_for_them(
    folder: Path, database: sqlite3.Connection, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    program = package.load("m.epl")
    answer = program.run("a.jsonl", engine="local")
    with pytest.raises(package.UsageError, match=r"the SQL command of the rule M\.Kept is not allowed"):
        package.perform(program, answer)
    first = package.perform(program, answer, allow_sql=DATABASE, ledger="done.db")
    assert capfdbinary.readouterr().out == b"4\n3\n"
    assert (first.done, first.repeated) == (2, 0)
    assert [(each.call.rule, term_to_json(each.call.event.term)) for each in first.failed] == [
        ("M.Kept", {"kept": {"n": 4}}),
        ("M.Kept", {"kept": {"n": 3}}),
    ]
    later = package.perform(program, answer, allow_sql=DATABASE, ledger="done.db")
    assert (later.done, later.repeated, later.failed, later.failed_before) == (0, 2, (), 2)
    database.execute("CREATE TABLE log (n)")
    again = package.perform(program, answer.derived[:1], allow_sql=DATABASE, ledger="done.db", retry_failed=True)
    assert (again.done, again.repeated, again.failed) == (2, 1, ())
    assert database.execute("SELECT n FROM log").fetchall() == [(4,), (3,)]
    with pytest.raises(package.UsageError, match="known from a ledger"):
        package.perform(program, answer, allow_sql=DATABASE, retry_failed=True)


def test_in_python_a_wrong_program_does_nothing(folder: Path) -> None:
    (folder / "wrong.epl").write_text(PROGRAM.replace("X.n).", "Y.n).", 1))
    with pytest.raises(package.ProgramError):
        package.perform(package.load("wrong.epl"), ())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.processes
def test_a_full_standard_output_is_told_as_without_actions(folder: Path) -> None:
    (folder / "m.epl").write_text('begin M\n  monitor A;\n  Seen: A(X) -> write("%d\\n", X.n).\nend.\n')
    write_lines(folder / "a.jsonl", ['{"at": 1, "term": {"A": {"n": 4}}}'])
    run = ("run", "m.epl", "--events", "a.jsonl", "--engine", "local", "--out", "found.jsonl")
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "cera", *run], stdout=full, stderr=subprocess.PIPE, cwd=folder, text=True
        )
    assert ended.returncode == 2
    assert ended.stderr == "error: standard output cannot be written: No space left on device\n"


def test_one_run_at_a_time_uses_a_ledger(
    cera: Cera, folder: Path, database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cera.connectors.actions.ledger._WAIT_SECONDS", 0.1)
    database.execute("CREATE TABLE log (n)")
    held = Ledger(folder / "done.db")
    refused = cera(*RUN, "--actions-ledger", "done.db")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "another run uses this ledger of actions, done.db" in refused.stderr
    held.close()
    assert cera(*RUN, "--actions-ledger", "done.db").exit_code == 0
