"""What a process takes from outside, with all that it starts: CPU time and seconds of each turn, and memory."""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.processes import PAGE_SIZE, TICKS_A_SECOND, below

_LOOK_SECONDS = 0.2
_END_SECONDS = 10
_SAID = 2_000


class FailedError(Exception):
    """The process failed, or took too long."""


@dataclass(frozen=True)
class Turn:
    """The CPU seconds of all processes in a turn, seconds by the clock, and the most memory until its end in MiB."""

    cpu: float
    seconds: float
    megabytes: float
    count: int | None = None


@dataclass(frozen=True)
class Measurement:
    """The start and the turns of a process, and how many cores were busy with other things meanwhile."""

    start: Turn
    turns: tuple[Turn, ...]
    others: float


def measure(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, turns: int, limit: int
) -> Measurement:
    """Starts a process that takes turns, has it take some, and ends it.

    Raises FailedError with the end of what it said, also if all of it took longer than the limit in seconds.
    """
    said = folder / "said.txt"
    began, busy = time.perf_counter(), _busy()
    with said.open("w") as errors:
        process = subprocess.Popen(
            command,
            bufsize=0,  # a line that was printed is not read together with the one before it
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    watched = _Tree(process.pid)
    try:
        until = began + limit
        found = [_turn(process, watched, "ready", until, Turn(0, 0, 0), began)]
        for _ in range(turns):
            before = watched.cpu
            started = time.perf_counter()
            assert process.stdin is not None
            process.stdin.write(b"go on\n")
            found.append(_turn(process, watched, "count", until, Turn(before, 0, 0), started))
        seconds = time.perf_counter() - began
        others = max(0.0, _busy() - busy - watched.cpu) / seconds
    except (FailedError, BrokenPipeError) as error:
        raise FailedError(f"{error}: {_reason(said.read_text())}") from None
    finally:
        watched.stop()
        _end(process)
    return Measurement(found[0], tuple(found[1:]), others)


def _reason(said: str) -> str:
    """Returns the last line that names an error or an exception, or the end of all that was said."""
    named = [line for line in said.splitlines() if re.match(r"[\w.]*(Error|Exception)\b", line)]
    return named[-1][:_SAID] if named else said[-_SAID:]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Lets a process end because nothing more is asked of it, so that it clears up; if that takes long, kills it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _turn(
    process: subprocess.Popen[bytes], watched: _Tree, expected: str, until: float, before: Turn, started: float
) -> Turn:
    assert process.stdout is not None
    answer = _answer(process.stdout, expected, until)
    seconds = time.perf_counter() - started
    return Turn(watched.cpu - before.cpu, seconds, watched.megabytes, answer if expected == "count" else None)


def _answer(lines: IO[bytes], expected: str, until: float) -> Any:
    """Returns what the process says of what is expected; whatever else is printed is left out."""
    with selectors.DefaultSelector() as selector:
        selector.register(lines, selectors.EVENT_READ)
        while selector.select(max(0.0, until - time.perf_counter())):
            line = lines.readline()
            if not line:
                raise FailedError("it ended")
            if line.startswith(b"{"):
                answer = json.loads(line)
                if expected in answer:
                    return answer[expected]
    raise FailedError("it took too long")


class _Tree:
    """A process and those below it; their memory is looked at until it is stopped."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._most = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def cpu(self) -> float:
        """The CPU seconds of all of them until now, and of those that ended and were waited for."""
        fields = (fields for _, fields in below(self._root))
        return sum(sum(map(int, each[11:15])) for each in fields) / TICKS_A_SECOND

    @property
    def megabytes(self) -> float:
        """The most memory of all of them that was seen, or more exactly that of the first one alone."""
        status = Path(f"/proc/{self._root}/status").read_text()
        of_first = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
        return max(self._most, *(kibibytes / 1024 for kibibytes in of_first or [0]), self._now())

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def _now(self) -> float:
        return sum(int(fields[21]) for _, fields in below(self._root)) * PAGE_SIZE / 2**20

    def _look(self) -> None:
        while not self._done.wait(_LOOK_SECONDS):
            self._most = max(self._most, self._now())


def _busy() -> float:
    """The CPU seconds of the whole machine since it was started."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle, waiting = ticks[3:5]
    return (sum(ticks) - idle - waiting) / TICKS_A_SECOND
