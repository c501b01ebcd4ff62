"""The state of windows and gathered events: what a session saves, and how the plan of a window is written."""

from __future__ import annotations

from dataclasses import replace

from cera.algebra.plan import Plan
from cera.algebra.plan_json import plan_to_json
from cera.algebra.plan_text import print_plan
from cera.algebra.translation import translate
from cera.engines.local.processor import RuleProcessor
from cera.engines.local.session import Session
from cera.explain.plan import NOTATION
from cera.optimizer.driver import optimize
from cera.rules.rule import PeriodicWindow
from cera.testing import SECOND, event
from unit.rules.programs import program


def plan_of_pairs() -> Plan:
    """Sums over pairs of events in the same ten seconds."""
    made = program(
        """
        DETECT r{ k{var K}, s{sum(all var X)} }
        ON and { event a: a{{ k{var K}, x{var X} }}, event b: b{{ k{var K} }} } where { a before b } END
        """
    )
    [branch] = made.rules[0].branches
    windows = (PeriodicWindow("w", 10 * SECOND, 5 * SECOND, SECOND, ("a", "b")),)
    branch = replace(branch, windows=windows, gathered=("a", "b"))
    return optimize(translate(replace(made, rules=(replace(made.rules[0], branches=(branch,)),))))


EVENTS = [
    event("a{ k{1}, x{2} }", 2),
    event("a{ k{1}, x{3} }", 7),
    event("b{ k{1} }", 8),
    event("b{ k{1} }", 12),
    event("end", 60),
]


def test_a_session_goes_on_from_what_was_saved_between_any_two_events() -> None:
    plan = plan_of_pairs()
    whole = Session(RuleProcessor(plan, max_duration=0), max_duration=0)
    expected = [derived for each in EVENTS for derived in whole.push(each)] + whole.close()
    assert [(str(one.event.term), one.event.begin // SECOND) for one in expected] == [
        ("r{k{1}, s{5}}", 1),
        ("r{k{1}, s{6}}", 6),
    ]
    found = []
    saved = Session(RuleProcessor(plan, max_duration=0), max_duration=0).save()
    for each in EVENTS:
        session = Session(RuleProcessor(plan, max_duration=0), max_duration=0)
        session.restore(saved)
        found += session.push(each)
        saved = session.save()
    session = Session(RuleProcessor(plan, max_duration=0), max_duration=0)
    session.restore(saved)
    found += session.close()
    assert found == expected


def test_nothing_is_kept_once_its_windows_have_ended() -> None:
    session = Session(RuleProcessor(plan_of_pairs(), max_duration=0), max_duration=0)
    for each in EVENTS[:4]:
        session.push(each)
    assert session.live > 0
    session.push(EVENTS[4], event("a{ k{2}, x{1} }", 120), event("a{ k{2}, x{1} }", 180))
    assert session.live <= 2


def test_the_plan_of_a_window() -> None:
    plan = plan_of_pairs()
    text = print_plan(plan, NOTATION)
    assert "Γ[v ← a, u ← b](" in text
    assert "W[w: 10 sec/5 sec@1 sec ⊒ a, b](E)" in text
    operators = str(plan_to_json(plan, NOTATION))
    assert "{'operator': 'gathering', 'identifiers': {'v': 'a', 'u': 'b'}, 'counted': True" in operators
    assert "'operator': 'periodic windows', 'identifier': 'w', 'windows': '10 sec/5 sec@1 sec'" in operators
