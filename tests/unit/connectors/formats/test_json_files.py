"""JSON files: an event, an array, or an object of events."""

from __future__ import annotations

import pytest

from cera.connectors.formats import json_files
from cera.connectors.records.layout import Layout, Rejected
from event_reading import happened, places_and_reasons, read

A, B = '{"at": 1, "term": {"a": 1}}', '{"at": 2, "term": {"b": 2}}'
EVENT_A, EVENT_B = happened("a{1}", 1), happened("b{2}", 2)


@pytest.mark.parametrize(
    ("content", "events"),
    [
        ("", []),
        (" \n", []),
        ("\ufeff", []),
        ("[]", []),
        ('{"events": []}', []),
        (A, [EVENT_A]),
        (f"\ufeff\n {A}\n", [EVENT_A]),
        (f"[{A}]", [EVENT_A]),
        (f"[{A}, {B}]", [EVENT_A, EVENT_B]),
        (f" [\n{A}\n,\n{B}\n]\n", [EVENT_A, EVENT_B]),
        (f'{{"events": [{A}, {B}]}}', [EVENT_A, EVENT_B]),
        (f'{{ "events" :\n [ {A} ] }} ', [EVENT_A]),
    ],
)
def test_the_three_shapes_are_read(content: str, events: list[object]) -> None:
    assert read(json_files.read, content) == events


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"at": 1}', "unknown field layout"),
        ('{"at": 1, "at": 1, "term": {"a": 1}}', "given twice"),
        ('{"at": 1, "term": {"a": 99999999999999999999}}', "64 bits"),
        ('{"at": 1, "term": {"a": ' + "9" * 5000 + "}}", "64 bits"),
        ('{"at": 1, "term": {"a": 1e999}}', "too large"),
        (r'{"at": 1, "term": {"a": "\ud800"}}', "half of a surrogate pair"),
        ("17", "an event is an object, found 17"),
        ('{"at": 1, "term": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}", "nested too deep"),
        ('{"at": 1, "term": {"a": ' + '{"]\\"}": [' * 50_000 + "]}" * 50_000 + "}}", "nested too deep"),
        ('{"at": 1, "term": {"a": ' + "[" * 150 + "]" * 150 + "}}", "nested deeper than 100 levels"),
        ("null", "an event is an object, found null"),
        ("[]", "an event is an object"),
    ],
)
def test_a_bad_element_is_rejected_at_its_line_and_the_others_are_read(bad: str, reason: str) -> None:
    first, second, third = read(json_files.read, f"[\n{A},\n{bad},\n{B}\n]")
    assert (first, third) == (EVENT_A, EVENT_B)
    assert isinstance(second, Rejected)
    assert second.place == "f:3"
    assert reason in second.reason
    assert second.text[:20] == bad[:20]


def test_an_element_that_is_not_utf_8_is_rejected_alone() -> None:
    content = f"[{A},\n".encode() + b'{"at": 1, "term": {"a": "\xff"}},\n' + f"{B}]".encode()
    first, second, third = read(json_files.read, content)
    assert (first, third) == (EVENT_A, EVENT_B)
    assert isinstance(second, Rejected)
    assert (second.place, second.reason) == ("f:2", "not UTF-8: the byte 0xFF at column 26")


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (f"[{A},\n{B[:15]}", 2, "not JSON at line 2, column 11: "),
        (f"[{A},\n\n", 3, "not JSON at line 3, column 1: Expecting value"),
        (f"[{A},\n]", 2, "not JSON at line 2, column 1: Expecting value"),
        (f"[{A}\n{B}]", 2, "found `{`, expected `,` or `]`"),
        (f"[{A}", 1, "found the end of the file, expected `,` or `]`"),
        (f"[{A}]\n{B}", 2, "found `{`, expected the end of the file"),
        (f'{{"events": [{A}],\n"more": 1}}', 1, "beside `events` there is nothing else"),
        (f"{A}\n{B}\n", 2, "if every line is an event, name the file .jsonl"),
        (f"[{A},\n" + "[" * 100_000, 2, "nested too deep"),
        (f"[{A},\n" + "[" * 100_000 + "}" + f",\n{B}]", 2, "its brackets do not show where it ends"),
        (f"[{A},\n" + "[" * 100_000 + '"' + "]" * 100_000 + f",\n{A}]", 2, "its brackets do not show where it ends"),
    ],
)
def test_what_stands_before_a_break_is_kept_and_one_rejection_says_where_it_is(
    content: str, line: int, reason: str
) -> None:
    event, broken = read(json_files.read, content)
    assert event == EVENT_A
    assert isinstance(broken, Rejected)
    assert broken.place == f"f:{line}"
    assert reason in broken.reason
    assert broken.reason.endswith(f"; nothing from line {line} on was read")


def test_an_unknown_object_around_the_events_is_rejected() -> None:
    [(place, reason)] = places_and_reasons(read(json_files.read, f'{{"version": 1, "events": [{A}]}}'))
    assert place == "f:1"
    assert reason.startswith("unknown field layout: found version, events; expected begin/end/term")


def test_flat_elements_are_read_with_a_layout() -> None:
    content = '[{"type": "temp", "ts": 60, "value": 40}]'
    assert read(json_files.read, content, Layout(label_field="type", time_field="ts")) == [
        happened("temp{value{40}}", 60)
    ]
