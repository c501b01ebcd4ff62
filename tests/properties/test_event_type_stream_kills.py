"""A stream of event types with timers, between rules, that is killed at random moments detects everything, once."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from event_type_rooms import LABELS, records, write_files, write_program
from properties.killing import run_with_kills
from unit.cli.command_line import terms

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.xdist_group("spark")]

KILLS = 4
FILES = 40
SECONDS = 400


def test_a_stream_of_event_types_that_is_killed_gives_what_it_gives_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(6)
    (tmp_path / "in").mkdir()
    program = write_program(tmp_path)
    write_files(tmp_path / "in", records(chance, SECONDS), FILES)
    command = [sys.executable, "-m", "cera", "stream", *program, "--source", "in", "--sink", "out"]
    command += ["--checkpoint", "state", "--max-delay", "3 sec", "--time-unit", "s", "--files-per-batch", "1"]
    lines = run_with_kills(tmp_path, [*command, "--buckets", "2"], KILLS, chance)

    monkeypatch.chdir(tmp_path)
    recorded = ["--events", "in", "--time-unit", "s", "--until", str(SECONDS + 26), "--as", "jsonl"]
    expected = CliRunner().invoke(main, ["run", *program, *recorded, "--engine", "local"])
    assert expected.exit_code == 0, expected.stderr
    assert sorted(lines) == sorted(expected.stdout.splitlines())
    assert {label for term in terms(expected.stdout) for label in term} == LABELS
