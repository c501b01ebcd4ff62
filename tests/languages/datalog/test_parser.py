"""Reading `.dl1s`: what the words stand for, and what is said of a text that cannot be read."""

from __future__ import annotations

import pytest

from cera.datalog.printer import print_program
from cera.datalog.syntax import NEXT, Anonymous, Atom, J, Not, Rule
from cera.diagnostics import Source
from cera.languages.datalog.parser import parse
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Arithmetic, Call, Comparison, Literal, Variable
from unit.datalog.programs import read


def only(text: str) -> Rule:
    (rule,) = read(text).rules
    return rule


def test_a_rule_of_the_paper() -> None:
    x, y = Variable("X"), Variable("Y")
    assert only("sat2(X, Y, s(J)) <- upd_ACC(Y, s(J)), sat1(X, J), X.Balance > 3, not sat4(X, _, s(J)).") == Rule(
        Atom("sat2", (x, y), NEXT),
        (
            Atom("upd_ACC", (y,), NEXT),
            Atom("sat1", (x,), J),
            Comparison(">", Variable("X.Balance"), Literal(3)),
            Not(Atom("sat4", (x, Anonymous()), NEXT)),
        ),
    )


def test_the_signs_of_the_paper_are_read_as_well() -> None:
    assert only("p(X, s(J)) ← q(X, J), ¬r(X, J), X ≠ 3.") == only("p(X, s(J)) <- q(X, J), not r(X, J), X != 3.")


def test_a_word_with_a_small_letter_stands_for_itself() -> None:
    assert only("evt_monit(upd, ACC_1) <- q(ACC_1).").head.arguments == (Literal("upd"), Variable("ACC_1"))


def test_a_number_in_the_last_place_is_a_stage_if_the_predicate_has_stages() -> None:
    with_stage, without, _ = read("in_H(1, 0). moment(0). in_H(N, s(J)) <- in_H(N, J), moment(N).").rules
    assert with_stage.head == Atom("in_H", (Literal(1),), 0)
    assert without.head == Atom("moment", (Literal(0),))


def test_an_argument_can_be_computed() -> None:
    assert only("p(N + 1, s(J)) <- p(N, J).").head.arguments == (Arithmetic("+", Variable("N"), Literal(1)),)


def test_the_name_of_a_function_is_an_atom_only_with_a_stage() -> None:
    call, atom = only('p(X, J) <- q(X, J), matches(X, "a.*"), matches(X, J).').body[1:]
    assert isinstance(call, Call)
    assert atom == Atom("matches", (Variable("X"),), J)


def test_not_before_a_condition_is_part_of_the_condition() -> None:
    assert isinstance(only("p(X, J) <- q(X, J), not (X > 3 or X = 1).").body[1], expressions.Not)


def test_names_that_are_no_words_are_quoted() -> None:
    text = '"order-placed"(X, s(J)) <- "a b"(X, s(J)), X."odd name" = "x".\n'
    assert print_program(read(text)) == text


def test_comments_are_kept_with_their_places() -> None:
    parsed = parse(Source("test", 'p(J). % one\n% "two"\n'))
    assert [(c.text, c.span.line) for c in parsed.comments] == [("% one", 1), ('% "two"', 2)]


def test_a_broken_rule_does_not_take_the_others_with_it() -> None:
    parsed = parse(Source("test", "p(X, J) <- q(X J).\nr(X, J) <- q(X, J).\ns(X J)."))
    assert [rule.head.predicate for rule in parsed.program.rules] == ["r"]
    assert [d.span.line for d in parsed.diagnostics if d.span] == [1, 3]


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("p(X, J) -> q(X, J).", 9, "expected '.' or '<-', found '-'", "a rule is written `head <- body.`"),
        ("p(X, J) <- q(X, J), !r(X, J).", 21, "expected an atom or a condition or '.', found '!'", "`not atom`"),
        ("p(X, J) <- q(X, J)", 19, "expected an operator, ',' or '.', found the end of the text", "full stop"),
        ("p(X, J) <- q(X, J) & r(J).", 20, "expected an operator, ',' or '.', found '&'", "separated by commas"),
        ("p(X, J) <- q(X, 'a', J).", 17, "expected a value", '"…"'),
        ("p(X, J) <- q(X, J). # r", 21, "expected", "begins with %"),
        ("p(X) <- r(X) = 3.", 9, "`r` is not a function", None),
        ("p(X) <- q(X), X > _.", 19, "`_` stands for a value of its own in an atom only", "a name"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, column: int, message: str, hint: str | None) -> None:
    (found,) = parse(Source("test", text)).diagnostics
    assert found.code == "DL001"
    assert found.span is not None
    assert found.span.column == column
    assert message in found.message
    assert hint is None or hint in (found.hint or "")


@pytest.mark.parametrize("text", ["p(99999999999999999999).", 'p("\\q").', 'p(X) <- q(X), X."\\q" = 1.'])
def test_a_literal_without_a_value_is_refused(text: str) -> None:
    assert [d.code for d in parse(Source("test", text)).diagnostics] == ["DL002"]


@pytest.mark.parametrize(
    "text",
    [
        *("p(J, X) <- q(X, J).", "p(X, J) <- q(X, J), X > J.", "p(X, s(s(J))) <- q(X, J).", "p(X, s(K)) <- q(X, J)."),
        *("p(X, J) <- q(X, J), J.a = 1.", "p(X, J) <- q(s(J), X, J)."),
    ],
)
def test_a_stage_stands_last_in_an_atom_and_nowhere_else(text: str) -> None:
    assert [d.code for d in parse(Source("test", text)).diagnostics] == ["DL101"]


def test_deep_nesting_is_refused() -> None:
    text = f"p(X) <- q(X), X = {'(' * 2_000}1{')' * 2_000}."
    assert [d.code for d in parse(Source("test", text)).diagnostics] == ["DL001"]


def test_long_rules_are_broken_behind_their_commas() -> None:
    body = ", ".join(f"quite_a_long_predicate_{i}(X, J)" for i in range(6))
    program = read(f"p(X, J) <- {body}.")
    lines = print_program(program).splitlines()
    assert len(lines) == 7
    assert read("\n".join(lines)) == program


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("monitor t.t.\np(X, J) <- A(X, J).", "DL001", "'t' cannot stand here"),
        ('p("\\ud800", J) <- A(X, J).', "DL002", "the string has half of a surrogate pair, which is not a character"),
    ],
)
def test_what_has_no_meaning_is_a_diagnostic(text: str, code: str, message: str) -> None:
    [found] = parse(Source("test.dl1s", text)).diagnostics
    assert (found.code, found.message) == (code, message)
