"""Plans print as the papers write them, and as JSON.

The golden files of `tests/algebra/golden` were held against the figures of seed 000 by hand: figure_9 is Figs. 4 to 6
and 9 with the input relations of Fig. 2, without v and w in μ (ERR-03).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cera.algebra.operators import Selection, walk
from cera.algebra.plan_json import plan_to_json
from cera.algebra.plan_notation import condition_text
from cera.algebra.plan_text import print_plan
from cera.algebra.translation import translate
from cera.explain.plan import NOTATION
from cera.program import load
from cera.rules.rule import Semantics
from conformance.asking import FIRE_RULES

GOLDEN = Path(__file__).parents[2] / "algebra" / "golden"


@pytest.mark.parametrize(("semantics", "name"), [("practical", "figure_9"), ("formal", "figure_9_formal")])
def test_C_13_C_17_the_sensor_program_becomes_the_plan_of_figure_9(semantics: Semantics, name: str) -> None:
    plan = translate(load(FIRE_RULES, semantics=semantics).checked())
    assert print_plan(plan, NOTATION) + "\n" == (GOLDEN / f"{name}.txt").read_text()


def condition_of(written: str) -> str:
    program = f"""
    DETECT x{{}}
    ON and {{ event i: a{{{{ var X, var Y }}}}, event j: b{{{{}}}} }} where {{ {written} }}
    END
    """
    [point] = translate(load(program).checked()).points
    [selection] = [e for e in walk(point.expression) if isinstance(e, Selection)]
    return condition_text(selection.condition, NOTATION.timer)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("i before j", "i.end < j.begin"),
        ("i after j", "j.end < i.begin"),
        ("i meets j", "i.end = j.begin"),
        ("i overlaps j", "i.begin < j.begin ∧ j.begin < i.end ∧ i.end < j.end"),  # ERR-21
        ("i contains j", "i.begin < j.begin ∧ j.end < i.end"),
        ("i starts j", "i.begin = j.begin ∧ i.end < j.end"),
        ("i finished-by j", "i.begin < j.begin ∧ j.end = i.end"),
        ("i equals j", "i.begin = j.begin ∧ i.end = j.end"),
        ("{i, j} within 1 min", "max{i.end, j.end} − min{i.begin, j.begin} ≤ 1 min"),
        ("{i} within 1 min", "i.end − i.begin ≤ 1 min"),
        ("var X > 40", "X > 40"),
        ("var X != var Y", "X ≠ Y"),
        ("(var X + 1) * 2 >= -(var Y)", "(X + 1) · 2 ≥ −Y"),
        ("var X - (var Y - 1) = 0", "X − (Y − 1) = 0"),
        ("not (i before j or var X = 1)", "¬(i.end < j.begin ∨ X = 1)"),
        ("not i during j", "¬(j.begin < i.begin ∧ i.end < j.end)"),
        ('i during timer:datetime{{ hour{ 9 } }} or var X = "a"', 'i during timer:datetime{{hour{9}}} ∨ X = "a"'),
        ("i before extend(j, 1 min)", "i.end < begin(extend(j, 1 min))"),
    ],
)
def test_conditions_are_written_as_selections_see_them(written: str, printed: str) -> None:
    assert condition_of(written) == printed


def test_a_query_over_derived_events_shows_where_they_come_from() -> None:
    program = "DETECT b{} ON a{{}} END DETECT c{} ON event x: b{{}} END"
    assert "B_x := Q[x: b{{}}](E ∪ B), sch = {x.begin, x.end, x.ref}" in print_plan(
        translate(load(program).checked()), NOTATION
    )


def test_the_branches_of_an_or_are_united() -> None:
    program = "DETECT x{ all var V } ON or { event a: a{{ var V }}, event b: b{{ var V }} } END"
    assert print_plan(translate(load(program).checked()), NOTATION).split("\nwhere")[0] == (
        "X := C[x{all var V}](\n  μ[[begin, end] ← a](\n  A_a)\n  ∪\n  μ[[begin, end] ← b](\n  B_b))"
    )


def test_relations_with_the_same_name_are_told_apart() -> None:
    program = "DETECT x{} ON or { event a: k{{ 1 }}, event a: k{{ true }} } END"
    text = print_plan(translate(load(program).checked()), NOTATION)
    assert "where K_a := Q[a: k{{1}}](E)" in text
    assert "      K_a#2 := Q[a: k{{true}}](E)" in text


def nodes(json_node: dict[str, Any]) -> list[dict[str, Any]]:
    return [json_node, *(node for below in json_node.get("inputs", []) for node in nodes(below))]


def test_the_json_of_a_plan_has_every_operator_with_arguments_and_schema() -> None:
    plan = plan_to_json(translate(load(FIRE_RULES).checked()), NOTATION)
    assert json.loads(json.dumps(plan)) == plan
    fire, burnt_down, _ = plan["points"]
    assert [node["operator"] for node in nodes(fire["expression"])] == [
        *("construction", "merging", "selection", "selection", "selection"),
        *("join", "matching", "stream", "matching", "stream"),
    ]
    [window] = [node for node in nodes(burnt_down["expression"]) if "window" in node]
    assert window["operator"] == "temporal anti-semi-join"
    assert (window["window"], window["element"], window["excluded"]) == ("i", "v", ["n"])
    assert window["schema"] == {
        "data": ["S", "T"],
        "time": ["i.begin", "i.end", "n.begin", "n.end"],
        "reference": ["i.ref", "n.ref"],
    }
    [timer] = [node for node in nodes(burnt_down["expression"]) if node["operator"] == "relative timers"]
    assert (timer["kind"], timer["anchor"], timer["duration"]) == ("from-end", "n", "12 sec")
