"""What checks say of sets of constraints, and of constraints in several files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import cera
from cera.cli.main import main
from cera.diagnostics import Source
from cera.program import Program
from conformance.constraints import diagnostics_of


def codes(text: str) -> list[str]:
    return sorted({each.code for each in diagnostics_of(text)} - {"EC410"})


ORDER = "IF event i: order(n(N), m(M)) and event j: payment(n(N)) THEN {} END"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("N > 3", "N < 2"),
        ("N = M", "M > N"),
        ("i before j", "j before i"),
        ("i before j", "b(j) <= e(i)"),
        ("{i, j} within max 5 min", "{i, j} within min 6 min"),
        ("{i, j} within max 5 min", "{i, j} apart-by min 10 min"),
        ("{i, j} apart-by min 2 min", "{i, j} apart-by max 1 min"),
        ("exists >= 3 event: part(n(N))", "exists <= 2 event: part(n(N))"),
        ("exists >= 3 event: part(n(N), kind(1))", "exists <= 2 event: part(n(N))"),
        ("exists (= 1 or >= 4) event: part(n(N))", "exists (= 0 or = 3) event: part(n(N))"),
    ],
)
def test_two_constraints_that_contradict_each_other_are_found(first: str, second: str) -> None:
    assert codes(f"{ORDER.format(first)}\n{ORDER.format(second)}") == ["EC404"]
    assert codes(ORDER.format(f"{first} and {second}")) == ["EC403"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("N > 3", "N < 5"),
        ("N > 3", "M < 2"),
        ("i before j", "e(i) <= b(j)"),
        ("{i, j} within min 5 min", "{i, j} apart-by max 1 min"),
        ("exists >= 3 event: part(n(N))", "exists <= 2 event: part(n(N), kind(1))"),
        ("exists >= 3 event: part(n(N))", "exists <= 2 event: parts(n(N))"),
        ("exists >= 3 event: part(n(N), kind(K))", "exists <= 2 event: part(n(N), kind(K)) group-by {N}"),
    ],
)
def test_constraints_that_can_hold_together_are_not_reported(first: str, second: str) -> None:
    assert "EC404" not in codes(f"{ORDER.format(first)}\n{ORDER.format(second)}")
    assert "EC403" not in codes(ORDER.format(f"{first} and {second}"))


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("N > 3", "N >= 2"),
        ("i before j", "b(i) < e(j)"),
        ("{i, j} within max 5 min", "{i, j} apart-by max 6 min"),
        ("exists >= 3 event: part(n(N), kind(1))", "exists >= 2 event: part(n(N))"),
        ("event: part(n(N), kind(K)) and K > 3", "event: part(n(N), kind(L)) and L > 1"),
        ("exists = 1 event: part(n(N))", "event: part(n(N))"),
    ],
)
def test_a_weaker_constraint_follows(stronger: str, weaker: str) -> None:
    assert codes(f"{ORDER.format(stronger)}\n{ORDER.format(weaker)}") == ["EC405"]


def test_the_order_of_values_does_not_follow_from_their_equality() -> None:
    """X = Y holds of two truth values, which have no order."""
    assert codes(f"{ORDER.format('N = M')}\n{ORDER.format('N <= M')}") == []


def test_a_count_of_each_group_does_not_follow_from_that_of_one_group() -> None:
    some = "IF event: order(n(N)) THEN exists = 2 event: part(n(N), kind(K)) and K > 3 END"
    every = "IF event: order(n(N)) THEN exists = 2 event: part(n(N), kind(K)) END"
    assert codes(f"{some}\n{every}") == []


@pytest.mark.parametrize(
    "text",
    [
        "IF event: order(n(N)) and N > 5 THEN N > 3 END",
        "IF event: order(n(N)) and N > 5 and N < 4 THEN event: bell() END",
        "IF event i: order() and event t: from-end[i, 1 min] and while t: event j: payment() THEN e(i) <= b(j) END",
        "IF event i: order(n(N)) THEN exists >= 1 event: order(n(N)) END",
        "IN ANY CASE exists >= 1 event: temp(area(A)) END",
    ],
)
def test_constraints_that_say_nothing_are_found(text: str) -> None:
    assert codes(text) == ["EC402"]


def test_a_minimal_set_is_proposed_across_files(tmp_path: Path) -> None:
    one, other = tmp_path / "one.escl", tmp_path / "other.escl"
    one.write_text("CONSTRAINT price: IF event: order(price(P), shipping(S)) THEN P > S END\n")
    other.write_text(
        "CONSTRAINT shipping: IF event: order(shipping(S)) THEN S >= 5 END\n"
        "CONSTRAINT cheap: IF event: order(price(P), shipping(S)) THEN P > 2 END\n"
    )
    program = cera.load([one, other])
    assert program.minimal_constraints() == ("one.price", "other.shipping")
    [implied] = [each for each in program.check() if each.code == "EC405"]
    assert implied.message == "the constraint `other.cheap` follows from `one.price` and `other.shipping`"
    result = CliRunner().invoke(main, ["check", "--json", str(one), str(other)])
    [proposed] = [each for each in json.loads(result.stdout) if each["code"] == "EC410"]
    assert proposed["message"] == "2 of 3 constraints say the same as all: `one.price` and `other.shipping`"


def test_of_equal_constraints_one_is_left() -> None:
    """Files of one name in two folders, which are refused, and a file that is given twice to --constraints."""
    said = "IF event: order(price(P)) THEN P > 1 END"
    copies = Program((Source("a/one.escl", said), Source("b/one.escl", said)))
    assert [each.code for each in copies.check() if each.severity == "error"] == ["EP101"]
    rules = Source("r.slog", "unbounded: h(price(P)) <- order(price(P)) and P > 0.")
    twice = cera.load(rules, constraints=[Source("one.escl", said), Source("one.escl", said)])
    assert not twice.errors
    assert [each.law for each in twice.rewritten.rules[0].rewritings] == ["predicate elimination"]


def test_windows_of_files_with_other_origins_are_not_compared() -> None:
    text = "WHILE Range 1h LET CONSTRAINT few: IN ANY CASE exists <= {} event: order() END END"
    origin = 'ORIGIN "1970-01-01T00:30:00Z"\n'
    one, other = Source("one.escl", text.format(2)), text.format(3)
    assert Program((one, Source("two.escl", other))).minimal_constraints() == ("one.few",)
    assert len(Program((one, Source("two.escl", origin + other))).minimal_constraints()) == 2


def test_constraints_speak_of_the_violations_of_other_files() -> None:
    small = Source("small.escl", "CONSTRAINT small: IF event: order(price(P)) THEN P < 10 END")
    about = Source("about.escl", "CONSTRAINT one: IN ANY CASE exists <= 1 event: violation(constraint(C)) END\n")
    program = Program((small, about))
    rows = [{"type": "order", "at": at, "price": 5 * at} for at in range(5)]
    for engine in ("local", "reference"):
        answer = program.run(rows, label="type", time_unit="us", engine=engine)
        found = {(each.derivations[0].rule, each.event.end) for each in answer}
        assert found == {("small.small", 2), ("small.small", 3), ("about.one", 3), ("small.small", 4)}, engine


def test_two_files_about_violations_are_a_circle() -> None:
    text = "CONSTRAINT one: IN ANY CASE exists <= 1 event: violation(constraint(C)) END\n"
    [problem] = Program((Source("a.escl", text), Source("b.escl", text))).errors
    assert problem.code == "EP303"
    assert problem.hint is not None
    assert problem.hint.startswith("put all constraints about violations into one file")


def test_nothing_is_said_to_follow_from_constraints_that_contradict_each_other() -> None:
    numbers = [f"IF event i: order(n(N)) THEN {said} END" for said in ("N > 5", "N < 2")]
    other = "IF event i: order(n(N)) and event j: payment(n(N)) THEN {i, j} within max 1h END"
    assert "EC405" not in codes("\n".join([other, *numbers]))
    assert "EC404" in codes("\n".join([other, *numbers]))


SHOP = (
    "CONSTRAINT small: IF event: order(price(P)) THEN P < 10 END\n"
    "CONSTRAINT medium: IF event: order(price(P)) THEN P < 20 END\n"
)


@pytest.mark.parametrize(
    ("about", "stays"),
    [
        ("event: violation(constraint(medium))", True),
        ("event: violation(constraint(C))", True),
        ("event: violation()", True),
        ("event: violation(constraint(small))", False),
        ("event: violation(automaton(A))", False),
        ("event: alarm()", False),
    ],
)
def test_a_constraint_whose_violations_another_file_asks_for_stays(about: str, stays: bool) -> None:
    watch = Source("watch.escl", f"CONSTRAINT few: IN ANY CASE exists <= 3 {about} group-by {{}} END\n")
    program = Program((Source("shop.escl", SHOP), watch))
    kept = ("shop.small", "shop.medium", "watch.few") if stays else ("shop.small", "watch.few")
    assert program.minimal_constraints() == kept
    assert ("EC405" in [each.code for each in program.check()]) == (not stays)


def test_violations_of_the_same_file_are_not_seen_which_is_warned_of() -> None:
    watch = "WHILE Range 1 day LET CONSTRAINT few: IN ANY CASE exists <= 3 event: {} group-by {{}} END END\n"
    asked = watch.format("violation(constraint(small))")
    [found] = [each for each in Program((Source("shop.escl", SHOP + asked),)).check() if each.code == "EC111"]
    assert found.message == "violations of `small` are not seen here: it is a constraint of the same file"
    apart = Program((Source("shop.escl", SHOP), Source("watch.escl", asked)))
    assert "EC111" not in [each.code for each in apart.check()]
    for other in ("violation(automaton(small))", "violation(constraint(C))", "alarm(constraint(small))"):
        program = Program((Source("shop.escl", SHOP + watch.format(other)),))
        assert "EC111" not in [each.code for each in program.check()]


def test_violations_are_events_like_others_to_the_checks() -> None:
    """That `small` holds would tell that there are no violations of it, and the checks do not say so."""
    watch = "\n".join(
        [
            "CONSTRAINT one: IN ANY CASE exists <= 1 event: violation(constraint(small)) END",
            "CONSTRAINT two: IN ANY CASE exists <= 2 event: violation(constraint(small)) END",
            "CONSTRAINT none: IF event: violation(constraint(small)) THEN event: alarm() END",
        ]
    )
    program = Program((Source("shop.escl", SHOP), Source("watch.escl", watch)))
    implied = [each.message for each in program.check() if each.code == "EC405"]
    assert implied == [
        "the constraint `shop.medium` follows from `shop.small`",
        "the constraint `watch.two` follows from `watch.one`",
    ]


def test_that_more_violations_are_asked_for_than_allowed_is_a_contradiction() -> None:
    asked = "IF event o: order(id(N)) THEN exists {} event: violation(constraint(small)) group-by {{}} END"
    text = "\n".join(asked.format(count) for count in (">= 3", "<= 2"))
    assert codes(text) == ["EC404"]


@pytest.mark.parametrize(
    ("given", "said"),
    [("", "{i, j} apart-by min 10 min"), ("", "i before j"), ("", "V < W"), (" and {i, j} within max 1h", "V != W")],
)
def test_two_identifiers_for_one_event_that_violates_by_itself_are_found(given: str, said: str) -> None:
    body = f"event i: move(of(P), v(V)) and event j: move(of(P), v(W)){given}"
    assert codes(f"IF {body} THEN {said} END") == ["EC411"]
    assert "EC411" not in codes(f"IF {body} and b(i) < b(j) THEN {said} END")


def test_nothing_is_said_to_follow_from_a_constraint_that_every_event_violates() -> None:
    calm = "IF event i: move(of(P)) and event j: move(of(P)) THEN {i, j} apart-by min 10 min END"
    other = "IF event i: move(of(P), nurse(N)) THEN N != 0 END"
    assert codes(f"{calm}\n{other}") == ["EC411"]


def test_what_can_be_said_of_groups_that_do_not_occur_is_hinted_at() -> None:
    [problem] = [
        each for each in diagnostics_of("IN ANY CASE exists >= 1 event: temp(area(A)) END") if each.code == "EC402"
    ]
    assert problem.hint is not None
    assert problem.hint.startswith(
        "only groups that occur are counted: give `A` values, `IF event: p(x(A)) THEN … END`"
    )
