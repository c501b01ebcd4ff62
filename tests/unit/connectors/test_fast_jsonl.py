"""JSON lines as occurrences: plain lines without terms, all others through the ordinary reader."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pytest

from cera.connectors import fast_jsonl
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.jsonl import event_in
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import source_of
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.time.time_text import TimeFormat
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
    ("line", "expected"),
    [
        ('{"at": 1, "term": {"a": {"x": null}}}', happened("a{}", 1)),
        ('{"at": 1, "term": {"a": {"x": 1}}, "id": "7"}', happened("a{x{1}}", 1, qualifier="7")),
        ('{"id": 7.0, "at": 1, "term": {"a": {"x": 1}}}', happened("a{x{1}}", 1, qualifier="7")),
    ],
)
def test_absent_children_and_ids_need_no_term(line: str, expected: object) -> None:
    for found in occurrences(f"{line}\n{line}\n"):
        assert found.content is not None
        assert found.event == expected


@pytest.mark.parametrize(
    "line", ['{"at": 1, "term": {"a": {"x": {"y": 1}}}}', '{"at": 1, "term": {"a": {"x": true, "y": {"z": null}}}}']
)
def test_objects_and_truth_values_inside_need_no_term(line: str) -> None:
    for found in occurrences(f"{line}\n{line}\n"):
        assert found.nested is not None


@pytest.mark.parametrize(
    "line",
    ['{"at": 1, "term": {"a": [1]}}', '{"at": 1, "term": {"a": {"x": "\\u00fc"}}}', '{"at": 1, "term": {"a": 1}}'],
)
def test_other_lines_have_their_terms(line: str) -> None:
    [found] = occurrences(line)
    assert (found.content, found.nested) == (None, None)


@pytest.mark.parametrize(
    ("line", "is_flat"),
    [
        ('{"begin": 1, "state": true, "term": {"on": {"x": "y", "n": 2.0}}}', True),
        ('{"begin": 1, "end": null, "state": true, "term": {"on": {"x": null}}}', True),
        ('{"term": {"on": {}}, "state": true, "end": 2.5, "begin": 1.25}', True),
        ('{"begin": 1, "end": 2, "state": true, "term": {"on": {"x": true}}}', False),
        ('{"begin": 1, "end": 2, "state": true, "term": {"on": {"x": {"y": 1}}}}', False),
        ('{"begin": 1, "end": 2, "state": 1, "term": {"on": {"x": 1}}}', False),
        ('{"begin": 1, "end": 2, "state": false, "term": {"on": {"x": 1}}}', False),
        ('{"at": 1, "term": {"state": {"state": 1}}}', True),
        ('{"begin": 2, "end": 1, "state": true, "term": {"on": {}}}', None),
        ('{"begin": 1, "end": "soon", "state": true, "term": {"on": {}}}', None),
        ('{"begin": 1, "state": true, "term": {"on": {"x": 1, "x": 2}}}', None),
        ('{"begin": 1, "state": true, "id": "7", "term": {"on": {}}}', None),
    ],
)
def test_a_state_is_that_of_the_ordinary_reader(line: str, is_flat: bool | None) -> None:
    expected = event_in(line, "f:1", Layout())
    [found] = fast_jsonl.read(io.BytesIO(line.encode()), "f", Layout())
    if isinstance(found, Rejected):
        assert is_flat is None
        assert found == expected
        return
    assert (found.content is not None) is is_flat
    assert isinstance(expected, Event)
    assert (found.event, found.id) == (expected, expected.id)


FLAT = Layout(label_field="type", time_field="ts", end_field="te", id_field="no")


@pytest.mark.parametrize(
    ("line", "layout", "expected"),
    [
        ('{"type": "a", "ts": 1, "te": 2.5, "x": "y"}', FLAT, happened('a{x{"y"}}', 1, 2.5)),
        ('{"ts": 1, "te": 1, "no": "n7", "type": "a", "at": 3}', FLAT, happened("a{at{3}}", 1, qualifier="n7")),
        ('{"label": "a", "begin": 1, "end": 2, "x": 1}', Layout(label_field="label"), happened("a{x{1}}", 1, 2)),
        ('{"at": 1, "x": null, "y": 7.0}', Layout(label="a"), happened("a{y{7}}", 1)),
        ('{"t": "1970-01-01T00:00:02.5Z", "id": 3}', Layout(label="a", time_field="t"), happened("a{id{3}}", 2.5)),
        ('{"t": "1970-01-01 02:00:02+02:00"}', Layout(label="a", time_field="t"), happened("a{}", 2)),
        (
            '{"t": "1970-01-01T01:00:02"}',
            Layout(label="a", time_field="t", times=TimeFormat(timezone="Europe/Berlin")),
            happened("a{}", 2),
        ),
    ],
)
def test_flat_records_need_no_term(line: str, layout: Layout, expected: object) -> None:
    for found in occurrences(f"{line}\n{line}\n", layout):
        assert found.content is not None
        assert found.event == expected


def test_times_around_a_change_of_the_clock_are_those_of_the_ordinary_reader() -> None:
    times = [f"2026-{day}T{hour:02}:59:59.{i}" for day in ("03-29", "10-25") for hour in range(5) for i in (1, 25)]
    # in 1900 clocks of Amsterdam went by the sun, twenty minutes and some seconds from Greenwich
    times += ["1900-01-01T00:00:00", "1937-07-01T00:00:10", "1937-07-01T00:00:30.5", "1937-06-30T23:59:59"]
    content = "".join(f'{{"t": "{time}"}}\n' for time in times)
    for zone in ("Europe/Berlin", "Europe/Amsterdam", "America/New_York", "UTC"):
        layout = Layout(label="a", time_field="t", times=TimeFormat(timezone=zone))
        found = [item.begin for item in occurrences(content, layout)]
        assert found == [layout.times.parse(time) for time in times]


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


def test_files_of_a_folder_are_read_each_by_its_format(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"at": 1, "label": "a", "x": 2}\n')
    (tmp_path / "b.csv").write_text("at,label,x\n1,b,2\n")
    (tmp_path / "c.txt").write_text("nothing")
    layout = Layout(label_field="label")
    one, other, unread = source_of(str(tmp_path)).occurrences(layout)
    assert isinstance(one, Occurrence)
    assert isinstance(other, Occurrence)
    assert one.content == {"x": 2}
    assert [one.event, other.event] == [happened("a{x{2}}", 1), happened("b{x{2}}", 1)]
    assert isinstance(unread, Rejected)


def test_an_event_object_beside_flat_records_is_an_event_object() -> None:
    [found] = occurrences('{"at": 1, "term": {"a": {"x": 1}}}', Layout(label_field="type"))
    assert found.event == happened("a{x{1}}", 1)


def test_a_file_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        source_of(str(tmp_path / "none.jsonl")).occurrences(Layout())


def test_a_rejected_line_is_named_with_its_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text('{"at": 1, "term": {"a": {}}}\n\n{"at": 1}\n')
    found = list(source_of(str(file)).occurrences(Layout()))
    assert [item.place for item in found if isinstance(item, Rejected)] == [f"{file}:3"]


def test_as_many_lines_stand_before_a_place_that_cannot_be_read_whatever_is_read_at_once(tmp_path: Path) -> None:
    chance = random.Random(1)
    lines = b"".join(b'{"at": %d}\n' % chance.getrandbits(60) for _ in range(20_000))
    path = tmp_path / "events.jsonl.gz"
    path.write_bytes(gzip.compress(lines, 1)[:-9])
    found = []
    for size in (1 << 16, 1 << 22):
        parts: list[bytes] = []
        with open_events(path) as stream, pytest.raises(OSError, match="damaged"):
            parts.extend(fast_jsonl.chunks(stream, size))
        found.append(b"".join(parts))
    assert found[0] == found[1]
    assert lines.startswith(found[0])
    assert found[0].endswith(b"\n")
