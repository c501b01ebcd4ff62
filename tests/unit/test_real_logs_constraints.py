"""Real logs against constraints: each is violated as often as scripts say that share no code."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from cera.cli.main import main

ROOT = Path(__file__).parents[2]
DATA = next((each for each in (ROOT.parent / "shared" / "data", ROOT / "shared" / "data") if each.is_dir()), None)
LOGS = {"permits": "permit-receipts.jsonl.gz", "loans": "loan-applications.jsonl.gz"}


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def log(name: str) -> Path:
    path = None if DATA is None else DATA / LOGS[name]
    if path is None or not path.exists():
        pytest.skip(f"{LOGS[name]} is not here: it belongs to ../shared/data")
    return path


def script(name: str) -> ModuleType:
    from benchmarks.constraints import loans, permits

    return {"permits": permits, "loans": loans}[name]


def verified(name: str, events: Path, engine: str) -> Counter[str]:
    """Returns how often `cera verify` finds each constraint violated."""
    program = ROOT / "benchmarks" / "constraints" / f"{name}.escl"
    given = ("--label-field", "activity", "--from", "2010-01-01", "--engine", engine, "--json", "-q")
    result = CliRunner().invoke(main, ["verify", str(program), "--events", str(events), *given])
    assert result.exit_code == 6, result.stderr
    return Counter({each["constraint"]: each["violations"] for each in json.loads(result.stdout)["constraints"]})


def cut(name: str, cases: int, folder: Path) -> Path:
    from benchmarks.constraints.logs import lines_of

    path = folder / "events.jsonl"
    path.write_text("".join(lines_of(log(name), cases)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
def test_the_first_cases_violate_constraints_as_often_as_an_independent_script_says(name: str, tmp_path: Path) -> None:
    found = verified(name, cut(name, 60, tmp_path), "reference")
    assert +found == +script(name).counts(log(name), 60)
    assert found.total() > 0


@pytest.mark.slow
def test_permits_violate_constraints_as_often_as_an_independent_script_says() -> None:
    events = log("permits")
    assert +verified("permits", events, "local") == +script("permits").counts(events)


@pytest.mark.long
def test_loans_violate_constraints_as_often_as_an_independent_script_says() -> None:
    events = log("loans")
    assert +verified("loans", events, "local") == +script("loans").counts(events)


@pytest.mark.long
@pytest.mark.spark
def test_permits_violate_constraints_as_often_on_spark() -> None:
    events = log("permits")
    assert +verified("permits", events, "spark") == +script("permits").counts(events)
