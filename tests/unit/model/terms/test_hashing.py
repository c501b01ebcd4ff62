"""Ids: pinned to what Spark computes, and to the definition, written down here a second time."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xxhash import xxh64

from cera.model.events.event import Event
from cera.model.terms.hashing import chain, event_id, hash_value
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Interval
from term_strategies import SCALARS, terms

NOON = Interval(60_000_000, 63_000_000)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((1, "héllo wörld, a longer string than 32 bytes for sure", -7), -2591924565605833532),
        ((2, 3, 2**62), -3595879843948467749),
        (("",), -7444071767201028348),
    ],
)
def test_the_chain_is_the_xxhash64_of_spark(values: tuple[str | int, ...], expected: int) -> None:
    assert chain(*values) == expected  # computed by Spark 4.3


def link(seed: bytes, data: bytes) -> bytes:
    return xxh64(data, seed=int.from_bytes(seed, "big")).digest()


def digest(value: Value, first: int) -> bytes:
    """The definition again, on bytes instead of integers."""
    state = link(link((42).to_bytes(8, "big"), struct.pack("<q", first)), struct.pack("<q", kind(value)))
    if isinstance(value, Term):
        inner = [digest(child, first) for child in value.children]
        if not value.ordered:
            inner.sort(key=lambda one: int.from_bytes(one, "big", signed=True))
        state = link(link(state, value.label.encode()), struct.pack("<q", len(inner)))
        for one in inner:
            state = link(state, one[::-1])
        return state
    if isinstance(value, str):
        return link(state, value.encode())
    return link(state, struct.pack("<d" if isinstance(value, float) else "<q", value))


def kind(value: Value) -> int:
    if isinstance(value, Term):
        return 5 if value.ordered else 6
    return {str: 1, int: 2, float: 3, bool: 4}[type(value)]


def golden_id(event: Event) -> str:
    halves = []
    for first in (1, 2):
        state = link((42).to_bytes(8, "big"), struct.pack("<q", first))
        state = link(state, digest(event.term, first)[::-1])
        state = link(link(state, struct.pack("<q", event.begin)), struct.pack("<q", event.end))
        halves.append(state if event.qualifier is None else link(state, event.qualifier.encode()))
    return b"".join(halves).hex()


@given(terms(), st.integers(-(2**55), 2**55), st.integers(0, 2**55), st.none() | st.text(max_size=5))
def test_an_id_follows_from_term_interval_and_qualifier_by_the_definition(
    term: Term, begin: int, length: int, qualifier: str | None
) -> None:
    event = Event(term, Interval(begin, begin + length), qualifier)
    assert event.id == golden_id(event)


def test_an_id_is_32_hexadecimal_digits() -> None:
    assert len(event_id(Term("a"), NOON)) == 32
    assert int(event_id(Term("a"), NOON), 16) >= 0


@given(st.lists(SCALARS | terms(max_leaves=4), max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_unordered_children_does_not_change_the_hash(children: list[Value], order: random.Random) -> None:
    shuffled = list(children)
    order.shuffle(shuffled)
    assert hash_value(Term("a", children), 1) == hash_value(Term("a", shuffled), 1)


def test_the_order_of_ordered_children_does() -> None:
    assert hash_value(Term("a", [1, 2], ordered=True), 1) != hash_value(Term("a", [2, 1], ordered=True), 1)


def test_one_and_one_point_zero_are_one_event() -> None:
    assert event_id(Term("a", [1]), NOON) == event_id(Term("a", [1.0]), NOON)
    assert event_id(Term("a", [-0.0]), NOON) == event_id(Term("a", [0]), NOON)


def test_what_differs_in_any_part_of_its_identity_has_another_id() -> None:
    events = [
        *(Event(Term("a", children), NOON) for children in ([1], ["1"], [True], [1.5], [], [1, 1], [Term("1")])),
        Event(Term("a", [1], ordered=True), NOON),
        Event(Term("b", [1]), NOON),
        Event(Term("a", [Term("a", [1])]), NOON),
        Event(Term("a", [1]), Interval(NOON.begin, NOON.end + 1)),
        Event(Term("a", [1]), Interval(NOON.begin - 1, NOON.end)),
        Event(Term("a", [1]), NOON, "7"),
        Event(Term("a", [1]), NOON, ""),
    ]
    assert len({event.id for event in events}) == len(events)
