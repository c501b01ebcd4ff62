"""Recordings in the order of time: what is sorted in memory, on disk, and across files, and what the passes find."""

from __future__ import annotations

import gc
import io
import json
import os
import random
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.connectors import ordering, sorted_runs
from cera.connectors.files import Rejected
from cera.connectors.ordering import OrderedEvents
from cera.connectors.records.layout import Layout
from cera.connectors.source import source_of
from cera.errors import DataError, UsageError
from cera.model.events.occurrence import Occurrence
from cera.model.time.time_text import TimeFormat

LAYOUT = Layout(times=TimeFormat("s"))
SECOND = 1_000_000


def line(end: int, n: int = 0, *, begin: int | None = None) -> str:
    return json.dumps({"begin": end if begin is None else begin, "end": end, "term": {"e": {"n": n}}})


def write(path: Path, ends: Sequence[int]) -> str:
    path.write_text("".join(f"{line(end, n)}\n" for n, end in enumerate(ends)))
    return str(path)


def read(*paths: str, most: int = 100, layout: Layout = LAYOUT) -> tuple[list[tuple[int, object]], int]:
    """(end in seconds, n) of each event, and how many records were rejected."""
    with OrderedEvents([source_of(path) for path in paths], layout, most_in_memory=most) as events:
        found = list(events)
    rejected = sum(isinstance(each, Rejected) for each in found)
    return [(e.end // SECOND, e.content["n"]) for e in found if isinstance(e, Occurrence) and e.content], rejected


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@given(ends=st.lists(st.integers(0, 60), max_size=80), most=st.sampled_from([1, 2, 7, 1000]), fan_in=st.integers(2, 4))
def test_events_come_in_the_order_of_their_ends_and_each_once(
    tmp_path_factory: pytest.TempPathFactory, ends: list[int], most: int, fan_in: int
) -> None:
    path = write(tmp_path_factory.mktemp("input") / "log.jsonl", ends)
    before, sorted_runs.FAN_IN = sorted_runs.FAN_IN, fan_in
    try:
        found, _ = read(path, most=most)
    finally:
        sorted_runs.FAN_IN = before
    assert [end for end, _ in found] == sorted(ends)
    assert sorted(n for _, n in found) == list(range(len(ends)))


@given(
    files=st.lists(st.lists(st.integers(0, 30), max_size=12), min_size=1, max_size=6),
    most=st.sampled_from([2, 1000]),
    most_open=st.sampled_from([1, 64]),
)
def test_files_are_merged_by_time(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[int]], most: int, most_open: int
) -> None:
    folder = tmp_path_factory.mktemp("input")
    paths = [write(folder / f"{n}.jsonl", ends) for n, ends in enumerate(files)]
    before, ordering.MOST_OPEN = ordering.MOST_OPEN, most_open
    try:
        ends = [end for end, _ in read(*paths, most=most)[0]]
        in_folder = [end for end, _ in read(str(folder), most=most)[0]]
    finally:
        ordering.MOST_OPEN = before
    assert ends == in_folder == sorted(end for each in files for end in each)


def test_a_file_in_order_needs_no_temporary_file(tmp_path: Path, temporary: Path) -> None:
    path = write(tmp_path / "log.jsonl", range(1000))
    with OrderedEvents([source_of(path)], LAYOUT, most_in_memory=10) as events:
        assert len(list(events)) == 1000
        assert not list(temporary.iterdir())


def test_disorder_that_fits_into_memory_needs_none_either(tmp_path: Path, temporary: Path) -> None:
    path = write(tmp_path / "log.jsonl", [n ^ 3 for n in range(1000)])
    with OrderedEvents([source_of(path)], LAYOUT, most_in_memory=10) as events:
        assert [e.end // SECOND for e in events if isinstance(e, Occurrence)] == list(range(1000))
        assert not list(temporary.iterdir())


def test_greater_disorder_is_sorted_on_disk_and_the_files_are_removed(tmp_path: Path, temporary: Path) -> None:
    path = write(tmp_path / "log.jsonl", list(range(1000, 0, -1)))
    with OrderedEvents([source_of(path)], LAYOUT, most_in_memory=10) as events:
        assert [e.end // SECOND for e in events if isinstance(e, Occurrence)] == list(range(1, 1001))
        assert list(temporary.iterdir())
    assert not list(temporary.iterdir())


def test_temporary_files_are_removed_where_a_run_ends_early(tmp_path: Path, temporary: Path) -> None:
    path = write(tmp_path / "log.jsonl", list(range(1000, 0, -1)))
    with OrderedEvents([source_of(path)], LAYOUT, most_in_memory=10) as events:
        next(iter(events))
    assert not list(temporary.iterdir())


@pytest.mark.slow
def test_memory_does_not_grow_with_a_recording_in_no_order_at_all(tmp_path: Path) -> None:
    def peak(events: int) -> int:
        ends = list(range(events))
        random.Random(1).shuffle(ends)
        path = write(tmp_path / f"{events}.jsonl", ends)
        del ends
        gc.collect()
        tracemalloc.start()
        try:
            with OrderedEvents([source_of(path)], LAYOUT, most_in_memory=500) as found:
                assert sum(1 for _ in found) == events
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(3_000)  # what is made once
    assert peak(24_000) < 3 * peak(6_000)


def test_the_longest_event_is_known_before_the_first_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{line(10)}\n{line(30, begin=5)}\n{line(31, begin=30)}\n")
    with OrderedEvents([source_of(str(path))], LAYOUT) as events:
        assert events.longest == 25 * SECOND


def test_rejected_records_are_among_the_others(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{line(10)}\nnonsense\n{line(5)}\n{{}}\n{line(7)}\n")
    for most in (1, 100):
        found, rejected = read(str(path), most=most)
        assert ([end for end, _ in found], rejected) == ([5, 7, 10], 2)


def test_standard_input_is_copied_and_keeps_its_name(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{line(10)}\nnonsense\n{line(5)}\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with OrderedEvents([source_of("-")], LAYOUT) as events:
        assert list(temporary.iterdir())
        found = list(events)
    assert [e.end // SECOND for e in found if isinstance(e, Occurrence)] == [5, 10]
    assert [e.place for e in found if isinstance(e, Rejected)] == ["<stdin>:2"]
    assert not list(temporary.iterdir())


def test_a_wrong_path_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file or folder"):
        OrderedEvents([source_of("-"), source_of(str(tmp_path / "none.jsonl"))], LAYOUT)


@pytest.mark.parametrize("changed", [line(1), line(40, begin=0)], ids=["an earlier event", "a longer event"])
def test_a_file_that_changes_between_the_passes_is_reported(tmp_path: Path, changed: str) -> None:
    path = write(tmp_path / "log.jsonl", [10, 20, 30])
    with OrderedEvents([source_of(path)], LAYOUT) as events:
        with Path(path).open("a") as file:
            file.write(f"{changed}\n")
        with pytest.raises(DataError, match="changed while it was read"):
            list(events)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes /dev/full of every temporary file: it can be opened, and nothing can be written to it."""

    def fill() -> None:
        number = iter(range(1000))

        def new_file(folder: sorted_runs.TemporaryFolder) -> Path:
            path = original(folder).with_name(f"full-{next(number)}")
            path.symlink_to("/dev/full")
            return path

        original = sorted_runs.TemporaryFolder.new_file
        monkeypatch.setattr(sorted_runs.TemporaryFolder, "new_file", new_file)

    return fill


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full disk to offer")
def test_a_full_disk_of_temporary_files_is_a_message_with_a_remedy(
    tmp_path: Path, full_disk: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "log.jsonl", list(range(1000, 0, -1)))
    full_disk()
    with (
        pytest.raises(UsageError, match=r"no room for temporary files .* let TMPDIR name a folder with more"),
        OrderedEvents([source_of(path)], LAYOUT, most_in_memory=10) as events,
    ):
        list(events)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 100_000)))
    with pytest.raises(UsageError, match="no room for temporary files"), OrderedEvents([source_of("-")], LAYOUT):
        pass
