"""JSON lines as occurrences: plain lines without terms, all others through the ordinary reader."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cera.connectors import fast_jsonl
from cera.connectors.layout import Layout, Rejected
from cera.errors import UsageError
from cera.model.occurrence import Occurrence
from cera.model.time_text import TimeFormat
from event_reading import happened


def occurrences(content: str, layout: Layout | None = None) -> list[Occurrence]:
    found = list(fast_jsonl.read(io.BytesIO(content.encode()), "f", layout or Layout()))
    assert not [item for item in found if isinstance(item, Rejected)]
    return [item for item in found if isinstance(item, Occurrence)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"at": 1.5, "term": {"a": {"x": "y", "n": 2}}}', happened('a{x{"y"}, n{2}}', 1.5)),
        ('{"at":"1970-01-01T00:00:02Z","term":{"a":{"x":"y:z"}}}', happened('a{x{"y:z"}}', 2)),
        ('{"begin": 1, "end": 2.000001, "term": {"a": {}}}', happened("a{}", 1, 2.000001)),
        ('{"term": {"a": {"x": 2.0}}, "at": 0.1}', happened("a{x{2}}", 0.1)),
        ('{"at": 1700000000.021703, "term": {"a": {"x": "ü"}}}', happened('a{x{"ü"}}', 1700000000.021703)),
    ],
)
def test_plain_lines_are_read_without_terms(line: str, expected: object) -> None:
    [found] = occurrences(line)
    assert found.content is not None
    assert found.event == expected


@pytest.mark.parametrize(
    "line",
    [
        '{"at": 1, "term": {"a": {"x": true}}}',
        '{"at": 1, "term": {"a": {"x": null}}}',
        '{"at": 1, "term": {"a": {"x": {"y": 1}}}}',
        '{"at": 1, "term": {"a": [1]}}',
        '{"at": 1, "term": {"a": {"x": "\\u00fc"}}}',
        '{"at": 1, "term": {"a": {"x": 1}}, "id": "7"}',
    ],
)
def test_other_lines_have_their_terms(line: str) -> None:
    [found] = occurrences(line)
    assert found.content is None


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    [found] = occurrences('{"at": 1, "term": {"a": {"x": 2.0, "y": 1e300}}}')
    assert found.content is not None
    assert [type(value) for value in found.content.values()] == [int, float]


def test_a_key_given_twice_is_found_whatever_stands_around_its_colon() -> None:
    [found] = fast_jsonl.read(io.BytesIO(b'{"at": 1, "term": {"a": {"x" : 1, "x": 2}}}'), "f", Layout())
    assert isinstance(found, Rejected)
    assert "given twice" in found.reason


def test_times_count_the_unit_of_the_layout() -> None:
    [found] = occurrences('{"at": 1500.25, "term": {"a": {}}}', Layout(times=TimeFormat("ms")))
    assert (found.begin, found.end) == (1_500_250, 1_500_250)


def test_flat_records_and_other_formats_are_read_the_ordinary_way(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"at": 1, "label": "a", "x": 2}\n')
    (tmp_path / "b.csv").write_text("at,label,x\n1,b,2\n")
    layout = Layout(label_field="label")
    found = list(fast_jsonl.read_occurrences(str(tmp_path), layout))
    assert [item.event for item in found if isinstance(item, Occurrence)] == [
        happened("a{x{2}}", 1),
        happened("b{x{2}}", 1),
    ]


def test_a_file_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        fast_jsonl.read_occurrences(str(tmp_path / "none.jsonl"), Layout())


def test_a_rejected_line_is_named_with_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text('{"at": 1, "term": {"a": {}}}\n\n{"at": 1}\n')
    found = list(fast_jsonl.read_occurrences(str(file), Layout()))
    assert [item.place for item in found if isinstance(item, Rejected)] == [f"{file}:3"]
