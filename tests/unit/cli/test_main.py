"""The command as a whole: help, exit statuses, failures that are ours, terminals and pipes."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cera
from cera.errors import DataError, EngineError, ProgramError, UsageError
from unit.cli.command_line import Cera, terms, write_lines

RUN = ("run", "fire.xceq", "--events", "events.jsonl", "--time-unit", "s")
COMMANDS = ("check", "explain", "fmt", "run", "why")


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cera", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_the_version_is_told(cera: Cera) -> None:
    result = cera("--version")
    assert (result.exit_code, result.stdout) == (0, "cera, version 0.1.0\n")


def test_help_lists_every_command(cera: Cera) -> None:
    result = cera("--help")
    assert result.exit_code == 0
    assert all(f"\n  {command} " in result.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_an_example(cera: Cera, command: str) -> None:
    result = cera(command, "--help")
    assert result.exit_code == 0
    assert f"\n    cera {command} " in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("frobnicate",),
        ("run",),
        ("run", "fire.xceq"),
        ("check",),
        ("check", "--frob", "fire.xceq"),
        (*RUN, "--until"),
    ],
)
def test_a_wrong_command_line_ends_with_status_2(cera: Cera, arguments: tuple[str, ...]) -> None:
    result = cera(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert any(word in result.stderr for word in ("Usage: ", "Error: "))


@pytest.mark.parametrize(
    ("error", "status"), [(UsageError("it"), 2), (DataError("it"), 3), (EngineError("it"), 4), (ProgramError([]), 1)]
)
def test_every_error_of_ours_has_its_status_and_no_traceback(
    cera: Cera, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("cera.cli.run.answer", fail)
    result = cera(*RUN)
    assert result.exit_code == status
    assert result.stderr == ("" if status == 1 else "error: it\n")


@pytest.mark.parametrize("error", [ValueError("oops"), RecursionError("oops"), AssertionError("oops")])
def test_an_unexpected_exception_is_called_a_bug_of_ours(
    cera: Cera, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("cera.cli.run.answer", fail)
    monkeypatch.delenv("CERA_DEBUG", raising=False)
    result = cera(*RUN)
    assert result.exit_code == 4
    assert f"internal error: {type(error).__name__}: oops; this is a bug in cera" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("CERA_DEBUG", "1")
    result = cera(*RUN)
    assert result.exit_code == 4
    assert "Traceback" in result.stderr
    assert "this is a bug in cera" in result.stderr


def test_an_interrupt_ends_quietly(cera: Cera, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cera.cli.run.answer", interrupt)
    result = cera(*RUN)
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


def test_on_a_terminal_the_events_are_a_table(cera: Cera, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.cli.run.on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    result = cera(*RUN, "--base")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.stdout.splitlines() if "│" in line]
    assert ["60", "63", 'temp{area{"a"}, sensor{"s"}, value{40}}', ""] in rows
    assert ["65", "80", 'fire{area{"a"}}', "fire"] in rows
    assert len(rows) == 6
    assert all(word in result.stdout for word in ("begin", "end", "event", "rule"))


def test_a_narrow_terminal_loses_nothing_of_an_event(cera: Cera, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.cli.run.on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    result = cera(*RUN, "--select", "avg_temp")
    cells = [line.split("│")[3].strip() for line in result.stdout.splitlines() if "│" in line]
    assert "".join(cells).replace(" ", "") == 'avg_temp{sensor{"s"},value{40}}'


def test_an_event_cannot_steer_the_terminal(cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.cli.run.on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    write_lines(folder / "events.jsonl", ['{"at": 1, "term": {"smoke": {"area": "[bold]\\u009b2J"}}}'])
    result = cera(*RUN, "--base")
    assert 'smoke{area{"[bold]\\x9b2J"}}' in result.stdout


def test_out_is_written_as_lines_even_on_a_terminal(cera: Cera, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cera.cli.run.on_terminal", lambda: True)
    assert cera(*RUN, "--out", "alarms.jsonl").stdout == ""
    assert len(terms((folder / "alarms.jsonl").read_text())) == 3


@pytest.mark.usefixtures("folder")
@pytest.mark.processes
def test_the_module_runs_as_the_command() -> None:
    done = shell(*RUN)
    assert done.returncode == 0
    assert len(terms(done.stdout)) == 3
    assert "3 events derived" in done.stderr


@pytest.mark.processes
def test_the_status_reaches_the_shell(folder: Path) -> None:
    (folder / "bad.xceq").write_text("DETECT a{ var X } ON event b: b{{}} END")
    write_lines(folder / "bad.jsonl", ["nonsense"])
    assert shell("check", "bad.xceq").returncode == 1
    assert shell("check", "none.xceq").returncode == 2
    assert shell("run", "fire.xceq", "--events", "bad.jsonl", "--strict").returncode == 3
    assert shell("check", "bad.xceq").stdout == ""


@pytest.mark.processes
def test_lines_are_utf_8_whatever_the_terminal_speaks(folder: Path) -> None:
    write_lines(folder / "events.jsonl", ['{"at": 1, "term": {"smoke": {"area": "Küche 火"}}}'])
    done = shell(*RUN, "--base", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert terms(done.stdout) == [{"smoke": {"area": "Küche 火"}}]


@pytest.mark.usefixtures("folder")
@pytest.mark.processes
def test_a_reader_that_goes_away_ends_the_command_without_a_word() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "cera", *RUN]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.usefixtures("folder")
@pytest.mark.processes
def test_a_real_terminal_gets_a_table_and_no_leftovers_of_the_progress() -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "cera", *RUN]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    output = b""
    while select.select([master], [], [], 60)[0]:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # how Linux tells the end of a terminal
            break
        if not chunk:
            break
        output += chunk
    _, said = process.communicate(timeout=60)
    os.close(master)
    assert process.returncode == 0
    assert "burnt_down" in output.decode()
    assert '{"begin"' not in output.decode()
    assert b"\x1b" not in said
    assert b"3 events derived" in said


def imported_by(*arguments: str) -> set[str]:
    """The modules that a command imports."""
    script = (
        "import sys; from cera.cli.main import main; main(sys.argv[1:], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.processes
def test_the_version_is_said_without_importing_what_it_does_not_need() -> None:
    found = imported_by("--version")
    assert not found & {"rich", "lark", "pyspark", "pyarrow", "hypothesis", "cera.program", "importlib.metadata"}
    assert len({name for name in found if name.startswith("cera.")}) < 15


@pytest.mark.processes
def test_a_check_needs_no_engine_of_spark_no_tables_and_no_other_language(tmp_path: Path) -> None:
    program = tmp_path / "a.xceq"
    program.write_text("DETECT b{} ON event a: a{{}} END\n")
    found = imported_by("check", str(program))
    assert not found & {"rich", "pyspark", "pyarrow", "psycopg"}
    assert {name for name in found if name.endswith(".compilation")} == {"cera.languages.xchangeeq.compilation"}


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert cera.__version__ == project["project"]["version"]
