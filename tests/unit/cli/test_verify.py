"""`cera verify`: violations, the summary, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main

FOLDER = Path(__file__).parents[3] / "examples" / "auction-workflow"
EVENTS = FOLDER / "events.jsonl"


def verify(events: Path, *more: str) -> Result:
    given = ["verify", str(FOLDER / "auction.ihta"), "--events", str(events), "--time-unit", "s", *more]
    return CliRunner().invoke(main, given)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_violations_are_written_and_counted(engine: str) -> None:
    result = verify(EVENTS, "--engine", engine)
    assert result.exit_code == 6
    [line] = map(json.loads, result.stdout.splitlines())
    found = line["term"]["violation"]
    assert found["event"] == {"hammerBeat": {"auctionID": 3, "itemID": "clock"}}
    assert (found["state"], found["instance"]) == ("I1", {"auctionID": 3})
    assert "Auction: 3 instances, 2 finished, 1 violated, 0 still running\n1 violation\n" in result.stderr


def test_without_violations_the_status_is_0(tmp_path: Path) -> None:
    right = tmp_path / "events.jsonl"
    right.write_text(
        "".join(line for line in EVENTS.read_text().splitlines(keepends=True) if '"auctionID": 3' not in line)
    )
    result = verify(right, "--engine", "local")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("Auction: 2 instances, 2 finished, 0 violated, 0 still running\nno violations\n")


def test_an_event_that_no_instance_waits_for_is_counted_or_a_violation() -> None:
    counted, strict = verify(EVENTS, "--engine", "local"), verify(EVENTS, "--engine", "local", "--strict-verify")
    assert "1 event came when no instance waited for such an event" in counted.stderr
    reasons = [json.loads(line)["term"]["violation"]["reason"] for line in strict.stdout.splitlines()]
    assert reasons == ["no transition accepts it", "no instance waits for it"]


def test_a_program_without_automata_is_refused(tmp_path: Path) -> None:
    rules = tmp_path / "p.slog"
    rules.write_text("alarm(area(A)) <- fire(area(A)).\n")
    result = CliRunner().invoke(main, ["verify", str(rules), "--events", str(EVENTS)])
    assert result.exit_code == 2
    assert "there is no automaton in the program" in result.stderr


def test_possible_states_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    automaton, events = tmp_path / "x.ihta", tmp_path / "events.jsonl"
    automaton.write_text("""automaton X(k(K)) { start G; K1, H; end F; enter -> G: z(k(K*));
      G -> K1: a(k(K)); G -> H: a(k(K)); K1 -> F: b(k(K)); H -> F: c(k(K)); }""")
    events.write_text("".join(f'{{"at": {at}, "term": {{"{label}": {{"k": 1}}}}}}\n' for at, label in enumerate("zab")))
    for command in ("run", "verify"):
        given = [command, str(automaton), "--events", str(events), "--time-unit", "s", "--engine", "local"]
        plain, possible = CliRunner().invoke(main, given), CliRunner().invoke(main, [*given, "--possible"])
        assert (plain.exit_code, possible.exit_code) == (0, 0)
        assert '"possible"' not in plain.stdout
        terms = [json.loads(line)["term"] for line in possible.stdout.splitlines()]
        assert sorted(term["possible"]["state"] for term in terms if "possible" in term) == ["H", "K1"]
        assert [term["past"]["until"] for term in terms if "past" in term] == [2]


def test_why_shows_the_run_behind_a_violation() -> None:
    [violation] = map(json.loads, verify(EVENTS, "--engine", "local").stdout.splitlines())
    given = ["why", str(FOLDER / "auction.ihta"), "--events", str(EVENTS), "--time-unit", "s", "--event"]
    result = CliRunner().invoke(main, [*given, violation["id"]])
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert "1. enter -> A0: auctionStart(" in lines[3]
    assert "I0 -> I1: bid(" in lines[-2]
    assert 'event: hammerBeat{auctionID{3}, itemID{"clock"}}' in lines[-1]
