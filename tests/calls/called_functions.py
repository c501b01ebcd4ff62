"""The functions of the package that are called, in the order of their first calls.

The calls of this process are recorded, and those of the Python workers of Spark: `sitecustomize.py` of this folder is
on their path, and each of them writes down what it calls. What an import calls does not count. Needs nothing but
Python, since a worker reads it before anything else.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from mmap import mmap
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext

#: Variables of the environment of a worker: the folders of the package and of the recordings.
_PACKAGE, _RECORDINGS = "CERA_TESTS_PACKAGE", "CERA_TESTS_RECORDINGS"


@dataclass(frozen=True)
class Function:
    """A function by the path of its file in the package, and its name there: `program.py`, `Program.detect`."""

    file: str
    name: str


class Profiler:
    """Profiler for `sys.setprofile` that writes the first call of each function of the package into a file.

    All processes write into the same file, a line at once, by a clock that they share. Its name is the number of the
    recording, which is a byte of memory that they share too, because workers serve one recording after the other; 0 is
    no recording.
    """

    def __init__(self, package: Path, folder: Path) -> None:
        self._package = f"{package}{os.sep}"
        self._folder = folder
        with (folder / "number").open("r+b") as file:
            self.number = mmap(file.fileno(), 1)
        self._recording = 0
        self._files_of_others: set[str] = set()
        #: The functions that are written already, by identity; kept, because another would get theirs otherwise.
        self._written: dict[int, CodeType] = {}

    def start(self) -> None:
        """Profiles this thread, and those that start from now on."""
        threading.setprofile(self)
        sys.setprofile(self)

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_filename in self._files_of_others:
            return
        if not code.co_filename.startswith(self._package):
            self._files_of_others.add(code.co_filename)
            return
        number = self.number[0]
        if number != self._recording:
            self._recording = number
            self._written.clear()
        if number == 0 or id(code) in self._written:
            return
        if code.co_flags & CO_OPTIMIZED and not self._is_imported(frame):  # not the body of a module or a class
            self._written[id(code)] = code
            with (self._folder / str(number)).open("a") as calls:
                file = code.co_filename.removeprefix(self._package)
                calls.write(f"{time.monotonic_ns()}\t{file}\t{code.co_qualname}\n")

    def _is_imported(self, frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(self._package):
                return True
            frame = frame.f_back
        return False


class Recorder:
    """Recorder of calls into a folder, one recording after the other, at most 255 of them."""

    def __init__(self, package: Path, folder: Path) -> None:
        (folder / "number").write_bytes(b"\0")
        self._profiler = Profiler(package, folder)
        self._folder = folder
        self._environment = {
            "PYTHONPATH": str(Path(__file__).parent),
            _PACKAGE: str(package),
            _RECORDINGS: str(folder),
        }
        self._recordings = 0

    @contextmanager
    def recording(self, context: SparkContext | None = None) -> Iterator[None]:
        """Records the calls of the work inside; with a context of Spark, those of its Python workers too.

        Spark has other workers for each environment, so that those of other tests stay as they are.
        """
        environment = {} if context is None else context.environment
        others, before, in_threads = dict(environment), sys.getprofile(), threading.getprofile()
        environment.update(self._environment)
        self._recordings += 1
        self._profiler.number[0] = self._recordings
        self._profiler.start()
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(in_threads)
            self._profiler.number[0] = 0
            environment.clear()
            environment.update(others)

    def functions(self) -> list[Function]:
        """Returns the functions of the last recording, each once, in the order of their first calls."""
        lines = (self._folder / str(self._recordings)).read_text().splitlines()
        calls = sorted((int(when), file, name) for when, file, name in (line.split("\t") for line in lines))
        return list(dict.fromkeys(Function(file, name) for _, file, name in calls))


class WorkerStart:
    """Finder of modules that finds none: when a worker imports the package, its calls are recorded from there on.

    To profile all that it imports before would take longer than Spark waits for a worker.
    """

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "cera":
            Profiler(Path(os.environ[_PACKAGE]), Path(os.environ[_RECORDINGS])).start()


def record_in_worker() -> None:
    """Prepares the recording of the calls of this process, or of those that it forks."""
    sys.meta_path.insert(0, WorkerStart())
