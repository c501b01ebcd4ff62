"""Constraints that go event by event in buckets, on Spark."""

from __future__ import annotations

import pytest

from cera.constraints.translation.layers import by_rules
from cera.engines.reference import engine as reference
from cera.engines.spark import engine as spark_engine
from cera.model.events.event import Event
from cera.model.events.states import ending, opening
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.module import Settings
from cera.testing import SECOND
from conformance.violations import module_of, shown
from module_runs import side_by_side

TEXT = "CONSTRAINT packed: IF state: held(id(N)) THEN exists >= 3 event: item(id(N)) END"


def item(at: int, *numbers: int) -> Event:
    """An item of several orders, with an id that its source gave it."""
    term = Term("item", [Term("id", [number]) for number in numbers])
    return Event(term, Interval(at * SECOND, at * SECOND), f"item {at}")


def held(number: int, begin: int, end: int) -> list[Event]:
    opened = opening(Term("held", [Term("id", [number])]), begin * SECOND)
    return [opened, ending(opened, end * SECOND)]


#: Order 1 has three items, order 2 two of them, order 3 none. Orders 1 and 3 are held for no time at all.
EVENTS = [
    *(item(1, 1), item(2, 1, 2), item(3, 1), item(4)),
    *(*held(1, 10, 10), *held(3, 12, 12), *held(2, 20, 30)),
    item(21, 2),
    item(40),
]


@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
def test_what_has_to_be_in_a_recording_is_missed_where_nothing_like_it_happens() -> None:
    layers = side_by_side(module_of("CONSTRAINT some: IN ANY CASE state: held(id(N)) END"))
    expected = shown(reference.run(layers, [item(4)], Settings()).derived)
    assert len(expected) == 1
    assert shown(spark_engine.run(layers, [item(4)], Settings()).derived) == expected
    assert not spark_engine.run(layers, [], Settings()).derived


@pytest.mark.xdist_group("spark")
@pytest.mark.usefixtures("spark")
def test_events_of_several_keys_and_states_of_no_length_are_counted_and_keep_their_ids() -> None:
    layers = side_by_side(module_of(TEXT))
    expected = reference.run(layers, EVENTS, Settings()).derived
    found = [
        (one.event.end // SECOND, {name: each.qualifier or each.end // SECOND for name, each in way.causes.items()})
        for one in expected
        for way in one.derivations
    ]
    assert found == [(40, {"held": 20, "item": "item 2", "item 2": "item 21"}), (40, {"held": 12})]
    divided = by_rules(layers, in_parts=True)
    [module] = divided.modules
    assert module.partition == "id"
    assert shown(spark_engine.run(divided, EVENTS, Settings()).derived) == shown(expected)
