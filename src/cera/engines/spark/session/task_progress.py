"""How far Spark is, told while it works: the tasks of what runs now, asked for in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from pyspark import StatusTracker
from pyspark.sql import SparkSession

from cera.engines.spark.session.failures import FAILURES

#: Seconds between two questions.
_PAUSE = 0.5


@contextmanager
def tasks_told(spark: SparkSession, activity: str, tell: Callable[[str], object]) -> Iterator[None]:
    """Tells what goes on while it is done: `reading events: 3 of 8 tasks, stage 2`."""
    done = Event()

    def watch(status: StatusTracker) -> None:
        with suppress(*FAILURES):  # whoever waits for Spark says that it has ended
            while not done.wait(_PAUSE):
                tell(_text(activity, status))

    tell(activity)
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
