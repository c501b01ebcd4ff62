"""Values that a program needs: seen in flat events, in terms and in columns, and missing until then."""

from __future__ import annotations

import pytest

from cera.engines.columns.event_tables import table_of
from cera.engines.columns.strings import Strings
from cera.model.events.attributes import AskedAttribute, AskedValue, ObservedAttributes, value_text
from cera.model.events.occurrence import Occurrence, json_occurrence, occurrence
from cera.testing import event

ASKED = [AskedValue("order", "kind", "urgent"), AskedValue("order", "id", "2"), AskedValue("gift", "wrapped", "true")]


def order(**content: object) -> Occurrence:
    return json_occurrence(0, 0, "order", content)


def test_a_value_is_missing_until_an_event_has_it() -> None:
    observed = ObservedAttributes([AskedAttribute("order", ("id",))], ASKED)
    for each in (order(id=1, kind="usual"), order(id=7, kind="usual")):
        observed.look(each)
    assert observed.missing_values == set(ASKED)
    assert set(observed.missing) == {"order", "gift"}  # events of these labels are still looked at
    observed.look(order(id=2, kind="urgent"))
    assert observed.missing_values == {ASKED[2]}
    observed.look(json_occurrence(0, 0, "gift", {"wrapped": True}))
    assert (observed.missing_values, dict(observed.missing)) == (frozenset(), {})


@pytest.mark.parametrize(
    "text", ["order{id{1}, id{2}}", "order[id{2}]", "order{id{2, 3}}", "order{id{2}, of{shop{1}}}"]
)
def test_a_value_is_seen_in_events_of_any_shape(text: str) -> None:
    observed = ObservedAttributes((), ASKED[1:2])
    observed.look(occurrence(event(text, 0)))
    assert not observed.missing_values


def test_a_table_has_the_distinct_values_of_an_attribute() -> None:
    events = [order(id=1, kind="usual"), order(id=2, price=2.5), order(id=2, kind="urgent"), order(id=2)]
    table = table_of("order", events, Strings())
    assert sorted(table.distinct("kind")) == ["urgent", "usual"]
    assert list(map(value_text, table.distinct("id"))) == ["1", "2"]
    assert (table.distinct("price"), table.distinct("colour")) == ([2.5], [])
