"""The engines on the command line, and what their options do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.cli.main import main
from cera.running.engine import ENGINES
from every_engine import EVERY_ENGINE

EXAMPLES = Path(__file__).parents[3] / "examples"
FIRE = [
    str(EXAMPLES / "sensors" / "fire.xceq"),
    "--events",
    str(EXAMPLES / "sensors" / "events.jsonl"),
    "--time-unit",
    "s",
]


def run(*arguments: str, input: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(arguments), input=input)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
def test_every_engine_prints_the_same_lines() -> None:
    outputs = {run("run", *FIRE, "--engine", engine)[1] for engine in ENGINES}
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 3


def test_why_answers_alike_on_every_engine() -> None:
    [burnt_down] = [json.loads(line)["id"] for line in run("run", *FIRE, "--select", "burnt_down")[1].splitlines()]
    answers = {run("why", *FIRE, "--event", burnt_down, "--engine", engine)[1] for engine in ENGINES}
    assert len(answers) == 1
    assert "no temp" in answers.pop()


def test_the_engine_is_chosen_and_said_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "engine:" not in run("run", *FIRE)[2]  # the tests set CERA_ENGINE
    monkeypatch.delenv("CERA_ENGINE")
    status, out, err = run("run", *FIRE)
    assert (status, err.splitlines()[0]) == (0, "engine: local (231 bytes of input)")
    assert run("run", *FIRE, "--engine", "local")[1:] == (out, "".join(err.splitlines(keepends=True)[1:]))
    assert run("run", *FIRE, "--max-delay", "1 min")[2].startswith("engine: local (--max-delay is given)\n")
    err = run("why", *FIRE, "--event", json.loads(out.splitlines()[0])["id"])[2]
    assert err == "engine: local (causes are followed in this process)\n"
    err = run("why", *FIRE, "--event", json.loads(out.splitlines()[0])["id"], "--engine", "spark")[2]
    assert err == "engine: local (causes are followed in this process)\n"


@pytest.mark.parametrize(("option", "value"), [("--master", "local[2]"), ("--conf", "spark.ui.enabled=false")])
def test_an_option_of_spark_does_not_go_with_another_engine(option: str, value: str) -> None:
    status, _, err = run("run", *FIRE, "--engine", "local", option, value)
    assert status == 2
    assert f"{option} is for Spark, and --engine is local; give --engine spark, or leave {option} out" in err
    status, _, err = run("run", *FIRE, option, value)
    assert status == 2
    assert f"{option} is for Spark, and CERA_ENGINE is reference" in err


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_late_events_are_counted_and_written(engine: str, tmp_path: Path) -> None:
    program, events, late = tmp_path / "p.xceq", tmp_path / "e.jsonl", tmp_path / "late.jsonl"
    program.write_text("DETECT b{var X} ON a{var X} END")
    events.write_text("".join(f'{{"at": {t}, "term": {{"a": {t}}}}}\n' for t in (10, 8, 4, 5)))
    status, out, err = run(
        "run", str(program), "--events", str(events), "--time-unit", "s", "--engine", engine, "--max-delay", "5 sec",
        "--late", str(late),
    )  # fmt: skip
    assert status == 0
    assert [json.loads(line)["end"] for line in out.splitlines()] == [5, 8, 10]
    assert [json.loads(line)["end"] for line in late.read_text().splitlines()] == [4]
    assert "1 too late for --max-delay" in err


@pytest.mark.parametrize("how", [("local",), ("local", "--base"), ("reference",)], ids=" ".join)
def test_until_takes_nothing_back_that_was_late_without_it(how: tuple[str, ...], tmp_path: Path) -> None:
    """Behind an event at 100, one at 9 is late, whether or not anybody asks for what comes after 50."""
    program, events = tmp_path / "p.xceq", tmp_path / "e.jsonl"
    program.write_text("DETECT b{var X} ON a{var X} END")
    events.write_text("".join(f'{{"at": {t}, "term": {{"a": {t}}}}}\n' for t in (10, 100, 9, 60)))
    status, out, err = run(
        "run", str(program), "--events", str(events), "--time-unit", "s", "--max-delay", "5 sec", "--until", "50",
        "--select", "b", "--engine", *how,
    )  # fmt: skip
    assert status == 0
    assert [json.loads(line)["end"] for line in out.splitlines()] == [10]
    assert "2 events read; 1 later than --until; 2 too late for --max-delay" in err


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.usefixtures("spark_if_needed")
def test_an_event_that_breaks_the_promised_duration_is_rejected(engine: str) -> None:
    status, out, err = run("run", *FIRE, "--engine", engine, "--max-duration", "5 sec")
    assert status == 0
    assert out == ""
    assert "lasts longer than --max-duration" in err


def test_records_with_a_time_and_no_end_are_promised_to_be_points(tmp_path: Path) -> None:
    """An event object among them that lasts breaks the promise, unless another one is given."""
    events = tmp_path / "e.jsonl"
    lines = ({"kind": "smoke", "ts": 1}, {"begin": 2, "end": 3, "term": {"smoke": {}}})
    events.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    program = tmp_path / "p.xceq"
    program.write_text("DETECT seen{} ON smoke{{}} END")
    flat = ("--label-field", "kind", "--time-field", "ts", "--engine", "local", "--max-delay", "1 sec")
    status, _, err = run("run", str(program), "--events", str(events), *flat)
    assert status == 0
    assert "lasts longer than --max-duration, which is 0 sec for flat records without --end-field" in err
    assert "1 event read; 1 record rejected" in err
    _, _, err = run("run", str(program), "--events", str(events), *flat, "--max-duration", "1 sec")
    assert "2 events read" in err


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_one_event_of_the_year_9999_does_not_make_the_rest_late(engine: str, tmp_path: Path) -> None:
    program = tmp_path / "p.xceq"
    program.write_text("DETECT b{var X} ON a{var X} END")
    events = "".join(f'{{"at": {t}, "term": {{"a": {t}}}}}\n' for t in (1, 253402300799, *range(2, 202)))
    arguments = ("run", str(program), "--engine", engine, "--time-unit", "s", "--max-delay", "5 sec")
    status, out, err = run(*arguments, "--events", "-", input=events)
    assert status == 0
    assert [json.loads(line)["end"] for line in out.splitlines()] == list(range(1, 202))
    assert "more than 1 day ahead of the clock; --max-ahead" in err
    (tmp_path / "e.jsonl").write_text(events)  # a recording may be of any time
    _, out, err = run(*arguments, "--events", str(tmp_path / "e.jsonl"))
    assert [json.loads(line)["end"] for line in out.splitlines()] == [1, 253402300799]
    if engine == "local":
        assert "nearly all events are late, 100 of the last 100: time has come to 253402300793.999999" in err
    _, _, err = run(*arguments, "--events", str(tmp_path / "e.jsonl"), "--max-ahead", "1 hour")
    assert "201 events read; 1 record rejected" in err


def test_spark_has_no_late_events() -> None:
    status, _, err = run("run", *FIRE, "--engine", "spark", "--max-delay", "5 sec")
    assert status == 2
    assert "cera stream" in err


def test_parquet_is_written_by_spark_only() -> None:
    status, _, err = run("run", *FIRE, "--engine", "local", "--out", "answers.parquet")
    assert status == 2
    assert "--engine spark" in err


def test_late_without_a_limit_is_a_wrong_command() -> None:
    assert run("run", *FIRE, "--late", "late.jsonl")[0] == 2
