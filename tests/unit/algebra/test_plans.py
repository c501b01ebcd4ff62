"""Plans (C-16), the normal form (C-12) and the translation into CERA (C-13)."""

from __future__ import annotations

import pytest

from cera.algebra.operators import (
    AntiSemiJoin,
    Construction,
    Expression,
    Join,
    Matching,
    Merging,
    Reference,
    RelativeTimers,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.plan import Plan, PlanError, Point
from cera.algebra.schema import Schema
from cera.algebra.translation import translate
from cera.model.matching.patterns import TermPattern
from cera.program import load
from conformance.asking import FIRE_RULES


def matching(identifier: str, source: Expression | None = None) -> Matching:
    return Matching(identifier, TermPattern("x", total=False), source or Stream())


def test_C_16_a_point_is_defined_once() -> None:
    with pytest.raises(PlanError, match="the materialization point M is defined twice"):
        Plan((Point("M", matching("a")), Point("M", matching("b"))))


def test_C_16_a_point_refers_only_to_points_before_it() -> None:
    reference = Reference("N", matching("a").schema)
    with pytest.raises(PlanError, match="M refers to N, which is not defined before it"):
        Plan((Point("M", reference), Point("N", matching("a"))))
    with pytest.raises(PlanError, match="M refers to M"):
        Plan((Point("M", Reference("M", matching("a").schema)),))


def test_C_16_a_reference_has_the_schema_of_its_point() -> None:
    with pytest.raises(PlanError, match="with another schema than it has"):
        Plan((Point("N", matching("a")), Point("M", Reference("N", Schema()))))


def test_C_16_streams_expressions_and_unions_can_be_points() -> None:
    points = (
        Point("E", Stream()),
        Point("M", matching("a")),
        Point("U", Union((Reference("M", matching("a").schema), matching("a")))),
    )
    assert list(Plan(points).by_name) == ["E", "M", "U"]


def names(expression: Expression) -> list[str]:
    """The operators from the top down, without the streams below matchings."""
    return [type(e).__name__ for e in walk(expression) if not isinstance(e, Stream)]


def test_C_12_a_body_is_brought_into_the_order_of_figure_7() -> None:
    program = """
    DETECT x{}
    ON and { while i: not q{{}}, while i: collect p{{}}, event i: extend[a, 1 sec], event a: a{{}} }
    where { a before i }
    END
    """
    [branch] = load(program).checked().rules[0].branches
    assert [query.identifier for query in branch.events] == ["a"]
    assert [timer.identifier for timer in branch.relative_timers] == ["i"]
    assert [len(part) for part in (branch.collections, branch.absences, branch.conditions)] == [1, 1, 1]


def test_C_12_or_is_eliminated_into_branches() -> None:
    program = "DETECT x{} ON and { a{{}}, or { b{{}}, c{{}} }, or { d{{}}, e{{}} } } END"
    branches = load(program).checked().rules[0].branches
    assert [[query.identifier for query in branch.events] for branch in branches] == [
        ["a", "b", "d"],
        ["a", "b", "e"],
        ["a", "c", "d"],
        ["a", "c", "e"],
    ]


def test_C_12_the_rules_of_the_sensor_program_are_normal_already() -> None:
    assert [len(rule.branches) for rule in load(FIRE_RULES).checked().rules] == [1, 1, 1]


def test_C_13_literals_are_translated_in_their_order_and_conditions_above_them() -> None:
    program = """
    DETECT x{ all var V }
    ON and { event a: a{{}}, event b: b{{}}, event i: extend[a, 1 sec],
             while i: collect p{{ var V }}, while i: not q{{}} }
    where { a before b, b before i }
    END
    """
    [point] = translate(load(program).checked()).points
    assert names(point.expression) == [
        *("Construction", "Merging", "Selection", "Selection", "AntiSemiJoin", "TemporalJoin"),
        *("Join", "Join", "Matching", "Matching", "RelativeTimers", "Matching", "Matching"),
    ]


def test_C_13_each_accumulation_has_a_fresh_identifier() -> None:
    program = """
    DETECT x{} ON and { event v: a{{}}, while v: not p{{}}, while v: not q{{}} } END
    DETECT y{} ON and { event w: a{{}}, while w: not p{{}} } END
    """
    plan = translate(load(program).checked())
    windows = [e for point in plan.points for e in walk(point.expression) if isinstance(e, AntiSemiJoin)]
    elements = [window.element for window in windows]
    assert len(set(elements)) == 3
    assert not {"v", "w"} & set(elements)


def test_C_13_only_positive_literals_are_merged() -> None:
    plan = translate(load(FIRE_RULES).checked())
    merged = [e.identifiers for point in plan.points for e in walk(point.expression) if isinstance(e, Merging)]
    assert merged == [("s", "t"), ("n", "i"), ("m", "i")]  # ERR-03


def test_C_13_a_timer_comes_after_the_one_that_it_is_anchored_at() -> None:
    program = "DETECT x{} ON and { event j: extend[i, 1 sec], event i: extend[a, 1 sec], event a: a{{}} } END"
    [point] = translate(load(program).checked()).points
    timers = [e.identifier for e in walk(point.expression) if isinstance(e, RelativeTimers)]
    assert timers == ["i", "j"]  # the inner join, which comes first, is to the left


def test_C_13_a_query_over_derived_events_reads_their_rule_and_the_stream() -> None:
    program = "DETECT b{} ON a{{}} END DETECT c{} ON event x: b{{}} END DETECT d{} ON event y: e{{}} END"
    plan = translate(load(program).checked())
    sources = {e.identifier: e.source for p in plan.points for e in walk(p.expression) if isinstance(e, Matching)}
    assert sources["x"] == Union((Stream(), Reference("b")))  # ERR-17
    assert sources["y"] == Stream()


def test_C_13_rules_come_after_those_that_they_query() -> None:
    program = "DETECT c{} ON b{{}} END DETECT b{} ON a{{}} END"
    assert [point.name for point in translate(load(program).checked()).points] == ["b", "c"]


def test_C_13_a_head_without_grouping_is_built_for_each_branch() -> None:
    [point] = translate(load("DETECT x{} ON or { a{{}}, b{{}} } END").checked()).points
    assert isinstance(point.expression, Union)
    assert all(isinstance(part, Construction) for part in point.expression.inputs)


def test_C_13_a_head_with_grouping_groups_the_union_of_the_branches() -> None:
    program = "DETECT x{ all var V } ON or { a{{ var V }}, b{{ var V }} } END"
    [point] = translate(load(program).checked()).points
    assert isinstance(point.expression, Construction)
    assert isinstance(point.expression.input, Union)  # ERR-18


@pytest.mark.parametrize(("semantics", "excluded"), [("practical", {"n"}), ("formal", set())])
def test_C_13_a_window_leaves_out_the_event_that_it_is_relative_to(semantics: str, excluded: set[str]) -> None:
    program = f"""
    SEMANTICS {semantics}
    DETECT x{{}}
    ON and {{ event n: a{{{{}}}}, event o: b{{{{}}}}, event i: from-end[n, 1 sec], event j: extend[i, 1 sec],
             while j: not a{{{{}}}}, while j: collect a{{{{}}}} }}
    END
    """
    [point] = translate(load(program).checked()).points
    windows = [e for e in walk(point.expression) if isinstance(e, AntiSemiJoin | TemporalJoin)]
    assert [window.excluded for window in windows] == [excluded, excluded]  # ERR-05


def test_C_17_the_plan_of_the_sensor_program_has_a_point_for_each_rule() -> None:
    plan = translate(load(FIRE_RULES).checked())
    assert [point.name for point in plan.results] == ["fire", "burnt_down", "avg_temp"]
    assert plan.results == plan.points
    assert [names(point.expression) for point in plan.points] == [
        ["Construction", "Merging", "Selection", "Selection", "Selection", "Join", "Matching", "Matching"],
        ["Construction", "Merging", "Selection", "AntiSemiJoin", "Join", "Matching", "RelativeTimers", "Matching"],
        ["Construction", "Merging", "TemporalJoin", "Join", "Matching", "RelativeTimers", "Matching"],
    ]
    assert isinstance(plan.points[0].expression, Construction)
    assert not any(isinstance(e, Selection) for e in walk(plan.points[2].expression))
    assert sum(isinstance(e, Join) for point in plan.points for e in walk(point.expression)) == 3
