"""Nested events get the JSON and the hashes that their terms would have."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from cera.engines.spark.reading.nested_terms import nested_hashes, nested_json
from cera.engines.spark.reading.record_rows import record_batches
from cera.engines.spark.tables.event_rows import term_row
from cera.model.events.occurrence import json_occurrence
from cera.model.terms.json_terms import term_from_json

VALUES = (0, -1, 2**62, 0.5, -2.25, 1e300, True, False, "", "text", "ünï 😀", '"quoted"\n')


def body(random: Random) -> dict[str, Any]:
    names = random.choice((("a", "b"), ("b", "a"), ("Ä", "z", "a")))
    found: dict[str, Any] = {name: random.choice(VALUES) for name in names}
    found["old"] = random.choice(({}, {"k": random.choice(VALUES)}, {"k": 1, "a": random.choice(VALUES)}))
    return found


@pytest.mark.parametrize("count", [5, 2_000])  # each by itself, and by columns
def test_the_rows_of_nested_events_are_those_of_their_terms(count: int) -> None:
    random = Random(1)
    events = [("change" if random.random() < 0.7 else "other", body(random)) for _ in range(count)]
    expected = [term_row(term_from_json({label: content})) for label, content in events]
    texts = [nested_json(label, content) for label, content in events]
    assert list(zip(texts, *nested_hashes(events), strict=True)) == expected


@pytest.mark.parametrize("content", [{"a": 1, "b": True}, {"{}": 1, "b": {"c": 1}}, {"a": {"": 1}}])
def test_what_is_flat_or_no_object_is_left_to_its_term(content: dict[str, Any]) -> None:
    assert nested_json("change", content) is None


def test_nested_events_are_read_among_others() -> None:
    bodies: list[Any] = [{"v": 1}, {"v": 1, "old": {"k": 1}}, [1, 2], {"": 2, "old": {}}, {"old": {"k": 2}, "v": 1}]
    events = [json_occurrence(place, place, "e", each) for place, each in enumerate(bodies)]
    [batch] = record_batches(0, events)
    rows = list(zip(*(batch.column(name).to_pylist() for name in ("json", "t1", "t2")), strict=True))
    terms = [term_row(term_from_json({"e": each})) for each in bodies]
    assert rows == [(None, None, None), *terms[1:]]
    assert [fields is None for fields in batch.column("fields").to_pylist()] == [False, True, True, True, True]
