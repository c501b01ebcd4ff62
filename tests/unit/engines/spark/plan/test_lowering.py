"""Physical plans of Spark, decided without it: which join, which window slides, what runs in Python, and why."""

from __future__ import annotations

from typing import TypeVar

import pytest

from cera.engines.local.engine import plan_of
from cera.engines.spark.physical_plans import physical_program
from cera.engines.spark.plan.batch import Batch
from cera.engines.spark.plan.physical import (
    Absence,
    Derive,
    Inside,
    Lookup,
    Match,
    Node,
    Pairs,
    PhysicalPoint,
    Root,
    Slide,
    inputs,
)
from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.tables.event_tables import EventTable, Flat
from cera.engines.spark.tables.outlines import Outline
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.python_functions import planning
from cera.program import load

T = TypeVar("T")

MINUTE = 60_000_000

JOIN = """
DETECT hot {{ area {{ var A }} }}
ON and {{ event s: smoke {{{{ area {{ var A }} }}}}, event t: temp {{{{ {other} }}}} }} {where}
END
"""
WINDOW = """
DETECT average { sensor { var S }, value { %s } }
ON and {
  event m: temp {{ sensor {{ var S }} }},
  event i: timer:from-start-backward [event m, %s],
  while i: collect temp {{ sensor {{ var S }}, value {{ var T }} }}
}
END
"""
QUIET = """
DETECT quiet { sensor { var S } }
ON and {
  event n: temp {{ sensor {{ var S }} }},
  event i: timer:from-end [event n, 12 sec],
  while i: not temp {{ sensor {{ var S }} }}
}
END
"""


def points(text: str, max_duration: int | None = 0) -> list[PhysicalPoint]:
    return list(physical_program(load(text).layers, max_duration=max_duration, timezone="UTC").points)


def only(text: str, kind: type[T], max_duration: int | None = 0) -> T:
    [found] = [
        part
        for point in points(text, max_duration)
        for root in point.roots
        for part in walk(root)
        if isinstance(part, kind)
    ]
    return found


def walk(node: Root | Node) -> list[Root | Node]:
    return [node, *(part for below in inputs(node) for part in walk(below))]


@pytest.mark.parametrize(
    ("other", "where", "way"),
    [
        ("area { var A }", "where { s before t, {s, t} within 1 min }", "bucket"),
        ("area { var A }", "where { s before t }", "plain"),
        ("value { var T }", "where { s before t }", "broadcast"),
    ],
)
def test_a_join_is_made_by_what_bounds_its_sides(other: str, where: str, way: str) -> None:
    join = only(JOIN.format(other=other, where=where), Pairs)
    assert join.way.strategy == way
    assert join.way.shared == (("A",) if way != "broadcast" else ())


def test_a_window_slides_over_points_of_time() -> None:
    found = only(WINDOW % ("avg(all var T)", "1 min"), Slide)
    assert (found.window.first, found.window.last, found.window.shared) == (-MINUTE, 0, ("S",))


@pytest.mark.parametrize(
    ("head", "length", "longest", "reason"),
    [
        ("avg(all var T)", "1 min", None, "events may last"),
        ("avg(all var T)", "1 month", 0, "its length depends on the calendar"),
        ("all var T", "1 min", 0, "it has `all`"),
    ],
)
def test_another_window_says_why_it_is_joined(head: str, length: str, longest: int | None, reason: str) -> None:
    text = WINDOW % (head, length)
    assert only(text, Derive, longest).joined == reason
    assert only(text, Inside, longest).way.strategy == "bucket"


def test_an_absence_is_in_buckets_where_it_is_not_known_that_its_left_side_is_small() -> None:
    found = only(QUIET, Absence)
    assert found.way.buckets is not None
    assert found.way.buckets.before == 12_000_000


def test_a_head_that_columns_cannot_build_says_why() -> None:
    found = only("DETECT b { all var X } ON a {{ var X }} END", Derive)
    assert found.in_python == "it has `all`"


def test_a_pattern_that_columns_cannot_state_says_why() -> None:
    found = only("DETECT b { var X } ON a {{ desc c { var X } }} END", Match)
    assert [each.in_python for each in found.tables] == ["asks for children of any label"]


def test_a_relation_is_looked_up_by_what_is_shared() -> None:
    text = """
RELATION owner FROM "owners.csv"
DETECT b { var X, var O }
ON and { event a {{ k { var X } }}, relation owner {{ k { var X }, name { var O } }} }
END
"""
    assert only(text, Lookup).way.shared == ("X",)


def test_functions_of_python_are_named_and_not_made() -> None:
    program = load("DETECT b { var X } ON a {{ v { var X }, e { var E } }} where { matches(var X, var E) } END")
    found = physical_program(program.layers, max_duration=None, timezone="UTC")
    assert found.in_python == ("matches(…) with a computed expression",)


CHAIN = """
DETECT pair {{ area {{ var A }} }} ON {body} END
DETECT busy {{ area {{ var A }}, number {{ count(all var A) }} }}
ON and {{
  event m: pair {{{{ area {{ var A }} }}}},
  event i: timer:from-start-backward [event m, 1 min],
  while i: collect pair {{{{ area {{ var A }} }}}}
}}
END
"""


@pytest.mark.parametrize(
    ("body", "slides"),
    [
        ("and { event s: smoke{{area{var A}}}, event t: temp{{area{var A}}} } where { {s, t} within 1 min }", False),
        ("event s: smoke{{area{var A}}}", True),
    ],
    ids=["pairs", "points"],
)
def test_a_window_slides_over_what_rules_derive_if_these_are_points_of_time(body: str, slides: bool) -> None:
    [*_, last] = over_typed_tables(CHAIN.format(body=body)).points
    assert [isinstance(root, Slide) for root in last.roots] == [slides]


def over_typed_tables(text: str) -> Batch:
    """Returns what is decided for tables of smoke and of temperatures with one area each, which are points of time."""
    content = Flat({"area": Cell(string=column("area:string"))})
    frame = Outline(["begin", "end", "h1", "h2", "label", "area:string"])
    tables = tuple(EventTable(frame, content, label) for label in ("smoke", "temp"))
    with planning():
        return Batch(plan_of(load(text).rules), Environment(None), tables, max_duration=0)
