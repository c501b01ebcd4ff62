"""A calculus is a folder, here `tests/toy_calculus.py`, and the line of its language: every engine then runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import toy_calculus
from cera.engines.spark.division.operators import operators
from cera.engines.spark.session.session import session
from cera.model.events.event import Event
from cera.modules.layering import Layers, layered
from cera.modules.rules.module import RuleModule
from cera.program import load
from cera.testing import event
from every_engine import EVERY_ENGINE
from module_runs import run_layers
from properties.streaming_runs import MicroBatches
from toy_calculus import CountingModule

TESTS = Path(__file__).parents[2]
THIRD = CountingModule("third", (("third", 3, "smoke"), ("second", 2, "heat")))
RULE = "DETECT alarm{} ON and { event t: third{{}}, event h: heat{{}} } where { t before h } END"
EVENTS = [event("smoke{}", second) for second in range(1, 8)] + [event("heat{}", second) for second in (5, 9)]
EXPECTED = ["third 3", "third 6", "second 9", "alarm 5", "alarm 9", "alarm 9"]


def program() -> Layers:
    """The rule sees what the module counts."""
    layers, problems = layered([RuleModule(load(RULE).checked()), THIRD])
    assert not problems
    return layers


def told(events: list[Event]) -> list[str]:
    return sorted(f"{one.label} {one.end // 1_000_000}" for one in events)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_every_engine_answers_it_together_with_rules(engine: str) -> None:
    if engine == "spark":  # its Python workers do not have the folder of the tests on their path
        session().sparkContext.addPyFile(toy_calculus.__file__)
    answer = run_layers(program(), EVENTS, engine)
    assert told([each.event for each in answer.derived]) == sorted(EXPECTED)
    assert {each.derivations[0].rule for each in answer.derived} == {"third.third", "third.second", "alarm"}


def test_a_stream_answers_it_in_micro_batches() -> None:
    stream = MicroBatches(operators(program()), 0)
    for second in range(1, 11):
        stream.batch([one for one in EVENTS if one.end == second * 1_000_000])
    stream.batch([event("smoke{}", 20)])
    stream.batch([])
    assert sorted(f"{one.label} {one.end // 1_000_000}" for one in stream.by_kind.derived) == sorted(EXPECTED)


SCRIPT = """
import json, sys
from cera.languages import registry
from toy_calculus import COUNTING
registry.LANGUAGES = (*registry.LANGUAGES, COUNTING)
from click.testing import CliRunner
from cera.cli.main import main
done = [CliRunner().invoke(main, command) for command in json.load(sys.stdin)]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in done]))
"""


@pytest.mark.processes
def test_commands_know_it_by_the_line_of_its_language(tmp_path: Path) -> None:
    (tmp_path / "third.count").write_text("third:  every 3 smoke\n")
    (tmp_path / "alarm.xceq").write_text(RULE)
    lines = [{"at": second, "term": {"smoke": {}}} for second in range(1, 8)] + [{"at": 9, "term": {"heat": {}}}]
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    files = ["third.count", "alarm.xceq"]
    engines = ("local", "reference")
    commands = [
        ["check", *files],
        ["explain", *files],
        *(["run", *files, "--events", "events.jsonl", "--time-unit", "s", "--engine", engine] for engine in engines),
    ]
    answered = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
    )
    checked, explained, *runs = json.loads(answered.stdout)
    assert checked[0] == 0
    assert "2 files, 2 rules: no errors" in checked[2]
    assert "third: every 3 smoke" in explained[1]
    for _, output, _ in runs:
        labels = [next(iter(json.loads(line)["term"])) for line in output.splitlines()]
        assert labels == ["third", "third", "alarm", "alarm"]
