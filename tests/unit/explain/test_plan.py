"""`cera explain` shows the plan before and after the optimizer, the keys, and how long state is kept and why."""

from __future__ import annotations

import json

from cera.diagnostics import Source
from cera.explain.plan import ExplainedPlan, StateBound, explain_plan
from cera.explain.program import explain, text
from cera.program import load
from conformance.asking import FIRE_RULES


def plan_of(program: str, max_duration: int | None = None) -> ExplainedPlan:
    return explain(load(program).checked(), max_duration=max_duration)["plan"]


def bounds(program: str, max_duration: int | None = None) -> list[tuple[str, str | None, list[str]]]:
    return [(bound["of"], bound["kept"], bound["because"]) for bound in plan_of(program, max_duration)["state"]]


def test_the_plan_is_there_before_and_after_with_the_passes_between() -> None:
    plan = plan_of(FIRE_RULES)
    assert plan["passes"] == ["push-selections", "share-subexpressions", "materialize"]
    assert [point["name"] for point in plan["before"]["points"]] == ["fire", "burnt_down", "avg_temp"]
    assert "A_t" in [point["name"] for point in plan["after"]["points"]]
    assert plan["before_text"].startswith("Fire := C[fire{area{var A}}](\n")
    assert "A_t := σ[T > 40](Temp_t)" in plan["after_text"]


def test_each_bound_names_the_condition_that_it_follows_from() -> None:
    assert bounds(FIRE_RULES) == [
        ("s", "1 min", ["{s, t} within 1 min"]),
        ("t", "not at all", ["s before t"]),
        ("v", "12 sec", ["i: from-end[n, 12 sec]"]),
        ("w", None, ["i: from-start-backward[m, 1 min]"]),  # C-26: a report that lasts long reaches far back
    ]


def test_a_bound_that_depends_on_how_long_events_last_is_given_for_points() -> None:
    *_, average = plan_of(FIRE_RULES)["state"]
    assert average["kept_for_points"] == "1 min"
    assert text(explain(load(FIRE_RULES).checked())).endswith(
        "w is kept for good, unless ⟦max_duration⟧ bounds how long events last "
        "(points: 1 min, because of i: from-start-backward[m, 1 min])"
    )


def test_a_bound_that_follows_from_how_long_an_event_lasts_names_it() -> None:
    """The spans of the first rule last a minute; whoever reports them from outside may do so for 5 s."""
    program = """
    DETECT span{} ON and { event a: a{{}}, event b: b{{}} } where { a before b, {a, b} within 1 min } END
    DETECT quiet{} ON and { event s: span{{}}, while s: not c{{}} } END
    DETECT long{} ON and { event d: d{{}}, while d: not c{{}} } END
    """
    kept = [bound for bound in bounds(program, max_duration=5_000_000) if bound[0] not in "ab"]
    assert [(how_long, because) for _, how_long, because in kept] == [
        ("1 min", ["length(s) <= 1 min"]),
        ("5 sec", ["length(d) <= 5 sec"]),
    ]


def test_state_without_a_bound_is_said_to_have_none() -> None:
    program = "DETECT x{} ON and { event a: a{{ var X }}, event b: b{{ var X }} } END"
    expected: list[StateBound] = [
        {"point": "x", "used_by": "join", "of": of, "kept": None, "because": [], "kept_for_points": None}
        for of in ("a", "b")
    ]
    assert plan_of(program)["state"] == expected
    assert "X, join: a is kept for good: nothing bounds the time" in text(explain(load(program).checked()))


def test_what_constraints_let_a_rule_forget_bounds_its_state() -> None:
    rules = Source("a.slog", "unbounded: h(k(K)) <- i: p(k(K)) and j: q(k(K)) and {j, i} within 1 min.\n")
    joined = Source("b.slog", rules.text.replace(" and {j, i} within 1 min", ""))
    order = "IF event i: p(k(K)) and event j: r(k(K)) THEN e(i) <= e(j) END "
    constraints = Source("c.escl", order + order.replace("p(", "q("))
    closing = "r{{k{var K}}} with the same K"
    trusted = load(joined, constraints=constraints)
    state = explain_plan(trusted.running_rules)["state"]
    assert [bound["forgotten_with"] for bound in state] == [[closing], [closing]]
    assert f"H, join: i is kept until {closing}; nothing else bounds the time" in text(explain(trusted.running_rules))
    bounded = text(explain(load(rules, constraints=constraints).running_rules))
    assert f"H, join: i is kept for 1 min, because of {{j, i}} within 1 min; no longer than until {closing}" in bounded


def test_a_bound_may_follow_from_several_conditions() -> None:
    program = """
    DETECT x{}
    ON and { event a: a{{}}, event b: b{{}}, event c: c{{}} }
    where { {a, b} within 1 min, {b, c} within 2 min, a before b, b before c }
    END
    """
    kept = {of: (how_long, because) for of, how_long, because in bounds(program)}
    assert kept["a, b"][0] == "2 min"
    assert kept["c"] == ("not at all", ["b before c"])


PATHS = """
DETECT path{ from{ var X }, to{ var Y } } ON hop{{ from{{ var X }}, to{{ var Y }} }} END
DETECT path{ from{ var X }, to{ var Z } }
ON and { event p: path{{ from{{ var X }}, to{{ var Y }} }}, event h: hop{{ from{{ var Y }}, to{{ var Z }} }} }
where { p before h, {p, h} within 1 min } END
"""


def test_the_plan_of_a_recursive_program_says_what_is_answered_together() -> None:
    plan = plan_of(PATHS)
    assert plan["before_text"].endswith("recursion: Path#2 (answered together, until nothing new comes)")
    assert plan["after_text"].endswith("recursion: Path#2 (answered together, until nothing new comes)")
    assert plan["before"]["recursion"] == plan["after"]["recursion"] == [["path#2"]]
    assert "recursion" not in plan_of(FIRE_RULES)["after"]
    both = "DETECT a{ var X } ON b{{ var X }} END DETECT b{ var X } ON a{{ var X }} END"
    assert "recursion: A, B (answered together" in plan_of(both)["after_text"]
    assert explain(load(PATHS).checked())["recursion"] == [["path#2"]]


def test_the_state_of_a_recursion_is_bounded_like_any_other() -> None:
    assert bounds(PATHS) == [("p", "1 min", ["{p, h} within 1 min"]), ("h", "not at all", ["p before h"])]


def test_what_a_recursion_gains_depends_on_what_it_gains_itself() -> None:
    differences = explain_plan(load(PATHS).checked(), differences=True)["differences"] or []
    [text_of_path] = [each["text"] for each in differences if each["point"] == "path#2"]
    assert "(ΔE ∪ ΔPath ∪ ΔPath#2)" in text_of_path


def test_each_rule_has_its_key_or_is_said_to_have_none() -> None:
    program = (
        FIRE_RULES + "DETECT any{} ON and { event a: a{{ var X }}, event b: b{{}} } where { {a, b} within 1 sec } END"
    )
    explanation = explain(load(program).checked())
    assert [rule["key"] for rule in explanation["rules"]] == [["A"], ["S"], ["S"], []]
    lines = text(explanation).split("\n")
    assert lines.count("  key: var S") == 2
    assert lines.count("  no key: runs unpartitioned") == 1


def test_a_plan_without_rules_is_empty() -> None:
    explanation = explain(load("").checked())
    assert text(explanation).endswith("state: none")
    json.dumps(explanation)


def test_the_bounds_are_those_of_a_run_with_the_same_longest_duration() -> None:
    """The window of an average reaches a minute back from the begin of a report, which may lie 5 s before its end."""
    explanation = explain(load(FIRE_RULES).checked(), max_duration=5_000_000)
    assert explanation["plan"] is not None
    *_, average = explanation["plan"]["state"]
    assert (average["of"], average["kept"], average["kept_for_points"]) == ("w", "1 min 5 sec", "1 min")
    assert average["because"] == ["i: from-start-backward[m, 1 min]", "length(m) <= 5 sec"]
    assert "\nstate, if no event lasts longer than 5 sec:\n" in text(explanation)


def test_differences_are_shown_when_they_are_asked_for() -> None:
    program = "DETECT f{} ON and { event a: a{{}}, event w: extend[a, 1 min], while w: not b{{}} } END"
    explanation = explain(load(program).checked(), differences=True)
    assert explanation["plan"] is not None
    differences = explanation["plan"]["differences"]
    assert differences is not None
    assert [one["point"] for one in differences] == [point["name"] for point in explanation["plan"]["after"]["points"]]
    shown = "\n".join(one["text"] for one in differences)
    assert "▷_{w⊒v, v≠a} (∘B_v ∪ ΔB_v)" in shown  # ERR-01: against all that is known
    assert "\ndifferences:\n  Δ" in text(explanation)
    assert plan_of(program)["differences"] is None
