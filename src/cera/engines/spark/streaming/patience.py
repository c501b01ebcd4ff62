"""Queries on machines that are busy: Spark waits ten seconds for a Python process to start, and then gives up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pyspark.errors import PySparkException

R = TypeVar("R")

_GAVE_UP = "Python worker failed to connect back"
_ATTEMPTS = 10


def patiently(run: Callable[[], R]) -> R:
    """Runs a streaming query, and runs it again where Spark gave up on a process; it goes on from its checkpoint."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return run()
        except PySparkException as error:
            if _GAVE_UP not in str(error):
                raise
    return run()
