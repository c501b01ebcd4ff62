"""Whole runs of programs that are split, some rules in columns and the others event by event, against runs event by
event alone: the same lines, counts and exit status, in batches of any size.

What both share are the reading of events, the plan of the algebra, and the processors of rules that are not in columns;
the reference is held against the latter in `test_local`.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.connectors import read_times
from cera.engines.columns import line_blocks, readings
from cera.running import columns_flow
from cera.running.split_recording import SplitRecording
from hypothesis_profiles import examples
from properties.flat_programs import json_line, mixed_case
from properties.local_runs import in_order

#: How many events are in a batch.
BATCHES = (1, 7, 1_000, 10**9)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often groups took a batch in columns, and event by event."""
    found: Counter[str] = Counter()
    in_columns = SplitRecording._in_columns

    def watched(self: SplitRecording, *arguments: Any) -> Any:
        answers = in_columns(self, *arguments)
        found["event by event" if answers is None else "columns"] += 1
        return answers

    monkeypatch.setattr(SplitRecording, "_in_columns", watched)
    return found


@pytest.mark.parametrize(
    "tried", [pytest.param(examples(12), id="short"), pytest.param(1_000, id="long", marks=pytest.mark.long)]
)
def test_a_split_program_is_answered_as_it_is_event_by_event(
    tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ways: Counter[str]
) -> None:
    monkeypatch.setattr(read_times, "_LARGE", 0)
    program, recording = tmp_path / "program.xceq", tmp_path / "events.jsonl"
    command = ["run", str(program), "--events", str(recording), "--time-unit", "us", "--engine", "local"]
    split = 0
    for seed in range(tried):
        case = mixed_case(seed)
        program.write_text(case.text)
        recording.write_text("".join(f"{json_line(event)}\n" for event in in_order(case.events)))
        monkeypatch.setenv(columns_flow.SWITCH, "0")
        expected = CliRunner().invoke(main, command)
        assert expected.exit_code in (0, 7), (seed, expected.stderr)
        monkeypatch.setenv(columns_flow.SWITCH, "1")
        before = ways.copy()
        for size in BATCHES:
            chance = random.Random(seed + size)
            monkeypatch.setattr(columns_flow, "BATCH", size)
            monkeypatch.setattr(columns_flow, "MOST_KEPT", chance.choice((3, 1_000, 1_000)))
            monkeypatch.setattr(line_blocks, "BLOCK", chance.choice((100, 2_000, 1 << 22)))
            monkeypatch.setattr(readings, "LOOKED_AT_FROM", chance.choice((1, 1_000)))
            run = CliRunner().invoke(main, command)
            found = (run.stdout, run.stderr, run.exit_code)
            assert found == (expected.stdout, expected.stderr, expected.exit_code), f"seed {seed}, batches of {size}"
        split += all(ways[way] > before[way] for way in ("columns", "event by event"))
    assert split >= tried // 4
