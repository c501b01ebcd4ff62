"""Two checkouts of cera that run the same cases, each case in a process of its own.

A case of the other checkout runs with the benchmarks of this one over the sources of that, so that both are measured by
the same code. Where that is not possible, because modules have moved since, it runs with the benchmarks of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import cost

#: The benchmark that runs the same code with both checkouts.
CONTROL = "control"

#: What a process prints of its answers; both checkouts must agree on it.
_ANSWERS = ("derived", "detected", "digest", "answers")


@dataclass(frozen=True)
class Case:
    """A process to measure: the arguments of Python.

    It prints a line of JSON with its CPU `seconds`, or with those of several `parts` by their names. If there is a
    file for its answers, the process is any command that writes them, and is measured from outside, start included.
    """

    benchmark: str
    name: str
    arguments: tuple[str, ...]
    answers: Path | None = None


@dataclass(frozen=True)
class Measurement:
    """What a process took: CPU seconds of each part, the most memory in MiB, and what tells its answers from others."""

    parts: Mapping[str, float]
    megabytes: float
    answers: object


class UnableError(Exception):
    """A checkout cannot run a case; the text says why."""


@dataclass(frozen=True)
class Checkout:
    """Sources of cera, and the folders whose benchmarks may be run over them, the preferred one first."""

    name: str
    root: Path
    benchmarks: tuple[Path, ...]

    def measure(self, case: Case, cache: Path) -> tuple[Measurement, Path]:
        """Returns what a case took, and whose benchmarks ran; bytecode is kept in a folder, not in the checkout."""
        reasons = []
        for folder in self.benchmarks:
            environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONPYCACHEPREFIX": str(cache)}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            try:
                return _measured(case, folder, environment), folder
            except UnableError as error:
                reasons.append(str(error))
        raise UnableError(", or ".join(dict.fromkeys(reasons)))


ROOT = Path(__file__).parents[1]
HERE = Checkout("this", ROOT, (ROOT,))


def other(path: Path) -> Checkout:
    """Returns the checkout in a folder."""
    if not (path / "src" / "cera").is_dir():
        raise SystemExit(f"{path} is not a checkout of cera: there is no folder src/cera in it")
    return Checkout("other", path.resolve(), (ROOT, path.resolve()))


def _measured(case: Case, folder: Path, environment: Mapping[str, str]) -> Measurement:
    command = [sys.executable, *case.arguments]
    if case.answers is not None:
        case.answers.unlink(missing_ok=True)
        took = cost(command, environment, folder)
        if took.status:
            raise UnableError(f"it ends with status {took.status}")
        return Measurement({"": took.cpu}, took.megabytes, hashlib.sha256(case.answers.read_bytes()).hexdigest())
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise UnableError((done.stderr.strip().splitlines() or [f"it ends with status {done.returncode}"])[-1])
    return _printed(done.stdout)


def _printed(output: str) -> Measurement:
    try:
        found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
        parts = found["parts"] if "parts" in found else {"": found["seconds"]}
    except (IndexError, ValueError, KeyError, TypeError):
        raise UnableError("it does not print what it took") from None
    return Measurement(parts, found.get("megabytes", 0.0), {name: found[name] for name in _ANSWERS if name in found})
