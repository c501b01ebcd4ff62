"""Which clauses are rules, how these look, and why others have none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.constraints.module import ConstraintModule
from cera.constraints.translation.layers import all_rules, by_rules, divided, verification_lines
from cera.diagnostics import Source
from cera.modules.rules.module import RuleModule
from cera.program import Program
from cera.rules.rule import RuleProgram
from conformance.constraints import event, state
from conformance.violations import first_shown, module_of, recorded
from module_runs import run_layers, side_by_side

MIXED = """\
WHILE state: offer(item(I))
LET
  CONSTRAINT fair: IN ANY CASE exists <= 1 event: sale(item(I)) END and
  CONSTRAINT many: IN ANY CASE exists >= 9 event: beat(item(I)) END
END
"""


def reason(text: str) -> str:
    [line] = verification_lines(module_of(text))
    return line.partition("because ")[2]


def test_a_module_is_divided_into_rules_and_the_clauses_that_are_left() -> None:
    rules, rest = divided(module_of(MIXED))
    assert [rule.name for rule in rules.rules] == ["program.fair"]
    assert [clause.name for clause in rest.clauses] == ["many"]


def test_rules_stand_in_the_layer_of_the_constraints_with_the_other_rules_of_it() -> None:
    rules = "DETECT sold{ var I } ON event s: sale{{ item{ var I } }} END"
    program = Program((Source("mixed.escl", MIXED), Source("sold.xceq", rules)))
    [layer] = by_rules(program.layers).layers
    rest, together = layer.modules
    assert isinstance(rest, ConstraintModule)
    assert isinstance(together, RuleModule)
    assert {rule.name for rule in together.rules} == {"sold", "mixed.fair"}


def test_a_program_without_constraints_stays_as_it_is() -> None:
    layers = Program((Source("p.xceq", "DETECT a{} ON event b: b{{ }} END"),)).layers
    assert by_rules(layers) is layers


def test_each_text_of_a_violation_has_a_rule() -> None:
    module = module_of(
        "IF event o: order(id(N)) and event t: from-end[o, 1h] THEN while t: exists = 1 event: pay(id(N)) END"
    )
    rules = all_rules(RuleProgram(()), [module]).rules
    assert [rule.name for rule in rules] == ["program.c1", "program.c1#2"]
    assert all(rule.momentary for rule in rules)


def test_only_what_waits_for_a_timer_has_it_in_its_body() -> None:
    rules, _ = divided(
        module_of(
            "IF event o: order(id(N)) and event t: from-end[o, 1h] THEN while t: exists = 1 event: pay(id(N)) END"
        )
    )
    [missing, double] = (rule.branches[0] for rule in rules.rules)
    assert [timer.identifier for timer in missing.relative_timers] == ["t"]
    assert double.relative_timers == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("IN ANY CASE exists >= 1 event: a() group-by {} END", "all of time is counted from below"),
        (
            "WHILE Range 1h LET IN ANY CASE exists >= 2 event: a(x(X)) END END",
            "a window of the clock is counted from below",
        ),
        (
            "WHILE [now - 1h, now] LET IN ANY CASE exists <= 1 event: a(x(X)) END END",
            "a window of the file moves with each event",
        ),
        ("WHILE state: s() LET IN ANY CASE exists <= 7 event: a(x(X)) END END", "more than 2 are counted"),
        ("WHILE state: s() LET IF exists <= 2 event: a() THEN event: b() END END", "the body counts"),
        ("WHILE state: s() LET IF event: a(x(X)) THEN event: b(y(Y)) and Y > X END END", "compares values"),
    ],
)
def test_why_a_clause_goes_event_by_event_is_said_in_words_of_the_constraint(text: str, why: str) -> None:
    assert why in reason(text)


def test_one_walk_takes_all_constraints_of_a_file_with_a_window_that_moves() -> None:
    text = (
        "WHILE [now - 1h, now] LET IN ANY CASE exists <= 1 event: a(x(X)) END END and IF event: b(y(Y)) THEN Y > 1 END"
    )
    rules, rest = divided(module_of(text))
    assert rules.rules == ()
    assert len(rest.clauses) == 2


def test_rules_count_from_below_in_times_that_begin_when_the_recording_is_complete() -> None:
    module = replace(module_of("WHILE state: s(k(K)) LET IN ANY CASE event: b(k(K)) END END"), since=5_000_000)
    assert divided(module)[1].clauses == ()
    events = recorded([state("s", 2, 10, k=1), state("s", 6, 12, k=2), event("a", 20)])
    found = first_shown(run_layers(side_by_side(module), events, "local").derived)
    assert len(found) == 1
    assert found == first_shown(run_layers(side_by_side(module), events, "reference").derived)


def test_a_clause_that_nothing_violates_has_no_rules() -> None:
    module = module_of("WHILE state: s() LET IN ANY CASE exists >= 0 event: a(x(X)) END END")
    assert list(verification_lines(module)) == ["c1: nothing violates it"]


def test_constraints_mean_the_same_beside_rules_in_the_formal_semantics() -> None:
    """In that, the window of a rule may hold the event that it begins with; that of a constraint never does."""
    constraint = "IF event i: q(k(K)) and event w: from-end[i, 5 sec] THEN while w: exists >= 1 event: q(k(K)) END"
    rules = "SEMANTICS formal DETECT h{} ON and { event e: p{{}}, event w: from-end[e, 2 sec], while w: not p{{}} } END"
    layers = Program((Source("c.escl", constraint), Source("r.xceq", rules))).layers
    events = recorded([event("q", 10, k=1), event("p", 12), event("q", 14, k=1), event("p", 30)])
    found = [run_layers(layers, events, engine).derived for engine in ("local", "reference")]
    labels = [(one.event.label, one.event.end) for one in found[0]]
    assert labels == [("violation", 19_000_000)], "the rule sees the event of its window, the constraint does not"
    assert found[0] == found[1]
