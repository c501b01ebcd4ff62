"""Every case and every example, on every engine: program, events, expected answers.

A case is a folder with `case.toml` (programs, and options of `cera run` by their names), the events and
`expected.jsonl`. What `expected.jsonl` leaves out of a line (ids, causes) is not compared.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cera
from cera.connectors.files import Layout
from cera.connectors.sinks import event_line
from cera.model.time.time_text import TimeFormat
from every_engine import EVERY_ENGINE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
CASES = sorted(
    path.parent for folder in ("examples", "tests/conformance/cases") for path in (ROOT / folder).glob("*/case.toml")
)
LAYOUT_FIELDS = ("label_field", "time_field", "end_field", "id_field", "label", "xml_types")


def options_of(case: Path) -> dict[str, Any]:
    return {"programs": ["program.xceq"], "events": "events.jsonl", **tomllib.loads((case / "case.toml").read_text())}


def answers(case: Path, engine: str) -> list[dict[str, Any]]:
    options = options_of(case)
    times = TimeFormat(options.get("time_unit"), options.get("timezone", "UTC"))
    layout = Layout(times=times, **{name: options[name] for name in LAYOUT_FIELDS if name in options})
    program = cera.load(
        [case / name for name in options["programs"]],
        semantics=options.get("semantics"),
        timezone=times.timezone,
        calendars=case / options["calendars"] if "calendars" in options else (),
    )
    until = times.parse(options["until"]) if "until" in options else None
    answer = program.run(case / options["events"], engine=engine, layout=layout, until=until)  # type: ignore[arg-type]
    return [event_line(derived, times) for derived in answer.derived]


def comparable(line: dict[str, Any], like: dict[str, Any]) -> str:
    return json.dumps({key: line.get(key) for key in like}, sort_keys=True)


@pytest.fixture(scope="session")
def on_spark(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[dict[Path, Future[list[dict[str, Any]]]]]:
    """The answers of Spark to the cases that are asked for: while one is planned, another one can run."""
    asked = [case for case in CASES if any(f"[{case.name}-spark]" in item.nodeid for item in request.session.items)]
    with ThreadPoolExecutor(2) as pool:
        yield {case: pool.submit(answers, case, "spark") for case in asked}


@pytest.mark.parametrize("engine", EVERY_ENGINE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_gives_its_expected_answers(case: Path, engine: str, request: pytest.FixtureRequest) -> None:
    expected = [json.loads(line) for line in (case / "expected.jsonl").read_text().splitlines()]
    actual = request.getfixturevalue("on_spark")[case].result() if engine == "spark" else answers(case, engine)
    like = {key: None for line in expected for key in line}
    assert [comparable(line, like) for line in sorted_lines(actual)] == [
        comparable(line, like) for line in sorted_lines(expected)
    ]


def sorted_lines(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(
        lines, key=lambda line: json.dumps([line[key] for key in ("end", "begin", "term", "rule")], sort_keys=True)
    )


def test_there_are_cases() -> None:
    found = {"sensors", "stock-market", "students", "library", "rising-average", "bank"}
    contexts = {"configurations", "shipments", "alarms", "meters"}
    assert found | contexts <= {case.name for case in CASES}
