"""Each pass by its golden file: a program, its plan before and after.

The files of `tests/algebra/golden` are read by people: what a pass should do to each rule is said in the program's
comments. That the passes keep the answers is a property test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cera.algebra.operators import Matching, Selection, walk
from cera.algebra.plan import Plan
from cera.algebra.plan_text import print_plan
from cera.algebra.translation import translate
from cera.diagnostics import Source
from cera.explain.plan import NOTATION
from cera.optimizer.driver import PASSES, Pass, optimize
from cera.optimizer.push_selections import push_selections
from cera.optimizer.share_subexpressions import share_subexpressions
from cera.program import load
from conformance.asking import FIRE_RULES

GOLDEN = Path(__file__).parents[2] / "algebra" / "golden"


def plan_of(program: str | Source) -> Plan:
    return translate(load(program).checked())


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.name)
def test_C_19_a_pass_does_what_its_golden_file_shows(each: Pass) -> None:
    program, before, after = (GOLDEN / f"{each.name}.txt").read_text().split("\n====")
    plan = plan_of(Source("program.slog", program) if each.name == "push-projections" else program)
    if each.name in ("materialize", "push-projections", "serve-joins"):
        plan = push_selections(plan)  # these go on from selections that are where they should be
    assert print_plan(plan, NOTATION) == before.removeprefix(" before").strip("\n")
    assert print_plan(each.rewrite(plan), NOTATION) == after.removeprefix(" after").strip("\n")


def test_C_18_figure_10_comes_out_of_figure_9() -> None:
    """As in the figure: Temp_n', Temp_m' (v' here), A_t, B_{n',i}, C_n', D_{m',i}; with ρ where it uses new names."""
    plan = optimize(plan_of(FIRE_RULES))
    assert print_plan(plan, NOTATION) + "\n" == (GOLDEN / "figure_10.txt").read_text()


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.name)
@pytest.mark.parametrize(
    "program",
    [
        "DETECT x{} ON event a: a{{}} END",
        "DETECT x{} ON and { event a: a{{}}, event b: b{{}} } where { a before b } END",
        "",
    ],
)
def test_a_pass_returns_the_same_plan_where_there_is_nothing_to_do(each: Pass, program: str) -> None:
    plan = plan_of(program)
    assert each.rewrite(plan) is plan


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.name)
def test_a_pass_has_nothing_to_do_where_it_has_been(each: Pass) -> None:
    program = (GOLDEN / f"{each.name}.txt").read_text().split("\n====")[0]
    once = each.rewrite(push_selections(plan_of(program)))
    assert each.rewrite(once) is once


def test_C_19_rules_that_differ_in_a_threshold_match_once() -> None:
    rule = """
    DETECT r%d{}
    ON and { event a: a{{ var X }}, event b: b{{ var X, c{ var Y } }} } where { var Y > %d, {a, b} within 1 sec }
    END
    """
    plan = optimize(plan_of("".join(rule % (k, k) for k in range(20))))
    assert sum(isinstance(e, Matching) for point in plan.points for e in walk(point.expression)) == 2
    assert sum(isinstance(e, Selection) for point in plan.points for e in walk(point.expression)) == 40


def test_a_join_is_not_shared_where_conditions_above_it_bound_its_times() -> None:
    """As a point it would remember for good what `{…} within …` lets each rule forget."""
    rule = "DETECT r%d{} ON and { event a: a{{}}, event b: b{{}} } where { {a, b} within %d sec } END\n"
    plan = share_subexpressions(plan_of(rule % (1, 1) + rule % (2, 2)))
    assert [point.name for point in plan.points] == ["A_a'", "B_b'", "r1", "r2"]


def test_equal_queries_of_one_rule_are_shared_too() -> None:
    plan = share_subexpressions(plan_of("DETECT x{} ON and { event i: a{{ var X }}, event j: a{{ var X }} } END"))
    assert [point.name for point in plan.points] == ["A_i'", "x"]


def test_queries_over_other_streams_are_not_shared() -> None:
    program = """
    DETECT b{} ON a{{}} END
    DETECT c{} ON event x: b{{}} END
    DETECT d{} ON event y: b{{}} END
    DETECT e{} ON event z: f{{}} END
    """
    plan = share_subexpressions(plan_of(program))
    assert [point.name for point in plan.points] == ["b", "B_x'", "c", "d", "e"]
