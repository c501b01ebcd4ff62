"""The entries D-03 to D-18, D-24 and D-25 of the catalogue: from EPL to Datalog_1S (seed 003, sections 3, 4 and 6)."""

from __future__ import annotations

import itertools

import pytest

from cera.datalog.printer import print_program
from cera.languages.epl.attribute_grammar import attributes
from cera.languages.epl.compiler import translated
from cera.languages.epl.syntax import Module
from cera.languages.epl.tree import prefix_form, tree_of
from cera.languages.text.nodes import EventType
from conformance.epl_histories import module, rule, runs_of, stages_of, word

EXAMPLE_6 = "(upd(ACC(X), X.q = 1), upd(ACC(Y), Y.q = X.q))"
EXAMPLE_7 = """(upd(A(X), X.a = 1),
  *:(*:ins(B(Y), Y.k = X.k), del(C(Z), Z.k = X.k)), upd(D(V), V.k = X.k))"""
EXAMPLE_8 = "(upd(A(X)), !{upd(B(Y), Y.k = X.k), ins(C(Z), Z.k = X.k)}, upd(D(V)))"
EXAMPLE_9 = "[A(X), B(Y), C(Z)]"


def changes(event: str) -> Module:
    return rule(event, "upd(A), upd(B), ins(B), ins(C), del(C), upd(D), upd(ACC)")


def text_of(found: Module, **flags: bool) -> list[str]:
    return print_program(translated(found, **flags)).splitlines()


def tree(event: str) -> tuple[str, dict[str, set[str]]]:
    """The prefix form of an event and PPS of its nodes."""
    root = tree_of(rule(event).rules[0].event, (EventType(None, "A"),))
    found = attributes(root)
    return prefix_form(root), {number: {str(each) for each in own.predecessors} for number, own in found.items()}


def test_D_03_example_6() -> None:
    assert text_of(changes(EXAMPLE_6)) == [
        "sat1(X, J) <- upd_ACC(X, J), X.q = 1.",
        "sat2(X, Y, s(J)) <- upd_ACC(Y, s(J)), sat1(X, J), Y.q = X.q.",
        "satE(X, Y, J) <- sat2(X, Y, J).",
    ]


def test_D_04_prefix_forms_nest_to_the_right() -> None:
    assert tree("(A, B, C)")[0] == "seq(1, seq(2, 3))"
    assert tree("(A & B & C)")[0] == "and(1, and(2, 3))"
    assert tree("{A, B, C}")[0] == "or(1, or(2, 3))"
    assert tree("(A, *:B, C)")[0] == "seq(1, *seq(2, 3))"
    assert tree("(A, *:B)")[0] == "seq(1, *seq(2, ε))"
    assert tree("!A")[0] == "neg(1)"


def test_D_05_variables_are_imported_and_exported_as_table_1_says() -> None:
    root = tree_of(rule("(A(X), *:B(Y), {C(Z), D(W)}, (A(U) & !B(V)))").rules[0].event, ())
    assert prefix_form(root) == "seq(1, *seq(2, seq(or(3, 4), and(6, neg(7)))))"
    found = attributes(root)
    scopes = {number: (own.imported, own.exported) for number, own in found.items()}
    assert scopes["1"] == ((), ("X",))
    assert scopes["2"] == (("X",), ("Y",))
    assert scopes["3"] == (("X",), ("Z",))
    assert scopes["5"] == (("X",), ())  # or
    assert scopes["6"] == (("X",), ("U",))
    assert scopes["7"] == (("X",), ("V",))
    assert scopes["8"] == (("X",), ())  # neg
    assert scopes["9"] == (("X",), ("U",))  # and
    assert scopes["11"] == (("X",), ("U",))  # *seq
    assert scopes["E"] == ((), ("X", "U"))


def test_D_06_there_is_a_rule_for_each_predecessor() -> None:
    lines = text_of(rule("(*:A, {B, C}, !D)"))
    assert [line for line in lines if line.startswith("sat2(")] == [
        "sat2(J) <- B(_, J).",
        "sat2(s(J)) <- B(_, s(J)), sat1(J).",
    ]
    assert [line for line in lines if line.startswith("sat4(")] == ["sat4(J) <- sat2(J).", "sat4(J) <- sat3(J)."]
    assert "sat6(s(J)) <- any(s(J)), sat4(J), not sat5(s(J))." in lines
    assert text_of(rule("(A, *:B)"))[-4:] == [
        "sat3(A, J) <- sat1(A, J).",
        "sat3(A, J) <- sat2(A, J).",
        "sat4(A, J) <- sat3(A, J).",
        "satE(A, J) <- sat4(A, J).",
    ]


def test_D_07_predecessors_in_a_sequence_with_a_star() -> None:
    form, predecessors = tree("(A, B, *:C, D)")
    assert form == "seq(1, seq(2, *seq(3, 4)))"
    assert [predecessors[number] for number in "234"] == [{"1"}, {"2", "3"}, {"2", "3"}]


def test_D_08_predecessors_in_example_7() -> None:
    form, predecessors = tree("(A, *:(*:B, C), D)")
    assert form == "seq(1, *seq(*seq(2, 3), 5))"
    assert predecessors == {
        "E": {"start"},
        "1": {"start"},
        "6": {"1"},
        "4": {"1", "4"},
        "5": {"1", "4"},
        "2": {"1", "2", "4"},
        "3": {"1", "2", "4"},
    }


def test_D_09_example_7() -> None:
    assert text_of(changes(EXAMPLE_7)) == [
        "sat1(X, J) <- upd_A(X, J), X.a = 1.",
        "sat2(X, Y, s(J)) <- ins_B(Y, s(J)), sat1(X, J), Y.k = X.k.",
        "sat2(X, Y, s(J)) <- ins_B(Y, s(J)), sat2(X, _, J), Y.k = X.k.",
        "sat2(X, Y, s(J)) <- ins_B(Y, s(J)), sat4(X, _, J), Y.k = X.k.",
        "sat3(X, Z, s(J)) <- del_C(Z, s(J)), sat1(X, J), Z.k = X.k.",
        "sat3(X, Z, s(J)) <- del_C(Z, s(J)), sat2(X, _, J), Z.k = X.k.",
        "sat3(X, Z, s(J)) <- del_C(Z, s(J)), sat4(X, _, J), Z.k = X.k.",
        "sat4(X, Z, J) <- sat3(X, Z, J).",
        "sat5(X, V, s(J)) <- upd_D(V, s(J)), sat1(X, J), V.k = X.k.",
        "sat5(X, V, s(J)) <- upd_D(V, s(J)), sat4(X, _, J), V.k = X.k.",
        "sat6(X, V, J) <- sat5(X, V, J).",
        "satE(X, V, J) <- sat6(X, V, J).",
    ]


@pytest.mark.parametrize(
    ("history", "accepted"),
    [("A D", True), ("A C D", True), ("A B C D", True), ("A B C B B C D", True), ("A B D", False), ("A C B D", False)],
)
def test_D_09_what_example_7_accepts(history: str, accepted: bool) -> None:
    stages = word(history)
    assert stages_of(rule("(A(X), *:(*:B(Y), C(Z)), D(V))"), stages) == ([len(stages)] if accepted else [])


def test_D_10_any_is_a_predicate_of_its_own() -> None:
    assert text_of(rule("any")) == ["satE(J) <- any(J)."]
    assert stages_of(rule("any"), word("A B")) == [1, 2]


def test_D_11_a_relaxed_sequence_has_four_rules() -> None:
    found = changes("[upd(ACC(X), X.q = 1), upd(ACC(Y), Y.q = X.q)]")
    assert text_of(found, copies=False) == [
        "sat1(X, J) <- upd_ACC(X, J), X.q = 1.",
        "has_sat1(X, J) <- sat1(X, J).",
        "has_sat1(X, s(J)) <- any(s(J)), has_sat1(X, J).",
        "satE(X, Y, s(J)) <- upd_ACC(Y, s(J)), has_sat1(X, J), Y.q = X.q.",
    ]


def test_D_12_prior() -> None:
    lines = text_of(rule("prior(A(X), B(Y))"))
    assert lines[-1] == "satE(X, Y, s(J)) <- sat2(Y, s(J)), has_sat1(X, J)."
    assert len(lines) == 5


def test_D_13_a_conjunction_of_simultaneous_events() -> None:
    found = changes("(upd(A(X)), (ins(B(Y)) & del(C(Z))))")
    assert text_of(found, copies=False) == [
        "sat1(X, J) <- upd_A(X, J).",
        "sat2(X, Y, s(J)) <- ins_B(Y, s(J)), sat1(X, J).",
        "sat3(X, Z, s(J)) <- del_C(Z, s(J)), sat1(X, J).",
        "satE(X, Y, Z, J) <- sat2(X, Y, J), sat3(X, Z, J).",
    ]
    assert stages_of(found, word("upd_A ins_B+del_C")) == [2]
    assert stages_of(found, word("upd_A ins_B del_C")) == []


def test_D_14_a_negated_basic_event() -> None:
    assert text_of(rule('!A(X, X.Type = "Savings")')) == [
        'sat1(X, J) <- A(X, J), X.Type = "Savings".',
        "satE(J) <- any(J), not sat1(_, J).",
    ]


def test_D_15_example_8() -> None:
    assert text_of(changes(EXAMPLE_8)) == [
        "sat1(X, J) <- upd_A(X, J).",
        "sat2(X, Y, s(J)) <- upd_B(Y, s(J)), sat1(X, J), Y.k = X.k.",
        "sat3(X, Z, s(J)) <- ins_C(Z, s(J)), sat1(X, J), Z.k = X.k.",
        "sat4(X, J) <- sat2(X, Y, J).",
        "sat4(X, J) <- sat3(X, Z, J).",
        "sat5(X, s(J)) <- any(s(J)), sat1(X, J), not sat4(X, s(J)).",
        "sat6(X, V, s(J)) <- upd_D(V, s(J)), sat5(X, J).",
        "sat7(X, V, J) <- sat6(X, V, J).",
        "satE(X, V, J) <- sat7(X, V, J).",
    ]
    _, predecessors = tree("(A(X), !{B, C}, D)")
    assert [predecessors[number] for number in "23457"] == [{"1"}] * 5
    assert predecessors["6"] == {"5"}


@pytest.mark.parametrize(
    ("history", "expected"),
    [("upd_A upd_ACC upd_D", [3]), ("upd_A upd_B upd_D", []), ("upd_A ins_C upd_D", []), ("upd_A upd_D", [])],
)
def test_D_15_what_example_8_accepts(history: str, expected: list[int]) -> None:
    assert stages_of(changes(EXAMPLE_8), word(history)) == expected


HISTORY_9 = "A A B C B C"


def test_D_16_example_9_in_the_unrestricted_context() -> None:
    expected = {"A1 B1 C1", "A2 B1 C1", "A1 B1 C2", "A2 B1 C2", "A1 B2 C2", "A2 B2 C2"}
    assert runs_of(rule(EXAMPLE_9), word(HISTORY_9)) == expected


def test_D_17_example_9_in_the_recent_context() -> None:
    found = rule(EXAMPLE_9, rest="in recent context")
    assert text_of(found, copies=False) == [
        "sat1(X, J) <- A(X, J).",
        "last_sat1(X, J) <- sat1(X, J).",
        "last_sat1(X, s(J)) <- any(s(J)), last_sat1(X, J), not sat1(_, s(J)).",
        "sat2(X, Y, s(J)) <- B(Y, s(J)), last_sat1(X, J).",
        "last_sat2(X, Y, J) <- sat2(X, Y, J).",
        "last_sat2(X, Y, s(J)) <- any(s(J)), last_sat2(X, Y, J), not sat2(_, _, s(J)).",
        "satE(X, Y, Z, s(J)) <- C(Z, s(J)), last_sat2(X, Y, J).",
    ]
    assert runs_of(found, word(HISTORY_9)) == {"A2 B1 C1", "A2 B2 C2"}


def test_D_18_example_9_in_the_chronicle_context() -> None:
    assert runs_of(rule(EXAMPLE_9, rest="in chronicle context"), word(HISTORY_9)) == {"A1 B1 C1", "A2 B2 C2"}


@pytest.mark.parametrize("event", ["(A(X) ; B(Y) ; C(Z))", "[[A(X), B(Y)], C(Z)]", "[A(X), [B(Y), C(Z)]]"])
def test_D_17_D_18_nested_sequences_have_contexts_too(event: str) -> None:
    assert runs_of(rule(event, rest="in recent context"), word(HISTORY_9)) == {"A2 B1 C1", "A2 B2 C2"}
    assert runs_of(rule(event, rest="in chronicle context"), word(HISTORY_9)) == {"A1 B1 C1", "A2 B2 C2"}


def next_until(history: list[set[str]], at: int) -> bool:
    """A next ((B until C) until D) at a position, by the definition of `until`."""

    def b_until_c(begin: int) -> bool:
        return any("C" in history[end] and all("B" in each for each in history[begin:end]) for end in later(begin))

    def later(begin: int) -> range:
        return range(begin, len(history))

    if "A" not in history[at]:
        return False
    return any("D" in history[end] and all(map(b_until_c, range(at + 1, end))) for end in later(at + 1))


def test_D_24_the_temporal_formula_says_the_same_where_events_are_not_simultaneous() -> None:
    found = rule("(A(X), *:(*:B, C), D)")

    def begun(letters: tuple[str, ...]) -> set[str]:
        return {run.split()[0] for run in runs_of(found, word(" ".join(letters)))}

    for length in (3, 4, 5):
        for letters in itertools.product("ABCD", repeat=length):
            history = [{letter} for letter in letters]
            expected = {f"A{letters[: at + 1].count('A')}" for at in range(length) if next_until(history, at)}
            assert begun(letters) == expected, letters


def test_D_24_with_simultaneous_events_the_formula_does_not_want_C_before_D() -> None:
    assert next_until([{"A"}, {"B"}, {"B", "D"}, {"C"}], 0)
    assert stages_of(rule("(A, *:(*:B, C), D)"), word("A B B+D C")) == []


def test_D_25_a_conjunction_costs_one_rule_more_than_its_parts() -> None:
    one, other = "(A(X), *:B, C(Y))", "[C(Z), !D, (A(V), B(W))]"
    separately = [len(text_of(rule(event))) for event in (one, other)]
    assert len(text_of(rule(f"({one} & {other})"))) == sum(separately) + 1


def test_ERR_99_a_star_may_come_first() -> None:
    assert stages_of(rule("(*:A, B)"), word("B C A A B")) == [1, 5]


def test_ERR_106_a_negation_after_a_gap_is_about_what_comes_after_the_first() -> None:
    """[A, !(B, C)]: at some stage after A no (B, C) ends that began after A."""
    assert stages_of(rule("[A(X), !(B, C)]"), word("A B C B")) == [2, 4]
    assert stages_of(rule("[A(X), !(B, C)]"), word("B A C")) == [3]


def test_a_module_with_one_rule_has_the_names_of_the_paper() -> None:
    found = module("begin M monitor A; R: (A, A) end.")
    assert text_of(found)[-1] == "satE(A, A_2, J) <- sat2(A, A_2, J)."
