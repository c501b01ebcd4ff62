"""The checks of rules, which all rule languages share, speak of a StreamLog program as it is written."""

from __future__ import annotations

import pytest

from cera.diagnostics import Diagnostic, Source
from cera.program import Program
from cera.wording import on_command_line

RELATION = 'relation r(x: number, y: string) from "r.csv"\n'
FEW = "for few events it makes no difference"

MESSAGES = [
    (
        "average(a(A)) <- temp(a(A)).\nhigh(a(A)) <- avarage(a(A)).",
        "XC104",
        "no rule derives `avarage`",
        "did you mean `average`?",
    ),
    (
        "a(x(X)) <- i: p(x(X)) and t: extend[u, 1 s] and u: extend[t, 1 s].",
        "XC105",
        "the timers `t` and `u` are defined relative to each other",
        "let one of them start from an event or a state",
    ),
    (
        f"{RELATION}a(x(X)) <- r(x(X), y(X)) and b(x(X)).",
        "XC118",
        "`X` is a string here, and in `r` it is a number: the two are never equal",
        None,
    ),
    (
        f"{RELATION}p(n(1)) <- r(x(X)).",
        "XC206",
        "the body of rule `p` waits for nothing that happens by itself",
        "add an event or a state; a row of a relation is there, but nothing happens with it",
    ),
    (
        "a(x(x)) <- b(x(x)) and x > 3.",
        "XC405",
        "a string cannot be compared with a number",
        '`x` is the string "x"; a variable begins with a capital letter: `X`',
    ),
    (
        "a(x(b(i))) <- i: b(x(X)).",
        "XC405",
        "a head is made of data, but `b(i)` is a time interval",
        "iso(b(…)) is a time as a string, seconds(b(…)) as a number",
    ),
    (
        "a(x(X)) <- b(x(X)).\nc(X) <- a(x(X, Y)).",
        "XC502",
        "events do not have the value of `X`, `Y` in a place that is the same for all of them",
        "bind a variable in all of its queries, each time under the same labels, such as area(A)",
    ),
    (
        "a(x(X)) <- r: a(x(X)) and l: b(y(Y)) and {r, l} within 1 min. a(x(X)) <- c(x(X)).",
        "XC502",
        "it is recursive, and no variable is bound by all of its queries",
        f"let all rules of the cycle hand on a value, such as area(A) in every query and area(A) in every head; {FEW}",
    ),
]


def found(*sources: Source) -> list[Diagnostic]:
    program = Program(sources)
    return [*program.check(), *program.notes]


@pytest.mark.parametrize(
    ("text", "code", "message", "hint"), MESSAGES, ids=[f"{m[1]} {i}" for i, m in enumerate(MESSAGES)]
)
def test_a_message_is_in_the_language_of_the_file(text: str, code: str, message: str, hint: str | None) -> None:
    [said] = [each for each in found(Source("test.slog", text)) if each.code == code]
    assert on_command_line(said.message).endswith(message)
    assert said.hint == hint
    assert said.span is not None


def test_each_file_of_a_program_has_its_own_words() -> None:
    logic = Source("test.slog", "a() <- i: b(x(X)) and j: c(y(Y)) and {i, j} within 1 min.")
    braces = Source(
        "test.xceq", "DETECT d{} ON and { event i: b{{}}, event j: c{{}} } where { {i, j} within 1 min } END"
    )
    hints = {each.span.source.name: each.hint for each in found(logic, braces) if each.code == "XC502" and each.span}
    same = "bind a variable in all of its queries, each time under the same labels, such as"
    assert hints == {"test.slog": f"{same} area(A)", "test.xceq": f"{same} area{{{{ var A }}}}"}


def test_a_relation_that_another_language_declares() -> None:
    declared = Source("test.xceq", 'RELATION r{ x } FROM "r.csv"\nDETECT d{} ON b{{}} END')
    [said] = [
        each for each in found(declared, Source("test.slog", "a(x(X)) <- b(x(X)) and r(x(X)).")) if each.code == "XC117"
    ]
    assert said.hint == "write `r(…)` in a file of the language that declares it"
