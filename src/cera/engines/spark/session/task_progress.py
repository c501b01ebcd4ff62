"""Progress of Spark's tasks, reported by a thread of its own while Spark works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from pyspark import StatusTracker
from pyspark.sql import SparkSession

from cera.engines.spark.session.failures import FAILURES

#: Seconds between two polls.
_PAUSE = 0.5


@contextmanager
def report_tasks(spark: SparkSession, activity: str, report: Callable[[str], object]) -> Iterator[None]:
    """Reports what is being done while it runs: `reading events: 3 of 8 tasks, stage 2`."""
    done = Event()

    def watch(status: StatusTracker) -> None:
        with suppress(*FAILURES):  # the thread that waits for Spark reports that it has ended
            while not done.wait(_PAUSE):
                report(_text(activity, status))

    report(activity)
    thread = Thread(target=watch, args=(spark.sparkContext.statusTracker(),), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _text(activity: str, status: StatusTracker) -> str:
    found = [stage for number in status.getActiveStageIds() if (stage := status.getStageInfo(number)) is not None]
    if not found:
        return activity
    finished, every = sum(stage.numCompletedTasks for stage in found), sum(stage.numTasks for stage in found)
    return f"{activity}: {finished:,} of {every:,} tasks, stage {max(stage.stageId for stage in found) + 1}"
