"""What stages report, packed for the next stage and read again."""

from __future__ import annotations

from itertools import combinations

from cera.engines.spark.streaming.messages.messages import RESULT_COUNTS, pack_results, unpack_results
from cera.engines.spark.streaming.messages.stage_results import (
    ActionRequest,
    DerivedResult,
    LateEvent,
    RejectedRecord,
    Result,
    StateReport,
    derivation_key,
    event_fields,
    first_derivations,
)
from cera.model.events.event import Derivation
from cera.model.events.occurrence import occurrence
from cera.testing import event

KEY = ("rules.fire", "s", 5, 5, "0f")
DERIVED = DerivedResult("x", 1, 2, "fire", '{"fire": {}}', "rules.fire", '{"s": "0f"}', None, None, KEY)
FLAT, NESTED = (event_fields(occurrence(event(text, 3))) for text in ('a{b{1}, c{"x"}}', "a[b{c{d{1}}}, e{}]"))
RESULTS: list[Result] = [
    DERIVED,
    DERIVED._replace(id="y", recipient="mail:me", transport="smtp"),
    LateEvent(FLAT),
    LateEvent(NESTED),
    RejectedRecord("in.jsonl:3", "not JSON", "{"),
    ActionRequest("x", 1, 2, "fire", '{"fire": {}}', "rules.fire", {"s": FLAT, "t": NESTED}, KEY),
    StateReport("op", 0, 7, 2, 3, 4),
    StateReport("op", 1, 5, 1, 0),
]


def test_results_of_every_kind_are_read_as_they_were_packed() -> None:
    found = unpack_results(pack_results(RESULTS))
    assert found == RESULTS
    assert [*map(type, found)] == [*map(type, RESULTS)]
    assert unpack_results(pack_results([])) == []


def test_events_in_results_are_the_events_that_were_packed() -> None:
    found = [one.event for one in unpack_results(pack_results(RESULTS)) if isinstance(one, LateEvent)]
    assert [one.occurrence.event for one in found] == [event('a{b{1}, c{"x"}}', 3), event("a[b{c{d{1}}}, e{}]", 3)]


def test_a_payload_begins_with_the_numbers_that_spark_adds_up() -> None:
    assert RESULT_COUNTS.unpack_from(pack_results(RESULTS), 1) == (2, 1, 3, 3, 4)


def test_of_an_event_that_came_twice_the_first_derivation_stays() -> None:
    later = DERIVED._replace(key=("rules.fire", "s", 6, 5, "0f"))
    assert first_derivations([later, DERIVED._replace(id="y"), DERIVED]) == [DERIVED, DERIVED._replace(id="y")]


def test_derivations_have_the_order_that_their_keys_give_them() -> None:
    a, b, c = event("a{}", 1), event("b{}", 1), event("a{}", 2)
    causes = ({}, {"x": a}, {"x": b}, {"x": c}, {"y": a}, {"x": a, "y": a}, {"y": b, "x": a}, {"x": a, "z": a})
    derivations = [Derivation(rule, each) for rule in ("r", "r2") for each in causes]
    for one, other in combinations(derivations, 2):
        assert (one.key < other.key) == (derivation_key(one) < derivation_key(other))
