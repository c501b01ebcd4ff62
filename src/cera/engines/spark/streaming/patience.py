"""Restarting of queries: where Spark gave up on a Python process, the query runs again from its checkpoint.

Spark waits ten seconds for a Python process to start, which is too short on a busy machine, and a query ends with the
process that is killed once more than tasks are tried again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

R = TypeVar("R")

_SLOW = re.compile("Python worker failed to connect back")
_KILLED = re.compile(
    "Python worker exited unexpectedly|Python worker process terminated"
    r"|java\.io\.(EOFException|IOException: (Stream closed|Broken pipe))|java\.net\.SocketException"
)
#: How often a query is run without progress for each of these errors; the cause of a kill mostly persists.
_ATTEMPTS = {_SLOW: 10, _KILLED: 5}


def patiently(
    run: Callable[[], R], again: Callable[[], object] = lambda: None, done: Callable[[], int] = lambda: 0
) -> R:
    """Runs a streaming query, and runs it again where Spark gave up on a process; `done` returns how far it has come.

    `again` is called where a process was killed.
    """
    left = dict(_ATTEMPTS)
    before = done()
    while True:
        try:
            return run()
        except (PySparkException, Py4JError) as error:
            if done() > before:
                left, before = dict(_ATTEMPTS), done()
            found = next((cause for cause in left if cause.search(str(error))), None)
            if found is None or left[found] <= 1:
                raise
            left[found] -= 1
            if found is _KILLED:
                again()
