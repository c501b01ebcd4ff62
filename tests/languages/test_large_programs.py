"""Wide and deep programs of EPL, event types, Snoop and Datalog_1S: they work, or a diagnostic names the limit."""

from __future__ import annotations

import pytest

from cera.diagnostics import Source
from cera.program import Program
from cera.testing import event

pytestmark = pytest.mark.slow

MANY = 1_200
CHAIN = 600


def conditions(word: str, name: str = "X") -> str:
    return f" {word} ".join(f"{name}.v > {number}" for number in range(MANY))


def epl(rule: str) -> str:
    return f"begin M monitor A, B; {rule} end."


WORKING = {
    "epl, conditions after commas": ("epl", epl(f"R: A(X, {conditions(',')}).")),
    "epl, conditions joined by and": ("epl", epl(f"R: A(X, {conditions('and')}).")),
    "epl, conditions joined by or": ("epl", epl(f"R: A(X, {conditions('or')}).")),
    "epl, 199 in a row": ("epl", epl(f"R: ({' & '.join(['A'] * 199)}).")),
    "epl, many rules": ("epl", epl(" ".join(f"R{number}: A(X, X.v > {number})." for number in range(1_000)))),
    "cet, conditions joined by and": ("cet", f"event A;\nevent B;\nT := ;(A, B) where {conditions('and', 'A')};"),
    "cet, conditions joined by or": ("cet", f"event A;\nevent B;\nT := ;(A, B) where {conditions('or', 'A')};"),
    "snoop, conditions joined by and": ("snoop", f"T := recent A ; B where {conditions('and', 'A')}"),
    "dl1s, conditions after commas": ("dl1s", f"p(X, J) <- A(X, J), {conditions(',')}."),
    "dl1s, conditions joined by and": ("dl1s", f"p(X, J) <- A(X, J), {conditions('and')}."),
    "dl1s, a chain of rules": (
        "dl1s",
        "p0(X, J) <- A(X, J).\n" + "\n".join(f"p{n + 1}(X, J) <- p{n}(X, J), X.v > {n}." for n in range(CHAIN)),
    ),
    "dl1s, a chain of copies": (
        "dl1s",
        "p0(X, J) <- A(X, J).\n" + "\n".join(f"p{n + 1}(X, J) <- p{n}(X, J)." for n in range(CHAIN)),
    ),
    "dl1s, as many atoms as there can be": (
        "dl1s",
        f"p(X0, J) <- {', '.join(f'A(X{n % 19}, J)' for n in range(50))}.",
    ),
}

REFUSED = {
    "epl, a long sequence": ("epl", epl(f"R: ({', '.join(['A'] * 2_000)})."), "EP304", "there can be 200"),
    "epl, a deep sequence": ("epl", epl(f"R: {'(' * 500}A{', B)' * 500}."), "EP001", "more than 120 levels"),
    "epl, a long sum": ("epl", epl(f"R: A(X, X.v > {' + '.join(['1'] * MANY)})."), "EP001", "more than 120 levels"),
    "cet, a deep type": (
        "cet",
        f"event A;\nevent B;\nT := {';(' * 500}A, A{', B)' * 500};",
        "CE001",
        "more than 120 levels",
    ),
    "snoop, a long chain": ("snoop", f"T := recent {' ; '.join(['A'] * 2_000)}", "SN001", "there can be 100"),
    "snoop, a deep chain": ("snoop", f"T := recent {'(' * 500}A ; B{') ; B' * 500}", "SN001", "more than 120 levels"),
    "dl1s, a long body": ("dl1s", f"p(X, J) <- {', '.join(['A(X, J)'] * MANY)}.", "DL104", "there can be 50"),
    "dl1s, a wide join": (
        "dl1s",
        f"p(J) <- {', '.join(f'A(X{n}, J)' for n in range(21))}.",
        "DL104",
        "there can be 19",
    ),
    "dl1s, deep parentheses": ("dl1s", f"p(X, J) <- A(X, J), {'(' * 500}X.v > 1{')' * 500}.", "DL001", "100 levels"),
}


@pytest.mark.parametrize("name", WORKING)
def test_a_large_program_runs(name: str) -> None:
    ending, text = WORKING[name]
    program = Program((Source(f"program.{ending}", text),))
    assert program.errors == ()
    happened = [event(f"A{{v{{{10 * MANY}}}}}", 1), event(f"B{{v{{{10 * MANY}}}}}", 2)]
    assert program.run(happened, engine="local").derived


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_that_is_too_large_is_told_the_limit(name: str) -> None:
    ending, text, code, message = REFUSED[name]
    errors = Program((Source(f"program.{ending}", text),)).errors
    assert {error.code for error in errors} == {code}
    assert message in errors[0].message
