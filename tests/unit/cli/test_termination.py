"""What a command leaves that is ended from outside: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cera.cli.termination import Termination, end_at_once, termination_raised

#: How long to wait for what comes in a second.
PATIENCE = 30


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A run that has begun to write its files, and waits for more events."""
    (folder / "tmp").mkdir()
    (folder / "r.xceq").write_text("DETECT a{} ON b{{}} END\n")
    command = [sys.executable, "-m", "cera", "run", "r.xceq", "--events", "-", "--out", "x.jsonl", "--engine", "local"]
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b'{"at": 1, "term": {"b": {}}}\n' * 1000)  # more than a buffer
    process.stdin.flush()
    since = time.monotonic()
    while not (list(folder.glob(".x.jsonl.*.unfinished")) and list(folder.glob("tmp/cera-*"))):
        if process.poll() is not None or time.monotonic() - since > PATIENCE:
            process.kill()
            raise AssertionError(process.communicate())
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(
    ("number", "status", "told"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
@pytest.mark.processes
def test_a_run_that_is_ended_by_a_signal_leaves_nothing(
    number: signal.Signals, status: int, told: str, tmp_path: Path
) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    process.send_signal(number if number == signal.SIGTERM else 0)  # as `timeout` does
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    assert said.decode().splitlines()[-1] == told
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["r.xceq", "tmp"]


def test_sigterm_raises_inside_only() -> None:
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with pytest.raises(Termination), termination_raised():
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with termination_raised():
            end_at_once()
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_way_with_sigterm_is_left_alone() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with termination_raised():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
