"""Programs that are long, wide or deep are checked, formatted, explained and run, or refused with a reason.

Nothing here may end in a RecursionError: how deep Python calls itself is no limit of the language.
"""

from __future__ import annotations

import pytest

import cera
from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.explain.program import explain, text
from cera.languages.xchangeeq.printer import format_source
from cera.testing import event

pytestmark = pytest.mark.slow

EVENTS = [event("a{v{1}}", 1)]
VALUE = "a{{ v{ var X } }}"


def rule(head: str = "d{ var X }", query: str = VALUE, where: str = "") -> str:
    return f"DETECT {head} ON {query} {f'where {{ {where} }}' if where else ''} END"


def many(number: int, form: str, separator: str = ", ") -> str:
    """The form with `#` for 0, 1, 2, …"""
    return separator.join(form.replace("#", str(at)) for at in range(number))


def nested(number: int, before: str, middle: str, after: str) -> str:
    return before * number + middle + after * number


WIDE = {
    "400 conditions joined by `and`": rule(where=many(400, "var X != 1#0", " and ")),
    "1,200 conditions": rule(where=many(1_200, "var X != 1#0")),
    "1,200 conditions and a bound": rule(where=many(1_200, "var X != 1#0") + ", var X > 0"),
    "1,200 choices": rule(where=many(1_200, "var X = #", " or ")),
    "a head of 1,000 parts": rule(head=f"d{{ {many(1_000, 'part#{ var X }')} }}"),
    "a head of 500 parts that may be missing": rule(head=f"d{{ {many(500, 'optional part{ var X }')} }}"),
    "a query of 500 parts": rule(query=f"a{{{{ v{{ var X }}, {many(500, 'without part#')} }}}}"),
    "long strings": rule(head=f'd{{ var X, "{"x" * 100_000}" }}', where=f'var X != "{"y" * 100_000}"'),
    "60 timers": rule(query=f"and {{ event a: {VALUE}, {many(60, 'event t#: extend[a, 1 sec]')} }}"),
    "60 absences": rule(query=f"and {{ event a: {VALUE}, {many(60, 'while a: not b#{{}}')} }}"),
    "200 branches": rule(query=f"or {{ {VALUE}, {many(200, 'b#{{ v{ var X } }}')} }}"),
    "300 rules": "\n".join(rule(head=f"d{at}{{ var X }}") for at in range(300)),
}
DEEP = {
    "parentheses": rule(head=f"d{{ {nested(1_000, '(', 'var X', ')')} }}"),
    "a long sum": rule(head=f"d{{ {many(1_000, 'var X', ' + ')} }}"),
    "`not`": rule(where=nested(1_000, "not ", "var X = 1", "")),
    "conditions": rule(where=nested(1_000, "(var X = 1 or var X = 2 and ", "var X = 3", ")")),
    "calls": rule(head=f"d{{ {nested(1_000, 'abs(', 'var X', ')')} }}"),
    "`and`": rule(query=nested(1_000, "and { ", VALUE, " }")),
    "`or`": rule(query=nested(1_000, "or { ", VALUE, " }")),
    "terms of a query": rule(query=nested(1_000, "a{{ ", "var X", " }}")),
    "terms of a head": rule(head=nested(1_000, "d{ ", "var X", " }")),
    "`optional`": rule(head=f"d{{ {nested(1_000, 'optional ', 'e{ var X }', '')} }}"),
    "defaults": rule(head=f"d{{ {'optional e{ var X } with default ' * 1_000} 1 }}"),
    "`desc`": rule(query=f"a{{{{ {'desc ' * 1_000} v{{ var X }} }}}}"),
    "open brackets": "DETECT d ON " + "a{{" * 1_000,
    "closing brackets": "DETECT d ON a" + "}}" * 1_000 + " END",
}


@pytest.mark.parametrize("program", WIDE.values(), ids=WIDE)
def test_a_wide_program_is_checked_formatted_explained_and_run(program: str) -> None:
    loaded = cera.load(program)
    assert [str(each) for each in loaded.check() if each.severity == "error"] == []
    assert text(explain(loaded.rules))
    answers = loaded.run(EVENTS, engine="local").derived
    assert answers
    assert answers == loaded.run(EVENTS, engine="reference").derived
    assert format_source(Source("program.xceq", program))


@pytest.mark.parametrize("program", DEEP.values(), ids=DEEP)
def test_a_program_that_is_nested_too_deeply_is_refused_with_a_place(program: str) -> None:
    loaded = cera.load(program)
    assert {each.code for each in loaded.check()} <= {"XC001", "XC002"}
    assert all(each.span is not None for each in loaded.errors)
    with pytest.raises(ProgramError):
        loaded.run(EVENTS, engine="local")
    with pytest.raises(ProgramError):
        format_source(Source("program.xceq", program))


def test_programs_just_below_the_limit_of_nesting_are_run() -> None:
    for program in (
        rule(where=nested(30, "(var X = 2 or var X = 1 and ", "var X = 1", ")")),
        rule(where=nested(80, "not ", "var X = 1", "")),
        rule(query=nested(80, "and { ", VALUE, " }")),
        rule(head=nested(80, "d{ ", "var X", " }")),
        rule(head=f"d{{ {nested(80, 'optional ', 'e{ var X }', '')} }}"),
        rule(head=f"d{{ {many(80, 'var X', ' + ')} }}"),
    ):
        loaded = cera.load(program)
        assert loaded.check() == ()
        assert loaded.run(EVENTS, engine="local").derived == loaded.run(EVENTS, engine="reference").derived != ()


@pytest.mark.long
def test_a_join_of_400_queries_is_checked() -> None:
    loaded = cera.load(rule(query=f"and {{ {many(400, 'event e#: a#{{ v{ var X } }}')} }}"))
    assert loaded.errors == ()
    assert loaded.state_warnings
    assert loaded.run([], engine="reference").derived == ()


def test_a_join_of_60_queries_is_run() -> None:
    loaded = cera.load(rule(query=f"and {{ {many(60, 'event e#: a{{ v{ var X } }}')} }}"))
    assert loaded.run(EVENTS, engine="local").derived == loaded.run(EVENTS, engine="reference").derived != ()


def test_a_join_of_150_queries_is_checked() -> None:
    loaded = cera.load(rule(query=f"and {{ {many(150, 'event e#: a#{{ v{ var X } }}')} }}"))
    assert loaded.errors == ()
    assert loaded.state_warnings


def test_XC112_more_queries_than_can_be_evaluated_are_refused_with_their_number() -> None:
    (problem,) = cera.load(rule(query=f"and {{ {many(401, 'a#{{ v{ var X } }}')} }}")).check()
    assert problem.code == "XC112"
    assert "401 queries, timers and windows" in problem.message


@pytest.mark.long
def test_XC113_a_large_body_is_counted_before_it_runs() -> None:
    alternatives = many(7, "or { event e#: a#{{ v{ var X } }}, event e#: b#{{ v{ var X } }} }")
    [warning] = cera.load(rule(query=f"and {{ {alternatives} }}")).diagnostics
    assert (warning.code, warning.severity) == ("XC113", "warning")
    assert "the body of `d` has 128 branches with 896 queries" in warning.message


def test_XC113_fewer_queries_are_a_large_join_where_they_share_no_variable() -> None:
    [warning] = cera.load(rule(query=f"and {{ {VALUE}, {many(6, 'event e#: a{{}}')} }}")).diagnostics
    assert "`d` joins 7 queries" in warning.message
    assert not cera.load(rule(query=f"and {{ {many(7, 'event e#: a{{ v{ var X } }}')} }}")).diagnostics


def test_XC113_a_large_join_is_counted_before_it_runs() -> None:
    [warning] = cera.load(rule(query=f"and {{ {many(20, 'event e#: a{{ v{ var X } }}')} }}")).diagnostics
    assert (warning.code, warning.severity) == ("XC113", "warning")
    assert "`d` joins 20 queries: where each finds 10 events, that may be 10^20 combinations" in warning.message


def test_XC112_more_conditions_than_can_be_evaluated_are_refused_with_their_number() -> None:
    (problem,) = cera.load(rule(where=many(10_001, "var X != #"))).check()
    assert problem.code == "XC112"
    assert "10,001 conditions" in problem.message
