"""Constraints on the command line: what is said of them, to a person and to a tool, and what reacts to violations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main

ORDERS = """CONSTRAINT paid:
  IF event o: order(id(N)) and event w: from-end[o, 60 sec] THEN while w: event: payment(id(N)) END
CONSTRAINT once: IN ANY CASE exists <= 1 event: order(id(N)) END
"""
EVENTS = (
    {"at": 0, "term": {"order": {"id": 1}}},
    {"at": 5, "term": {"order": {"id": 1}}},
    {"at": 20, "term": {"payment": {"id": 1}}},
    {"at": 100, "term": {"order": {"id": 2}}},
    {"at": 300, "term": {"order": {"id": 3}}},
    {"at": 310, "term": {"payment": {"id": 3}}},
)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.escl").write_text(ORDERS)
    write("events.jsonl", EVENTS)


def write(name: str, records: tuple[dict[str, Any], ...]) -> None:
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in records))


def cera(command: str, *given: str) -> Result:
    return CliRunner().invoke(main, [command, *given, "--events", "events.jsonl", "--time-unit", "s"])


def violations(result: Result) -> list[tuple[float, str]]:
    records = [json.loads(line) for line in result.stdout.splitlines()]
    return [(each["end"], each["term"]["violation"]["constraint"]) for each in records]


def test_the_summary_has_what_held_and_what_was_violated_with_its_place() -> None:
    result = cera("verify", "shop.escl")
    assert result.exit_code == 6
    assert violations(result) == [(5, "once"), (160, "paid")]
    assert result.stderr.endswith(
        """shop: 2 constraints, 0 held, 2 violated
  paid: violated once (shop.escl:1:1)
    160 for N = 2: expected at least 1 payment, found none
  once: violated once (shop.escl:3:1)
    5 for N = 1: expected at most 1 order, found 2
2 violations
"""
    )


def test_only_the_first_three_violations_of_a_constraint_are_shown_and_all_are_written() -> None:
    write("events.jsonl", tuple({"at": at, "term": {"order": {"id": at // 2}}} for at in range(10)))
    result = cera("verify", "shop.escl", "--until", "10")
    assert "  once: violated 5 times" in result.stderr
    assert result.stderr.count("expected at most 1 order") == 3
    assert len(violations(result)) == 5


def test_json_is_a_summary_for_tools() -> None:
    result = cera("verify", "shop.escl", "--json", "-q")
    assert result.exit_code == 6
    found = json.loads(result.stdout)
    assert (found["violations"], found["events"], found["late"], found["rejected"]) == (2, 6, 0, 0)
    assert [(each["constraint"], each["place"], each["held"], each["violations"]) for each in found["constraints"]] == [
        ("paid", "shop.escl:1:1", False, 1),
        ("once", "shop.escl:3:1", False, 1),
    ]
    [first] = found["constraints"][0]["first"]
    assert first["term"]["violation"]["binding"] == {"N": 2}
    assert found["automata"] == found["unknown_places"] == found["warnings"] == []


def test_json_leaves_the_violations_to_a_file_if_one_is_named() -> None:
    result = cera("verify", "shop.escl", "--json", "-q", "--out", "found.jsonl")
    assert json.loads(result.stdout)["violations"] == 2
    assert len(Path("found.jsonl").read_text().splitlines()) == 2
    assert cera("verify", "shop.escl", "--json", "--as", "table").exit_code == 2


def test_constraints_that_hold_end_with_status_0() -> None:
    write("events.jsonl", EVENTS[4:])
    result = cera("verify", "shop.escl")
    assert result.exit_code == 0
    assert result.stderr.endswith("shop: 2 constraints, 2 held\nno violations\n")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_what_is_still_open_at_the_last_time_has_not_held(engine: str) -> None:
    result = cera("verify", "shop.escl", "--until", "140", "--engine", engine)
    assert "shop: 2 constraints, 0 held, 1 violated, 1 still open" in result.stderr
    assert "  paid: 1 deadline still open (shop.escl:1:1)" in result.stderr
    [paid, once] = json.loads(cera("verify", "shop.escl", "--until", "140", "--json", "-q").stdout)["constraints"]
    assert (paid["outcome"], paid["held"], paid["open"]) == ("open", False, 1)  # the order of 100 has time until 160
    assert (once["outcome"], once["open"]) == ("violated", 0)


def test_what_is_said_of_a_state_that_goes_on_is_still_open() -> None:
    Path("shop.escl").write_text(
        "WHILE state: shift(id(N)) LET CONSTRAINT sells: IN ANY CASE exists >= 1 event: order(id(N)) END END"
    )
    write("events.jsonl", ({"begin": 0, "end": None, "state": True, "term": {"shift": {"id": 7}}}, EVENTS[0]))
    result = cera("verify", "shop.escl")
    assert "shop: 1 constraint, 0 held, 1 still open\n  sells: 1 state still open (shop.escl:1:31)" in result.stderr


@pytest.mark.parametrize(
    ("events", "why", "status"),
    [
        ((), "there was no event", 0),
        (({"at": 0, "term": {"visit": {}}},), "no event could be used", 7),
        (({"at": 0, "term": {"payment": {"id": 1}}},), "there was no event `order`", 0),
    ],
)
def test_without_an_occasion_nothing_is_judged(events: tuple[dict[str, Any], ...], why: str, status: int) -> None:
    write("events.jsonl", events)
    result = cera("verify", "shop.escl")
    assert result.exit_code == status
    assert "shop: 2 constraints, 0 held, 2 not judged" in result.stderr
    assert f"  paid: not judged (shop.escl:1:1): {why}" in result.stderr
    found = json.loads(cera("verify", "shop.escl", "--json", "-q").stdout)
    assert {(each["outcome"], each["held"], each["why"]) for each in found["constraints"]} == {
        ("not judged", False, why)
    }
    assert found["outcomes"] == {"held": 0, "violated": 0, "open": 0, "not judged": 2}


URGENT = """CONSTRAINT urgent: IF event o: order(id(N), kind(urgent)) THEN N > 100 END
CONSTRAINT second: IF event o: order(id(2), kind(K)) THEN K != usual END
CONSTRAINT second-gift: IF event o: order(id(2)) and event g: gift(to(N), wrapped(true)) THEN N = 2 END
CONSTRAINT colour: IF event o: order(colour(C)) THEN C != red END
CONSTRAINT usual: IF event o: order(id(N), kind(usual)) THEN N < 9 END
"""


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))])
@pytest.mark.usefixtures("spark_if_needed")
def test_what_asks_for_values_or_attributes_that_no_event_has_is_not_judged(engine: str) -> None:
    Path("shop.escl").write_text(URGENT)
    orders = [{"at": at, "term": {"order": {"id": 1 if at == 1 else 2 + at, "kind": "usual"}}} for at in range(1, 5)]
    write("events.jsonl", (*orders, {"at": 7, "term": {"gift": {"to": 1, "wrapped": False}}}))
    result = cera("verify", "shop.escl", "--engine", engine)
    assert "shop: 5 constraints, 1 held, 4 not judged" in result.stderr
    said = [line.partition(": not judged ")[::2] for line in result.stderr.splitlines() if "not judged (" in line]
    assert [(name.strip(), why.partition("): ")[2]) for name, why in said] == [
        ("urgent", "there was no event `order` with kind = urgent"),
        ("second", "there was no event `order` with id = 2"),
        ("second-gift", "there was no event `order` with id = 2"),
        ("colour", "there was no event `order` with `colour`"),
    ]


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.xdist_group("spark"))])
@pytest.mark.usefixtures("spark_if_needed")
def test_what_comes_after_the_last_time_is_no_occasion(engine: str) -> None:
    Path("shop.escl").write_text(
        "CONSTRAINT honest: IF event: order(id(N)) and event: payment(id(M)) THEN N < M END\n"
        "CONSTRAINT third: IF event: order(id(3)) THEN 1 > 2 END\n"
        "CONSTRAINT small: IF event: order(id(N)) THEN N < 3 END\n"
    )
    result = cera("verify", "shop.escl", "--until", "10", "--engine", engine)
    assert "shop: 3 constraints, 1 held, 2 not judged" in result.stderr
    assert "  honest: not judged (shop.escl:1:1): there was no event `payment` up to --until\n" in result.stderr
    assert "  third: not judged (shop.escl:2:1): there was no event `order` with id = 3 up to --until" in result.stderr
    assert result.exit_code == 0


def test_before_the_first_event_nothing_is_judged() -> None:
    Path("shop.escl").write_text("CONSTRAINT quiet: IN ANY CASE exists = 0 event: alarm() END")
    result = cera("verify", "shop.escl", "--until", "-1")
    assert "  quiet: not judged (shop.escl:1:1): there was no event up to --until\n" in result.stderr


@pytest.mark.parametrize("until", [(), ("--until", "350")])
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_late_events_are_no_occasion(engine: str, until: tuple[str, ...]) -> None:
    Path("shop.escl").write_text(
        "CONSTRAINT honest: IF event: order(id(N)) and event: payment(id(M)) THEN N < M END\n"
        "CONSTRAINT third: IF event: order(id(3)) THEN 1 > 2 END\n"
        "CONSTRAINT small: IF event: order(id(N)) THEN N < 3 END\n"
    )
    write("events.jsonl", (EVENTS[0], {"at": 330, "term": {"visit": {}}}, EVENTS[4], EVENTS[5]))
    late = ("shop.escl", "--max-delay", "5 sec", *until, "--engine", engine)
    result = cera("verify", *late)
    assert "shop: 3 constraints, 1 held, 2 not judged" in result.stderr
    assert "  honest: not judged (shop.escl:1:1): there was no event `payment` that came in time\n" in result.stderr
    why = "there was no event `order` with id = 3 that came in time"
    assert f"  third: not judged (shop.escl:2:1): {why}\n" in result.stderr
    found = json.loads(cera("verify", *late, "--json", "-q").stdout)["constraints"]
    assert [(each["outcome"], each.get("why")) for each in found[1:]] == [("not judged", why), ("held", None)]


@pytest.mark.parametrize(
    ("tags", "number"),
    [("good", 1), (["good"], 1), (["good", "bad"], 0), ([], 0)],
    ids=["one", "in a list", "two", "none"],
)
def test_a_variable_matches_an_attribute_with_one_value(tags: object, number: int) -> None:
    Path("shop.escl").write_text("CONSTRAINT tagged: IF event: order(tags(T)) THEN 1 > 2 END")
    write("events.jsonl", ({"at": 0, "term": {"order": {"tags": tags}}},))
    assert len(violations(cera("verify", "shop.escl"))) == number


def test_what_must_never_happen_holds_where_it_does_not() -> None:
    Path("shop.escl").write_text("CONSTRAINT quiet: IN ANY CASE exists = 0 event: alarm(id(N)) END")
    Path("other.escl").write_text("CONSTRAINT few: IN ANY CASE exists <= 9 event: order() group-by {} END")
    result = cera("verify", "shop.escl", "other.escl")
    assert "shop: 1 constraint, 1 held" in result.stderr
    assert "the program asks for `alarm`, and no event has this label" in result.stderr
    alone = cera("verify", "shop.escl")
    assert (alone.exit_code, "shop: 1 constraint, 1 held" in alone.stderr) == (0, True)


def test_an_extent_that_ends_before_it_begins_is_refused() -> None:
    result = cera("verify", "shop.escl", "--from", "500", "--until", "100")
    assert result.exit_code == 2
    assert "--from 500 is later than --until 100" in result.stderr


def test_violations_are_not_written_as_parquet() -> None:
    result = cera("verify", "shop.escl", "--out", "found.parquet")
    assert result.exit_code == 2
    assert "violations are written as JSON lines" in result.stderr


def test_what_must_be_there_is_looked_for_from_a_time_on_and_until_one() -> None:
    Path("shop.escl").write_text(
        "WHILE Range 100 sec LET CONSTRAINT busy: IN ANY CASE exists >= 1 event: order() END END"
    )
    write("events.jsonl", (EVENTS[3], EVENTS[5]))  # an order at 100, a payment at 310
    assert violations(cera("verify", "shop.escl")) == [(299.999999, "busy")]
    assert violations(cera("verify", "shop.escl", "--from", "0")) == [(100, "busy"), (299.999999, "busy")]
    assert violations(cera("verify", "shop.escl", "--from", "0", "--until", "250")) == [(100, "busy")]
    assert violations(cera("verify", "shop.escl", "--from", "250")) == []
    wrong = cera("verify", "shop.escl", "--from", "soon")
    assert wrong.exit_code == 2
    assert "--from: " in wrong.stderr


def test_late_and_rejected_records_of_labels_that_constraints_ask_for_are_a_warning() -> None:
    late = {"at": 1, "term": {"payment": {"id": 1}}}
    write("events.jsonl", (*EVENTS, late, {"at": 400, "term": {"other": {}}}, {"at": 2, "term": {"other": {}}}))
    with Path("events.jsonl").open("a") as file:
        file.write("{not a record\n")
    result = cera("verify", "shop.escl", "--max-delay", "10 sec")
    assert "warning: constraints have not seen late events of labels that they ask for: payment 1" in result.stderr
    assert "warning: constraints have not seen 1 record that was rejected" in result.stderr
    assert "other" not in next(line for line in result.stderr.splitlines() if "have not seen late" in line)
    warnings = json.loads(cera("verify", "shop.escl", "--max-delay", "10 sec", "--json", "-q").stdout)["warnings"]
    assert sum(each.startswith("constraints have not seen") for each in warnings) == 2


def test_a_typo_in_a_label_or_an_attribute_is_reported() -> None:
    Path("shop.escl").write_text("CONSTRAINT once: IN ANY CASE exists <= 1 event: ordr(id(N)) END")
    result = cera("verify", "shop.escl")
    assert result.exit_code == 7
    assert "no event could be used" in result.stderr
    Path("shop.escl").write_text("CONSTRAINT once: IF event: order(nr(N)) THEN event: payment(id(N)) END")
    result = cera("verify", "shop.escl")
    assert "asks for `nr` of `order` (shop.escl:1:28), and no such event has it; they have `id`" in result.stderr


def test_a_file_without_constraints_is_reported() -> None:
    Path("shop.escl").write_text("# nothing yet\n")
    result = cera("verify", "shop.escl")
    assert "warning[EC408]: there is no constraint in the file" in result.stderr


AUTOMATON = """automaton Shop(id(N)) {
  start Open;
  end Paid;
  enter -> Open: order(id(unique N* for 1 day));
  Open -> Paid: payment(id(N)) and e(this) - e(last) < 60 sec;
}
"""


def test_automata_and_constraints_are_verified_together() -> None:
    Path("shop.ihta").write_text(AUTOMATON)
    Path("open.escl").write_text(
        "WHILE state: open(id(N)) LET CONSTRAINT soon: IN ANY CASE exists >= 1 event: payment(id(N)) END END"
    )
    result = cera("verify", "shop.ihta", "open.escl")
    assert "open: 1 constraint, " in result.stderr
    assert "Shop: " in result.stderr
    found = json.loads(cera("verify", "shop.ihta", "open.escl", "--json", "-q").stdout)
    assert [each["constraint"] for each in found["constraints"]] == ["soon"]
    assert [each["automaton"] for each in found["automata"]] == ["Shop"]


def test_json_has_the_violations_of_automata_and_all_warnings() -> None:
    Path("shop.ihta").write_text(AUTOMATON)
    late = {"at": 1, "term": {"payment": {"id": 1}}}
    write("events.jsonl", (*EVENTS, late))
    with Path("events.jsonl").open("a") as file:
        file.write("{not a record\n")
    given = ("verify", "shop.ihta", "--strict-verify", "--max-delay", "10 sec")
    result = cera(*given)
    assert "  5: order: no instance waits for it; expected order before it" in result.stderr
    assert "warning: automata have not seen late events of labels that they ask for: payment 1" in result.stderr
    assert "warning: automata have not seen 1 record that was rejected" in result.stderr
    found = json.loads(cera(*given, "--json", "-q").stdout)
    [shop] = found["automata"]
    assert (shop["violations"], [each["end"] for each in shop["first"]]) == (1, [5])
    assert (found["late"], found["late_labels"], found["rejected"]) == (1, {"payment": 1}, 1)
    assert [each.partition(":")[0] for each in found["warnings"][-2:]] == [
        "automata have not seen late events of labels that they ask for",
        "automata have not seen 1 record that was rejected; what is said is about the others",
    ]


def test_why_says_which_constraint_and_which_events() -> None:
    [(_, first), _] = [
        (each["end"], each["id"]) for each in map(json.loads, cera("verify", "shop.escl").stdout.splitlines())
    ]
    result = cera("why", "shop.escl", "--event", first, "--engine", "reference")
    lines = result.stdout.splitlines()
    assert 'constraint{"once"}, expected{"at most 1 order"}, found{2}' in lines[1]
    assert lines[2:] == [
        "└─ by constraint shop.once (shop.escl:3:1)",
        "   ├─ order: order{id{1}} [0, 0]",
        "   ├─ order 2: order{id{1}} [5, 5]",
        "   ├─ 2 order(id(N)), expected at most 1 order",
        "   └─ CONSTRAINT once: IN ANY CASE exists <= 1 event: order(id(N)) END",
    ]


REACTIONS = {
    "rule.xceq": "DETECT complaint { constraint { var C } } ON event v: violation {{ constraint { var C } }} END",
    "message.xceq": """RAISE to(recipient="http://example.org/desk") { complaint { constraint { var C } } }
ON event v: violation {{ constraint { var C } }} END""",
    "rule.slog": "complaint(constraint(C)) <- violation(constraint(C)).",
    "module.epl": """begin Desk
  monitor violation;
  complaint: violation(V) as complaint(constraint: V.constraint).
end.""",
}


@pytest.mark.parametrize("name", REACTIONS)
def test_rules_of_other_languages_react_to_violations(name: str) -> None:
    Path(name).write_text(REACTIONS[name])
    result = cera("run", "shop.escl", name, "--engine", "reference", "--select", "complaint")
    assert result.exit_code == 0, result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["end"], each["term"]["complaint"]["constraint"]) for each in found] == [(5, "once"), (160, "paid")]


def test_constraints_speak_of_what_rules_derive() -> None:
    Path("rule.slog").write_text("large(id(N)) <- order(id(N)) and N > 2.")
    Path("shop.escl").write_text("CONSTRAINT small: IN ANY CASE exists = 0 event: large(id(N)) END")
    assert violations(cera("verify", "rule.slog", "shop.escl")) == [(300, "small")]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(
    ("unit", "window"),
    [("s", (100, 160)), ("ms", (100_000, 160_000)), ("us", (10**8, 16 * 10**7)), ("ns", (10**11, 16 * 10**10))],
)
def test_the_window_of_a_violation_is_written_as_other_times_are(
    engine: str, unit: str, window: tuple[int, int]
) -> None:
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    write("events.jsonl", tuple({**each, "at": each["at"] * scale} for each in EVENTS))
    arguments = ["verify", "shop.escl", "--events", "events.jsonl", "--time-unit", unit, "--engine", engine]
    found = [json.loads(line) for line in CliRunner().invoke(main, arguments).stdout.splitlines()]
    violation = found[1]["term"]["violation"]
    assert (violation["window"], violation["found"]) == ({"from": window[0], "to": window[1]}, 0)
    assert found[1]["end"] == window[1]


def test_without_a_unit_the_window_of_a_violation_is_in_iso_8601() -> None:
    arguments = ["verify", "shop.escl", "--events", "events.jsonl"]
    found = [json.loads(line) for line in CliRunner().invoke(main, arguments).stdout.splitlines()]
    assert found[1]["term"]["violation"]["window"] == {"from": "1970-01-01T00:01:40Z", "to": "1970-01-01T00:02:40Z"}
