"""`cera stream` of event types with timers, between rules: what `cera run` gives, over a restart."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from event_type_rooms import LABELS, records, write_files, write_program
from unit.cli.command_line import Cera, terms

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

SECONDS = 60


def test_event_types_between_rules_detect_in_a_stream_what_they_do_in_a_recording(cera: Cera, folder: Path) -> None:
    program = write_program(folder)
    (folder / "in").mkdir()
    events = records(Random(3), SECONDS)
    options = ("--source", "in", "--sink", "out", "--checkpoint", "state", "--max-delay", "3 sec", "--once")
    told = ""
    for number, part in enumerate((events[:30], events[30:])):
        write_files(folder / "in", part, 1, number)
        result = cera("stream", *program, *options, "--time-unit", "s")
        assert result.exit_code == 0, result.stderr
        told += result.stderr
    # the last event is at SECONDS + 30; what is decided lies three seconds before it
    recorded = ("--events", "in", "--time-unit", "s", "--until", str(SECONDS + 26), "--as", "jsonl")
    expected, spark = (cera("run", *program, *recorded, "--engine", engine) for engine in ("local", "spark"))
    assert expected.exit_code == spark.exit_code == 0, expected.stderr + spark.stderr
    assert spark.stdout == expected.stdout
    lines = [line for file in sorted((folder / "out").glob("*.jsonl")) for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(expected.stdout.splitlines())
    assert {label for term in terms(expected.stdout) for label in term} == LABELS
    # a door of no room opens nothing, and the temperature of no room belongs to no history
    given = [term for record in events for term in record["term"].items()]
    without = sum(label == "temp" and "room" not in content for label, content in given)
    assert f"\n{without} events lacked the attribute" in expected.stderr
    assert f"\n{without} events lacked the attribute" in spark.stderr
    counted = re.findall(r"derived, .*, (\d+) events? without the attribute", told)
    assert sum(map(int, counted)) == without > 1
