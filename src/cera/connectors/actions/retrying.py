"""What is worth trying again, and how often."""

from __future__ import annotations

import errno
from dataclasses import dataclass

#: Errors of the system that are there the next time as well.
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
class Retrying:
    """How often an action is tried, and the pauses between, in seconds: each `factor` times the one before.

    No attempt begins later than `whole` seconds after the first.
    """

    attempts: int = 4
    pause: float = 0.5
    factor: float = 4.0
    longest: float = 10.0
    whole: float = 60.0

    def pause_after(self, attempt: int) -> float | None:
        """The pause after an attempt, counted from 1; None after the last one."""
        return None if attempt >= self.attempts else min(self.pause * self.factor ** (attempt - 1), self.longest)


def passing(error: OSError) -> bool:
    """Whether an error of the system may be gone a moment later: a full disk, say, but no missing right."""
    return error.errno not in _LASTING
