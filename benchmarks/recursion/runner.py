"""From a file of links to written paths, on every engine and by hand, each in a process of its own, as one table."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.table import Table

from benchmarks.processes import Cost, cost
from benchmarks.recursion.generate import lines

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "closure.xceq"
#: So many links have about 1,000,000 paths.
FULL, QUICK = 20_000, 4_000
_FILES = 8
_LAYOUT = ("--label-field", "type", "--time-field", "ts")
_CAPTION = (
    "The whole command, its start included: CPU seconds and the most memory of the process and of those that it "
    "starts. All write each path with its interval; cera also its id, rule and causes. A stream takes the links as "
    "several files, a micro-batch each, and has not decided what ends in its last ten seconds."
)


def events_file(folder: Path) -> Path:
    return folder / "events" / "links.jsonl"


def answers_folder(folder: Path) -> Path:
    return folder / "answers"


def _by_hand(module: str, folder: Path, out: str) -> list[str]:
    return ["-m", f"benchmarks.recursion.{module}", str(events_file(folder)), out]


def _recorded(engine: str) -> Callable[[Path, str], list[str]]:
    def command(folder: Path, out: str) -> list[str]:
        places = ["--events", str(events_file(folder)), "--out", f"{out}.jsonl"]
        return ["-m", "cera", "run", str(PROGRAM), *_LAYOUT, "--engine", engine, *places]

    return command


def _stream(folder: Path, out: str) -> list[str]:
    places = ["--source", str(folder / "pieces"), "--sink", out, "--checkpoint", str(folder / "checkpoint")]
    return ["-m", "cera", "stream", str(PROGRAM), *_LAYOUT, *places, "--once", "--files-per-batch", "1"]


#: What is measured: the arguments of Python, for a folder with the events and a place for the answers.
WAYS: Mapping[str, Callable[[Path, str], list[str]]] = {
    "hand-written loop": lambda folder, out: _by_hand("handwritten", folder, f"{out}.jsonl"),
    "cera, local": _recorded("local"),
    "hand-written DataFrames": lambda folder, out: _by_hand("dataframes", folder, out),
    "cera, spark": _recorded("spark"),
    "cera, stream": _stream,
}
#: What runs without Java.
WITHOUT_SPARK = ("hand-written loop", "cera, local")


def write_events(links: int, folder: Path) -> None:
    """Writes the links as one file, and as several for a stream."""
    written = list(lines(links))
    for name in ("events", "pieces"):
        (folder / name).mkdir(parents=True)
    events_file(folder).write_text("".join(written))
    for number in range(_FILES):
        first, last = (links * place // _FILES for place in (number, number + 1))
        piece = folder / "pieces" / f"{number}.jsonl"
        piece.write_text("".join(written[first:last]))
        os.utime(piece, (number + 1, number + 1))  # a stream takes files by their time, and these were made at once


def run(way: str, folder: Path) -> tuple[Cost, int]:
    """Returns what a way took, and how many answers it wrote."""
    answers = answers_folder(folder)
    for place in (answers, folder / "checkpoint"):
        shutil.rmtree(place, ignore_errors=True)
    answers.mkdir()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    took = cost([sys.executable, *WAYS[way](folder, str(answers / "paths"))], environment)
    return took, 0 if took.status else _count(answers)


def _count(answers: Path) -> int:
    found = 0
    for file in answers.rglob("*.json*"):
        if file.is_file() and not file.name.startswith((".", "_")):
            with file.open("rb") as text:
                found += sum(1 for _ in text)
    return found


def measure(links: int = FULL, ways: Sequence[str] = tuple(WAYS)) -> Table:
    """Returns the table of all ways; those with recordings must agree on the number of answers."""
    table = Table(title=f"paths over {links:,} links within an hour, answers written", caption=_CAPTION)
    table.add_column("what", no_wrap=True)
    for column in ("CPU s", "wall s", "answers", "answers/s of CPU", "peak MiB"):
        table.add_column(column, justify="right")
    numbers: dict[str, int] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        write_events(links, folder)
        for way in ways:
            took, written = run(way, folder)
            table.add_row(way, *_figures(took, written))
            if not took.status and way != "cera, stream":
                numbers[way] = written
    if len(set(numbers.values())) > 1:
        raise SystemExit(f"recursion: they derive different numbers of events: {numbers}")
    return table


def _figures(took: Cost, written: int) -> list[str]:
    rate = f"failed: {took.status}" if took.status else f"{written / took.cpu:,.0f}"
    return [f"{took.cpu:.1f}", f"{took.seconds:.1f}", f"{written:,}", rate, f"{took.megabytes:.0f}"]
