"""A stream whose Python workers are killed goes on by itself, and writes what it writes without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.processes, pytest.mark.xdist_group("spark")]

KILLS = 3
PROGRAM = "DETECT seen{ name{ var N } } ON f{{ name{{ var N }} }} END"


def test_a_stream_goes_on_when_its_python_workers_are_killed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "p.xceq").write_text(PROGRAM)
    command = [sys.executable, "-m", "cera", "stream", "p.xceq", "--source", "in", "--sink", "out"]
    command += ["--checkpoint", "state", "--max-delay", "0 sec", "--time-unit", "s", "--buckets", "2"]
    log = tmp_path / "log"
    put(tmp_path / "in", 0)
    with log.open("wb") as errors:
        process = subprocess.Popen(command, cwd=tmp_path, stderr=errors)
    try:
        for number in range(1, KILLS + 1):
            wait_for(log, number, process)
            put(tmp_path / "in", number)
            time.sleep(0.7)
            for worker in workers(process.pid):
                os.kill(worker, signal.SIGKILL)
        wait_for(log, log.read_text().count("batch ") + 1, process)
        assert process.poll() is None, log.read_text()
    finally:
        process.kill()
        process.wait()
    put(tmp_path / "in", 1_000)
    subprocess.run([*command, "--once"], cwd=tmp_path, check=True)
    lines = [line for file in (tmp_path / "out").glob("*.jsonl") for line in file.read_text().splitlines()]
    found = sorted(json.loads(line)["term"]["seen"]["name"] for line in lines)
    assert found == [str(number) for number in range(KILLS + 1)]


def put(folder: Path, number: int) -> None:
    unfinished = folder / f".{number}"
    unfinished.write_text(json.dumps({"at": number, "term": {"f": {"name": str(number)}}}) + "\n")
    unfinished.rename(folder / f"{number}.jsonl")


def wait_for(log: Path, batches: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 300
    while log.read_text().count("batch ") < batches and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.2)
    assert process.poll() is None, log.read_text()


def workers(parent: int) -> list[int]:
    """The Python workers below a process; not the daemon that starts them, which is the first."""
    found = [pid for pid in below(parent) if b"pyspark.daemon" in command_line(pid)]
    return found[1:]


def below(parent: int) -> list[int]:
    children = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent_of(int(pid)) == parent]
    return [pid for child in children for pid in (child, *below(child))]


def parent_of(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
