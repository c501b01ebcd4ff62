"""Python workers that are killed: once costs nothing, always is said."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cera.engines.spark.session.failures import engine_failure
from cera.errors import EngineError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


def killed(batches: Iterator[pa.RecordBatch], once: Path) -> Iterator[pa.RecordBatch]:
    """Passes rows on; the worker kills itself, unless there is a file that says that one did so already."""
    if not once.exists():
        if once.parent.exists():
            once.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


def test_a_worker_that_is_killed_once_is_survived(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(4).mapInArrow(partial(killed, once=tmp_path / "once"), "id bigint")
    assert rows.count() == 4


def test_workers_that_are_killed_each_time_are_said_with_what_to_try(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(1).mapInArrow(partial(killed, once=tmp_path / "nowhere" / "once"), "id bigint")
    with pytest.raises(EngineError, match="a Python worker of Spark was killed, each time"), engine_failure():
        rows.count()
