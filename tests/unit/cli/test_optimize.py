"""`cera optimize`, and `cera run` with constraints that are trusted or verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main
from cera.errors import UsageError
from cera.program import load

RULE = "unbounded: h(k(K)) <- p(k(K), v(V)) and V < 0.\n"
POSITIVE = "CONSTRAINT positive: IF event: p(v(V)) THEN V > 0 END\n"
EVENTS = """{"at": 1, "term": {"p": {"k": 1, "v": -1}}}
{"at": 2, "term": {"p": {"k": 2, "v": 4}}}
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.slog").write_text(RULE)
    Path("c.escl").write_text(POSITIVE)
    Path("events.jsonl").write_text(EVENTS)


def cera(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_wrong_program_is_shown_with_its_place() -> None:
    Path("wrong.slog").write_text("unbounded: h(k(K)) <- p(k(K)) and V < 0.\n")
    found = cera("optimize", "wrong.slog", "--constraints", "c.escl")
    assert found.exit_code == 1
    assert "wrong.slog:1:35" in found.stderr
    assert found.stdout == ""


def test_wrong_constraints_are_shown_with_their_place() -> None:
    Path("wrong.escl").write_text("CONSTRAINT c: IF event: p(v(V)) THEN W > 0 END\n")
    found = cera("optimize", "a.slog", "--constraints", "wrong.escl")
    assert found.exit_code == 1
    assert "wrong.escl:1:38" in found.stderr


def test_a_constraint_about_labels_that_no_rule_asks_for_says_so() -> None:
    Path("other.escl").write_text("CONSTRAINT elsewhere: IF event: zebra(v(V)) THEN V > 0 END\n")
    found = cera("optimize", "a.slog", "--constraints", "other.escl")
    assert found.exit_code == 0
    assert found.stdout.splitlines() == [
        "rule h (a.slog:1:12): unchanged",
        "constraint elsewhere (other.escl:1:1): no rule asks for zebra",
    ]


def test_constraints_that_contradict_each_other_are_shown_with_both_places() -> None:
    Path("low.escl").write_text(POSITIVE + "CONSTRAINT negative: IF event: p(v(V)) THEN V < 0 END\n")
    found = cera("optimize", "a.slog", "--constraints", "low.escl")
    assert "the constraints `positive` and `negative` contradict each other" in found.stderr
    assert "low.escl:2:1" in found.stderr
    assert "low.escl:1:1" in found.stderr


def test_files_without_a_constraint_are_refused() -> None:
    found = cera("optimize", "a.slog", "--constraints", "a.slog")
    assert found.exit_code == 2
    assert "--constraints: there is no constraint in a.slog" in found.stderr


def test_a_law_that_there_is_not_is_refused() -> None:
    found = cera("optimize", "a.slog", "--constraints", "c.escl", "--without-law", "join introductions")
    assert found.exit_code == 2
    assert "did you mean `join introduction`?" in found.stderr


def test_laws_are_picked_and_forbidden_by_name() -> None:
    options = ("optimize", "a.slog", "--constraints", "c.escl")
    law = "result by contradiction"
    assert law in cera(*options, "--law", law).stdout
    for others in (("--law", "join introduction"), ("--without-law", law), ("--law", law, "--without-law", law)):
        assert law not in cera(*options, *others).stdout
    assert "did you mean `join introduction`?" in cera(*options, "--law", "join introductions").stderr


RUN = ("run", "a.slog", "--constraints", "c.escl", "--events", "events.jsonl", "--time-unit", "s")


def test_what_is_trusted_costs_answers_where_it_is_violated() -> None:
    assert cera(*RUN).stdout == ""
    assert cera(*RUN, "--trust").stdout == ""


def test_what_is_verified_costs_no_answer_and_says_which_law_would_have() -> None:
    found = cera(*RUN, "--verify")
    first, second = found.stdout.splitlines()
    assert '"term": {"h": {"k": 1}}' in first
    assert '"constraint": "positive"' in second
    assert "constraint positive was violated once" in found.stderr
    assert "--trust would have relied on it: result by contradiction in h" in found.stderr


def test_verifying_needs_constraints() -> None:
    found = cera("run", "a.slog", "--verify", "--events", "events.jsonl")
    assert found.exit_code == 2
    assert "--verify is about --constraints, and there are none" in found.stderr


def test_constraints_of_one_name_in_two_files_are_told_apart() -> None:
    """Those without a name are called c1, c2 in each file."""
    Path("one.escl").write_text("IF event: p(v(V)) THEN V > 0 END\n")
    Path("two.escl").write_text("IF event: q(w(W)) THEN W > 0 END\nIF event: zebra(w(W)) THEN W > 0 END\n")
    Path("three.escl").write_text("IF event: r(v(V)) THEN V > 0 END\nIF event: p(x(X)) THEN X > 0 END\n")
    Path("both.slog").write_text(
        "unbounded:\n  h(k(K)) <- p(k(K), v(V)) and V > -1.\n  g(k(K)) <- q(k(K), w(W)) and W > -1.\n"
    )
    Path("w.jsonl").write_text('{"at": 1, "term": {"q": {"k": 1, "w": -5}}}\n')
    files = ("--constraints", "one.escl", "--constraints", "two.escl", "--constraints", "three.escl")
    found = cera("optimize", "both.slog", *files).stdout
    assert "predicate elimination, by c1 (one.escl:1:1)" in found
    assert "predicate elimination, by c1 (two.escl:1:1)" in found
    assert "constraint c1 (three.escl:1:1): no rule asks for r" in found
    assert "constraint c2 (two.escl:2:1): no rule asks for zebra" in found
    assert "constraint c2 (three.escl:2:1): no law uses it here" in found
    told = cera("run", "both.slog", *files, "--verify", "--events", "w.jsonl", "--time-unit", "s").stderr
    assert "constraint two.c1 was violated once; --trust would have relied on it: predicate elimination in g\n" in told


@pytest.mark.parametrize(
    ("option", "value"),
    [("--law", "join introduction"), ("--without-law", "join introduction"), ("--supposing", "points")],
)
def test_what_is_said_about_constraints_needs_some(option: str, value: str) -> None:
    found = cera("run", "a.slog", option, value, "--events", "events.jsonl")
    assert found.exit_code == 2
    assert f"{option} is about --constraints, and there are none" in found.stderr


def test_a_program_without_constraints_supposes_nothing() -> None:
    with pytest.raises(UsageError, match="there are none"):
        load("unbounded: h(k(K)) <- q(k(K)).", supposing=["points"])


def test_a_rule_that_would_see_the_violations_is_not_verified_beside_them() -> None:
    Path("reader.slog").write_text("unbounded: seen(c(C)) <- violation(constraint(C)).\n")
    found = cera("run", "reader.slog", "--verify", *RUN[2:])
    assert found.exit_code == 2
    assert "a rule asks for events `violation`" in found.stderr


SHOP = """automaton Shop(k(K)) {
  start S0; S1; end S2;
  enter -> S0: o(k(unique K*));
  S0 -> S1: p(k(K));
  S1 -> S1: q(k(K));
  S1 -> S2: r(k(K));
}
"""
SUPPOSED = ("--supposing", "distinct", "--supposing", "unique", "--supposing", "expected")


def test_what_follows_from_an_automaton_is_used_if_what_it_supposes_is_supposed() -> None:
    Path("shop.ihta").write_text(SHOP)
    Path("b.slog").write_text("unbounded: h(k(K)) <- i: p(k(K)) and j: q(k(K)).\n")
    found = cera("optimize", "b.slog", "--constraints", "shop.ihta", *SUPPOSED)
    assert found.exit_code == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[:2] == [
        "rule h (b.slog:1:12): rewritten",
        "  matches in the state shop of the automaton Shop, with one K, which begins with o",
    ]
    assert "scan reduction, by automaton Shop, p comes in the state shop, before any q: end(i) ≤ end(j)" in lines[2]
    assert "nothing more comes with the same K after r{{k{var K}}}, and what it remembers is forgotten" in lines[3]
    explained = cera("explain", "b.slog", "--constraints", "shop.ihta", *SUPPOSED).stdout
    assert "by constraints:\n  rule h (b.slog:1:12): rewritten\n    matches in the state shop" in explained


def test_what_has_to_be_supposed_is_said() -> None:
    Path("shop.ihta").write_text(SHOP)
    found = cera("optimize", "a.slog", "--constraints", "shop.ihta")
    assert found.exit_code == 2
    assert "what follows from shop.ihta supposes more of the stream than that the automaton accepts it" in found.stderr
    assert "give --supposing distinct --supposing unique, if that is so, or more" in found.stderr


def test_an_automaton_from_which_nothing_follows_is_refused() -> None:
    Path("loop.ihta").write_text("automaton Loop {\n  start L0; end L1;\n  enter -> L0: o;\n  L0 -> L1: p;\n}\n")
    found = cera("optimize", "a.slog", "--constraints", "loop.ihta", *SUPPOSED)
    assert found.exit_code == 2
    assert "--constraints: no constraint follows from loop.ihta" in found.stderr


def test_an_automaton_is_not_verified_beside_the_rules() -> None:
    Path("shop.ihta").write_text(SHOP)
    found = cera("run", "a.slog", "--constraints", "shop.ihta", *SUPPOSED, "--verify", "--events", "events.jsonl")
    assert found.exit_code == 2
    assert "verify the automaton apart, with `cera verify`" in found.stderr


def test_a_constraint_about_a_table_that_no_rule_looks_up_says_so() -> None:
    table = "relation items(id, price)\n"
    Path("t.escl").write_text(f"{table}CONSTRAINT key: IN ANY CASE exists <= 1 items(id(I)) group-by {{I}} END\n")
    found = cera("optimize", "a.slog", "--constraints", "t.escl")
    assert found.stdout.splitlines()[-1] == "constraint key (t.escl:2:1): no rule asks for items"
    Path("b.slog").write_text(f'{table.strip()} from "items.csv"\nunbounded: h(k(K)) <- p(k(K)) and items(id(K)).\n')
    found = cera("optimize", "b.slog", "--constraints", "t.escl")
    assert found.stdout.splitlines()[-1] == "constraint key (t.escl:2:1): no law uses it here"


FIRE = """DETECT alarm{ area{var A} }
ON and {
  event s: smoke{{ area{{var A}} }},
  event h: heat{{ area{{var A}}, value{{var V}} }}
} where { {s, h} within 1 min, var V > 40 }
END
"""
HOT = "CONSTRAINT hot: IF event: heat(value(V)) THEN V > 50 END\n"
OVER = "CONSTRAINT over: IF event i: smoke(area(A)) and event j: heat(area(A)) THEN i before j END\n"


def _notes(program: str, *constraints: str) -> list[str]:
    Path("fire.xceq").write_text(program)
    Path("fire.escl").write_text("".join(constraints))
    found = cera("optimize", "fire.xceq", "--constraints", "fire.escl")
    assert found.exit_code == 0, found.stderr
    return [line.removeprefix("  note: ") for line in found.stdout.splitlines() if line.startswith("  note: ")]


def test_a_pattern_that_also_matches_several_values_is_named_where_it_hinders_a_law() -> None:
    why = "where there are several values, of which constraints say nothing"
    [note] = _notes(FIRE, HOT)
    two = "area{{var A}} (fire.xceq:4:19), value{{var V}} (fire.xceq:4:34)"
    assert note == f"{two} also match {why}; area{{var A}}, value{{var V}} ask for one"
    [note] = _notes(FIRE, HOT, OVER)
    assert note == (
        f"area{{{{var A}}}} (fire.xceq:3:20), {two} also match {why}; area{{var A}}, value{{var V}} ask for one"
    )
    [note] = _notes(FIRE.replace("area{{var A}}, value", "area{var A}, value"), HOT)
    assert note == f"value{{{{var V}}}} (fire.xceq:4:32) also matches {why}; value{{var V}} asks for one"


def test_a_rule_that_asks_for_one_value_has_no_note_and_the_law() -> None:
    assert _notes(FIRE.replace("{{var A}}", "{var A}").replace("{{var V}}", "{var V}"), HOT, OVER) == []
    assert "predicate elimination, by hot" in cera("optimize", "fire.xceq", "--constraints", "fire.escl").stdout


def test_what_no_constraint_concerns_either_way_has_no_note() -> None:
    assert _notes(FIRE, POSITIVE) == []
    assert _notes(FIRE, "CONSTRAINT cold: IF event: heat(value(V)) THEN V < 90 END\n") == []
    Path("fire.slog").write_text("unbounded: alarm(value(V)) <- heat(value(V)) and V > 60.\n")
    assert "note" not in cera("optimize", "fire.slog", "--constraints", "fire.escl").stdout


def test_only_the_rule_that_a_constraint_would_concern_has_a_note() -> None:
    two = FIRE + "DETECT again{ area{var A} } ON alarm{{ area{{var A}} }} END\n"
    assert len(_notes(two, HOT)) == 1


def test_the_note_is_in_the_json() -> None:
    _notes(FIRE, HOT)
    [rule] = json.loads(cera("optimize", "fire.xceq", "--constraints", "fire.escl", "--json").stdout)["rules"]
    area = {"pattern": "area{{var A}}", "place": "fire.xceq:4:19", "for_one": "area{var A}"}
    value = {"pattern": "value{{var V}}", "place": "fire.xceq:4:34", "for_one": "value{var V}"}
    assert rule["several_values"] == [area, value]
    assert rule["result"] == "unchanged"
