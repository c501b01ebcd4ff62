"""The pass over times: how far the records of a file are out of order, and how long they last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cera.connectors.files import EventFile
from cera.connectors.read_times import TimeScan, scan_times
from cera.connectors.records.layout import Layout
from cera.model.time.time_text import TimeFormat

FLAT = Layout(label_field="type", time_field="ts")


def scan(folder: Path, text: str, layout: Layout = FLAT, ending: str = "jsonl") -> TimeScan:
    file = folder / f"events.{ending}"
    file.write_text(text)
    return scan_times(EventFile(file, ending), layout)


def flat(*times: object) -> str:
    return "".join(f'{{"type": "t", "ts": {time}, "v": 1}}\n' for time in times)


def test_events_in_order_have_no_disorder(tmp_path: Path) -> None:
    assert scan(tmp_path, flat(1, 2, 2, 5)) == TimeScan(4, 0, 0, 1_000_000, 5_000_000)


def test_the_disorder_is_the_distance_to_the_latest_end_so_far(tmp_path: Path) -> None:
    assert scan(tmp_path, flat(5, 9, 4, 8, 20, 16)) == TimeScan(6, 5_000_000, 0, 4_000_000, 20_000_000)


def test_the_longest_event_and_the_order_of_ends_are_found(tmp_path: Path) -> None:
    text = '{"begin": 0, "end": 9, "term": {"a": {}}}\n{"at": 7, "term": {"a": {}}}\n'
    assert scan(tmp_path, text, Layout()) == TimeScan(2, 2_000_000, 9_000_000, 7_000_000, 9_000_000)


def test_a_file_without_events_has_no_times(tmp_path: Path) -> None:
    assert scan(tmp_path, "\n") == TimeScan()


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (
            ["2026-03-02T10:00:00Z", "2026-03-02T10:00:00.5Z", "2026-03-02T10:00:00.25Z"],
            TimeScan(3, 250_000, 0, 0, 500_000),
        ),
        (
            ["2026-03-02T10:00:02Z", "2026-03-02T10:00:00Z", "2026-03-02T11:00:01+01:00"],
            TimeScan(3, 2_000_000, 0, 0, 2_000_000),
        ),
        (["2026-03-02T11:00:01+01:00", "2026-03-02T12:00:00+02:00"], TimeScan(2, 1_000_000, 0, 0, 1_000_000)),
        (["2026-03-02T11:00:00+01:00", "2026-03-02T11:00:01.5+01:00"], TimeScan(2, 0, 0, 0, 1_500_000)),
        (["2026-03-02 10:00:00", "2026-03-02T10:00:01Z", "2026-03-02T10:00"], TimeScan(3, 1_000_000, 0, 0, 1_000_000)),
    ],
)
def test_texts_are_compared_as_the_times_that_they_are(times: list[str], expected: TimeScan, tmp_path: Path) -> None:
    start = 1_772_445_600_000_000
    assert expected.first_end is not None
    assert expected.last_end is not None
    expected = replace(expected, first_end=start + expected.first_end, last_end=start + expected.last_end)
    assert scan(tmp_path, flat(*(f'"{time}"' for time in times))) == expected


def test_times_of_a_clock_that_is_put_back_are_not_compared_as_texts(tmp_path: Path) -> None:
    layout = replace(FLAT, times=TimeFormat(timezone="Europe/Berlin"))
    found = scan(tmp_path, flat('"2026-10-25T01:00:00"', '"2026-10-25T02:30:00"', '"2026-10-25T03:00:00"'), layout)
    assert (found.disorder, found.last_end) == (0, TimeFormat().parse("2026-10-25T02:00:00Z"))
    found = scan(tmp_path, flat('"2026-03-29T02:30:00"', '"2026-03-29T03:00:00"'), layout)
    assert found.disorder == 30 * 60 * 1_000_000


def test_lines_that_are_not_events_are_left_out_or_make_the_disorder_greater(tmp_path: Path) -> None:
    found = scan(tmp_path, f'{flat(1, 7)}nonsense\n{{"type": 3, "ts": 2}}\n{{}}\n{flat(8)}')
    assert (found.first_end, found.last_end) == (1_000_000, 8_000_000)
    assert found.disorder in (0, 5_000_000)


def test_other_formats_are_scanned_too(tmp_path: Path) -> None:
    assert scan(tmp_path, "type,ts\nt,3\nt,1\n", ending="csv") == TimeScan(2, 2_000_000, 0, 1_000_000, 3_000_000)


@pytest.mark.parametrize("mark", ['"state"', '"st\\u0061te"'])
def test_a_state_happens_when_it_begins_whatever_lines_stand_before_it(tmp_path: Path, mark: str) -> None:
    event = '{"begin": 0, "end": 3, "term": {"a": {}}}\n'
    state = f'{{"begin": 4, "end": 90, {mark}: true, "term": {{"on": {{}}}}}}\n'
    assert scan(tmp_path, event * 2 + state, Layout()) == TimeScan(3, 0, 3_000_000, 3_000_000, 4_000_000)


def test_the_field_of_states_is_looked_for_in_the_whole_line(tmp_path: Path) -> None:
    event = '{"type": "t", "ts": 0, "te": 3, "v": 1}\n'
    state = '{"type": "t", "ts": 4, "te": 90, "v": 1, "held": true}\n'
    layout = Layout(label_field="type", time_field="ts", end_field="te", state_field="held")
    assert scan(tmp_path, event * 2 + state, layout) == TimeScan(3, 0, 3_000_000, 3_000_000, 4_000_000)


def test_an_event_with_the_times_of_states_before_it_is_not_taken_for_one(tmp_path: Path) -> None:
    state = '{"begin": 4, "end": 90, "state": true, "term": {"on": {"v": 1}}}\n'
    event = '{"begin": 4, "end": 90, "term": {"on": {"state": true}}}\n'
    found = scan(tmp_path, state * 2 + event, Layout())
    assert found == TimeScan(3, 0, 86_000_000, 4_000_000, 90_000_000)
