"""JSON lines: one bad line never costs another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cera.connectors.formats import jsonl
from cera.connectors.records.layout import Layout, Rejected
from event_reading import EVENTS, happened, places_and_reasons, read

GOOD = '{"at": 1, "term": {"a": 1}}'


def test_every_line_is_an_event() -> None:
    assert read(jsonl.read, f'{GOOD}\n{{"begin": 1, "end": 2, "term": {{"b": []}}}}\n') == [
        happened("a{1}", 1),
        happened("b[]", 1, 2),
    ]


@pytest.mark.parametrize("content", ["", "\n", " \n\t\r\n\n", "\ufeff", "\ufeff\n"])
def test_an_empty_file_has_no_events(content: str) -> None:
    assert read(jsonl.read, content) == []


def test_blank_lines_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    content = f"\ufeff{GOOD}\r\n\r\n   \n  {GOOD}".encode()
    assert read(jsonl.read, content) == [happened("a{1}", 1)] * 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"at": 1, "term": }', "not JSON at column 19: Expecting value"),
        (b"garbage", "not JSON at column 1: Expecting value"),
        (b'{"at": 1, "term": {"a": 1}} x', "not JSON at column 29: Extra data"),
        (b'{"at": 1, "at": 2, "term": {"a": 1}}', 'the key "at" is given twice in one object'),
        (b'{"at": 1, "term": {"a": 9223372036854775808}}', "integers have 64 bits"),
        (b'{"at": 1, "term": {"a": 1e999}}', "too large"),
        (b'{"begin": 2, "end": 1, "term": {"a": 1}}', "the end lies before the begin"),
        (b'{"term": {"a": 1}}', "the time is missing"),
        (b'{"type": "a"}', "unknown field layout"),
        (b'{"at": 1, "term": {"a": "\xff"}}', "not UTF-8: the byte 0xFF at column 26"),
        (b'{"at": 1, "term": {"a": "\xc3"}}', "not UTF-8: the byte 0xC3 at column 26"),
        (b"[" * 100_000, "nested too deep"),
        (b"[" * 300 + b"]" * 300, "an event is an object, found an array"),
        (b'{"at": 1, "term": ' + b'{"a":' * 101 + b"1" + b"}" * 102, "deeper than 100 levels"),
    ],
)
def test_a_bad_line_is_rejected_with_place_reason_and_text_and_the_rest_goes_on(line: bytes, reason: str) -> None:
    before, bad, after = read(jsonl.read, b"\n".join([GOOD.encode(), line, b"", GOOD.encode()]))
    assert before == after == happened("a{1}", 1)
    assert isinstance(bad, Rejected)
    assert bad.place == "f:2"
    assert reason in bad.reason
    assert bad.text[:20] == line.decode(errors="replace")[:20]
    assert len(bad.text) <= 500


def test_lines_are_counted_with_the_blank_ones() -> None:
    assert places_and_reasons(read(jsonl.read, f"\n{GOOD}\n\nx\n"))[0][0] == "f:4"


def test_flat_lines_are_read_with_a_layout() -> None:
    layout = Layout(label_field="type", time_field="ts")
    assert read(jsonl.read, '{"type": "temp", "ts": 60, "value": 40}', layout) == [happened("temp{value{40}}", 60)]


class Endless:
    """A stream that never ends: whoever reads all of it first never answers."""

    def __init__(self) -> None:
        self.lines = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.lines += 1
            yield GOOD.encode()


def test_a_file_is_not_read_further_than_asked() -> None:
    stream = Endless()
    found = jsonl.read(stream, "f", EVENTS)  # type: ignore[arg-type]
    assert [next(found) for _ in range(3)] == [happened("a{1}", 1)] * 3
    assert stream.lines == 3
