"""Counts of what a stream leaves out, and their summary."""

from __future__ import annotations

import json

import pytest

from cera.engines.spark.streaming.messages.left_out import Counts, ProgressListener, counts, summary


def test_rows_that_are_no_events_are_those_that_were_not_read_and_those_that_could_not_be_divided() -> None:
    metrics = {
        "cera 7 rows": {"rejected": 10},
        "cera 7 events 0": {"events": 5, "rejected": -5},
        "cera 7 events 1": {"events": 3, "rejected": -3},
        "cera 7 results": {"late": 2, "rejected": 1, "undefined": 4, "without_key": 5},
        "cera 8 rows": {"events": 20, "rejected": 3},
        "mine": {"rows": 100},
    }
    assert counts({"observedMetrics": metrics}) == Counts(events=28, late=2, rejected=6, undefined=4, without_key=5)
    assert counts({}) == Counts()


def test_only_what_was_left_out_is_told() -> None:
    assert summary(Counts(events=8)) is None
    assert summary(Counts(8, 1, 0, 0)) == "1 event late"
    assert summary(Counts(8, without_key=2)) == "2 events without the attribute that a module is partitioned by"
    assert summary(Counts(8, 2_000, 3, 1)) == "2,000 events late, 3 rows rejected, 1 expression without a value"


class Progressed:
    """An event of Java's, whose progress is a text."""

    def __init__(self, **progress: object) -> None:
        self._text = json.dumps(progress)

    def progress(self) -> Progressed:
        return self

    def json(self) -> str:
        return self._text


def test_what_a_micro_batch_leaves_out_is_logged_with_the_name_of_its_stream(caplog: pytest.LogCaptureFixture) -> None:
    listener = ProgressListener()
    left = {"cera 1 rows": {"events": 5, "rejected": 3}, "cera 1 results": {"late": 1}, "of the user": {"late": 7}}
    listener.onQueryProgress(Progressed(id="7f", name=None, batchId=2, observedMetrics=left))
    listener.onQueryProgress(Progressed(id="7f", name="fires", batchId=3, observedMetrics=left))
    listener.onQueryProgress(Progressed(id="7f", name="fires", batchId=4))
    assert [record.message for record in caplog.records] == [
        "stream 7f, batch 2: 1 event late, 3 rows rejected",
        "stream fires, batch 3: 1 event late, 3 rows rejected",
    ]
