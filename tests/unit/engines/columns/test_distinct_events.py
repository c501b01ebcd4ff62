"""Which events of a table are equal: those with equal times and children, whatever stands where a child is absent."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cera.engines.columns import event_tables
from cera.engines.columns.event_tables import Attribute, EventTable, distinct_events
from cera.engines.columns.strings import Strings


def table_of(seed: int) -> EventTable:
    """Returns events of few values and times, so that many are equal, or differ by one child."""
    chance = np.random.default_rng(seed)
    rows, strings = int(chance.integers(2, 60)), Strings(("", "a", "b"))
    end = np.sort(chance.integers(0, rows // 2 + 1, rows))
    begin = end if chance.random() < 0.5 else end - chance.integers(0, 2, rows)
    present = chance.random(rows) < 0.7
    attributes = {
        "number": Attribute("number", chance.choice([0.0, -0.0, 0.1, 2.0], rows), present),
        "text": Attribute("string", chance.integers(0, 3, rows), None),
        "truth": Attribute("boolean", chance.random(rows) < 0.5, chance.random(rows) < 0.7),
    }
    chosen = random.Random(seed).sample(sorted(attributes), 2)
    return EventTable("e", begin, end, {name: attributes[name] for name in chosen}, strings)


@pytest.mark.parametrize("factor", [None, 0])
def test_the_first_of_equal_events_is_left(factor: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """`factor` 0: the numbers of all events are equal, so that ids decide."""
    if factor is not None:
        monkeypatch.setattr(event_tables, "_ODD", np.uint64(factor))
    shortened = 0
    for seed in range(200):
        table = table_of(seed)
        places: dict[object, int] = {}
        for place in range(len(table)):
            key = (int(table.begin[place]), int(table.end[place]), *sorted(table.content(place).items()))
            places.setdefault(key, place)
        found = distinct_events(table)
        expected = table.take(np.array(sorted(places.values())))
        assert [found.content(row) for row in range(len(found))] == [
            expected.content(row) for row in range(len(expected))
        ]
        assert np.array_equal(found.end, expected.end)
        assert np.array_equal(found.begin, expected.begin)
        shortened += len(found) < len(table)
    assert shortened > 100
