"""Windows of which the middle, an end or nothing is left out, against the definition."""

from __future__ import annotations

import json

import pytest

from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.program import load
from properties.test_columns import by_definition, in_columns

RULE = """DETECT found{s{var S}, n{count(all var T)}, v{sum(all var T)}, first{first(all var T)}, least{min(all var T)}}
ON and {
  event m: temp{{s{{var S}}}},
  event i: from-start-backward[m, 1 min],
  while i: collect temp{{s{{var S}}, v{{var T}}}}
}
END
"""


def temp(at: int, sensor: str, value: float) -> Event:
    children = (Term("s", (sensor,)), Term("v", (value,)))
    return Event(Term("temp", children), Interval(at, at))


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize("copies", [1, 2, 3, 5])
def test_an_event_is_left_out_of_its_own_window_wherever_it_is(copies: int, size: int) -> None:
    program = load(RULE).checked()
    times = [(number * 7_000_000, 1 if number % 3 else copies) for number in range(20)]
    events = tuple(temp(at, f"s{at % 2}", 0.1 * copy + at % 5) for at, many in times for copy in range(many))
    found = in_columns(program, events, size)
    assert found == by_definition(program, events)
    assert len(found) > 10
    assert json.loads(found[-1])["term"]["found"]["n"] > 3
