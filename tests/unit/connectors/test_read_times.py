"""The pass over times: how far the records of a file are out of order, and how long they last."""

from __future__ import annotations

from pathlib import Path

from cera.connectors.files import Source
from cera.connectors.layout import Layout
from cera.connectors.read_times import TimeScan, scan_times

FLAT = Layout(label_field="type", time_field="ts")


def scan(folder: Path, text: str, layout: Layout = FLAT, ending: str = "jsonl") -> TimeScan:
    file = folder / f"events.{ending}"
    file.write_text(text)
    return scan_times(Source(file, ending), layout)


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


def test_other_formats_are_scanned_too(tmp_path: Path) -> None:
    assert scan(tmp_path, "type,ts\nt,3\nt,1\n", ending="csv") == TimeScan(2, 2_000_000, 0, 1_000_000, 3_000_000)
