"""Running actions: once for each event, again after failures, on after a restart, and only what is allowed."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cera.connectors.actions import sql
from cera.connectors.actions.action import Action, Call, PlannedAction, Sql, System, Write, mark
from cera.connectors.actions.failure import Failure, RetryPolicy, stored
from cera.connectors.actions.ledger import Entry, Ledger, append
from cera.connectors.actions.permissions import Permissions
from cera.connectors.actions.runner import ActionRunner
from cera.connectors.databases.urls import UnreachableError
from cera.errors import EngineError, UsageError
from cera.model.events.event import Event
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Interval

ALL = Permissions(exec=True, write=(Path("/"),))


def event(number: int) -> Event:
    return Event(Term("large", [Term("Accno", [number])]), Interval(number, number))


def call(action: Action, number: int, *arguments: Value | None) -> Call:
    return Call("bank.large", event(number), action, arguments)


def planned(action: Action, arguments: int) -> PlannedAction:
    return PlannedAction("bank.large", "bank.epl:7:6", action, (None,) * arguments)


def runner(action: Action, arguments: int, permissions: Permissions = ALL, **options: Any) -> ActionRunner:
    return ActionRunner([planned(action, arguments)], permissions, **options)


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A database with a table LOG."""
    with sqlite3.connect(tmp_path / "log.db") as connection:
        connection.execute("CREATE TABLE LOG (Accno INTEGER PRIMARY KEY, Note TEXT)")
    connection.close()
    return f"sqlite:{tmp_path / 'log.db'}"


def logged(url: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(url.removeprefix("sqlite:"))
    rows = connection.execute("SELECT * FROM LOG ORDER BY 1").fetchall()
    connection.close()
    return rows


def test_texts_are_written_to_standard_output_once_for_each_event() -> None:
    output = io.BytesIO()
    action = Write("Account %d: %s\n")
    with runner(action, 2, output=output) as run:
        outcomes = [run.run(call(action, number, number, "Ann")) for number in (1, 2, 1)]
    assert outcomes == ["done", "done", "repeated"]
    assert output.getvalue() == b"Account 1: Ann\nAccount 2: Ann\n"
    assert run.outcomes == {"done": 2, "repeated": 1}


def test_actions_of_several_rules_for_one_event_are_different_ones() -> None:
    output = io.BytesIO()
    action = Write("x")
    with runner(action, 0, output=output) as run:
        for one in (Call("a", event(1), action), Call("b", event(1), action)):
            assert run.run(one) == "done"
    assert output.getvalue() == b"xx"


def test_an_action_that_is_written_otherwise_is_another_one(tmp_path: Path, log: str) -> None:
    output = io.BytesIO()
    texts = [
        (Write("%d\n"), ("X.k",)),
        (Write("%d!\n"), ("X.k",)),
        (Write("%d\n"), ("X.k + 1",)),
        (Write("%d\n", str(tmp_path / "file")), ("X.k",)),
        (Sql("INSERT INTO LOG VALUES (:1, 'a')"), ("X.k",)),
        (Sql("INSERT INTO LOG VALUES (:1 + 1, 'b')"), ("X.k",)),
    ]
    for expected in ("done", "repeated"):
        for action, spelled in texts:
            plan = [PlannedAction("r", "p", action, (None,), spelled)]
            permissions = Permissions(sql=log, write=(tmp_path,))
            with ActionRunner(plan, permissions, ledger=tmp_path / "ledger", output=output) as run:
                assert run.run(Call("r", event(1), action, (1,), spelled)) == expected
    assert output.getvalue() == b"1\n1!\n1\n"
    assert logged(log) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("kind", ["output", "file", pytest.param("system", marks=pytest.mark.processes)])
def test_after_a_restart_nothing_is_done_twice(tmp_path: Path, kind: str) -> None:
    file, output, ledger = tmp_path / "out.txt", io.BytesIO(), tmp_path / "ledger"
    actions: dict[str, Action] = {
        "output": Write("%d\n"), "file": Write("%d\n", str(file)), "system": System("echo %d")
    }  # fmt: skip
    action = actions[kind]
    for numbers in ([1, 2], [1, 2, 3]):
        with runner(action, 1, ledger=ledger, output=output) as run:
            for number in numbers:
                run.run(call(action, number, number))
    assert (file.read_bytes() if kind == "file" else output.getvalue()) == b"1\n2\n3\n"


@pytest.mark.parametrize("written", ["", "he", "hello\n", "hello\nmore\n"])
def test_a_text_whose_writing_was_cut_off_is_in_the_file_once(tmp_path: Path, written: str) -> None:
    file, key = tmp_path / "out.txt", ("e", "r", "a")
    file.write_text(f"before\n{written}")
    ledger = Ledger(tmp_path / "ledger")
    ledger.note(key, Entry("started", len("before\n")))
    append(file, "hello\n", key, ledger)
    ledger.close()
    assert file.read_text() == "before\nhello\n" + ("more\n" if "more" in written else "")


def test_a_text_is_appended_where_others_have_written_in_its_place(tmp_path: Path) -> None:
    file, key = tmp_path / "out.txt", ("e", "r", "a")
    file.write_text("before\nothers\n")
    ledger = Ledger(None)
    ledger.note(key, Entry("started", len("before\n")))
    append(file, "hello\n", key, ledger)
    assert file.read_text() == "before\nothers\nhello\n"
    file.unlink()
    append(file, "hello\n", key, ledger)
    ledger.close()
    assert file.read_text() == "hello\n"


def test_values_of_sql_commands_are_bound(log: str) -> None:
    action = Sql("INSERT INTO LOG VALUES (:1, :2)")
    hostile = "'); DROP TABLE LOG; --"
    with runner(action, 2, Permissions(sql=log)) as run:
        run.run(call(action, 1, 1, hostile))
        run.run(call(action, 2, 2, None))
        run.run(call(action, 3, 3, Term("a", [1])))
    assert logged(log) == [(1, hostile), (2, None), (3, '{"a": 1}')]


def test_sql_commands_run_once_without_any_ledger_of_ours(log: str) -> None:
    action = Sql("UPDATE LOG SET Note = Note || 'x' WHERE Accno = :1")
    insert = Sql("INSERT INTO LOG VALUES (%d, '')")
    with ActionRunner([planned(insert, 1)], Permissions(sql=log)) as run:
        run.run(Call("other", event(1), insert, (1,)))
    for _ in range(3):
        with runner(action, 1, Permissions(sql=log)) as run:
            run.run(call(action, 1, 1))
            run.run(call(action, 1, 1))
    assert logged(log) == [(1, "x")]


def test_a_command_that_finds_the_database_locked_leaves_nothing_behind_and_is_tried_again(
    log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_WAIT_SECONDS", 0)
    action = Sql("INSERT INTO LOG VALUES (:1, :2)")
    connection = sqlite3.connect(log.removeprefix("sqlite:"), isolation_level=None)

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            connection.execute("COMMIT")

    pauses: list[float] = []
    with runner(action, 2, Permissions(sql=log), sleep=sleep, failures=tmp_path / "failures") as run:
        connection.execute("BEGIN IMMEDIATE")
        assert run.run(call(action, 1, 1, "there")) == "done"
    connection.close()
    assert logged(log) == [(1, "there")]
    assert pauses == [0.5, 2.0]
    assert not (tmp_path / "failures").exists()


def started(*values: object) -> Any:
    """Returns the parameters of a test that starts a process."""
    return pytest.param(*values, marks=pytest.mark.processes)


@pytest.mark.parametrize(
    ("action", "arguments", "reason"),
    [
        (Sql("INSERT INTO NONE VALUES (:1)"), (1,), "no such table: NONE"),
        (Sql("INSRT INTO LOG VALUES (:1)"), (1,), "syntax error"),
        (Sql("INSERT INTO LOG VALUES (:1, :1)"), ("x",), "datatype mismatch"),
        (Sql("INSERT INTO LOG VALUES (1, :1)"), ("\ud800",), "surrogates"),
        started(System("sh -c 'no-such-program $1' sh %d"), (1,), "ended with status 127"),
        started(System("sh -c 'exit $1' sh %s"), ("126",), "ended with status 126"),
        started(System("echo %s"), ("a\0b",), "null byte"),
        (Write("%d", "/dev/null/file"), (1,), "cannot be written: Not a directory"),
    ],
)  # fmt: skip
def test_what_cannot_pass_is_not_tried_again(
    action: Action, arguments: tuple[Value, ...], reason: str, log: str
) -> None:
    told: list[Failure] = []
    permissions = Permissions(sql=log, exec=True, write=(Path("/"),))
    allowed = Write("%d") if isinstance(action, Write) else action  # the folder went after the program was looked at
    with runner(allowed, 1, permissions, on_failure=told.append, sleep=pytest.fail) as run:
        assert run.run(call(action, 1, *arguments)) == "failed"
    assert reason in told[0].reason
    assert told[0].attempts == 1


@pytest.mark.processes
def test_what_fails_again_and_again_is_recorded_with_its_event_and_the_run_goes_on(tmp_path: Path) -> None:
    told: list[Failure] = []
    pauses: list[float] = []
    action = System("sh -c 'test $1 -ne 1' sh %d")
    options: Any = {
        "failures": tmp_path / "failures", "ledger": tmp_path / "ledger",
        "on_failure": told.append, "sleep": pauses.append,
        "retrying": RetryPolicy(attempts=6, pause=1, factor=10, longest=50, whole=200),
    }  # fmt: skip
    with runner(action, 1, **options) as run:
        assert [run.run(call(action, number, number)) for number in (1, 2, 1)] == ["failed", "done", "failed"]
        assert run.outcomes == {"failed": 1, "done": 1}
    with runner(action, 1, **options) as run:
        assert run.waiting == 1
        assert run.run(call(action, 1, 1)) == "failed before"
    assert pauses == [1, 10, 50, 50, 50]
    [line] = (tmp_path / "failures").read_text().splitlines()
    record = json.loads(line)
    assert record["event"]["term"] == {"large": {"Accno": 1}}
    assert record["event"]["id"] == event(1).id
    assert (record["rule"], record["arguments"], record["attempts"]) == ("bank.large", [1], 6)
    assert record["text"] == "sh -c 'test $1 -ne 1' sh %d"
    assert record["reason"] == "sh ended with status 1"
    assert [failure.call.event for failure in told] == [event(1)]


def test_what_failed_is_tried_again_when_asked_for_and_what_is_done_is_not(tmp_path: Path, log: str) -> None:
    into, ledger = Sql("INSERT INTO LATER VALUES (:1, :2)"), tmp_path / "ledger"
    options: Any = {"ledger": ledger, "failures": tmp_path / "failures"}
    with runner(into, 2, Permissions(sql=log), **options) as run:
        assert [run.run(call(into, n, n, Term("a", [n]))) for n in (2, 1)] == ["failed", "failed"]
    with runner(into, 2, Permissions(sql=log), **options) as run:
        assert run.retry_failed() == 0
        assert run.run(call(into, 1, 1, Term("a", [1]))) == "failed"
        assert run.outcomes == {"failed": 2}
    connection = sqlite3.connect(log.removeprefix("sqlite:"))
    connection.execute("CREATE TABLE LATER (n, note)")
    other = Sql("INSERT INTO LOG VALUES (:1, :2)")
    with runner(other, 2, Permissions(sql=log), **options) as run:
        assert run.retry_failed() == 2  # their action is gone
    for expected in ({"done": 2}, {}):
        with runner(into, 2, Permissions(sql=log), **options) as run:
            assert run.retry_failed() == 0
            assert run.outcomes == expected
            assert run.run(call(into, 1, 1, Term("a", [1]))) == "repeated"
    assert connection.execute("SELECT * FROM LATER").fetchall() == [(2, '{"a": 2}'), (1, '{"a": 1}')]
    connection.close()
    assert len((tmp_path / "failures").read_text().splitlines()) == 4


def test_a_kill_while_a_failed_text_is_written_again_does_not_lose_it(tmp_path: Path) -> None:
    action = Write("%d\n", str(tmp_path / "file"))
    one = call(action, 1, 1)
    ledger = Ledger(tmp_path / "ledger")
    ledger.note(one.key, Entry("failed", call=stored(one)))
    ledger.note(one.key, Entry("started", 0))  # and then it was killed
    ledger.close()
    for _ in range(2):
        with runner(action, 1, ledger=tmp_path / "ledger") as run:
            run.retry_failed()
    assert (tmp_path / "file").read_text() == "1\n"


def test_while_something_does_not_work_what_needs_it_is_tried_once(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "_WAIT_SECONDS", 0)
    action, pauses = Sql("INSERT INTO LOG VALUES (:1, NULL)"), list[float]()
    connection = sqlite3.connect(log.removeprefix("sqlite:"), isolation_level=None)
    with runner(action, 1, Permissions(sql=log), sleep=pauses.append) as run:
        for statement, numbers in (("BEGIN IMMEDIATE", (1, 2, 3)), ("COMMIT", (4,)), ("BEGIN IMMEDIATE", (5,))):
            connection.execute(statement)
            for number in numbers:
                run.run(call(action, number, number))
        connection.execute("COMMIT")
    connection.close()
    assert pauses == [0.5, 2.0, 8.0] * 2
    assert [row[0] for row in logged(log)] == [4]


@pytest.mark.processes
def test_no_attempt_begins_later_than_a_minute_after_the_first() -> None:
    pauses: list[float] = []
    action, told = System("false"), list[Failure]()
    retrying = RetryPolicy(attempts=9, pause=20, factor=2, longest=90)
    with runner(action, 0, on_failure=told.append, sleep=pauses.append, retrying=retrying) as run:
        assert run.run(call(action, 1)) == "failed"
    assert pauses == [20, 40]  # the third would be 80; no time passes in this test
    assert told[0].attempts == 3


def test_a_failure_that_cannot_be_recorded_ends_the_run(tmp_path: Path) -> None:
    action = Write("%d\n")
    with runner(action, 1, failures=tmp_path / "f", ledger=tmp_path / "ledger", output=io.BytesIO()) as run:
        (tmp_path / "f").mkdir()
        with pytest.raises(EngineError, match=r"%d takes a whole number.*cannot be recorded in .*: Is a directory"):
            run.run(call(action, 1, "Ann"))
        assert run.waiting == 0


def test_a_value_that_does_not_fit_its_format_is_not_tried_again() -> None:
    told: list[Failure] = []
    action = Write("%d\n")
    with runner(action, 1, output=io.BytesIO(), on_failure=told.append, sleep=pytest.fail) as run:
        assert run.run(call(action, 1, "Ann")) == "failed"
    assert told[0].reason == '%d takes a whole number, found "Ann"'


@pytest.mark.processes
def test_a_program_knows_for_which_event_it_is_called(tmp_path: Path) -> None:
    output, action = io.BytesIO(), System("printenv CERA_ACTION")
    with runner(action, 0, output=output) as run:
        run.run(call(action, 1))
    assert output.getvalue().decode() == f"{event(1).id} bank.large {mark(action, ())}\n"


@pytest.mark.parametrize(
    ("action", "arguments", "expected"),
    [
        (Sql("DELETE FROM ACC"), 0, "bank.epl:7:6: the SQL command of the rule bank.large is not allowed; give"),
        (System("echo"), 0, "the operating system call of the rule bank.large is not allowed; give `allow_exec`"),
        (Write("%d\n"), 0, "bank.epl:7:6: the write of the rule bank.large: the format has places for 1 value"),
        (Write("x", "no/such/file"), 0, "there is no folder no/such to write file to"),
        (Write("x", "/"), 0, "/ is a folder"),
    ],
)  # fmt: skip
def test_what_is_wrong_or_not_allowed_is_refused_before_anything_runs(
    action: Action, arguments: int, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as caught:
        runner(action, arguments, Permissions(write=(Path.cwd(), Path("/"))), ledger=tmp_path / "ledger")
    assert expected in str(caught.value)
    assert not (tmp_path / "ledger").exists()


def test_all_refused_actions_are_told_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        ActionRunner([planned(System("echo"), 0), planned(Sql("x"), 0)], Permissions())
    assert len(str(caught.value).splitlines()) == 2


def test_a_database_that_is_away_is_told_before_anything_runs(log: str) -> None:
    action = Sql("DELETE FROM LOG")
    with pytest.raises(UnreachableError):
        runner(action, 0, Permissions(sql="postgresql://me@localhost:1/x"))
    with pytest.raises(UsageError, match="is not there"):
        runner(action, 0, Permissions(sql="sqlite:nowhere.db"))


def test_files_that_cannot_be_written_are_told_before_anything_runs(tmp_path: Path) -> None:
    for options in ({"failures": tmp_path / "no" / "f"}, {"ledger": tmp_path}):
        with pytest.raises(UsageError):
            runner(Write("x"), 0, **options)
