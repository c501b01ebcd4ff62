"""Whole runs with columns against the reference: random programs of all kinds, in batches of any size.

A run may answer all of a recording in columns, or hand it over to the event-by-event engine at any batch, because of
its events, or before the first one, because of its program. What it shares with the reference are the reading of events
and the plan of the algebra.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.connectors import read_times
from cera.connectors.event_lines import event_line
from cera.engines.columns import line_blocks, readings
from cera.engines.columns.recording import ColumnsRecording
from cera.model.time.time_text import TimeFormat
from cera.program import load
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.flat_programs import FlatCase, chained_case, choosing_case, flat_case, json_line
from properties.generator import FEATURES, seeded_case
from properties.local_runs import in_order

TIMES = TimeFormat("us")
#: How many events are in a batch.
BATCHES = (1, 7, 1_000, 10**9)
#: Calendars are files of their own.
KINDS = FEATURES - {"calendar", "periodic"}
#: A run in which no event has a label that is asked for ends with the second.
SUCCESSES = (0, 7)


def general_case(seed: int) -> FlatCase:
    case = seeded_case(seed, KINDS)
    return FlatCase(case.text, case.events)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What became of the batches that came to columns."""
    found: Counter[str] = Counter()
    for name in ("answer", "answer_tables"):
        answer = getattr(ColumnsRecording, name)

        def watched(self: ColumnsRecording, *arguments: Any, answer: Any = answer) -> Any:
            found["asked"] += 1
            answered = answer(self, *arguments)
            found["answered"] += 1
            return answered

        monkeypatch.setattr(ColumnsRecording, name, watched)
    return found


@pytest.mark.parametrize(
    ("make", "least"),
    [
        pytest.param(flat_case, 4, id="flat"),
        pytest.param(chained_case, 4, id="chained"),
        pytest.param(choosing_case, 4, id="choosing"),
        pytest.param(general_case, 0, id="all kinds"),
    ],
)
@pytest.mark.parametrize(
    "tried", [pytest.param(examples(12), id="short"), pytest.param(1_000, id="long", marks=pytest.mark.long)]
)
def test_a_recording_in_batches_of_any_size_has_the_answers_of_the_reference(
    tried: int,
    make: Callable[[int], FlatCase],
    least: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ways: Counter[str],
) -> None:
    """`least`: of so many programs one at least has a batch that is answered in columns."""
    monkeypatch.setenv("CERA_COLUMNS", "1")
    monkeypatch.setattr(read_times, "_LARGE", 0)
    in_columns = 0
    for seed in range(tried):
        case = make(seed)
        program = load(case.text).checked()
        expected = [
            json.dumps(event_line(one, TIMES), ensure_ascii=False)
            for one in run_by_definition(program, case.events).derived
        ]
        (tmp_path / "program.xceq").write_text(case.text)
        (tmp_path / "events.jsonl").write_text("".join(f"{json_line(event)}\n" for event in in_order(case.events)))
        before = ways["answered"]
        for size in BATCHES:
            monkeypatch.setattr("cera.running.columns_flow.BATCH", size)
            chance = random.Random(seed + size)
            monkeypatch.setattr(line_blocks, "BLOCK", chance.choice((100, 2_000, 1 << 22)))
            monkeypatch.setattr(readings, "LOOKED_AT_FROM", chance.choice((1, 1_000)))
            monkeypatch.setattr("cera.running.columns_flow.MOST_KEPT", chance.choice((3, 1_000, 1_000)))
            files = (str(tmp_path / "program.xceq"), "--events", str(tmp_path / "events.jsonl"))
            run = CliRunner().invoke(main, ["run", *files, "--time-unit", "us", "--engine", "local", "--quiet"])
            assert run.exit_code in SUCCESSES, (seed, run.stderr)
            assert run.stdout.splitlines() == expected, f"seed {seed}, batches of {size}"
        in_columns += ways["answered"] > before
    assert not least or in_columns >= tried // least
