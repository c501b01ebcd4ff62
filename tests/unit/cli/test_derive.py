"""`cera derive` and `cera translate --to escl`: what follows from a program, as a text that can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main

AUCTION = Path(__file__).parents[3] / "examples" / "auction-workflow"


def cera(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_what_follows_can_be_checked_and_holds_of_what_the_automaton_accepts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = cera("derive", str(AUCTION / "auction.ihta"))
    assert found.exit_code == 0
    monkeypatch.chdir(tmp_path)
    Path("derived.escl").write_text(found.stdout)
    checked = cera("check", "derived.escl")
    assert "143 constraints: no errors" in checked.output
    warnings = [line for line in checked.output.splitlines() if line.startswith("warning")]
    # at most one I4 in an offer, and the body has one: exactly one, which is derived on its own, follows (c69); an
    # order in a state follows from the one in all of time, which supposes more
    assert [line.removeprefix("warning[EC405]: ") for line in warnings if not line.startswith("warning[EC501]")] == [
        f"the constraint `c{one}` follows from `c{other}`"
        for one, other in ((6, 114), (7, 117), (8, 125), (69, 23), (82, 142), (83, 143))
    ], "else all that can be said of them is what it takes to verify them"
    verified = cera("verify", str(AUCTION / "auction.ihta"), "derived.escl", "--events", str(AUCTION / "events.jsonl"))
    # the third auction violates the automaton, and all that does not hold is about it
    assert verified.exit_code == 6
    broken = [line for line in verified.stderr.splitlines() if " for A = " in line]
    assert broken
    assert all(" for A = 3" in line for line in broken)


def test_each_constraint_says_what_it_follows_from_and_what_it_supposes() -> None:
    text = cera("derive", str(AUCTION / "auction.ihta")).stdout
    comments = [line for line in text.splitlines() if line.startswith("# automaton")]
    assert "# automaton Auction, on all ways of ItemOffer: sell (supposing points, distinct, unique)" in comments
    assert len(comments) == text.count("\nWHILE") + text.count("\nIF")


def test_it_says_that_what_rules_derive_must_not_come_from_outside(tmp_path: Path) -> None:
    """One more `h` in a window violates what follows from the rule, though the rule derives only one."""
    rules, known, events = (tmp_path / name for name in ("a.slog", "known.escl", "events.jsonl"))
    rules.write_text("Range 10sec: h(k(K), n(count(V))) <- p(k(K), v(V)).\n")
    known.write_text("WHILE Range 10sec LET IN ANY CASE exists <= 5 event: p(k(K)) group-by {K} END END\n")
    found = cera("derive", str(rules), str(known))
    assert "come from these alone, not from outside" in found.stdout.splitlines()[2]
    (tmp_path / "derived.escl").write_text(found.stdout)
    own = '{"at": 1, "term": {"p": {"k": 1, "v": 2}}}\n{"at": 20, "term": {"p": {"k": 1, "v": 2}}}\n'
    for other, status in (("", 0), ('{"at": 8, "term": {"h": {"k": 1, "n": 7}}}\n', 6)):
        events.write_text(f"{other}{own}")
        checked = cera("verify", str(rules), str(tmp_path / "derived.escl"), "--events", str(events))
        assert checked.exit_code == status, checked.output


def test_translate_shows_the_same() -> None:
    derived, translated = (
        cera("derive", str(AUCTION / "auction.ihta")),
        cera("translate", str(AUCTION / "auction.ihta"), "--to", "escl"),
    )
    assert translated.exit_code == 0
    assert translated.stdout == derived.stdout


def test_supposing_less_leaves_out_what_supposes_more() -> None:
    few = cera("derive", str(AUCTION / "auction.ihta"), "--supposing", "distinct", "--supposing", "unique").stdout
    assert "exists = 1 state: I0" in few
    assert "event: hammerBeat" not in few
    none = cera("derive", str(AUCTION / "auction.ihta"), "--supposing", "nothing")
    assert (none.exit_code, none.stdout) == (0, "")
    assert "no constraint follows from the program under these suppositions" in none.stderr


def test_rules_propagate_constraints_of_the_same_call(tmp_path: Path) -> None:
    rules, known = tmp_path / "rules.slog", tmp_path / "known.escl"
    rules.write_text("Range 1h:\n  high(area(A), value(V)) <- temp(area(A), value(V)) and V > 30.\n")
    known.write_text(
        "WHILE Range 1 min LET CONSTRAINT often: "
        "IN ANY CASE exists = 1 event: temp(area(A), value(V)) group-by {A} END END\n"
    )
    found = cera("derive", str(rules), str(known)).stdout
    assert "# from often, high: the numbers of high (supposing points, flat)" in found
    assert "exists <= 60 event: high(area(A), value(V)) group-by {A}" in found


def test_a_wrong_program_is_an_error(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.slog"
    wrong.write_text("Range 1h: h(x(X)) <- .")
    assert cera("derive", str(wrong)).exit_code == 1
