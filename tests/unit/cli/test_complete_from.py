"""From when on events are complete: `--from` of the commands, and `since` in Python."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import cera
from cera.cli.main import main
from cera.testing import event

#: Whoever enters has logged in before. Nobody can know that of an event that is the first of a recording.
BEFORE = """CONSTRAINT logged-in: IF event x: access(user(U)) and w: ["1970-01-01", b(x)]
  THEN while w: event: login(user(U)) END
"""
REACTION = """DETECT alert { user { var U } }
ON event v: violation {{ constraint { "logged-in" }, binding {{ U { var U } }} }} END
"""
EVENTS = ({"at": 10, "term": {"access": {"user": 1}}}, {"at": 20, "term": {"login": {"user": 1}}})
ENGINES = ("local", "reference")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("before.escl").write_text(BEFORE)
    Path("react.xceq").write_text(REACTION)
    Path("events.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in EVENTS))


def run(command: str, *given: str) -> Result:
    return CliRunner().invoke(main, [command, *given, "--events", "events.jsonl", "--time-unit", "s"])


def lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def labels(derived: Any) -> list[str]:
    return sorted(each.event.label for each in derived)


@pytest.mark.parametrize("engine", ENGINES)
def test_rules_react_to_a_violation_that_needs_a_complete_recording(engine: str) -> None:
    program = ("before.escl", "react.xceq", "--engine", engine)
    assert lines(run("run", *program)) == []
    found = lines(run("run", *program, "--from", "1970-01-01"))
    assert [(each["end"], *each["term"]) for each in found] == [(10, "alert"), (10, "violation")]
    assert found[0]["term"] == {"alert": {"user": 1}}
    assert lines(run("run", *program, "--from", "15")) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_why_finds_the_violations_that_verify_has_found(engine: str) -> None:
    verified = run("verify", "before.escl", "--from", "0", "--engine", engine)
    assert verified.exit_code == 6
    (violation,) = lines(verified)
    asked = ("why", "before.escl", "--event", violation["id"], "--engine", engine)
    assert "there is no event with the id" in run(*asked).stderr
    result = run(*asked, "--from", "0")
    assert result.exit_code == 0
    assert "no login(user(U)) while w [0, 10]" in result.stdout
    record = json.loads(run(*asked, "--from", "0", "--json").stdout)
    assert record["events"][0]["derivations"][0]["absent"][0]["query"] == "login(user(U))"


@pytest.mark.parametrize("command", ["run", "why"])
def test_a_program_without_constraints_has_no_use_for_it(command: str) -> None:
    asked = ("--event", "abcd") if command == "why" else ()
    result = run(command, "react.xceq", *asked, "--from", "0")
    assert result.exit_code == 2
    assert "--from is for constraints that are verified, and the program has none" in result.stderr


def test_constraints_that_are_trusted_have_no_use_for_it_and_those_that_are_verified_have() -> None:
    Path("door.xceq").write_text("DETECT opened ON access{{}} END")
    given = ("door.xceq", "--constraints", "before.escl", "--from", "0")
    trusted = run("run", *given)
    assert (trusted.exit_code, "--from is for constraints that are verified" in trusted.stderr) == (2, True)
    found = lines(run("run", *given, "--verify"))
    assert [next(iter(each["term"])) for each in found] == ["opened", "violation"]


def test_settings_of_a_project_are_for_its_programs_without_constraints_too() -> None:
    Path("cera.toml").write_text("from = 0\n")
    Path("door.xceq").write_text("DETECT opened ON access{{}} END")
    rules = run("run", "door.xceq")
    assert (rules.exit_code, [each["term"] for each in lines(rules)]) == (0, [{"opened": {}}])
    found = lines(run("run", "before.escl"))
    assert [next(iter(each["term"])) for each in found] == ["violation"]


@pytest.mark.parametrize("command", ["run", "why"])
def test_an_extent_that_ends_before_it_begins_is_refused(command: str) -> None:
    asked = ("--event", "abcd") if command == "why" else ()
    result = run(command, "before.escl", *asked, "--from", "500", "--until", "100")
    assert result.exit_code == 2
    assert "--from 500 is later than --until 100: there is nothing between them to verify" in result.stderr


@pytest.mark.filterwarnings("ignore::cera.CeraWarning")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("since", [0, "0", datetime(1970, 1, 1, tzinfo=UTC)])
def test_python_takes_it_as_a_time_of_any_kind(engine: Any, since: Any) -> None:
    program = cera.load(["before.escl", "react.xceq"])
    assert labels(program.run("events.jsonl", time_unit="s", engine=engine).derived) == []
    found = program.run("events.jsonl", time_unit="s", engine=engine, since=since).derived
    assert labels(found) == ["alert", "violation"]


@pytest.mark.parametrize(("since", "expected"), [(None, []), ("1970-01-01", ["alert", "violation"])])
def test_a_session_can_be_complete_since_before_its_first_event(since: str | None, expected: list[str]) -> None:
    program = cera.load(["before.escl", "react.xceq"])
    session = program.session(since=since)
    found = session.push(event("access{user{1}}", 10))
    saved = session.save()
    session = program.session(since=since)
    session.restore(saved)
    assert labels([*found, *session.push(event("login{user{1}}", 20)), *session.close()]) == expected


def test_python_refuses_it_in_its_own_words() -> None:
    program = cera.load("before.escl")
    with pytest.raises(cera.UsageError, match='`since="50"` is later than `until="20"`'):
        program.run("events.jsonl", time_unit="s", since="50", until="20")
    with pytest.raises(cera.UsageError, match="`since`: 'soon' is not a time"):
        program.session(since="soon")
    rules = cera.load("react.xceq")
    with pytest.raises(cera.UsageError, match="`since` is for constraints that are verified"):
        rules.session(since=0)
    with pytest.raises(cera.UsageError, match="`since` is for constraints that are verified"):
        rules.run("events.jsonl", time_unit="s", since=0)
