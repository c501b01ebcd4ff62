"""Logs of another monitor, DejaVu, with the positions at which a claim is violated: constraints find the same ones.

The logs are no part of the project (`../shared/data/monitors.json`); the constraints stand in `monitors`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cera.cli.main import main

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "monitors"
DATA = next((each for each in (ROOT.parent / "shared" / "data", ROOT / "shared" / "data") if each.is_dir()), None)
NAMES = ("access-1", "access-2", "command-1", "command-2", "command-3", "small-1", "small-2")
#: What the arguments of events are called.
ATTRIBUTES = {
    "login": ("user",),
    "logout": ("user",),
    "open": ("file",),
    "close": ("file",),
    "access": ("user", "file"),
    "dis": ("command", "number"),
    "suc": ("command", "number"),
    "err": ("number",),
    "a": ("x",),
    "b": ("x",),
}


@pytest.fixture(scope="module")
def logs() -> dict[str, dict[str, Any]]:
    path = None if DATA is None else DATA / "monitors.json"
    if path is None or not path.exists():
        pytest.skip("monitors.json is not here: it belongs to ../shared/data")
    return {each["name"]: each for each in json.loads(path.read_text())}


def record(event: dict[str, Any]) -> str:
    values = (int(each) if each.isdigit() else each for each in event["args"])
    term = {event["event"]: dict(zip(ATTRIBUTES[event["event"]], values, strict=True))}
    return json.dumps({"at": event["at"], "term": term}) + "\n"


def test_all_logs_are_known(logs: dict[str, dict[str, Any]]) -> None:
    assert tuple(logs) == NAMES


@pytest.mark.parametrize("engine", ["reference", "local"])
@pytest.mark.parametrize("name", NAMES)
def test_constraints_are_violated_where_the_other_monitor_says(
    logs: dict[str, dict[str, Any]], name: str, engine: str, tmp_path: Path
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text("".join(map(record, logs[name]["events"])))
    program = FOLDER / f"{name.split('-')[0]}.escl"
    given = ("--time-unit", "s", "--from", "0", "--engine", engine, "--as", "jsonl", "-q")
    result = CliRunner().invoke(main, ["verify", str(program), "--events", str(events), *given])
    found = sorted({json.loads(line)["end"] for line in result.stdout.splitlines()})
    assert found == logs[name]["violated_at"]
    assert result.exit_code == (6 if found else 0), result.stderr
