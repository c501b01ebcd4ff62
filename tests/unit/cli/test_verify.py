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
    counted = "Auction: 3 instances, 2 finished, 1 violated, 0 still running"
    assert f"{counted}\n  1425 for auctionID = 3: hammerBeat: " in result.stderr
    assert result.stderr.endswith("\n1 violation\n")


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


CONSTRAINTS = """
CONSTRAINT paid: IF event o: order(id(N)) and event w: from-end[o, 60 sec]
THEN while w: event: payment(id(N)) END
CONSTRAINT near: IF event o: order(id(N)) and event p: payment(id(N)) THEN {o, p} apart-by max 1 km END
"""
PLACES = """attribute = "shop"
[places.a]
latitude = 48.0
longitude = 11.0
[places.b]
latitude = 48.1
longitude = 11.0
"""


def verify_constraints(tmp_path: Path, *more: str) -> Result:
    (tmp_path / "shop.escl").write_text(CONSTRAINTS)
    (tmp_path / "places.toml").write_text(PLACES)
    orders = [("order", 0, 1, "a"), ("payment", 10, 1, "b"), ("order", 20, 2, "a"), ("payment", 30, 3, "z")]
    lines = [{"at": at, "term": {label: {"id": number, "shop": shop}}} for label, at, number, shop in orders]
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    given = [
        "verify",
        str(tmp_path / "shop.escl"),
        "--events",
        str(tmp_path / "events.jsonl"),
        "--time-unit",
        "s",
        *more,
    ]
    return CliRunner().invoke(main, given)


def test_violations_of_constraints_are_written_and_counted_by_constraint(tmp_path: Path) -> None:
    result = verify_constraints(tmp_path, "--locations", str(tmp_path / "places.toml"))
    assert result.exit_code == 6
    written = [json.loads(line) for line in result.stdout.splitlines()]
    found = [each for each in written if "violation" in each["term"]]
    assert [(each["end"], each["term"]["violation"]["constraint"], each["rule"]) for each in found] == [
        (10, "near", "shop.near"),
        (80, "paid", "shop.paid"),
    ]
    assert [each["end"] for each in written if each["term"] == {"unknown_place": {"file": "shop", "name": "z"}}] == [30]
    assert found[1]["term"]["violation"]["binding"] == {"N": 2}
    assert set(found[0]["causes"]) == {"o", "p"}
    assert "shop: 2 constraints, 0 held, 2 violated\n  paid: violated once (" in result.stderr
    assert "shop.escl:2:1)\n    80 for N = 2: expected" in result.stderr


def test_constraints_about_places_need_locations(tmp_path: Path) -> None:
    result = verify_constraints(tmp_path)
    assert result.exit_code == 2
    assert "asks where events come from: give --locations" in result.stderr


def test_engines_find_the_same_violations_of_constraints(tmp_path: Path) -> None:
    places = ("--locations", str(tmp_path / "places.toml"))
    local, reference = (verify_constraints(tmp_path, "--engine", each, *places) for each in ("local", "reference"))
    assert local.exit_code == reference.exit_code == 6
    found, expected = ([json.loads(line) for line in each.stdout.splitlines()] for each in (local, reference))
    assert [(each["id"], each["rule"]) for each in found] == [(each["id"], each["rule"]) for each in expected]


def test_violations_of_constraints_are_events_that_a_run_derives(tmp_path: Path) -> None:
    verify_constraints(tmp_path)
    given = ["run", str(tmp_path / "shop.escl"), "--events", str(tmp_path / "events.jsonl"), "--time-unit", "s"]
    result = CliRunner().invoke(main, [*given, "--engine", "local", "--locations", str(tmp_path / "places.toml")])
    assert result.exit_code == 0
    assert [line["end"] for line in map(json.loads, result.stdout.splitlines())] == [10, 30, 80]
