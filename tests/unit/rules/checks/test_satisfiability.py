"""Conditions that can never hold and timers that can never happen."""

from __future__ import annotations

import pytest

from cera.model.expressions.constructs import ConstructTerm
from cera.model.matching.patterns import TermPattern
from cera.model.time.durations import Duration
from cera.rules.checks.satisfiability import check_satisfiability
from cera.rules.rule import Branch, EventQuery, RelativeTimer, Rule, RuleProgram
from unit.rules.programs import codes, marked, the


def conditions(where: str, body: str = "event a: x{{ var X, var Y }}, event b: y{{}}, event c: z{{}}") -> str:
    used = "DETECT h{ var X, var Y }" if "var X" in body else "DETECT h"
    return f"{used} ON and{{ {body} }} where {{ {where} }} END"


@pytest.mark.parametrize(
    "where",
    [
        "a before b, b before a",
        "a before b, b before c, c before a",
        "a before b, a after b",
        "a before b, a overlaps b",
        "a during b, b during a",
        "a equals b, a before b",
        "a meets b, b met-by a, a before b",
        "a starts b, a finishes b",
        "a contains b, length(a) < length(b), a during b",
        "{a, b} within 1 min, length(a) > 2 min",
        "timeDiff(a, b) < 1 min, timeDiff(a, b) > 2 min",
        "timeDiff(a, b) = 1 min, timeDiff(a, b) >= 1 min 1 us",
        "1 min > timeDiff(a, b), 2 min < timeDiff(b, a)",
        "a before b, b before c, length(b) >= 10 sec, {a, c} within 10 sec",
        "begin(a) > end(a)",
        "begin(b) - end(a) > 1 hour, {a, b} within 1 hour",
        "begin(a) + 1 min < begin(b), begin(b) <= begin(a) + 30 sec",
        "length(a) > 1 month, length(a) < 28 days",
        "length(a) < 1 month, length(a) >= 31 days",
        "length(a) >= 1 year, {a, b} within 52 weeks",
        'a before datetime("2006-09-18"), a after datetime("2006-09-19")',
        'a during datetime("2006-09-18T09:00", "2006-09-18T10:00"), length(a) > 1 hour',
        "extend(a, 1 min) before b, a meets b",
        "a before b and b before a",
        "(a before b or a meets b), a after b",
        "a = b, a before b",
        "a != b, a equals b",
        "not (a before b), a before b",
        "not (begin(a) <= end(a))",
        "not ({a, b} within 1 min), a equals b, length(a) < 1 min",
        "not (length(a) <= 1 min), length(a) < 30 sec",
        "not (a before b or a meets b), end(a) <= begin(b)",
        "not (a during b), begin(a) > begin(b), end(a) < end(b)",
        "(a before b or a meets b or b before a), begin(a) = begin(b), length(b) > 0 sec, length(a) > 0 sec",
        "(a before b and b before a) or (b during c and c during b)",
        "(a before b or var X > 3), a after b, var X < 2",
        "not (begin(a) - begin(b) > 1 min), begin(a) > begin(b) + 2 min",
        "timeDiff(a, b) > 1 min, timeDiff(a, c) > 1 min, {a, b, c} within 30 sec",
    ],
)
def test_XC401_times_that_exclude_each_other(where: str) -> None:
    found = the("XC401", conditions(where))
    assert found.severity == "warning"
    assert found.span is not None


@pytest.mark.parametrize(
    "where",
    [
        "a before b, b before c, a before c",
        "a overlaps b, a before c",
        "a during b, b contains a",
        "{a, b} within 1 min, length(a) >= 1 min",
        "timeDiff(a, b) < 2 min, timeDiff(a, b) > 1 min",
        "a before b, b before c, length(b) >= 10 sec, {a, c} within 10 sec 2 us",
        "begin(a) >= end(a)",
        "length(a) > 1 month, length(a) < 32 days",
        "length(a) < 1 month, length(a) >= 30 days",
        "length(a) > 1 month, length(a) < 1 month 1 day",
        'a after datetime("2006-09-18"), a before datetime("2006-09-19")',
        "a meets b, a equals b",
        "a before b or b before a",
        "not (a before b), not (b before a)",
        "a != b, a before b",
        "a meets b, b meets c, c meets a",
        "not (a < b), begin(a) < begin(b)",
        "not (a - b > 1 min), begin(a) > begin(b) + 2 min",
        "not (shorten(a, 1 hour) before b), a before b",
        "not (length(a) > 1 month), length(a) > 30 days",
        "not ({a, b} within 1 min), a equals b",
        "(a before b or b before a), not (a before b)",
        "a before b or (a meets b and b meets a)",
    ],
)
def test_times_that_can_hold_together_are_fine(where: str) -> None:
    assert "XC401" not in codes(conditions(where))


def test_XC401_names_the_conditions_on_the_cycle_and_no_others() -> None:
    found = the("XC401", conditions("a before b, var X > 3, b before c, a before c, c before a"))
    assert "`c before a`" in found.message
    assert "var X" not in found.message
    places = [note.span.text for note in found.notes if note.span]
    assert {marked(found), *places} <= {"a before b", "b before c", "a before c", "c before a"}


def test_XC401_names_the_timers_that_play_a_part() -> None:
    found = the("XC401", conditions("b before t", "event a: x, event t: from-end[a, 1 min], event b: extend[t, 1 min]"))
    assert "`b before t`" in found.message
    assert [note.message for note in found.notes] == ["because of the timer `b`"]


def test_XC401_one_branch_of_an_or_is_enough() -> None:
    text = "DETECT h ON or{ and{ event a: x, event b: y } where { a before b, b before a }, z } END"
    assert codes(text) == ["XC401"]


def test_XC401_contradictions_between_different_branches_are_none() -> None:
    text = """DETECT h ON or{ and{ event a: x, event b: y } where { a before b },
                              and{ event a: x, event b: y } where { b before a } } END"""
    assert codes(text) == []


def test_XC401_a_constant_condition_on_times() -> None:
    assert codes(conditions('datetime("2006-09-18") after datetime("2007-09-18")')) == ["XC401"]
    assert codes(conditions("1 min > 1 hour")) == ["XC401"]
    assert codes(conditions("1 min < 1 hour")) == []


@pytest.mark.parametrize(
    "where",
    [
        "var X > 5, var X < 3",
        "var X > 5, var X <= 5",
        "var X >= 5, var X <= 5, var X != 5",
        'var X = "a", var X = "b"',
        'var X > "b", var X < "a"',
        'var X > 5, var X = "a"',
        "var X = true, var X = false",
        "var X = true; var X = 1",
        "var X < var Y, var Y < var X",
        "var X < var Y, var X > 5, var Y < 5",
        "var X = var Y, var X = 1; var Y = 2",
        "var X != var X",
        "var X > 2 * 3, var X < 12 / 2",
        "false",
        "var X > 0.1, var X < 0.1",
        '"a" = "b"',
        "var X + 1 > 3, var X < 2",
        "2 * var X > 10 and var X < 4",
        "var X / 4 >= 3, var X < 11.9",
        "-var X > 3, var X > -3",
        "10 - var X < 3, var X < 6",
        "var X > var Y, var Y > var X",
        "var X - var Y > 5, var X < var Y",
        "0 > var X - var Y, var X > var Y",
        "var X - var Y = 5, var X <= var Y",
        "var X > var Y + 5, var X < var Y",
        "var X > var Y + 5, var X < var Y + 3",
        "var X + var Y > 10, var X < 3, var Y < 4",
        "var X = var Y, 2 * var X > 10, var Y < 4",
        "var X * 3 = 3, var X < 0.9",
        'var X + 1 > 3, var X = "a"',
        'var X = "a", var X > 3',
        'var X < var Y, var X = "a", var Y = 3',
        "var X > var Y, var X = true",
        "string-length(var X) > 3, var X < 5",
        "not (var X > 3), var X > 5",
        "not (var X > 3 or var X < 5), var X > 0",
        "not (var X = 1), var X = 1",
        "not (var X = var X)",
        "not (var X <= 3 and var Y = 1), var X = 2, var Y = 1",
        "(var X > 5 or var X < 1), var X = 3",
        "(var X > 5 or var Y > 5), var X < 3, var Y < 3",
        "(var X = 1 or var X = 2), (var X = 3 or var X = 4)",
        "(var X > 5 and var X < 3) or (var Y = 1 and var Y = 2)",
        "var X, var X = false",
        "var X, not var X",
        'matches(var X, "a+"), not matches(var X, "a+")',
        "var X = 1 and (var Y = 2 and var X = 3)",
        'string-length("abc") > 3',
    ],
)
def test_XC402_values_that_exclude_each_other(where: str) -> None:
    found = the("XC402", conditions(where))
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "where",
    [
        "var X > 3, var X < 5",
        "var X >= 5, var X <= 5",
        "var X >= 5, var X != 5",
        'var X > "a", var X < "b"',
        'var X != "a", var X > 5',
        "var X < var Y, var Y < 5",
        "var X * 2 > 5, var X < 3",
        "var X + 1 >= 3, var X < 2",
        "var X + 1 > var X + 2 or var X > 1",
        "var X + 1 >= var X + 2",
        "var X - var Y >= 0, var X < var Y",
        "var X - var Y > 5, var X > var Y",
        "not (var X > 3), not (var X <= 3)",
        'not (var X > 3), var X = "a"',
        "not (var X + 1 > 3), var X > 5",
        "not (var X = 1 and var Y = 1), var X = 1",
        "(var X > 5 and var X < 3) or var Y > 1",
        "(var X > 5 or var Y > 5), var X < 3",
        "not not (var X > 3), var X < 5",
        'matches(var X, "a+"), var X = "aa"',
        "var X > 5 or var X < 3",
        "not (var X > 5), not (var X < 5)",
        "true",
        "var X > 1 and var X < 1.0000000000000002",
        "var X = 1; var Y = 2",
    ],
)
def test_values_that_can_hold_together_are_fine(where: str) -> None:
    assert "XC402" not in codes(conditions(where))


def test_XC402_names_the_conditions() -> None:
    found = the("XC402", conditions("var X > 5, var Y > 5, var X < 3"))
    assert found.message == "`var X > 5` and `var X < 3` can never hold together"
    assert marked(found) == "var X > 5"
    assert [note.span.text for note in found.notes if note.span] == ["var X < 3"]


def test_XC402_an_accumulation_against_the_conditions_of_the_body() -> None:
    text = """DETECT h ON and{ event w: a{{ var X }}, while w: not b{{ var X }} where { var X < 3 } }
        where { var X > 5 } END"""
    assert "after `not` never matches" in str(the("XC402", text).hint)
    assert "derives nothing" in str(the("XC402", text.replace("not", "collect")).hint)


def test_two_accumulations_do_not_contradict_each_other() -> None:
    text = """DETECT h ON and{ event w: a{{ var X }},
        while w: not b{{ var X }} where { var X < 3 }, while w: not c{{ var X }} where { var X > 5 } } END"""
    assert codes(text) == []


def test_conditions_with_errors_are_not_judged_further() -> None:
    assert codes(conditions("length(a) < 5, a before b")) == ["XC405"]


@pytest.mark.parametrize(
    "body",
    [
        "event a: x, event t: from-end[a, 1 min], event s: shorten[t, 2 min]",
        "event a: x, event t: from-start-backward[a, 1 min], event s: shorten-begin[t, 1 min 1 us]",
        "event n: timer:datetime{{ hour{12} }}, event s: shorten[n, 1 sec]",
        "event a: x, event t: from-end[a, 1 month], event s: shorten[t, 32 days]",
        "event a: x, event t: from-end[a, 1 min], event u: extend-begin[t, 1 min], event s: shorten[u, 3 min]",
    ],
)
def test_XC403_a_timer_whose_anchor_is_always_too_short(body: str) -> None:
    found = the("XC403", f"DETECT h ON and{{ {body} }} END")
    assert found.severity == "warning"
    assert marked(found).startswith("event s: shorten")


@pytest.mark.parametrize(
    "body",
    [
        "event a: x, event s: shorten[a, 1 hour]",
        "event a: x, event t: from-end[a, 1 min], event s: shorten[t, 1 min]",
        "event a: x, event t: extend[a, 1 min], event s: shorten[t, 2 min]",
        "event a: x, event t: from-end[a, 1 month], event s: shorten[t, 30 days]",
    ],
)
def test_a_timer_that_can_happen_is_fine(body: str) -> None:
    assert codes(f"DETECT h ON and{{ {body} }} END") == []


def test_XC403_because_of_a_condition_on_the_anchor() -> None:
    found = the("XC403", "DETECT h ON and{ event a: x, event s: shorten[a, 1 hour] } where { length(a) < 1 min } END")
    assert [note.span.text for note in found.notes if note.span] == ["length(a) < 1 min"]


def test_a_condition_that_an_ordinary_timer_contradicts_is_the_fault_of_the_condition() -> None:
    text = "DETECT h ON and{ event a: x, event t: extend[a, 1 min] } where { end(t) < begin(t) } END"
    assert codes(text) == ["XC401"]


def test_a_branch_with_an_identifier_declared_twice_is_not_judged() -> None:
    timers = (RelativeTimer("t", "extend", "e", Duration(0, 1)), RelativeTimer("t", "extend", "e", Duration(0, 2)))
    branch = Branch(events=(EventQuery("e", TermPattern("a")),), relative_timers=timers)
    assert list(check_satisfiability(RuleProgram((Rule("h", ConstructTerm("h"), (branch,)),)))) == []


def test_XC402_a_value_that_a_pattern_fixes() -> None:
    text = "DETECT h ON and{ a{{ v{ var X -> 40 } }}, b{{ v{ var X } }} } where { var X > 50 } END"
    found = the("XC402", text)
    assert found.message == "`var X -> 40` and `var X > 50` can never hold together"
    assert codes(text.replace("50", "30")) == []


def test_a_pattern_that_is_optional_or_denied_fixes_no_value() -> None:
    for word in ("optional", "without"):
        text = f"DETECT h ON a{{{{ v{{ var X }}, {word} w{{ var X -> 40 }} }}}} where {{ var X > 50 }} END"
        assert "XC402" not in codes(text)


def test_XC402_two_queries_that_fix_a_variable_differently() -> None:
    assert "XC402" in codes("DETECT h{ var X } ON and{ a{{ var X -> 1 }}, b{{ var X -> 2 }} } END")


def test_XC402_a_variable_that_may_be_missing_satisfies_a_negation() -> None:
    text = "DETECT h ON a{{ %s v{ var X } }} where { not (var X = var X) } END"
    assert codes(text % "optional") == []
    assert codes(text % "") == ["XC402"]


def test_an_or_is_named_as_a_whole_and_conditions_that_play_no_part_are_not() -> None:
    found = the("XC402", conditions("var Y > 7, var X > 5 or var X < 1, var Y < 9, var X = 3"))
    assert found.message == "`var X > 5 or var X < 1` and `var X = 3` can never hold together"
