"""Times in conditions and windows: `b(i) < datetime("2026-01-01")`, in the time zone of the program."""

from __future__ import annotations

from typing import Any

import pytest

import cera

ROWS = [{"type": "order", "at": f"2026-01-01T{hour}:30:00Z", "id": hour} for hour in ("00", "12")]


def violations(constraint: str, timezone: str = "UTC", **options: Any) -> list[str]:
    """Returns what the violations say of `N`."""
    program = cera.load(cera.Source("c.escl", constraint), timezone=timezone)
    found = program.run(ROWS, label="type", time="at", **options).derived
    return [hour for each in found for hour in ("00", "12") if f'N{{"{hour}"}}' in str(each.event.term)]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_bound_is_compared_with_a_time(engine: str) -> None:
    early = 'IF event i: order(id(N)) THEN b(i) < datetime("2026-01-01T06:00") END'
    assert violations(early, engine=engine) == ["12"]


def test_a_time_without_an_offset_is_one_of_the_time_zone_of_the_program() -> None:
    last_year = 'IF event i: order(id(N)) THEN e(i) < datetime("2026-01-01T00:00") END'
    assert violations(last_year) == ["00", "12"]
    assert violations(last_year, timezone="America/Lima") == ["12"]  # it is half past seven in the evening there


def test_a_window_may_have_such_bounds() -> None:
    window = '[datetime("2026-01-01T06:00"), datetime("2026-01-02")]'
    assert violations(f"WHILE {window} LET IN ANY CASE exists = 0 event: order(id(N)) END END") == ["12"]
