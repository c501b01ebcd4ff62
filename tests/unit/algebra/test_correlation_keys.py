"""Correlation keys: the variables that every event query of a rule binds."""

from __future__ import annotations

import pytest

from cera.algebra.correlation_keys import correlation_key
from cera.program import load
from conformance.asking import FIRE_RULES


def keys(program: str) -> list[tuple[str, ...]]:
    return [correlation_key(rule) for rule in load(program).checked().rules]


def test_the_rules_of_the_sensor_program_divide_by_area_and_by_sensor() -> None:
    assert keys(FIRE_RULES) == [("A",), ("S",), ("S",)]


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("and { a{{ x{var X}, y{var Y} }}, b{{ x{var X}, y{var Y} }} }", ("X", "Y")),
        ("and { a{{ x{var X} }}, b{{ y{var Y} }} }", ()),
        ("and { a{{ x{var X} }}, event i: b{{ x{var X} }}, while i: not c{{}} }", ()),
        ("and { event i: a{{ x{var X} }}, while i: collect c{{ x{var X}, var V }} }", ("X",)),
        ("a{{ x{var X}, optional y{var Y} }}", ("X",)),
        ("or { a{{ var X, var Y }}, b{{ var Y }} }", ("Y",)),
        ("or { a{{ var X }}, b{{}} }", ()),
    ],
)
def test_a_key_is_bound_by_every_event_query_in_every_branch(body: str, key: tuple[str, ...]) -> None:
    assert keys(f"DETECT x{{}} ON {body} END") == [key]


def test_what_a_timer_alone_collects_stays_together() -> None:
    program = """
    DETECT report{ all var S }
    ON and { event d: timer:datetime{{ hour{ 9 } }}, event i: extend-begin[d, 1 hour], while i: collect a{{ var S }} }
    END
    """
    assert keys(program) == [()]
