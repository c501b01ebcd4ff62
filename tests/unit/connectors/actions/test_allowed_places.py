"""Actions reach what is allowed and nothing else: files below folders, one database, no code out of events."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import cera
from cera.connectors.actions.action import Action, Call, PlannedAction, Sql, System, Write
from cera.connectors.actions.failure import Failure
from cera.connectors.actions.permissions import Permissions
from cera.connectors.actions.runner import ActionRunner
from cera.errors import ProgramError, UsageError
from cera.testing import event

HAPPENED = event("a{v{1}}", 1)


def planned(action: Action) -> PlannedAction:
    return PlannedAction("m.r", "m.epl:1:1", action)


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    (tmp_path / "allowed" / "deep").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    return tmp_path / "allowed"


@pytest.mark.parametrize("name", ["log.txt", "deep/log.txt", "deep/../log.txt", "../allowed/log.txt"])
def test_a_file_below_an_allowed_folder_is_written(allowed: Path, name: str) -> None:
    action = Write("x", f"{allowed}/{name}")
    with ActionRunner([planned(action)], Permissions(write=(allowed,))) as runner:
        assert runner.run(Call("m.r", HAPPENED, action)) == "done"
    assert (allowed / name).read_text() == "x"


@pytest.mark.parametrize(
    "name", ["../other/log.txt", "../allowed2.txt", "deep/../../other/log.txt", "link/log.txt", "link.txt", "loop/x"]
)
def test_a_file_elsewhere_is_refused_before_anything_runs(allowed: Path, name: str) -> None:
    (allowed / "link").symlink_to(allowed.parent / "other")
    (allowed / "link.txt").symlink_to(allowed.parent / "other" / "file.txt")
    (allowed / "loop").symlink_to(allowed / "loop")
    with pytest.raises(UsageError, match='is not allowed; give `allow_write="DIR"`'):
        ActionRunner([planned(Write("x", f"{allowed}/{name}"))], Permissions(write=(allowed,)))
    assert list((allowed.parent / "other").iterdir()) == []


def test_without_a_folder_no_file_is_written_and_standard_output_is() -> None:
    with pytest.raises(UsageError, match='is not allowed; give `allow_write="DIR"`'):
        ActionRunner([planned(Write("x", "log.txt"))], Permissions(exec=True))
    ActionRunner([planned(Write("x"))], Permissions()).close()


def test_a_link_that_comes_in_the_way_later_is_not_followed(allowed: Path) -> None:
    action, told = Write("x", f"{allowed}/log.txt"), list[Failure]()
    with ActionRunner([planned(action)], Permissions(write=(allowed,)), on_failure=told.append) as runner:
        (allowed / "log.txt").symlink_to(allowed.parent / "other" / "file.txt")
        assert runner.run(Call("m.r", HAPPENED, action)) == "failed"
    assert "not below a folder of `allow_write`" in told[0].reason
    assert list((allowed.parent / "other").iterdir()) == []


def test_python_allows_folders_as_well(allowed: Path) -> None:
    program = cera.load(f'begin M monitor a; R: a(X) -> write to "{allowed}/log.txt" ("%s\\n", X.v). end.')
    answer = program.run([HAPPENED], engine="local")
    with pytest.raises(UsageError, match='give `allow_write="DIR"`'):
        cera.perform(program, answer)
    for folders in (allowed, str(allowed), ["elsewhere", allowed]):
        assert cera.perform(program, answer, allow_write=folders).done == 1
    assert (allowed / "log.txt").read_text() == "1\n1\n1\n"


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH DATABASE '{}' AS other",
        "DETACH DATABASE main",
        "VACUUM INTO '{}'",
        "SELECT load_extension('{}')",
        "PRAGMA journal_mode = WAL",
        "PRAGMA temp_store_directory = '{}'",
        "PRAGMA writable_schema = 1",
        "SELECT writefile('{}', 'x')",
    ],
)
def test_a_command_of_sqlite_reaches_no_other_file(tmp_path: Path, statement: str) -> None:
    database, other = tmp_path / "log.db", tmp_path / "other.db"
    sqlite3.connect(database).close()
    database.touch()
    action, told = Sql(statement.format(other)), list[Failure]()
    with ActionRunner([planned(action)], Permissions(sql=f"sqlite:{database}"), on_failure=told.append) as runner:
        assert runner.run(Call("m.r", HAPPENED, action)) == "failed"
    assert told[0].attempts == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.db"]


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE t AS SELECT upper('x') AS a", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master"],
)
def test_other_commands_of_sqlite_run(tmp_path: Path, statement: str) -> None:
    (tmp_path / "log.db").touch()
    action = Sql(statement)
    with ActionRunner([planned(action)], Permissions(sql=f"sqlite:{tmp_path / 'log.db'}")) as runner:
        assert runner.run(Call("m.r", HAPPENED, action)) == "done"


def test_a_value_in_the_code_of_a_shell_is_refused_by_check_and_by_who_runs_actions() -> None:
    program = cera.load("""begin M monitor a; R: a(X) -> system("sh -c 'echo %s'", X.v). end.""")
    assert [problem.code for problem in program.errors] == ["EP403"]
    with pytest.raises(ProgramError):
        program.run([HAPPENED])
    with pytest.raises(UsageError, match="`sh` would read a value as code"):
        ActionRunner([planned(System("sh -c 'echo %s'"))], Permissions(exec=True))


@pytest.mark.processes
def test_a_value_beside_the_code_of_a_shell_is_never_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = cera.load("""begin M monitor a; R: a(X) -> system("sh -c 'echo \\"$1\\"' sh %s", X.v). end.""")
    value = f"$(touch {tmp_path / 'ran'})`touch {tmp_path / 'ran'}`"
    cera.perform(program, program.run([event(f'a{{v{{"{value}"}}}}', 1)], engine="local"), allow_exec=True)
    assert capfd.readouterr().out == f"{value}\n"
    assert not (tmp_path / "ran").exists()
