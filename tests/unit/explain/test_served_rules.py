"""`explain` names the more general rule in whose answers those of a rule could be looked up."""

from __future__ import annotations

from dataclasses import replace

from cera.explain.program import explain, text
from cera.program import load
from cera.rules.declarations import SourceLabel

RULES = """unbounded:
  sale(item(I), price(P)) <- event o: offer(item(I)) and event s: sold(item(I), price(P)) and o before s.
  dear(item(I)) <- event o: offer(item(I)) and event s: sold(item(I), price(P)) and o before s and P > 100."""


def test_a_rule_says_which_one_is_more_general() -> None:
    program = replace(load(RULES).rules, declared=(SourceLabel("offer"), SourceLabel("sold")))
    explanation = explain(program)
    assert [rule.get("served_by") for rule in explanation["rules"]] == [None, "sale"]
    assert "  more general: sale, in whose answers those of this rule could be looked up" in text(explanation)


def test_nothing_is_said_where_anything_may_come_from_outside() -> None:
    assert "more general" not in text(explain(load(RULES).rules))
