"""`python -m benchmarks.peers [--parts …] [--peers …] [--rules …] [--events N …] [--formats …] [--modes …]`.

The folder keeps the recordings, an environment for each system, and the finished cells: what is not there is made, and
a run that was cut goes on. The CPU times of a cell are those of all its processes: of the start, the first time and the
second time in one process. `others` are the cores that were busy with other things. Written answers of cera have ids
and causes, those of the others have not. Exit status 1: a system counts something else than the others, or failed.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.peers import loans, recordings, report
from benchmarks.peers.cells import Cell, Finished, Place, differing
from benchmarks.peers.runner import MODES, PARTS, Choice, cells
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.tasks import TASKS


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="of the table (default: all)")
    parser.add_argument("--peers", nargs="+", choices=tuple(SYSTEMS), default=tuple(SYSTEMS), metavar="PEER")
    parser.add_argument("--rules", nargs="+", choices=tuple(TASKS), default=tuple(TASKS), metavar="RULE")
    parser.add_argument("--events", nargs="+", type=_number, default=[1_000_000], help="how many (default 1,000,000)")
    parser.add_argument("--formats", nargs="+", choices=recordings.FORMATS, default=recordings.FORMATS)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--turns", type=int, choices=(1, 2), default=2, help="1: only cold")
    parser.add_argument("--limit", type=int, default=900, help="seconds that a cell may take (default 900)")
    parser.add_argument("--again", action="store_true", help="measure cells again that are finished")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there, too")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "peers")
    return parser


def chosen(arguments: Sequence[str] | None = None) -> tuple[Choice, argparse.Namespace]:
    given = options().parse_args(arguments)
    names = (given.peers, given.rules, given.events, given.formats, given.modes, given.parts)
    return Choice(*names, given.folder, given.turns, given.limit), given


def main() -> int:
    choice, given = chosen()
    if "loans" in choice.parts and not loans.FILE.exists():
        sys.exit(f"there are no loan applications at {loans.FILE}; leave out the part `loans`")
    return shown([choice], choice.folder, given.markdown, again=given.again)


def shown(
    choices: Iterable[Choice], folder: Path, file: Path | None, *, again: bool = False, until: float = math.inf
) -> int:
    """Prints the cells of some choices, and writes them to a file if there is one; returns the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "cells.jsonl"
    if again:
        kept.unlink(missing_ok=True)
    finished = Finished(kept)
    found: dict[Place, Cell] = {}
    for choice in choices:
        for cell in cells(choice, finished, until):
            print(_said(cell), file=sys.stderr, flush=True)
            found[cell.place] = cell
    tasks = {TASKS[place.task] for place in found}
    expected = {task.name: count for task in tasks if (count := recordings.expected(task)) is not None}
    listed = list(found.values())
    Console(width=None if sys.stdout.isatty() else 160).print(report.table(listed, expected))
    if file:
        file.write_text(report.markdown(listed, expected))
    return 1 if differing(listed, expected) or any(cell.error for cell in listed) else 0


def _number(text: str) -> int:
    return int(text.replace(",", "").replace("_", ""))


def _said(cell: Cell) -> str:
    """Long work shows where it is."""
    place = cell.place
    count = f"{cell.count:,} in {cell.cold:.2f} s of CPU" if cell.cold is not None else cell.reason or cell.error[-500:]
    return f"{place.system}, {place.task}, {place.file}, {place.mode}: {count}"


if __name__ == "__main__":
    sys.exit(main())
