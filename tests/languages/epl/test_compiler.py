"""What a compiled module says of its rules, and what is said about how it will run."""

from __future__ import annotations

import pytest

from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.epl.checks import check_module
from cera.languages.epl.compiler import CompiledModule, compile_module, translated
from cera.languages.epl.parser import parse
from cera.languages.epl.syntax import Module
from cera.model.expressions.expression import Literal, Variable


def module(rules: str, declarations: str = "monitor A, B, C;") -> Module:
    parsed = parse(Source("test.epl", f"begin M {declarations} {rules} end."))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    return parsed.modules[0]


def compiled(rules: str, declarations: str = "monitor A, B, C;") -> CompiledModule:
    return compile_module(module(rules, declarations))


def test_a_head_gives_label_and_fields() -> None:
    [rule] = compiled("R: A(X) as alarm(X.k, late: X.evtime > 1 min).").rules
    assert (rule.name, rule.label, rule.variables) == ("M.R", "alarm", ("X",))
    assert [name for name, _ in rule.fields] == ["k", "late"]
    assert rule.fields[0][1] == Variable("X.k")


def test_durations_are_microseconds_in_fields() -> None:
    [rule] = compiled("R: A(X) as alarm(d: 1 min).").rules
    assert rule.fields == (("d", Literal(60_000_000)),)


def test_without_a_head_the_fields_are_the_attributes_of_the_action() -> None:
    [rule] = compiled('R: (A(X), B(Y)) -> write("%d %d %d", X.k, Y.k + X.v, X.k).').rules
    assert rule.label == "R"
    assert rule.fields == (("X_k", Variable("X.k")), ("Y_k", Variable("Y.k")), ("v", Variable("X.v")))


def test_a_rule_without_head_and_action_has_no_fields() -> None:
    [rule] = compiled("R: A(X).").rules
    assert (rule.fields, rule.action) == ((), None)


def test_a_module_with_errors_is_refused_with_all_of_them() -> None:
    wrong = module("R: A(X, Y.k = 1). S: D.")
    with pytest.raises(ProgramError) as refused:
        compile_module(wrong)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["EP201", "EP104"]
    with pytest.raises(ProgramError):
        translated(wrong)


@pytest.mark.parametrize(
    ("event", "warnings"),
    [
        ("[A(X), B]", 1),
        ("[A, B(Y)]", 1),
        ("[{A, B}, B(Y)]", 0),
        ("(A & ![B, any]) in recent context", 0),
        ("[A(X), B] within 1 hour", 0),
        ("(A, [B(X), C])", 1),
        ("(A, [B(X), C]) within 1 hour", 0),
        ("prior(A(X), B)", 1),
        ("[A(X), B] in recent context", 0),
        ("[A, B] in chronicle context", 1),
        ("(A & ![B(X), any]) in recent context", 1),
        ("[A(X), [B, C] within 1 hour]", 1),
        ("(A(X), *:B, C)", 0),
        ("(A(X), *:any, C)", 1),
        ("(A, *:any, C)", 1),
        ("({A, B}, *:any, C)", 0),
        ("(A(X), *:any, C) within 1 hour", 0),
        ("(A(X), *:!B(Z, Z.v = X.v), C(Y))", 1),
        ("(A(X), *:A(Z), C(Y))", 1),
        ("(A(X), *:{A, B}, C(Y))", 1),
        ("first(A)", 0),
    ],
)
def test_what_is_remembered_for_ever_is_told(event: str, warnings: int) -> None:
    found = compiled(f"R: {event}.").unbounded
    assert [diagnostic.code for diagnostic in found] == ["EP501"] * warnings


def test_the_warning_says_which_rule_which_events_and_what_would_bound_it() -> None:
    [warning] = compiled("R: [A(X), B(Y)].").unbounded
    assert warning.message == "the rule `R` remembers every `A(X)` for ever"
    assert warning.hint == "`[A(X), B(Y)] within 1 hour` would forget it after an hour"


def test_a_module_without_partition_is_told_to_run_in_one_piece() -> None:
    assert [note.code for note in compiled("R: A.").notes] == ["EP502"]
    assert compiled("R: A.", "monitor A; partition by k;").notes == ()
    declared = "monitor A, update(B); relation A(x, k); relation B(k);"
    for declarations, attribute in (
        (declared, "k"),
        (f"{declared} monitor C;", "Attribute"),
        ("monitor A;", "Attribute"),
    ):
        [note] = compiled("R: A.", declarations).notes
        assert note.hint is not None
        assert note.hint.endswith(f"`partition by {attribute};`")
    assert compiled("R: A.", "monitor A; partition by k;").partition == "k"


def test_variables_may_be_called_what_the_translation_calls_its_own() -> None:
    names = ("T", "N", "Now", "N_", "T1")
    for name in names:
        rule = f"R: [A({name}), B(Y, Y.k = {name}.k)] within 1 hour in chronicle context."
        assert check_module(module(rule))[-1].severity == "note"
        [compiled_rule] = compiled(rule).rules
        assert compiled_rule.variables == (name, "Y")


def test_a_label_in_one_rule_is_a_relation_of_its_own() -> None:
    declarations = "monitor A; relation A(k);"
    assert [each.code for each in check_module(module("R: A(X, X.kk = 1).", declarations))] == ["EP103"]
    assert [each.severity for each in check_module(module("R: A(X, X.k = 1).", declarations))] == ["note"]


@pytest.mark.parametrize(
    "event",
    [
        *("(" + ", ".join(["A"] * 200) + ")", "[" + ", ".join(["A"] * 200) + "] within 1 sec"),
        *("(" + " & ".join(["A"] * 200) + ")", "{" + ", ".join(["A"] * 200) + "}", " ; ".join(["A"] * 200)),
        *("!" * 118 + "A", "[A, " * 118 + "A" + "]" * 118, "(" * 118 + "A" + ")" * 118),
    ],
    ids=lambda event: event[:5],
)
def test_the_longest_events_are_translated(event: str) -> None:
    assert compiled(f"R: {event}.").rules[0].predicate == "satE"


@pytest.mark.parametrize("event", ["(" + ", ".join(["A"] * 202) + ")", " ; ".join(["A"] * 5_000)], ids=["202", "5000"])
def test_longer_events_are_refused(event: str) -> None:
    [error] = [found for found in check_module(module(f"R: {event}.")) if found.severity == "error"]
    assert (error.code, error.span is not None) == ("EP304", True)


@pytest.mark.parametrize("event", ["!" * 119 + "A", "[A, " * 119 + "A" + "]" * 119], ids=["not", "relaxed"])
def test_events_that_are_nested_deeper_cannot_be_read(event: str) -> None:
    [error] = parse(Source("m.epl", f"begin M\n  monitor A;\n  R: {event}.\nend.\n")).diagnostics
    assert (error.code, error.message) == ("EP001", "this is nested too deeply, in more than 120 levels")


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("X.k", "compared with nothing"),
        ("NOT X.k", "compared with nothing"),
        ("X.k = 1 OR X.j", "`X.j` is compared with nothing"),
        ("X.k + 1", "`X.k + 1` is no truth value"),
        ('"text"', "is no truth value"),
        ("upper-case(X.k)", "is no truth value"),
    ],
)
def test_a_condition_that_compares_nothing_is_warned_of(condition: str, told: str) -> None:
    [warning] = [found for found in check_module(module(f"R: A(X, {condition}).")) if found.severity == "warning"]
    assert warning.code == "EP503"
    assert told in warning.message


@pytest.mark.parametrize("condition", ["X.k = true", "true", "X.k > 1 AND NOT X.j = 2", 'contains(X.k, "a")'])
def test_other_conditions_are_not(condition: str) -> None:
    assert [found.code for found in check_module(module(f"R: A(X, {condition})."))] == ["EP502"]
