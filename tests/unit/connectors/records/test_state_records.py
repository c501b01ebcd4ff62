"""Records of states: what opens one, what closes one, and what is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from cera.connectors.event_lines import base_line
from cera.connectors.fast_jsonl import read
from cera.connectors.records.layout import Layout, RecordError
from cera.connectors.records.records import event_from_object
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import announced_end
from cera.model.time.time_text import TimeFormat
from cera.testing import event, seconds, state

ON = {"on": {"k": 1}}
RECORDS = [
    ({"begin": 5, "state": True, "term": ON}, state("on{k{1}}", 5)),
    ({"begin": 5, "end": None, "state": True, "term": ON}, state("on{k{1}}", 5)),
    ({"begin": 5, "end": 9, "state": True, "term": ON}, state("on{k{1}}", 5, 9)),
    ({"begin": 5, "end": 5, "state": True, "term": ON}, state("on{k{1}}", 5, 5)),
    ({"begin": "1970-01-01T00:00:05Z", "at": None, "state": True, "term": {"on": {}}}, state("on{}", 5)),
    ({"begin": 5, "state": True, "term": {"path": ["a", {"b": 1}]}}, state('path["a", b{1}]', 5)),
]


@pytest.mark.parametrize(("record", "opened"), RECORDS)
def test_a_record_of_a_state_is_read(record: dict[str, Any], opened: Event) -> None:
    found = event_from_object(record, Layout())
    assert (found, found.id, announced_end(found.qualifier)) == (opened, opened.id, announced_end(opened.qualifier))


@pytest.mark.parametrize(("record", "opened"), RECORDS)
def test_a_line_of_a_state_is_read_as_the_record_is(record: dict[str, Any], opened: Event) -> None:
    [found] = read(io.BytesIO(json.dumps(record).encode()), "f", Layout())
    assert isinstance(found, Occurrence)
    assert (found.event, found.id) == (opened, opened.id)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (
            {"begin": 5, "end": 9, "state": "open", "term": ON},
            'in the field `state`: .* with true or 1, .* found "open"',
        ),
        ({"begin": 5, "end": 9, "state": 2, "term": ON}, "with false, 0 or nothing; found 2"),
        ({"begin": 5, "end": 9, "state": [], "term": ON}, "found"),
        ({"begin": 5, "state": False, "term": ON}, "the time is missing: there is no field `end`"),
        ({"at": 5, "state": True, "term": ON}, "a state has its times in `begin` and, once it has ended, in `end`"),
        ({"end": 5, "state": True, "term": ON}, "a state has its times in `begin`"),
        ({"state": True, "term": ON}, "a state has its times in `begin`"),
        ({"begin": 5, "at": 5, "state": True, "term": ON}, "a state has its times in `begin`"),
        ({"begin": 9, "end": 5, "state": True, "term": ON}, "the end lies before the begin: 5 before 9"),
        ({"begin": 5, "state": True, "id": "s1", "term": ON}, "a state has no `id` of its own"),
        ({"begin": 5, "state": True}, "unknown field layout: found begin, state"),
    ],
)
def test_what_is_wrong_with_a_record_of_a_state_is_said(record: dict[str, Any], reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        event_from_object(record, Layout())


@pytest.mark.parametrize("mark", [None, False, 0, 0.0, "false", "False", "0"])
def test_a_record_that_is_not_marked_is_an_event(mark: object) -> None:
    assert event_from_object({"begin": 5, "end": 9, "state": mark, "term": ON}, Layout()) == event("on{k{1}}", 5, 9)


@pytest.mark.parametrize("mark", [True, 1, 1.0, "true", "True", "1"])
def test_a_record_is_marked_in_several_ways(mark: object) -> None:
    assert event_from_object({"begin": 5, "state": mark, "term": ON}, Layout()) == state("on{k{1}}", 5)
    flat = {"label": "on", "from": 5, "held": mark, "k": 1}
    assert event_from_object(flat, Layout(time_field="from", state_field="held")) == state("on{k{1}}", 5)


@pytest.mark.parametrize("end", [None, 5, 9])
def test_what_is_written_of_a_state_is_read_as_the_same(end: int | None) -> None:
    opened = state("on{k{1}}", 5, end)
    line = base_line(opened, TimeFormat("s"))
    assert line == {"begin": 5, "end": end, "state": True, "term": {"on": {"k": 1}}, "id": opened.id}
    assert event_from_object(line, Layout()) == opened
    assert opened.begin == seconds(5)
