"""Expressions as Spark columns against the model's evaluator, on random expressions over random rows.

Many expressions share one query, because a query costs more than what it calculates. Without code generation they all
fit into one; the few with it see that the generated code says the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
from pyspark.sql import Column, SparkSession

from cera.engines.spark.values.expressions import compile_condition, compile_filter, compile_value
from cera.model.calendars.calendar_files import parse_calendars
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Periodic,
    Temporal,
    TimerQuery,
    Variable,
    Within,
)
from cera.model.matching.patterns import TermPattern
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval
from spark_expressions import Expressions
from spark_values import VARIABLES, FrameScope, Row, as_value, comparable, frame_of, packed, random_row, unpacked

pytestmark = pytest.mark.xdist_group("spark")

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@contextmanager
def settings(spark: SparkSession, changed: Mapping[str, str]) -> Iterator[None]:
    before = {key: spark.conf.get(key) for key in changed}
    for key, value in changed.items():
        spark.conf.set(key, value)
    yield
    for key, value in before.items():
        assert value is not None
        spark.conf.set(key, value)


def results(spark: SparkSession, rows: Sequence[Row], columns: Sequence[Column]) -> list[list[Any]]:
    """For each row the columns."""
    named = [column.alias(f"column {number}") for number, column in enumerate(columns)]
    found = frame_of(spark, rows).coalesce(1).select("row", *named).collect()
    return [list(row)[1:] for row in sorted(found, key=lambda row: row["row"])]


def rows_of(seed: int, count: int = 50) -> list[Row]:
    rng = random.Random(seed)
    return [random_row(rng) for _ in range(count)]


def check_values(spark: SparkSession, expressions: Sequence[Expression], rows: Sequence[Row]) -> None:
    scope = FrameScope()
    for row, found in zip(
        rows, results(spark, rows, [packed(compile_value(e, scope)) for e in expressions]), strict=True
    ):
        for expression, struct in zip(expressions, found, strict=True):
            expected = comparable(Evaluator().value(expression, row.values, row.times))
            assert unpacked(struct) == expected, f"{expression} on {row.values} {row.times}"


def check_conditions(spark: SparkSession, conditions: Sequence[Expression], rows: Sequence[Row]) -> None:
    scope = FrameScope()
    columns = [compile_condition(condition, scope) for condition in conditions]
    for row, found in zip(rows, results(spark, rows, columns), strict=True):
        for condition, holds in zip(conditions, found, strict=True):
            assert holds is Evaluator().holds(condition, row.values, row.times), f"{condition} on {row}"


@pytest.mark.parametrize("kind", ["number", "string", "interval", "length", "data"])
def test_expressions_have_the_value_that_the_model_defines(spark: SparkSession, kind: str) -> None:
    draw = Expressions(seed=11)
    with settings(spark, INTERPRETED):
        check_values(spark, [getattr(draw, kind)(2) for _ in range(40)], rows_of(11))


def test_conditions_hold_where_the_model_says_so(spark: SparkSession) -> None:
    draw = Expressions(seed=12)
    with settings(spark, INTERPRETED):
        check_conditions(spark, [draw.condition(2) for _ in range(80)], rows_of(12))


def test_generated_code_gives_the_same_values(spark: SparkSession) -> None:
    draw = Expressions(seed=13)
    check_values(spark, [draw.number(1) for _ in range(8)] + [draw.length(1) for _ in range(4)], rows_of(13))


def test_nothing_fails_or_differs_without_ansi_mode(spark: SparkSession) -> None:
    draw = Expressions(seed=14)
    with settings(spark, INTERPRETED | {"spark.sql.ansi.enabled": "false"}):
        check_values(spark, [draw.data(2) for _ in range(40)], rows_of(14))


def test_the_time_zone_of_the_session_does_not_matter(spark: SparkSession) -> None:
    draw = Expressions(seed=15)
    times = [draw.interval(2) for _ in range(20)] + [Call("iso", (draw.point(1),)) for _ in range(20)]
    with settings(spark, INTERPRETED | {"spark.sql.session.timeZone": "America/New_York"}):
        check_values(spark, times, rows_of(15))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_deeply_nested_expressions_agree_too(spark: SparkSession, seed: int) -> None:
    draw = Expressions(seed)
    with settings(spark, INTERPRETED):
        check_values(spark, [draw.data(3) for _ in range(60)] + [draw.length(3) for _ in range(20)], rows_of(seed))
        check_conditions(spark, [draw.condition(4) for _ in range(60)], rows_of(seed))


def written(column: Column) -> str:
    return str(column)


VALUE, COUNT = Variable("D"), Variable("I")
ONE, OTHER = EventReference("i"), EventReference("j")
SECOND = DurationLiteral(Duration(0, 1_000_000))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Comparison(">", VALUE, Literal(40)), "Column<'>(D:double, 40.0D)'>"),
        (Comparison("<", Literal(40), VALUE), "Column<'>(D:double, 40.0D)'>"),
        (Comparison(">", COUNT, Literal(40)), "Column<'>(I:integer, 40)'>"),
        (Comparison(">=", COUNT, Literal(39.5)), "Column<'>=(I:integer, 40)'>"),
        (Comparison("=", Variable("S"), Literal("a")), "Column<'=(S:string, 'a')'>"),
        (Comparison("=", Variable("S"), Literal(1)), "Column<'false'>"),
        (Temporal("before", ONE, OTHER), "Column<'<(i.end, j.begin)'>"),
        (Comparison("<=", Call("length", (ONE,)), SECOND), "Column<'<=(-(i.end, i.begin), 1000000)'>"),
        (
            And((Comparison(">", VALUE, Literal(40)), Temporal("before", ONE, OTHER))),
            "Column<'and(>(D:double, 40.0D), <(i.end, j.begin))'>",
        ),
    ],
)
def test_what_is_certain_becomes_what_one_writes_by_hand(
    spark: SparkSession, condition: Expression, expected: str
) -> None:
    assert written(compile_filter(condition, FrameScope())).replace("`", "") == expected


def test_a_condition_is_false_where_the_model_has_no_value_and_its_negation_true(spark: SparkSession) -> None:
    row = Row({}, {}, {})
    unknown = Comparison(">", VALUE, Literal(40))
    with settings(spark, INTERPRETED):
        found = results(spark, [row], [compile_condition(c, FrameScope()) for c in (unknown, Not(unknown))])
    assert found == [[False, True]]


def test_months_are_added_by_the_calendar(spark: SparkSession) -> None:
    leap_day = 951_782_400_000_000  # 2000-02-29
    row = Row({}, {"p": Interval(leap_day, leap_day)}, {"p.begin": leap_day, "p.end": leap_day})
    moved = [Arithmetic("+", EventReference("p"), DurationLiteral(Duration(months))) for months in (1, 12, -1, 96_000)]
    with settings(spark, INTERPRETED):
        found = results(spark, [row], [packed(compile_value(Call("iso", (e,)), FrameScope())) for e in moved])
    assert [unpacked(struct) for struct in found[0]] == [
        ("str", "2000-03-29T00:00:00Z"),
        ("str", "2001-02-28T00:00:00Z"),
        ("str", "2000-01-29T00:00:00Z"),
        None,
    ]


#: Two groups of variables with all components that can hold a number, alone and beside others.
THESE, THOSE = ("P", "N"), ("J", "E", "K", "M")
HELD = (3, -2.5, 2**53 + 1, 1e300, None)


def holding(variables: Sequence[str], held: float | None) -> dict[str, Any]:
    """The number in one component of each variable that has one for it."""
    columns: dict[str, Any] = {}
    for variable in variables if held is not None else ():
        for component in VARIABLES[variable]:
            match component, held:
                case ("integer", int()) | ("fraction", float()):
                    columns[f"{variable}:{component}"] = held
                case "double", _ if float(held) == held:
                    columns.pop(f"{variable}:integer", None)
                    columns[f"{variable}:double"] = float(held)
    return columns


def test_every_operator_and_function_takes_a_number_in_any_component(spark: SparkSession) -> None:
    rows = []
    for one, other in product(HELD, HELD):
        stored = holding(THESE, one) | holding(THOSE, other)
        rows.append(Row({name.partition(":")[0]: as_value(held) for name, held in stored.items()}, {}, stored))
    single = [Variable(name) for name in (*THESE, *THOSE)]
    pairs = [(Variable(one), Variable(other)) for one in THESE for other in THOSE]
    values: list[Expression] = [Call(function, (x,)) for x in single for function in ("abs", "ceiling", "number")]
    values += [Arithmetic("*", SECOND, x) for x in single]
    values += [Call("substring", (Literal("abcdef"), x)) for x in single]
    values += [Call("least", pair) for pair in pairs] + [Call("greatest", (one, other, one)) for one, other in pairs]
    values += [Arithmetic("-", *pair) for pair in pairs]
    values += [Comparison(operator, *pair) for pair in pairs for operator in ("=", "!=", "<", ">=")]
    with settings(spark, INTERPRETED):
        check_values(spark, values, rows)


@pytest.mark.parametrize("function", ["least", "greatest"])
def test_extremes_within_extremes_do_not_multiply_what_spark_has_to_read(spark: SparkSession, function: str) -> None:
    def nested(depth: int) -> Expression:
        return Call(function, (nested(depth - 1), Variable("N"), Literal(7))) if depth else Variable("P")

    lengths = [len(written(packed(compile_value(nested(depth), FrameScope())))) for depth in (1, 2, 3)]
    assert lengths[2] < 3 * lengths[1] < 9 * lengths[0]


def test_the_least_integer_has_no_opposite_and_makes_nothing_fail(spark: SparkSession) -> None:
    row = Row({"I": -(2**63)}, {"p": Interval(0, 0)}, {"I:integer": -(2**63), "p.begin": 0, "p.end": 0})
    month, least = DurationLiteral(Duration(1)), Variable("I")
    undefined = [
        Call("abs", (least,)),
        Negative(least),
        Arithmetic("+", EventReference("p"), Arithmetic("*", month, least)),
        Arithmetic("-", EventReference("p"), Arithmetic("*", month, least)),
        Call("seconds", (Negative(Arithmetic("*", DurationLiteral(Duration(0, 1)), least)),)),
        Call("substring", (Literal("abc"), least)),
    ]
    for changed in (INTERPRETED, {}):
        with settings(spark, changed):
            found = results(spark, [row], [packed(compile_value(e, FrameScope())) for e in undefined])
        assert [unpacked(struct) for struct in found[0]] == [None] * len(undefined)


def test_spark_does_not_rearrange_what_overflows_on_the_way(spark: SparkSession) -> None:
    row = Row({"I": 2**63 - 1, "J": 0}, {}, {"I:integer": 2**63 - 1, "J:integer": 0})
    most, zero = Variable("I"), Variable("J")
    undefined = [
        Arithmetic("+", Arithmetic("+", most, Literal(1)), Literal(-1)),
        Arithmetic("*", Arithmetic("*", Literal(40), most), zero),
    ]
    found = results(spark, [row], [packed(compile_value(e, FrameScope())) for e in undefined])
    assert [unpacked(struct) for struct in found[0]] == [None, None]


def test_what_runs_in_python_is_said_and_agrees(spark: SparkSession) -> None:
    calendars = parse_calendars('[office]\nhours = ["09:00", "17:00"]', "calendars")
    office = Periodic(TimerQuery("office", TermPattern("office", total=False)))
    conditions = [
        Temporal("during", EventReference("p"), office),
        Temporal("contains", office, EventReference("i")),
        Call("matches", (Variable("S"), Literal("(a|b)*(a|ab)*"))),
        Call("matches", (Variable("S"), Variable("S"))),
        Comparison("=", Call("string", (Variable("N"),)), Call("string", (Variable("D"),))),
        Comparison("=", Call("string", (Variable("D"),)), Literal("0.1")),
    ]
    scope = FrameScope(calendars)
    rows = rows_of(16)
    found = results(spark, rows, [compile_condition(condition, scope) for condition in conditions])
    for row, truths in zip(rows, found, strict=True):
        expected = [Evaluator(calendars).holds(condition, row.values, row.times) for condition in conditions]
        assert truths == expected, row
    assert set(scope.fallbacks) == {
        "timer:office in a condition",
        'matches(…, "(a|b)*(a|ab)*")',
        "matches(…) with a computed expression",
        "string(…) of a fraction",
    }


def test_a_plain_regular_expression_stays_in_spark(spark: SparkSession) -> None:
    expressions = ["a", "a?b*c?", "[^a-c]+", ".*", "A?[a-z]+", "[0-9]+", r"\s?a\s?", "é|b", ".", "", r"\d+$", "^ab ab"]
    conditions = [Call("matches", (Variable("S"), Literal(e))) for e in expressions]
    scope = FrameScope()
    with settings(spark, INTERPRETED):
        check_conditions(spark, conditions, rows_of(17))
        for condition in conditions:
            compile_condition(condition, scope)
    assert scope.fallbacks == []


def test_a_window_of_events_needs_all_of_them(spark: SparkSession) -> None:
    absent = Row({}, {"i": Interval(0, 1)}, {"i.begin": 0, "i.end": 1})
    with settings(spark, INTERPRETED):
        check_conditions(spark, [Within((ONE, OTHER), SECOND), Within((ONE,), SECOND)], [absent])
