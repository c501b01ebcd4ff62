"""From an object to an event: which objects are events, and what is said of the others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.connectors.event_lines import base_line, event_line
from cera.connectors.records.layout import RECORD_ERRORS, Layout, RecordError, rejected
from cera.connectors.records.records import event_from_object
from cera.model.events.event import Derivation, DerivedEvent, Event, Recipient
from cera.model.terms.json_terms import loads
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat
from event_reading import EVENTS, happened
from term_strategies import terms

TEMP = {"temp": {"value": 40}}


@pytest.mark.parametrize(
    ("record", "event"),
    [
        ({"begin": 60, "end": 63, "term": TEMP}, happened("temp{value{40}}", 60, 63)),
        ({"at": 60, "term": TEMP}, happened("temp{value{40}}", 60)),
        ({"at": 1.5, "term": {"a": []}}, happened("a[]", 1.5)),
        ({"at": "1970-01-01T00:01:00Z", "term": TEMP}, happened("temp{value{40}}", 60)),
        ({"at": 60, "begin": None, "term": TEMP, "id": None}, happened("temp{value{40}}", 60)),
        ({"at": 60, "term": TEMP, "id": "m1"}, happened("temp{value{40}}", 60, qualifier="m1")),
        ({"at": 60, "term": TEMP, "id": 17}, happened("temp{value{40}}", 60, qualifier="17")),
        ({"at": 60, "term": TEMP, "id": 1.0}, happened("temp{value{40}}", 60, qualifier="1")),
        ({"at": 60, "term": TEMP, "rule": "r", "id": "m1", "causes": {}}, happened("temp{value{40}}", 60)),
        ({"at": 60, "term": TEMP, "rule": "r", "to": {"recipient": "x"}}, happened("temp{value{40}}", 60)),
    ],
)
def test_an_event_object_is_read(record: dict[str, Any], event: Event) -> None:
    assert event_from_object(record, EVENTS) == event


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"begin": 63, "end": 60, "term": TEMP}, "the end lies before the begin: 60 before 63"),
        ({"term": TEMP}, "the time is missing: expected the field `at`, or `begin` and `end`"),
        ({"at": None, "term": TEMP}, "the time is missing"),
        ({"begin": 60, "term": TEMP}, "the time is missing: there is no field `end`"),
        ({"end": 60, "term": TEMP}, "the time is missing: there is no field `begin`"),
        ({"at": 60, "end": 61, "term": TEMP}, "too many times: the fields at, end"),
        ({"at": "yesterday", "term": TEMP}, "in the field `at`: 'yesterday' is not a time"),
        ({"at": True, "term": TEMP}, "in the field `at`: true is not a time"),
        ({"at": 1e30, "term": TEMP}, "in the field `at`: .* outside of the years"),
        ({"at": 60}, "unknown field layout: found at; expected begin/end/term"),
        ({}, "unknown field layout: found no fields at all"),
        ({"type": "temp", "ts": 60, "value": 40}, "found type, ts, value; .* give ⟦label_field⟧ and ⟦time_field⟧"),
        ({"at": 60, "term": TEMP, "sensor": "s"}, "unknown field layout: found at, term, sensor"),
        ({"at": 60, "term": None}, "a term is an object with exactly one key, its label; found null"),
        ({"at": 60, "term": {"a": 1, "b": 2}}, "exactly one key"),
        ({"at": 60, "term": {"a": 2**63}}, "64 bits"),
        ({"at": 60, "term": TEMP, "id": True}, "an id is a text or a number, found true"),
        ({"at": 60, "term": TEMP, "id": {"x": 1}}, 'an id is a text or a number, found an object with the keys "x"'),
        ([1], "an event is an object, found an array"),
        ("temp", 'an event is an object, found "temp"'),
        (None, "an event is an object, found null"),
    ],
)
def test_an_object_that_is_no_event_is_refused_with_a_reason(record: object, reason: str) -> None:
    with pytest.raises(RECORD_ERRORS, match=reason):
        event_from_object(record, EVENTS)


FLAT = Layout(label_field="type", time_field="ts")


@pytest.mark.parametrize(
    ("layout", "record", "event"),
    [
        (FLAT, {"type": "temp", "ts": 60, "area": "a"}, happened('temp{area{"a"}}', 60)),
        (FLAT, {"type": "temp", "ts": 60}, happened("temp{}", 60)),
        (FLAT, {"type": "t", "ts": 60, "x": {"y": [1, 2]}, "z": None}, happened("t{x{y[1, 2]}}", 60)),
        (FLAT, {"type": "t", "ts": 60, "id": 7, "at": 1, "end": 2}, happened("t{id{7}, at{1}, end{2}}", 60)),
        (
            Layout(label_field="type", time_field="ts", end_field="te", id_field="id"),
            {"type": "t", "ts": 60, "te": 63, "id": 7},
            happened("t{}", 60, 63, "7"),
        ),
        (Layout(label_field="type"), {"type": "t", "at": 60, "x": 1}, happened("t{x{1}}", 60)),
        (Layout(label_field="type"), {"type": "t", "begin": 60, "end": 63}, happened("t{}", 60, 63)),
        (Layout(time_field="ts"), {"label": "t", "ts": 60, "x": 1}, happened("t{x{1}}", 60)),
        (Layout(end_field="te"), {"label": "t", "begin": 60, "te": 63}, happened("t{}", 60, 63)),
        (Layout(label="t"), {"at": 60, "label": "x"}, happened('t{label{"x"}}', 60)),
        (Layout(label="t"), {"at": 60, "term": {"x": 1}}, happened("t{term{x{1}}}", 60)),
        (FLAT, {"at": 60, "term": TEMP}, happened("temp{value{40}}", 60)),
        (FLAT, {"type": "t", "ts": 60, "term": {"x": 1}}, happened("t{term{x{1}}}", 60)),
        (Layout(id_field="seq"), {"at": 60, "term": TEMP, "seq": 1}, happened("temp{value{40}}", 60, qualifier="1")),
        (
            Layout(id_field="seq"),
            {"at": 60, "term": TEMP, "rule": "r", "id": "x", "causes": {}},
            happened("temp{value{40}}", 60),
        ),
    ],
)
def test_a_flat_record_is_read_as_its_layout_says(layout: Layout, record: dict[str, Any], event: Event) -> None:
    assert event_from_object(record, layout) == event


@pytest.mark.parametrize(
    ("layout", "record", "reason"),
    [
        (FLAT, {"ts": 60, "area": "a"}, "the label is missing: there is no field `type`"),
        (FLAT, {"type": "temp", "area": "a"}, "the time is missing: there is no field `ts`"),
        (FLAT, {"type": 7, "ts": 60}, "the label is a text, found 7 in the field `type`"),
        (FLAT, {"type": "", "ts": 60}, 'the label is a text, found "" in the field `type`'),
        (Layout(label_field="type"), {"type": "t"}, "expected the field `at`, or `begin` and `end`"),
        (Layout(label_field="type", end_field="te"), {"type": "t", "begin": 5, "te": 4}, "the end lies before"),
        (Layout(id_field="seq"), {"at": 60, "term": TEMP, "id": 1}, "unknown field layout: found at, term, id"),
    ],
)
def test_a_flat_record_that_does_not_fit_is_refused(layout: Layout, record: dict[str, Any], reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        event_from_object(record, layout)


def test_times_are_numbers_of_the_unit_of_the_layout() -> None:
    event = event_from_object({"at": 1500, "term": TEMP}, Layout(times=TimeFormat(unit="ms")))
    assert event.begin == 1_500_000


def test_the_text_of_a_rejected_record_is_cut_at_500_characters() -> None:
    assert rejected("f:1", "why", "x" * 500).text == "x" * 500
    assert rejected("f:1", "why", "x" * 501).text == "x" * 499 + "…"


def derived(event: Event, recipient: Recipient | None = None) -> DerivedEvent:
    causes = {"s": happened("smoke{}", 65, 68), "t": happened("temp{}", 70, 80)}
    further = Derivation("other", {})
    return DerivedEvent(event, (Derivation("fire", causes), further), recipient)


def test_a_derived_event_is_written_with_its_first_derivation() -> None:
    event = happened('fire{area{"a"}}', 65, 80)
    line = event_line(derived(event), TimeFormat(unit="s"))
    assert json.dumps(line) == json.dumps(
        {
            "begin": 65,
            "end": 80,
            "term": {"fire": {"area": "a"}},
            "rule": "fire",
            "id": event.id,
            "causes": {"s": happened("smoke{}", 65, 68).id, "t": happened("temp{}", 70, 80).id},
        }
    )


def test_a_raised_event_is_written_with_its_recipient() -> None:
    recipient = Recipient("http://auditor.com", "http://www.w3.org/2003/05/soap/bindings/HTTP/")
    event = Event(Term("a"), Interval(0, 0), recipient.qualifier)
    line = event_line(derived(event, recipient), TimeFormat())
    assert list(line) == ["begin", "end", "term", "rule", "id", "causes", "to"]
    assert line["to"] == {"recipient": recipient.address, "transport": recipient.transport}
    assert line["begin"] == "1970-01-01T00:00:00Z"


TIMES = st.integers(-(2**45), 2**45)
FORMATS = st.sampled_from([TimeFormat(), TimeFormat(unit="s"), TimeFormat(unit="ms"), TimeFormat(unit="us")])


@given(terms(), TIMES, st.integers(0, 2**40), FORMATS)
def test_what_was_written_is_read_again_as_the_same_event(
    term: Term, begin: int, length: int, times: TimeFormat
) -> None:
    event = Event(term, Interval(begin, begin + length))
    for line in (event_line(derived(event), times), base_line(event, times)):
        read = event_from_object(loads(json.dumps(line)), Layout(times=times))
        assert read == event
        assert read.id == event.id
