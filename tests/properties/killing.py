"""A stream that is killed at random moments."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path


def run_with_kills(folder: Path, command: Sequence[str], kills: int, chance: random.Random) -> list[str]:
    """Runs `cera stream` in a folder, kills it so many times, lets it finish, and gives the lines that it wrote.

    It is killed once before anything is done, then in the midst of it.
    """
    log = folder / "log"
    for kill in range(kills):
        with log.open("wb") as errors:
            process = subprocess.Popen(command, cwd=folder, stderr=errors)
        wanted = 0 if kill == 0 else chance.randint(1, 8)
        deadline = time.monotonic() + 600
        while process.poll() is None and log.read_text().count("batch ") < wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 12 if kill == 0 else 1.5))
        assert process.poll() is None, log.read_text()
        process.kill()
        process.wait()
    subprocess.run([*command, "--once"], cwd=folder, check=True)
    return [line for file in sorted((folder / "out").glob("*.jsonl")) for line in file.read_text().splitlines()]
