"""CPU time and memory of a command with all processes that it starts."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")
_LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds of all CPUs, seconds by the clock, the most memory at a time in MiB."""

    status: int
    cpu: float
    seconds: float
    megabytes: float


def cost(command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None) -> Cost:
    """Runs a command, in a folder if one is given, and measures it.

    The system knows what the process took and those that it waited for; a JVM that is left to itself is looked at while
    it runs. Memory of several processes is that of all of them when it was looked at.
    """
    started = time.perf_counter()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=folder, env=environment, **quiet) as process:
        tree = _Tree(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    tree.stop()
    cpu = max(usage.ru_utime + usage.ru_stime, tree.cpu)
    return Cost(process.returncode, cpu, seconds, max(usage.ru_maxrss / 1024, tree.megabytes))


class _Tree:
    """Looks at a process and those below it, until it is stopped."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._ticks: dict[int, int] = {}
        self.megabytes = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def cpu(self) -> float:
        return sum(self._ticks.values()) / TICKS_A_SECOND

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(_LOOK_SECONDS):
            pages = 0
            for number, fields in below(self._root):
                self._ticks[number] = int(fields[11]) + int(fields[12])
                pages += int(fields[21])
            self.megabytes = max(self.megabytes, pages * PAGE_SIZE / 2**20)


def below(root: int) -> list[tuple[int, list[str]]]:
    """A process and those below it, with what `/proc` says of each behind its name: state, parent and so on."""
    known: dict[int, list[str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                known[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
    found = [root]
    for parent in found:
        found += [number for number, fields in known.items() if int(fields[1]) == parent]
    return [(number, known[number]) for number in found if number in known]
