"""A relation in plans: a leaf that is looked up, without times, stores and keys."""

from __future__ import annotations

import pytest

from cera.algebra.correlation_keys import correlation_key
from cera.algebra.differencing import delta
from cera.algebra.invariants import InvariantError, check_shape
from cera.algebra.operators import Join, Matching, Relation, Selection, Stream, walk
from cera.algebra.plan import Plan, Point
from cera.algebra.plan_json import expression_to_json
from cera.algebra.schema import Schema, SchemaError
from cera.algebra.translation import translate
from cera.algebra.unbounded_state import check_durations, check_state
from cera.explain.plan import NOTATION, state_bounds
from cera.model.matching.patterns import TermPattern, VariablePattern
from cera.optimizer.driver import optimize
from cera.program import load

SHOP = """
RELATION price{ item, euros, since } FROM "p.csv" VALID FROM since BY item
DETECT bill{ item{var I}, euros{var E} }
ON and {
  relation price{{ item{var I}, euros{var E} }},
  event o: order{{ item{var I}, number{var N} }},
  event p: payment{{ item{var I} }},
  event t: extend[p, 1 min]
} where { {o, p} within 1 hour, var N > 2, var E > 3 }
END
"""
ROWS = Relation("r", TermPattern("price", (VariablePattern("I"),), total=False), "price")


def matching(name: str) -> Matching:
    return Matching(name, TermPattern("order", (VariablePattern("I"),), total=False), Stream())


def test_the_schema_of_a_relation_has_variables_only() -> None:
    assert ROWS.schema == Schema(frozenset({"I"}))
    assert Join(matching("o"), ROWS).schema == matching("o").schema


def test_rows_are_looked_up_at_the_end_of_events_that_are_there() -> None:
    with pytest.raises(SchemaError, match="looks rows up at the end of p"):
        Join(matching("o"), Relation("r", ROWS.pattern, "price", ("o", "p")))


def test_a_relation_is_joined_above_events_and_timers_whatever_the_passes_do() -> None:
    plain = translate(load(SHOP).checked())
    for plan in (plain, optimize(plain)):
        check_shape(plan)
        [rows] = [part for point in plan.points for part in walk(point.expression) if isinstance(part, Relation)]
        assert rows.at == ("o", "p", "t")
        above = [part for point in plan.points for part in walk(point.expression) if isinstance(part, Selection)]
        assert any("E" in repr(part.condition) and isinstance(part.input, Join) for part in above)
    joined = Join(Join(matching("o"), ROWS), matching("p"))
    with pytest.raises(InvariantError):
        check_shape(Plan((Point("a", joined),)))


def test_a_relation_needs_no_store_and_gives_no_key() -> None:
    program = load(SHOP).checked()
    assert [bound["of"] for bound in state_bounds(translate(program), 0)] == ["o", "p"]
    assert not [*check_state(program), *check_durations(program)]
    assert correlation_key(program.rules[0]) == ("I",)


def test_the_difference_of_a_lookup_is_the_lookup_of_the_difference() -> None:
    changed = delta(Join(matching("o"), ROWS))
    assert isinstance(changed, Join)
    assert changed.right is ROWS


def test_a_relation_prints_as_data() -> None:
    printed = expression_to_json(Relation("r", ROWS.pattern, "price", ("o",)), NOTATION)
    assert {key: printed[key] for key in ("operator", "name", "at")} == {
        "operator": "relation",
        "name": "price",
        "at": ["o"],
    }
