"""Periodic windows and gathering in the rule hub: what a branch may say, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.algebra.correlation_keys import correlation_key
from cera.algebra.relevance import Relevance
from cera.algebra.schema import SchemaError
from cera.algebra.translation import translate
from cera.algebra.unbounded_state import check_state
from cera.engines.local.fingerprint import fingerprint
from cera.errors import ProgramError
from cera.model.expressions.expression import EventReference, InOneWindow
from cera.rules.analysis.strata import stratify
from cera.rules.checks.check import check
from cera.rules.reasoning.gathering import late_gathered
from cera.rules.rule import Branch, PeriodicWindow, RuleProgram, trace_order
from unit.rules.programs import program

SECOND = 1_000_000
HOUR = 3600 * SECOND


def window(*over: str, length: int = HOUR, slide: int = HOUR, name: str = "w") -> PeriodicWindow:
    return PeriodicWindow(name, length, slide, 0, over)


def changed(text: str, windows: tuple[PeriodicWindow, ...], *gathered: str, rule: int = 0) -> RuleProgram:
    """The program with windows and gathered identifiers in the only branch of a rule."""
    made = program(text)
    [branch] = made.rules[rule].branches
    new = replace(made.rules[rule], branches=(replace(branch, windows=windows, gathered=gathered),))
    return replace(made, rules=(*made.rules[:rule], new, *made.rules[rule + 1 :]))


def test_the_trace_of_a_branch_is_without_what_is_gathered() -> None:
    made = changed("DETECT r ON and { event a: a, event b: b, event t: extend[a, 1 sec] } END", (window("a"),), "b")
    [branch] = made.rules[0].branches
    assert trace_order(branch) == ("a", "t", "w")
    assert branch.identifiers == {"a", "b", "t", "w"}


@pytest.mark.parametrize(
    ("windows", "gathered", "message"),
    [
        ((window("x"),), (), "no event or timer"),
        ((window("a"), window("w", name="v")), (), "no event or timer"),
        ((), ("x",), "only events and timers"),
        ((window("a"),), ("w",), "only events and timers"),
        ((), ("a", "b", "t"), "no time"),
        ((window("a"),), ("a",), "not gathered, but what it is set on is"),
    ],
)
def test_what_a_branch_cannot_say(windows: tuple[PeriodicWindow, ...], gathered: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        changed("DETECT r ON and { event a: a, event b: b, event t: extend[a, 1 sec] } END", windows, *gathered)


def test_a_window_is_over_something() -> None:
    with pytest.raises(ValueError, match="over nothing"):
        window()


def test_a_branch_without_windows_has_the_fingerprint_it_always_had() -> None:
    plain = program("DETECT r ON event a: a END").rules[0].branches[0]
    [windowed] = changed("DETECT r ON event a: a END", (window("a"),)).rules[0].branches
    [gathered] = changed("DETECT r ON and { event a: a, event b: b } END", (), "a").rules[0].branches
    assert fingerprint(replace(plain, windows=(), gathered=())) == fingerprint(plain)
    assert len({fingerprint(branch) for branch in (plain, windowed, gathered)}) == 3


def test_what_lies_in_the_window_has_ended_when_the_answer_does() -> None:
    body = "DETECT r ON and { event a: a, event b: b } END"
    assert late_gathered(_branch(changed(body, (window("a", "b"),), "a", "b"))) == ()
    assert late_gathered(_branch(changed(body, (window("a"),), "a", "b"))) == ("b",)
    assert late_gathered(_branch(changed(body, (), "a"))) == ("a",)
    before = "DETECT r ON and { event a: a, event b: b } where { a before b } END"
    assert late_gathered(_branch(changed(before, (), "a"))) == ()
    with pytest.raises(SchemaError, match="gathers b, and nothing says that these end before its answer does"):
        translate(changed(body, (window("a"),), "b"))


def _branch(made: RuleProgram) -> Branch:
    [branch] = made.rules[0].branches
    return branch


def test_what_is_gathered_must_be_known_before() -> None:
    recursive = "DETECT p ON and { event a: a, event p: p } where { p before a } END"
    stratify(program(recursive).rules)
    with pytest.raises(ProgramError) as error:
        stratify(changed(recursive, (), "p").rules)
    assert [finding.code for finding in error.value.findings] == ["XC302"]


def test_a_window_over_what_a_rule_derives_itself_has_no_strata() -> None:
    with pytest.raises(ProgramError) as error:
        stratify(changed("DETECT p ON event p: p END", (window("p"),)).rules)
    assert [finding.code for finding in error.value.findings] == ["XC303"]


def test_a_window_bounds_the_state_of_the_joins_in_it() -> None:
    body = "DETECT r{ count(all var X) } ON and { event a: a{{ var X }}, event b: b{{ var X }} } END"
    assert [found.code for found in check_state(program(body))] == ["XC501"]
    made = changed(body, (window("a", "b"),), "a", "b")
    assert not list(check_state(made))
    plan = translate(made)
    assert Relevance(plan, 0).duration(plan.results[0].name) == HOUR - 1


def test_events_in_one_window_are_not_further_apart_than_it_is_long() -> None:
    body = program("DETECT r ON and { event a: a, event b: b } END")
    [branch] = body.rules[0].branches
    condition = InOneWindow((EventReference("a"), EventReference("b")), HOUR, HOUR // 2)
    branch = replace(branch, conditions=(condition,))
    made = replace(body, rules=(replace(body.rules[0], branches=(branch,)),))
    assert not list(check_state(made))
    plan = translate(made)
    assert Relevance(plan, 0).duration(plan.results[0].name) == HOUR - 1


def test_a_timer_that_is_longer_than_its_window_never_happens_in_it() -> None:
    made = changed("DETECT r ON and { event a: a, event t: extend[a, 2 hour] } END", (window("t"),))
    [found] = [found for found in check(made) if found.code == "XC403"]
    assert "can never happen together" in found.message


def test_the_key_of_a_rule_that_gathers_is_among_what_its_head_groups_by() -> None:
    body = "ON and { event a: a{{ x{ var X }, v{ var V } }}, event b: b{{ x{ var X } }} } END"
    grouped = f"DETECT r{{ x{{ var X }}, n{{ count(all var V) }} }} {body}"
    total = f"DETECT r{{ n{{ count(all var V) }} }} {body}"
    assert correlation_key(changed(grouped, (window("a", "b"),), "a", "b").rules[0]) == ("X",)
    assert correlation_key(changed(total, (window("a", "b"),), "a", "b").rules[0]) == ()
    assert correlation_key(program(total).rules[0]) == ("X",)
