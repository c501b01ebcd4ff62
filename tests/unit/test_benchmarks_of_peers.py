"""The table of systems beside each other: what is asked for, what is counted, what is kept, and what is shown."""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cera.program import load

if TYPE_CHECKING:
    from benchmarks.peers.cells import Cell

ROOT = Path(__file__).parents[2]
EVENTS, SENSORS = 6_000, 1_000


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks.peers.data import generate, name
    finally:
        sys.path.remove(str(ROOT))
    folder = tmp_path_factory.mktemp("recordings")
    generate(EVENTS, folder, SENSORS)
    return folder / f"{name(EVENTS, SENSORS)}.jsonl"


def cell(system: str, task: str, count: int | None = 5, file: str = "sensors-10.jsonl", **more: object) -> Cell:
    from benchmarks.peers.cells import Cell, Place

    figures = {"start": 0.1, "cold": 2.0, "warm": 1.0, "cold_seconds": 3.0, "megabytes": 40.0, "others": 0.5}
    place = Place(system, "1", task, file, str(more.pop("mode", "count")))
    return Cell(place, count, **(figures if count is not None else {}) | more)  # type: ignore[arg-type]


def test_all_is_asked_for_unless_something_is_chosen() -> None:
    from benchmarks.peers.__main__ import chosen

    choice, _ = chosen([])
    assert {"cera", "cera-spark", "cera-stream", "python", "duckdb", "polars", "pyspark", "siddhi", "flink"} < {
        *choice.systems
    }
    assert choice.events == [1_000_000]
    assert {*choice.formats} == {"jsonl", "parquet"}
    assert {*choice.modes} == {"count", "write"}
    arguments = "--peers cera duckdb --rules join all --events 1,000,000 10000000 --formats parquet --modes count"
    choice, given = chosen([*arguments.split(), "--parts", "sensors", "--turns", "1", "--markdown", "table.md"])
    assert (choice.systems, choice.tasks, choice.events) == (["cera", "duckdb"], ["join", "all"], [1_000_000, 10**7])
    assert (choice.formats, choice.modes, choice.parts, choice.turns) == (["parquet"], ["count"], ["sensors"], 1)
    assert given.markdown == Path("table.md")


def test_a_system_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.peers.__main__ import chosen

    with pytest.raises(SystemExit):
        chosen(["--peers", "esper"])
    assert "esper" in capsys.readouterr().err


def test_every_task_has_a_program(tmp_path: Path) -> None:
    from benchmarks.peers.tasks import TASKS

    numbers = {}
    for task in TASKS.values():
        file = tmp_path / f"{task.name}.xceq"
        file.write_text(task.program)
        numbers[task.name] = len(load(file).rules.rules)
    assert numbers["all"] == numbers["loans"] == 3
    assert numbers["join-100-areas"] == numbers["join-100-thresholds"] == 100
    assert "10 min" in TASKS["average-10-windows"].program
    assert "120 sec" in TASKS["absence-10-windows"].program


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["absence", "all", "join-10-windows", "absence-10-windows", "average-10-windows", "join-100-thresholds"],
)
def test_cera_python_and_polars_count_the_same_readings(name: str, recording: Path, tmp_path: Path) -> None:
    from benchmarks.peers import with_cera, with_polars, with_python
    from benchmarks.peers.tasks import TASKS

    task, parquet = TASKS[name], str(recording.with_suffix(".parquet"))
    expected = with_python.answered(task, str(recording), str(tmp_path / "python"))
    assert expected == len((tmp_path / "python").read_text().splitlines())
    assert expected > 0
    assert with_python.answered(task, parquet, None) == expected
    for path in (str(recording), parquet):
        assert with_polars.answered(task, path, None) == expected
        assert with_cera.answered(task, path, None) == expected
    assert with_polars.answered(task, parquet, str(tmp_path / "polars")) == expected
    assert with_cera.answered(task, parquet, str(tmp_path / "cera")) == expected
    assert len((tmp_path / "cera").read_text().splitlines()) == expected


@pytest.mark.slow
def test_cera_python_and_polars_count_what_is_counted_by_hand_over_loans(tmp_path: Path) -> None:
    import pyarrow as pa
    from benchmarks.peers import data, loans, with_cera, with_polars, with_python
    from benchmarks.peers.tasks import LOAN_RULES, TASKS

    draw, at = random.Random(5), datetime(2011, 10, 1, tzinfo=UTC)
    records = []
    for _ in range(3_000):
        at += timedelta(minutes=draw.choice((0, 7, 90)))
        activity = draw.choice(("A_SUBMITTED", "O_SENT", "O_SENT_BACK", "A_APPROVED", "A_DECLINED"))
        case = draw.randrange(400)
        records.append({"at": at.isoformat(), "case": str(case), "activity": activity, "amount": 500 * (case % 7 + 1)})
    file = tmp_path / "loans.jsonl.gz"
    file.write_bytes(gzip.compress("".join(f"{json.dumps(record)}\n" for record in records).encode()))
    expected = loans.by_hand(file)
    assert min(expected.values()) > 20
    events = loans.events(file)
    assert [event["ts"] for event in events] == sorted(event["ts"] for event in events)
    data.write(pa.Table.from_pylist(events), tmp_path / "loans")
    for path in (str(tmp_path / "loans.jsonl"), str(tmp_path / "loans.parquet")):
        for way in (with_cera, with_python, with_polars):
            assert Counter({rule: way.answered(TASKS[rule], path, None) for rule in LOAN_RULES}) == expected


def test_a_recording_is_cut_for_streams(recording: Path) -> None:
    from benchmarks.peers.data import chunks, parts

    lines = recording.read_text().splitlines()
    pieces = [(parts(recording) / name).read_text().splitlines() for name in ("0.jsonl", "1.jsonl")]
    assert sorted(lines) == sorted(pieces[0] + pieces[1])
    for piece in pieces:
        assert [json.loads(line)["ts"] for line in piece] == sorted(json.loads(line)["ts"] for line in piece)
    first, *_, last = sorted(chunks(recording).iterdir(), key=lambda file: file.stat().st_mtime)
    assert first.read_text().splitlines()[:10] == lines[:10]
    end = json.loads(last.read_text())
    assert (end["type"], end["ts"] > json.loads(lines[-1])["ts"]) == ("end", True)
    assert {file.suffix for file in chunks(recording.with_suffix(".parquet")).iterdir()} == {".parquet"}


def test_finished_cells_are_kept_and_failed_ones_tried_again(tmp_path: Path) -> None:
    from benchmarks.peers.cells import Finished

    file = tmp_path / "cells.jsonl"
    good, bad = cell("duckdb", "join"), cell("flink", "join", None, error="it ended")
    once = replace(cell("polars", "join"), warm=None)
    never = cell("siddhi", "join", None, reason="no reader")
    finished = Finished(file)
    for each in (good, bad, once, never):
        finished.add(each)
    kept = Finished(file)
    assert kept.get(good.place, 2) == good
    assert kept.get(bad.place, 1) is None
    assert (kept.get(once.place, 1), kept.get(once.place, 2)) == (once, None)
    assert kept.get(never.place, 2) == never
    assert kept.get(replace(good.place, version="2"), 2) is None


def test_no_cell_is_begun_when_time_is_over(recording: Path, tmp_path: Path) -> None:
    from benchmarks.peers.cells import Finished, Place
    from benchmarks.peers.runner import Choice, cells
    from benchmarks.peers.systems import SYSTEMS

    choice = Choice(("duckdb", "polars"), ("join",), (EVENTS,), ("jsonl",), ("count",), ("sensors",), recording.parent)
    finished = Finished(tmp_path / "cells.jsonl")
    kept = cell("polars", "join", file=recording.name)
    kept = replace(kept, place=Place("polars", SYSTEMS["polars"].version, "join", recording.name, "count"))
    finished.add(kept)
    assert [*cells(choice, finished, until=0)] == [kept]


def test_ten_million_events_are_asked_of_all_systems(tmp_path: Path) -> None:
    from benchmarks.peers.systems import SYSTEMS
    from benchmarks.peers.tasks import TASKS
    from benchmarks.peers.ten_million import choices

    asked = [*choices(tmp_path)]
    assert {system for choice in asked for system in choice.systems} == {*SYSTEMS}
    assert {task for choice in asked for task in choice.tasks} <= {*TASKS}
    assert asked[0].systems == ("cera",)
    assert {choice.events for choice in asked} == {(10_000_000,), (1_000_000, 10_000_000)}


def test_a_count_that_differs_is_marked() -> None:
    from benchmarks.peers.cells import differing
    from benchmarks.peers.report import markdown, table

    parquet = cell("polars", "join", 6, "sensors-10.parquet")
    cells = [cell("cera", "join"), cell("duckdb", "join"), parquet, cell("cera", "all", 6)]
    assert differing(cells, {}) == {parquet.place}
    assert differing(cells, {"all": 7}) == {parquet.place, cells[3].place}
    assert not differing(cells[:2], {})
    assert [*table(cells, {}).columns[4].cells] == ["5", "5", "6 !", "6"]
    assert "(6!)" in markdown([*cells, cell("cera", "join", 5, "sensors-10.parquet")], {})


def test_what_cannot_be_says_why() -> None:
    from benchmarks.peers.report import markdown, table
    from benchmarks.peers.systems import SYSTEMS
    from benchmarks.peers.tasks import TASKS

    reason = SYSTEMS["siddhi"].cannot(TASKS["join"], Path("sensors-10.parquet"))
    assert "Parquet" in reason
    assert not SYSTEMS["siddhi"].cannot(TASKS["join"], Path("sensors-10.jsonl"))
    cells = [cell("cera", "join"), cell("siddhi", "join", None, reason=reason), cell("cera", "all")]
    assert reason in [*table(cells, {}).columns[4].cells]
    assert f"- siddhi: {reason}" in markdown(cells, {})


def test_growth_is_told_from_the_cells() -> None:
    from benchmarks.peers.report import growth

    cells = [
        cell("cera", "join", file="sensors-1000.parquet", warm=1.0),
        cell("cera", "join", file="sensors-10000.parquet", warm=11.0),
        cell("cera", "join", file="sensors-1000000-of-100.parquet", warm=2.0),
        cell("cera", "join", file="sensors-1000000-of-100000.parquet", warm=3.0),
        cell("cera", "join-100-areas", file="sensors-1000.parquet", warm=4.0),
        cell("cera", "join-10-windows", file="sensors-1000.parquet", warm=5.0),
        cell("duckdb", "join", file="sensors-10000.parquet", warm=1.0),
    ]
    assert {(what, system, before, after, times) for what, _, system, before, after, times in growth(cells)} == {
        ("events x10", "cera", "1.00", "11.00", "11.0"),
        ("keys x1,000", "cera", "2.00", "3.00", "1.5"),
        ("rules x100, not sharing", "cera", "1.00", "4.00", "4.0"),
        ("window x10", "cera", "1.00", "5.00", "5.0"),
    }


@pytest.mark.processes
def test_each_turn_of_a_process_is_measured(tmp_path: Path) -> None:
    from benchmarks.peers.measurement import FailedError, measure

    script = tmp_path / "script.py"
    script.write_text(
        "import subprocess, sys\n"
        "from benchmarks.peers.turns import take_turns\n"
        "WORK = 'sum(range(10_000_000))'\n"
        "def work():\n"
        "    print('something else')\n"
        "    subprocess.run([sys.executable, '-c', WORK], check=True)\n"
        "    return 7\n"
        "take_turns(work)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = measure([sys.executable, str(script)], environment, tmp_path, 2, 60)
    assert [turn.count for turn in found.turns] == [7, 7]
    assert all(turn.cpu > 0.05 and turn.seconds > 0 and turn.megabytes > 5 for turn in found.turns)
    script.write_text("raise SystemExit('no such table')")
    with pytest.raises(FailedError, match="no such table"):
        measure([sys.executable, str(script)], environment, tmp_path, 1, 60)
    script.write_text("import time; time.sleep(60)")
    with pytest.raises(FailedError, match="too long"):
        measure([sys.executable, str(script)], environment, tmp_path, 1, 1)
