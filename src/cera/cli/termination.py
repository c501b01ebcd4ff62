"""SIGTERM, as a system, a service manager or `timeout` sends it: a command cleans up and ends, as by Ctrl-C.

A stream is left out: it ends at once, and goes on from its checkpoint.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Termination(KeyboardInterrupt):
    """The end of the process that SIGTERM asks for."""


@contextmanager
def termination_raised() -> Iterator[None]:
    """Lets SIGTERM raise Termination inside, unless the process has a handler for it already.

    A process that got it is about to end, and ignores another one.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        end_at_once()


def end_at_once() -> None:
    """Lets SIGTERM end the process at once, as it does where nothing catches it."""
    if signal.getsignal(signal.SIGTERM) is _terminate:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # `timeout` sends it twice, and the second comes while we clean up
    raise Termination
