"""A plugin that finds tests without the marks that they need.

In a run with `--quick` no test may start a process: Java is one. In every run, a test without the mark `spark` finds no
Java, and neither do the processes that it starts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any

import pytest

#: Audit events of Python for the start of a process; a module that starts one by itself in C would not be seen.
STARTS = frozenset(
    {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "os.exec", "pty.spawn"}
)

#: What the shell says it does not find.
NO_JAVA = "/no-java-for-a-test-without-the-mark-spark"


class Guard:
    """Watches tests while they run, with their fixtures."""

    def __init__(self, *, quick: bool) -> None:
        self._watching = False
        if quick:
            sys.addaudithook(self._audit)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        home = os.environ.get("JAVA_HOME")
        if item.get_closest_marker("spark") is None:
            os.environ["JAVA_HOME"] = NO_JAVA
        self._watching = True
        try:
            return (yield)
        finally:
            self._watching = False
            os.environ.pop("JAVA_HOME", None)
            if home is not None:
                os.environ["JAVA_HOME"] = home

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in STARTS and self._watching:
            started = " ".join(map(str, arguments[:2]))
            pytest.fail(f"`make quick` starts no processes ({event}: {started}); mark the test `processes` or `spark`")
