"""Queries that go on by themselves where Spark gave up on a Python process."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException

from cera.engines.spark.streaming.patience import patiently

SLOW = "org.apache.spark.SparkException: Python worker failed to connect back."
KILLED = "Caused by: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"


def failing(*messages: str) -> Callable[[], str]:
    """A query that fails with these messages, one after the other, and then runs."""
    left = list(messages)

    def run() -> str:
        if left:
            raise PySparkException(left.pop(0))
        return "done"

    return run


def test_a_query_runs_again_where_a_worker_was_slow_or_killed() -> None:
    told: list[str] = []
    closed = ": org.apache.spark.SparkException: Job aborted\nCaused by: java.io.IOException: Stream closed\n\tat java"
    assert patiently(failing(SLOW, KILLED, SLOW, closed), lambda: told.append("again")) == "done"
    assert told == ["again", "again"]


def test_what_is_killed_again_and_again_is_given_up() -> None:
    with pytest.raises(PySparkException, match="exited unexpectedly"):
        patiently(failing(*[KILLED] * 5))
    batches = iter(range(100))
    assert patiently(failing(*[KILLED] * 20), done=lambda: next(batches)) == "done"  # it got on each time


def test_another_failure_is_not_tried_again() -> None:
    with pytest.raises(PySparkException, match="no such table"):
        patiently(failing("no such table"))
