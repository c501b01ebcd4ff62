"""Patterns that match hardly anything, or exclude hardly anything, and are legal: XC408, XC409."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.diagnostics import Diagnostic
from cera.rules.checks.check import check
from cera.rules.checks.exact_patterns import check_exact_patterns
from unit.rules.programs import marked, program


def found(text: str) -> list[Diagnostic]:
    return [each for each in check(program(text)) if each.code in ("XC408", "XC409")]


def test_XC408_a_bare_label_matches_events_without_children_only() -> None:
    (warning,) = found("DETECT x ON reading END")
    assert (warning.code, warning.severity, marked(warning)) == ("XC408", "warning", "reading")
    assert "`reading{{}}`" in str(warning.hint)
    assert "`SOURCE reading{}`" in str(warning.hint)


def test_XC408_single_braces_allow_no_other_children() -> None:
    (warning,) = found("DETECT x{ var F } ON reading{ fridge{ var F } } END")
    assert warning.code == "XC408"
    assert "`reading{{ fridge{ var F } }}`" in str(warning.hint)
    assert "`SOURCE reading{fridge}`" in str(warning.hint)


def test_XC408_single_brackets_are_meant_as_double_ones() -> None:
    (warning,) = found("DETECT x{ var F } ON reading[ fridge[ var F ] ] END")
    assert "`reading[[ fridge[ var F ] ]]`" in str(warning.hint)


@pytest.mark.parametrize(
    "body",
    [
        "var R -> reading{ temp{ 4 } }",
        "and { event a: alarm{{}}, event w: extend[a, 1 min], while w: not reading{ temp{ 4 } } }",
        "and { event a: alarm{{}}, event w: extend[a, 1 min], while w: collect reading }",
        "or { alarm{{}}, reading{} }",
    ],
)
def test_XC408_wherever_events_are_asked_for(body: str) -> None:
    assert [each.code for each in found(f"DETECT x ON {body} END")] == ["XC408"]


@pytest.mark.parametrize(
    "text",
    [
        "DETECT x ON reading{{}} END",
        "DETECT x{ var T } ON temp{ var T } END",
        "DETECT x ON temp{ 4 } END",
        "DETECT x ON temp{ /hot.*/ } END",
        "DETECT x ON point[ var _X, var _Y ] END",
        "DETECT x ON reading{{ position{ x{ 1 } } }} END",
        "DETECT x ON * END",
    ],
)
def test_values_and_patterns_that_allow_more_are_fine(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "DETECT step ON a{{}} END  DETECT x ON step END",
        "DETECT step{ n{ var N } } ON a{{ n{ var N } }} END  DETECT x ON step{ n{ 1 } } END",
        "SOURCE power_cut{}  DETECT x ON power_cut END",
        "SOURCE r{ a, b }, r{ a }  DETECT x ON r{ a{ 1 } } END",
        "SOURCE reading{ fridge, temp: number }  DETECT x ON reading{ fridge{ 1 }, optional temp{ 2 } } END",
    ],
)
def test_what_the_program_derives_or_declares_in_this_form_is_meant(text: str) -> None:
    assert found(text) == []


def test_XC408_for_a_form_that_neither_rules_nor_declarations_have() -> None:
    assert [each.code for each in found("SOURCE r{ a, b }  DETECT x ON r{ a{ 1 } } END")] == ["XC408"]
    assert [each.code for each in found("DETECT s{ n{ 1 } } ON a{{}} END  DETECT x ON s END")] == ["XC408"]


def test_events_of_other_languages_are_not_judged() -> None:
    rules = replace(program("DETECT x ON step END"), from_modules=("step",))
    assert list(check_exact_patterns(rules)) == []


def test_XC409_without_a_bare_child_excludes_hardly_anything() -> None:
    (warning,) = found("DETECT x ON reading{{ without temp }} END")
    assert (warning.code, marked(warning)) == ("XC409", "without temp")
    assert "answers are too many" in warning.message
    assert warning.hint == "write `without temp{{}}` for no `temp` at all"


@pytest.mark.parametrize(
    "text",
    [
        "DETECT x ON reading{{ without temp{{}} }} END",
        "DETECT x ON reading{{ without temp{ 4 } }} END",
        "DETECT r{ broken } ON a{{}} END  DETECT x ON r{{ without broken }} END",
        "SOURCE reading{ broken{} }  DETECT x ON reading{{ without broken }} END",
    ],
)
def test_without_a_child_that_can_be_there_is_fine(text: str) -> None:
    assert found(text) == []


def test_XC408_says_that_states_are_meant() -> None:
    [problem] = found("DETECT h{ var X } ON state s: auction{ id{ var X } } END")
    assert problem.message == "this matches only states `auction` that have no children but those listed here"
    assert problem.hint is not None
    assert "`SOURCE auction{id}`" in problem.hint
    assert found("SOURCE auction{ id } DETECT h{ var X } ON state s: auction{ id{ var X } } END") == []
    [problem] = found("DETECT h ON state s: on END")
    assert problem.hint == "write `on{{}}` for any state `on`; if it is meant, declare it: `SOURCE on{}`"
