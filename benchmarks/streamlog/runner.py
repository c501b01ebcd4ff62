"""From a file of records to written answers, for each listing, on every engine and by hand, as one table."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from rich.table import Table

from benchmarks.processes import Cost, cost
from benchmarks.streamlog.generate import RECORDINGS, generate

ROOT = Path(__file__).parents[2]
FULL, QUICK = 1_000_000, 100_000
#: How the records of each listing are written; those of bids are event objects.
_LAYOUTS: Mapping[str, Sequence[str]] = {
    "bids": (),
    "temperature": ("--label-field", "type", "--time-field", "ts"),
}
_TITLES = {"bids": "5.1, bids counted in auctions", "temperature": "5.3, averages of every hour"}
_CAPTION = (
    "The whole command, its start included: CPU seconds and the most memory of the process and of those that it "
    "starts. All write each answer with its interval, and the same ones; cera also their ids, rules and causes."
)


def program(name: str) -> Path:
    return Path(__file__).parent / f"{name}.slog"


def _by_hand(module: str) -> Callable[[str, Path, Path], list[str]]:
    return lambda name, events, out: ["-m", f"benchmarks.streamlog.{module}", name, str(events), str(out)]


def _recorded(engine: str) -> Callable[[str, Path, Path], list[str]]:
    def command(name: str, events: Path, out: Path) -> list[str]:
        places = ["--engine", engine, "--events", str(events), "--out", str(out)]
        return ["-m", "cera", "run", str(program(name)), *_LAYOUTS[name], *places]

    return command


#: What is measured: the arguments of Python for a listing, its recording and a place for its answers.
WAYS: Mapping[str, Callable[[str, Path, Path], list[str]]] = {
    "hand-written loop": _by_hand("handwritten"),
    "cera, local": _recorded("local"),
    "hand-written DataFrames": _by_hand("dataframes"),
    "cera, spark": _recorded("spark"),
}
#: What runs without Java.
WITHOUT_SPARK = ("hand-written loop", "cera, local")

#: Begin and end of an answer, and its term.
Answer = tuple[datetime, datetime, str]


def run(name: str, way: str, events: Path, folder: Path) -> tuple[Cost, set[Answer]]:
    """Returns what a way took for a listing, and the answers that it wrote."""
    answers = folder / "answers"
    shutil.rmtree(answers, ignore_errors=True)
    answers.mkdir()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    took = cost([sys.executable, *WAYS[way](name, events, answers / "answers.jsonl")], environment)
    return took, set() if took.status else set(_written(answers))


def _written(answers: Path) -> Iterator[Answer]:
    for file in answers.rglob("*.json*"):
        if file.is_file() and not file.name.startswith((".", "_")):
            with file.open() as lines:
                yield from map(_answer, lines)


def _answer(line: str) -> Answer:
    record = json.loads(line, parse_int=float)
    begin, end = (datetime.fromisoformat(record[name]) for name in ("begin", "end"))
    return begin, end, json.dumps(record["term"], sort_keys=True)


def measure(
    events: int = FULL, ways: Sequence[str] = tuple(WAYS), listings: Sequence[str] = tuple(RECORDINGS)
) -> Table:
    """Returns the table of all ways, which must agree on the answers."""
    table = Table(title=f"StreamLog over {events:,} records, answers written", caption=_CAPTION)
    table.add_column("listing", no_wrap=True)
    table.add_column("what", no_wrap=True)
    for column in ("CPU s", "wall s", "events/s of CPU", "peak MiB", "answers"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        for name in listings:
            path = folder / f"{name}.jsonl"
            generate(name, events, path)
            found: dict[str, set[Answer]] = {}
            for way in ways:
                took, answers = run(name, way, path, folder)
                table.add_row(_TITLES[name], way, *_figures(took, events, len(answers)))
                if not took.status:
                    found[way] = answers
            _agree(name, found)
            path.unlink()
            table.add_section()
    return table


def _agree(name: str, found: Mapping[str, set[Answer]]) -> None:
    """Ends the run where two ways have different answers."""
    (first, expected), *others = found.items()
    for way, answers in others:
        if answers != expected:
            one = min(answers ^ expected)
            raise SystemExit(f"{name}: {first} and {way} have different answers, for example {one}")


def _figures(took: Cost, events: int, answers: int) -> list[str]:
    rate = f"failed: {took.status}" if took.status else f"{events / took.cpu:,.0f}"
    return [f"{took.cpu:.1f}", f"{took.seconds:.1f}", rate, f"{took.megabytes:.0f}", f"{answers:,}"]
