"""When rules are evaluated: what `explain` says of it, and that nothing is kept outside of evaluation times."""

from __future__ import annotations

import pytest

import cera
from cera.diagnostics import Source
from cera.explain.program import explain
from cera.explain.program import text as explanation_text
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.model.events.states import opening
from cera.model.terms.term import Term
from cera.rules.rule import RuleProgram
from cera.testing import SECOND, event


def rules_of(text: str) -> RuleProgram:
    lowered = lower([parse(Source("test.slog", text)).program], "UTC")
    program, problems = lowered.program, lowered.problems
    assert not problems
    return program


@pytest.mark.parametrize(
    ("time", "activated_by", "suspended_by"),
    [
        ("state: on(k(K))", "the begin of a state `on`", "its end"),
        ("event: b(k(K))", "what may lie in an event `b`, which is known at its end", "the end of the event"),
        ("from-end[event: b(k(K)), 1 hour]", "an event `b`", "the end of the timer"),
        ("Range 1 hour", "the first event in a window", "the end of the last window around it"),
        ("[now - 1 hour, now]", "the first event of a match", "the end of the window that begins with it"),
        ("unbounded", "always", "never"),
    ],
)
def test_explain_says_what_activates_and_what_suspends_a_rule(time: str, activated_by: str, suspended_by: str) -> None:
    explained = explain(rules_of(f"{time}: p(k(K)) <- a(k(K))."))
    [rule] = explained["rules"]
    assert rule["evaluated"] == time
    assert rule["activated_by"] == activated_by
    assert rule["suspended_by"] == suspended_by
    assert f"  activated by: {activated_by}\n  suspended by: {suspended_by}\n" in explanation_text(explained)


def test_a_rule_without_a_module_is_evaluated_in_the_window_or_state_of_its_body() -> None:
    [window] = explain(rules_of("p(k(K)) <- a(k(K)) and w: Range 1h."))["rules"]
    [state] = explain(rules_of("p(k(K)) <- a(k(K)) and state s: on(k(K))."))["rules"]
    assert window["evaluated"] == "w: Range 1 hour"
    assert state["evaluated"] == "state s: on(k(K))"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("state: on(k(K)): p(k(K), n(count(K))) <- a(k(K)).", id="an aggregate"),
        pytest.param("state: on(k(K)): p(k(K)) <- i: a(k(K)) and j: a(k(K)) and i before j.", id="a join"),
        pytest.param("state: on(k(K)): p(k(K)) <- not a(k(K)).", id="a negation"),
    ],
)
def test_a_module_keeps_nothing_while_its_state_does_not_hold(text: str) -> None:
    session = cera.load(Source("test.slog", text)).session(max_delay=0, max_duration=0)
    for second in range(5):
        session.push(event("a{ k{1} }", second))
        assert session.live == 0
    session.push(opening(Term("on", [Term("k", [1])]), 10 * SECOND, 20 * SECOND))
    session.push(event("a{ k{1} }", 15))
    active = session.live
    assert active > 0
    for second in range(30, 35):
        session.push(event("a{ k{1} }", second))
    assert session.live <= active  # the ended state itself goes when more have ended than hold
