"""Retries of actions: after which failures, and how often."""

from __future__ import annotations

import errno
from dataclasses import dataclass

#: Errors of the system that do not go away by themselves.
_LASTING = frozenset(
    {
        errno.E2BIG,
        errno.EACCES,
        errno.EINVAL,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOEXEC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)


@dataclass(frozen=True)
class RetryPolicy:
    """A policy of retries: the number of attempts, and the pauses between, in seconds, each `factor` times the last.

    No attempt begins later than `whole` seconds after the first.
    """

    attempts: int = 4
    pause: float = 0.5
    factor: float = 4.0
    longest: float = 10.0
    whole: float = 60.0

    def pause_after(self, attempt: int) -> float | None:
        """Returns the pause after an attempt, counted from 1; None after the last one."""
        return None if attempt >= self.attempts else min(self.pause * self.factor ** (attempt - 1), self.longest)


def passing(error: OSError) -> bool:
    """Returns whether an error of the system may be gone a moment later, such as a full disk, but not a missing
    permission.
    """
    return error.errno not in _LASTING
