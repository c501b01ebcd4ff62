"""A language is a folder, here `tests/toy_language.py`, and one line in LANGUAGES: all commands then know it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.processes

TESTS = Path(__file__).parents[2]
SCRIPT = """
import json, sys
from cera.languages import registry
from toy_language import TOY
registry.LANGUAGES = (*registry.LANGUAGES, TOY)
from click.testing import CliRunner
from cera.cli.main import main
commands = json.load(sys.stdin)
done = [CliRunner().invoke(main, command, input=text) for command, text in commands]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in done]))
"""

COMMANDS = {
    "check": (["check", "fire.toy"], ""),
    "check a wrong one": (["check", "wrong.toy"], ""),
    "check a text": (["check", "-"], "a: b then c"),
    "fmt": (["fmt", "--diff", "fire.toy"], ""),
    "run": (["run", "fire.toy", "--events", "events.jsonl", "--engine", "local"], ""),
    "run by definition": (["run", "fire.toy", "--events", "events.jsonl", "--engine", "reference"], ""),
    "explain": (["explain", "fire.toy"], ""),
    "translate": (["translate", "fire.toy", "--to", "cet"], ""),
    "translate to itself": (["translate", "fire.toy", "--to", "toy"], ""),
    "translate to another": (["translate", "fire.toy", "--to", "datalog"], ""),
    "several": (["check", "fire.toy", "fire.cet", "--enable", "fire.toy"], ""),
    "help": (["--help"], ""),
    "help of translate": (["translate", "--help"], ""),
    "unknown ending": (["check", "fire.txt"], ""),
}


class Done(NamedTuple):
    status: int
    output: str
    messages: str


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Done]:
    """What the commands say, all in one process, in which the language is added before the command line is there."""
    folder = tmp_path_factory.mktemp("toy")
    (folder / "fire.toy").write_text("fire:  smoke then heat\n")
    (folder / "fire.cet").write_text("event smoke;\ncold := ;(fire, smoke);\n")
    (folder / "wrong.toy").write_text("fire: smoke then heat\nfire smoke\n")
    events = [{"at": 1, "term": {"smoke": {}}}, {"at": 5, "term": {"heat": {}}}]
    (folder / "events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    path = os.pathsep.join([str(TESTS), *sys.path])
    answered = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(list(COMMANDS.values())),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
    )
    return {name: Done(*each) for name, each in zip(COMMANDS, json.loads(answered.stdout), strict=True)}


def test_its_programs_are_checked(done: dict[str, Done]) -> None:
    assert done["check"] == (0, "", "1 file, 1 rule: no errors, no warnings\n")
    wrong = done["check a wrong one"]
    assert wrong.status == 1
    assert "error[TY001]: expected `name: first then second`\n  --> wrong.toy:2:1" in wrong.messages


def test_a_text_that_looks_like_it_is_read_as_it(done: dict[str, Done]) -> None:
    assert done["check a text"] == (0, "", "1 file, 1 rule: no errors, no warnings\n")


def test_its_programs_are_formatted(done: dict[str, Done]) -> None:
    assert done["fmt"].output.splitlines()[-2:] == ["-fire:  smoke then heat", "+fire: smoke then heat"]


@pytest.mark.parametrize("command", ["run", "run by definition"])
def test_its_programs_run(done: dict[str, Done], command: str) -> None:
    [derived] = map(json.loads, done[command].output.splitlines())
    assert derived["rule"] == "fire.fire"
    assert derived["term"] == {"fire": {"smoke": {}, "heat": {}}}


def test_its_modules_are_explained(done: dict[str, Done]) -> None:
    assert done["explain"].output.splitlines()[-2:] == ["  pairs:", "    fire: smoke then heat"]


def test_its_modules_are_translated_to_what_it_says(done: dict[str, Done]) -> None:
    assert done["translate"].output == "fire := ;(smoke, heat)\n"
    assert done["translate to itself"].output == "fire: smoke then heat\n"
    refused = done["translate to another"]
    assert (refused.status, refused.messages) == (2, "error: fire: event types have no translation to Datalog\n")


def test_its_modules_are_named_among_those_of_other_languages(done: dict[str, Done]) -> None:
    assert (done["several"].status, done["several"].output) == (0, "")


def test_the_help_and_messages_list_it(done: dict[str, Done]) -> None:
    assert ".toy Toy" in " ".join(done["help"].output.split())
    assert "[xceq|datalog|slog|cet|ihta|clauses|toy|escl|plan|json]" in done["help of translate"].output
    assert "event types of Snoop, and of Toy" in " ".join(done["help of translate"].output.split())
    assert ".toy (Toy)" in done["unknown ending"].messages
