"""All checks together."""

from __future__ import annotations

from cera.model.expressions.constructs import All, ConstructTerm
from cera.model.matching.patterns import TermPattern
from cera.rules.checks.check import check
from cera.rules.rule import Branch, EventQuery, Rule, RuleProgram
from unit.rules.programs import codes, diagnose

FIG_6 = """
DETECT earlyResellWithLoss { customer { var C }, stock { var S } }
ON and {
  event b: buy  {{ customer { var C }, stock { var S }, price { var P1 } }},
  event s: sell {{ customer { var C }, stock { var S }, price { var P2 } }}
} where { b before s, timeDiff(b,s)<1hour, var P1>var P2 }
END
"""
FIG_7 = """
DETECT buyOrderOverdue { orderId { var I } }
ON and {
  event o: order {{ orderId { var I }, buy {{ }} }};
  event t: extend[o, 1 min],
  while t: not buy {{ orderId { var I } }} }
END
RAISE to(recipient="http://auditor.com", transport="http") {
  reportOfDailyAverages {
    all entry { stock { var S }, avgPrice { avg(all var P) } } group-by var S } }
ON and { event t: tradingDay{{ }}; while t: collect sell {{ stock { var S }, price { var P } }} }
END
"""


def test_the_programs_of_the_papers_are_fine() -> None:
    assert codes(FIG_6 + FIG_7) == []


def test_findings_come_in_the_order_of_the_text() -> None:
    text = """
        DETECT a{ var X } ON b{{}} END
        DETECT c ON and{ event w: d{{ var Y }}, while w: not c{{}} } END
        DETECT e ON f{{ var Z }} where { var Z > 5, var Z < 3 } END"""
    assert codes(text) == ["XC201", "XC103", "XC301", "XC402"]


def test_a_program_without_strata_is_checked_all_the_same() -> None:
    assert codes("DETECT a{ var X } ON and{ event w: b, while w: not a{{}} } END") == ["XC201", "XC301"]


def test_every_finding_has_a_place() -> None:
    text = """
        DETECT a{ var X, all x group-by var Q } ON and{ event w: b{{ var Y }}, while w: not a{{}} }
        where { 3, w before w, length(w) > foo(1), avg(all var Z) > 2 } END"""
    found = diagnose(text)
    assert len({d.code for d in found}) >= 6
    assert all(d.span is not None for d in found)


def test_a_finding_is_not_repeated_for_every_branch() -> None:
    assert codes("DETECT h ON and{ event e: a, or{ b, c, d } } where { e before 3 } END") == ["XC405"]


def test_rules_that_were_not_read_from_a_text_are_checked_too() -> None:
    rule = Rule("h", All(ConstructTerm("h")), (Branch(events=(EventQuery("e", TermPattern("a", total=False)),)),))
    assert [d.code for d in check(RuleProgram((rule,)))] == ["XC407"]
