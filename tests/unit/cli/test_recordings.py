"""`cera run` over recordings in any order: what flows through the local engine is what the reference has in memory."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cera.cli.main import main
from cera.connectors import ordering
from hypothesis_profiles import examples
from unit.cli.command_line import Cera, records, write_lines

OPTIONS = (
    (),
    ("--base",),
    ("--base", "--select", "temp,fire"),
    ("--base", "--until", "40"),
    ("--as", "table"),
    ("--as", "table", "--base"),
    ("--until", "40"),
    ("--max-duration", "5 sec"),
)


def _record(draw: st.DrawFn) -> str:
    begin = draw(st.integers(0, 80))
    end = begin + draw(st.sampled_from([0, 0, 3, 20]))
    area, sensor = draw(st.sampled_from("ab")), draw(st.sampled_from("st"))
    temp = {"temp": {"area": area, "sensor": sensor, "value": draw(st.sampled_from([38, 41, 42.5]))}}
    term = draw(st.sampled_from([temp, temp, {"smoke": {"area": area}}, {"fire": {"area": area}}]))
    return draw(st.sampled_from([json.dumps({"begin": begin, "end": end, "term": term})] * 12 + ["nonsense"]))


@st.composite
def recordings(draw: st.DrawFn) -> list[list[str]]:
    return [[_record(draw) for _ in range(draw(st.integers(0, 12)))] for _ in range(draw(st.integers(1, 3)))]


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=recordings(), options=st.sampled_from(OPTIONS), most=st.sampled_from([2, 100_000]))
def test_a_recording_that_flows_gives_the_lines_and_counts_of_one_in_memory(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: list[list[str]],
    options: tuple[str, ...],
    most: int,
) -> None:
    monkeypatch.setattr(ordering, "MOST_IN_MEMORY", most)
    paths = []
    for number, lines in enumerate(files):
        write_lines(folder / f"{number}.jsonl", lines)
        paths += ["--events", f"{number}.jsonl"]
    answers = set()
    for engine in ("reference", "local"):
        rejected = folder / "rejected.jsonl"
        arguments = ["run", "fire.xceq", *paths, "--time-unit", "s", "--rejected", str(rejected), *options]
        result = CliRunner().invoke(main, [*arguments, "--engine", engine])
        places = sorted(record["place"] for record in records(rejected.read_text()))
        answers.add((result.exit_code, result.stdout, result.stderr, tuple(places)))
    assert len(answers) == 1, answers


def test_events_of_standard_input_are_sorted_too(cera: Cera) -> None:
    lines = [json.dumps({"at": at, "term": {"temp": {"sensor": "s", "value": 41}}}) for at in (50, 10, 30)]
    result = cera("run", "fire.xceq", "--engine", "local", "--events", "-", "--time-unit", "s", input="\n".join(lines))
    found = [(record["rule"], record["end"]) for record in records(result.stdout)]
    assert found == [("burnt_down", 22), ("avg_temp", 30), ("burnt_down", 42), ("avg_temp", 50), ("burnt_down", 62)]


def test_a_strict_run_with_a_malformed_record_writes_and_does_nothing(cera: Cera, folder: Path) -> None:
    (folder / "m.epl").write_text('begin M monitor A; Seen: A(X) as seen(X.n) -> write("%d\\n", X.n). end.')
    write_lines(folder / "a.jsonl", ['{"at": 1, "term": {"A": {"n": 4}}}', "nonsense"])
    result = cera(
        "run", "m.epl", "--engine", "local", "--events", "a.jsonl", "--strict", "--rejected", "bad.jsonl"
    )  # fmt: skip
    assert (result.exit_code, result.stdout) == (3, "")
    assert [record["place"] for record in records((folder / "bad.jsonl").read_text())] == ["a.jsonl:2"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full disk to offer")
@pytest.mark.usefixtures("on_either_engine")
@pytest.mark.parametrize("option", ["--out", "--rejected"])
def test_a_full_disk_is_a_message(cera: Cera, folder: Path, option: str) -> None:
    write_lines(folder / "more.jsonl", [*(folder / "events.jsonl").read_text().splitlines(), "nonsense"])
    result = cera("run", "fire.xceq", "--events", "more.jsonl", "--time-unit", "s", option, "/dev/full")
    assert result.exit_code == 2
    assert "/dev/full cannot be written: No space left on device" in result.stderr


def test_changes_of_a_database_are_copied_and_sorted(cera: Cera, folder: Path) -> None:
    connection = sqlite3.connect(folder / "bank.db", isolation_level=None)
    connection.execute("CREATE TABLE acc (id, amount)")
    assert cera("capture", "--db", "sqlite:bank.db", "--tables", "acc").exit_code == 0
    for amount in range(3):
        connection.execute("INSERT INTO acc VALUES (1, ?)", (amount,))
    # as if the clock had been set back
    connection.execute("UPDATE cera_changes SET committed = '2026-01-01T00:00:0' || (9 - position) || 'Z'")
    connection.close()
    (folder / "m.epl").write_text("begin M monitor insert to acc; In: insert(acc(X)) as seen(X.amount). end.")
    answers = {
        engine: cera("run", "m.epl", "--engine", engine, "--events", "db:sqlite:bank.db", "--time-unit", "us")
        for engine in ("local", "reference")
    }
    assert answers["local"].stdout == answers["reference"].stdout
    assert answers["local"].stderr == answers["reference"].stderr
