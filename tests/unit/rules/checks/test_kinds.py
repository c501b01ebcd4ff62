"""Operands of the right kind, functions that exist, periodic intervals, aggregates and `all` in their place."""

from __future__ import annotations

import pytest

from unit.rules.programs import codes, marked, the

BODY = "and{ event a: x{{ var X, var Y }}, event b: y{{}} }"


def conditions(where: str) -> str:
    return f"DETECT h{{ var X, var Y }} ON {BODY} where {{ {where} }} END"


def heads(head: str) -> str:
    return f"DETECT {head} ON {BODY} where {{ var X != var Y }} END"


@pytest.mark.parametrize(
    ("where", "wrong"),
    [
        ("length(a) < 5", "length(a) < 5"),
        ("timeDiff(a, b) = var X", "timeDiff(a, b) = var X"),
        ("a < 3", "a < 3"),
        ("a + 1 > 2", "a + 1"),
        ("1 min + 3 > 1 min", "1 min + 3"),
        ('var X + "a" > 2', 'var X + "a"'),
        ("length(a) * 2 > 1 min", "length(a) * 2"),
        ("1 hour / 2 > 1 min", "1 hour / 2"),
        ("begin(a) + length(b) > begin(b)", "begin(a) + length(b)"),
        ("length(a) + 1 month > 1 min", "length(a) + 1 month"),
        ("30 days < 1 month", "30 days < 1 month"),
        ("1 year = 365 days", "1 year = 365 days"),
        ("var X before a", "var X"),
        ("a during 1 min", "1 min"),
        ("length(a) before b", "length(a)"),
        ("{a, var X} within 1 min", "var X"),
        ("{a, b} within 5", "5"),
        ("var X and 3", "3"),
        ("not 1 min", "1 min"),
        ("3 or var X > 2", "3"),
        ('"a" < 1', '"a" < 1'),
        ("true < false", "true < false"),
        ("(var X > 1) = 1", "(var X > 1) = 1"),
        ('upper-case(3) = "A"', "3"),
        ("length(3) > 1 min", "3"),
        ("extend(a, 5) before b", "5"),
        ("-a = b", "-a"),
        ('-"a" = 1', '-"a"'),
        ("a", "a"),
        ("1 min", "1 min"),
        ("var X * 3", "var X * 3"),
        ("var X > 1 / 0", "1 / 0"),
        ("var X / (3 - 3) > 1", "var X / (3 - 3)"),
        ("var X mod 0 = 1", "var X mod 0"),
        ("var X < 9223372036854775807 + 1", "9223372036854775807 + 1"),
        ("var X < 1e300 * 1e300", "1e300 * 1e300"),
        ("seconds(1 month) > var X", "1 month"),
        ("seconds(2 * 1 year) > var X", "2 * 1 year"),
        ("seconds(var X) > 3", "var X"),
        ('number("abc") > var X', 'number("abc")'),
        ('least(var X, 3, "a") > 2', 'least(var X, 3, "a")'),
        ("greatest(var X, true) > 2", "true"),
        ("string(a) = var X", "a"),
        ("length(a) > 1 min * 1.5", "1 min * 1.5"),
        ('substring(var X, 0) = "a"', "substring(var X, 0)"),
        ('substring(var X, 1, 1.5) = "a"', "substring(var X, 1, 1.5)"),
    ],
)
def test_XC405_an_operand_of_the_wrong_kind(where: str, wrong: str) -> None:
    found = the("XC405", conditions(where))
    assert found.severity == "error"
    assert marked(found) == wrong


@pytest.mark.parametrize(
    "where",
    [
        "length(a) < 1 min",
        "length(a) < length(b)",
        "length(a) - length(b) < 1 min",
        "length(a) + 1 min < length(b)",
        "begin(a) + 1 month < begin(b)",
        "length(a) < 1 month",
        "1 month + 1 day < 1 month + 2 days",
        "1 min * 3 < length(a)",
        "1 min * var X < length(a)",
        "begin(b) - end(a) < 1 min",
        "end(a) < begin(b)",
        "a = b",
        "var X",
        "var X and not var Y",
        'contains(var X, "a")',
        "var X > var Y * 2 + 1 mod 3",
        "a before b and length(a) < 1 min or var X > 3",
        "hull(a, b) during extend(a, 1 hour)",
        "seconds(length(a)) > 3.5",
        "(var X > 1) = true",
        'iso(begin(a)) = "2006-09-18T09:00:00Z"',
        "least(var X, var Y, 3) < 4",
        "abs(-var X) > 2",
        "var X / var Y > 1",
        "var X > 0 / 1",
        "seconds(1 hour) > var X",
        "seconds(begin(a)) > var X",
        'substring(var X, 1, 0) = ""',
        'substring(var X, var Y) = "a"',
        'matches(var X, "a+")',
        "matches(var X, var Y)",
        "least(var X, 3, var Y) > 2",
        'number("12") > var X',
    ],
)
def test_operands_of_the_right_kind_are_fine(where: str) -> None:
    assert codes(conditions(where)) == []


def test_XC405_in_the_conditions_of_a_window() -> None:
    text = "DETECT h ON and{ event w: a, while w: not b{{ var X }} where { var X > 1 min } } END"
    assert codes(text) == ["XC405"]


@pytest.mark.parametrize(
    "head",
    [
        "h{ t{ begin(a) } }",
        "h{ length(a) }",
        "h{ 1 min }",
        "h{ sum(all length(a)) }",
        "h{ count(all begin(a)) }",
        'h{ avg(all "x") }',
        "h{ max(all var X > 3) }",
        "h{ all x{ var X } order-by length(a) }",
    ],
)
def test_XC405_a_head_is_made_of_data(head: str) -> None:
    assert codes(heads(head)) == ["XC405"]


def test_a_bare_name_in_a_head_is_a_term_and_not_an_event() -> None:
    assert codes(heads("h{ a }")) == []


@pytest.mark.parametrize(
    "head",
    [
        "h{ iso(begin(a)) }",
        "h{ seconds(length(a)) }",
        "h{ sum(all seconds(length(a))) }",
        "h{ max(all var X) }",
        "h{ count(all var X > 3) }",
        "h{ big{ var X > 3 } }",
        "h{ all x{ var X } order-by seconds(begin(a)) desc }",
    ],
)
def test_times_as_data_are_fine_in_a_head(head: str) -> None:
    assert codes(heads(head)) == []


@pytest.mark.parametrize(
    ("where", "message", "hint"),
    [
        ("lenght(a) < 1 min", "there is no function `lenght`", "did you mean `length`?"),
        ("qqq(a)", "there is no function `qqq`", None),
        ("length(a, b) < 1 min", "`length` takes 1 argument, not 2", "write length(interval)"),
        (
            'substring("abc") = "a"',
            "`substring` takes 2 to 3 arguments, not 1",
            "write substring(string, number, number)",
        ),
        ("least() = 1", "`least` takes 1 argument or more, not 0", "write least(any, …)"),
    ],
)
def test_XC406_functions_and_their_arguments(where: str, message: str, hint: str | None) -> None:
    found = the("XC406", conditions(where))
    assert (found.severity, found.message, found.hint) == ("error", message, hint)


def test_XC406_optional_and_repeated_arguments() -> None:
    assert codes(conditions('substring("abc", 2) = substring("abc", 2, 2), concat("a", "b", "c") = "abc"')) == []


def test_XC406_is_not_followed_by_errors_of_kind() -> None:
    assert codes(conditions("lenght(a) < 1 min, not lenght(a), -lenght(a) > 1, 3 + lenght(a) > 4")) == ["XC406"] * 4


@pytest.mark.parametrize(
    "where",
    [
        "a before timer:datetime{{ hour{9} }}",
        "timer:datetime{{ hour{9} }} after a",
        "timer:datetime{{ hour{9} }} meets timer:datetime{{ minute{0} }}",
        "length(timer:datetime{{ hour{9} }}) < 1 min",
        "{a, timer:datetime{{ hour{9} }}} within 1 min",
        "timer:datetime{{ hour{9} }} = a",
        "timer:datetime{{ hour{9} }}",
    ],
)
def test_XC404_a_periodic_interval_out_of_place(where: str) -> None:
    found = the("XC404", conditions(where))
    assert found.severity == "error"


@pytest.mark.parametrize("where", ["a contains timer:datetime{{ hour{9} }}", "timer:datetime{{ hour{9} }} during a"])
def test_a_periodic_interval_beside_a_single_one_is_fine(where: str) -> None:
    assert codes(conditions(where)) == []


def test_XC004_a_regular_expression_that_cannot_be_used() -> None:
    found = the("XC004", conditions('matches(var X, "(")'))
    assert found.severity == "error"
    assert marked(found) == '"("'


def test_XC405_a_head_without_a_value() -> None:
    assert marked(the("XC405", heads("h{ n{ 1 / 0 } }"))) == "1 / 0"
    assert codes(heads("h{ n{ var X / var Y } }")) == []


@pytest.mark.parametrize(
    "text",
    [
        "DETECT h{ var X } ON a{{ var X }} where { avg(all var X) > 3 } END",
        "DETECT h ON and{ event w: a, while w: not b{{ var Y }} where { var Y > max(all var Y) } } END",
        "DETECT h{ avg(all sum(all var X)) } ON a{{ var X }} END",
        "DETECT h{ all all x{ var X } } ON a{{ var X }} END",
        "DETECT h{ all optional all x{ var X } } ON a{{ var X }} END",
        "DETECT h{ var X } ON a{{ var X }} where { avg(var X) > 3 } END",
    ],
)
def test_XC407_an_aggregate_or_all_out_of_place(text: str) -> None:
    found = the("XC407", text)
    assert found.severity == "error"
    assert found.hint is not None


def test_XC407_points_at_the_inner_aggregate() -> None:
    assert marked(the("XC407", "DETECT h{ avg(all sum(all var X)) } ON a{{ var X }} END")) == "sum(all var X)"


@pytest.mark.parametrize(
    "head",
    [
        "h{ avg(all var X) }",
        "h{ avg(all var X) / max(all var X) }",
        "h{ all x{ var X, count(all var Y) } }",
        "h{ all x{ var X, all y{ var Y } } }",
        "h{ all x{ var X } order-by sum(all var Y) }",
        "h{ optional all x{ var X, var Y } }",
        "h{ sum(all seconds(length(e))) }",
    ],
)
def test_aggregates_and_all_inside_of_a_head_are_fine(head: str) -> None:
    assert codes(f"DETECT {head} ON event e: a{{{{ var X, var Y }}}} where {{ var X != var Y }} END") == []
