"""Real logs against automata: what deviates is counted, and the counts are those of scripts that share no code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.cli.main import main

ROOT = Path(__file__).parents[2]
DATA = next((each for each in (ROOT.parent / "shared" / "data", ROOT / "shared" / "data") if each.is_dir()), None)


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def data(name: str) -> Path:
    path = None if DATA is None else DATA / name
    if path is None or not path.exists():
        pytest.skip(f"{name} is not here: it belongs to ../shared/data")
    return path


def verified(automaton: str, events: Path, out: Path) -> tuple[dict[str, dict[str, int]], int]:
    """What `cera verify` says of the instances of each automaton, and how many violations it writes."""
    program = ROOT / "benchmarks" / "automata" / automaton
    given = ("--label-field", "activity", "--engine", "local", "--out", str(out))
    result = CliRunner().invoke(main, ["verify", str(program), "--events", str(events), *given])
    assert result.exit_code == 6, result.stderr
    lines = re.findall(r"^(\w+): ([\d,]+) instances, (.*)$", result.stderr, re.MULTILINE)
    found = {}
    for name, _, text in lines:
        found[name] = {what: int(n.replace(",", "")) for n, what in re.findall(r"([\d,]+) ([a-z ]+)", text)}
    return found, sum('"violation"' in line for line in out.read_text().splitlines())


@pytest.mark.slow
def test_permits_deviate_as_often_as_an_independent_script_says(tmp_path: Path) -> None:
    from benchmarks.automata.permits import counts

    events = data("permit-receipts.jsonl.gz")
    found, violations = verified("permits.ihta", events, tmp_path / "out.jsonl")
    expected = counts(events)
    assert {name: sum(each.values()) for name, each in expected.items()} == {"Letter": 1434, "Advice": 1434}
    for name, each in expected.items():
        assert found[name]["still running"] == each["running"], name
        assert sum(found[name].values()) == sum(each.values()), name
        if "finished" in found[name]:
            assert (found[name]["finished"], found[name]["violated"]) == (each["finished"], each["violated"]), name
    assert violations == sum(each["violated"] for each in expected.values())


@pytest.mark.long
def test_loans_deviate_as_often_as_an_independent_script_says(tmp_path: Path) -> None:
    from benchmarks.automata.loans import counts

    events = data("loan-applications.jsonl.gz")
    found, violations = verified("loans.ihta", events, tmp_path / "out.jsonl")
    expected = counts(events)
    assert found["Application"] == {
        "finished": expected["finished"],
        "violated": expected["violated"],
        "still running": expected["running"],
    }
    assert violations == expected["violated"]
