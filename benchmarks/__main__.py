"""`python -m benchmarks [--only NAME]… [--without NAME]…`: runs the benchmarks and prints a table for each.

With `--against PATH`, each is run by this checkout and by the one in that folder in turns, and one table has both.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.table import Table

from benchmarks import parse_and_check
from benchmarks.automata import cases as automata_cases
from benchmarks.automata import runner as automata
from benchmarks.checkouts import Case
from benchmarks.comparison import REPEATS, compare, show
from benchmarks.epl import cases as epl_cases
from benchmarks.epl import runner as epl
from benchmarks.instances import cases as instances_cases
from benchmarks.instances import runner as instances
from benchmarks.local import cases as local_cases
from benchmarks.local import runner as local
from benchmarks.recordings import cases as recordings_cases
from benchmarks.recordings import runner as recordings
from benchmarks.recursion import cases as recursion_cases
from benchmarks.recursion import runner as recursion
from benchmarks.spark import cases as spark_cases
from benchmarks.streamlog import cases as streamlog_cases
from benchmarks.streamlog import runner as streamlog


def _spark() -> Table:
    """The Spark engines on a tenth of the events; `python -m benchmarks.spark` measures all of them."""
    from benchmarks.spark import runner  # needs the extra `spark`

    return runner.measure(runner.QUICK)


BENCHMARKS: Mapping[str, Callable[[], Table]] = {
    "parse_and_check": parse_and_check.measure,
    "local": local.measure,
    "epl": epl.measure,
    "instances": instances.measure,
    "recordings": recordings.measure,
    "recursion": recursion.measure,
    "streamlog": streamlog.measure,
    "automata": automata.measure,
    "spark": _spark,
}


class Cases(Protocol):
    """What a benchmark compares between checkouts: its files in a folder, fewer events if it is to be quick."""

    def __call__(self, folder: Path, *, quick: bool) -> Iterator[Case]: ...


CASES: Mapping[str, Cases] = {
    "parse_and_check": parse_and_check.cases,
    "local": local_cases.cases,
    "epl": epl_cases.cases,
    "instances": instances_cases.cases,
    "recordings": recordings_cases.cases,
    "recursion": recursion_cases.cases,
    "streamlog": streamlog_cases.cases,
    "automata": automata_cases.cases,
    "spark": spark_cases.cases,
}


def all_cases(names: Sequence[str], folder: Path, *, quick: bool) -> Iterator[Case]:
    """Yields what some benchmarks compare, and before and after it what tells how busy the machine is."""
    yield local_cases.control(folder, quick=quick)
    for name in names:
        yield from CASES[name](folder, quick=quick)
    yield local_cases.control(folder, quick=quick)


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    options.add_argument("--only", action="append", choices=BENCHMARKS, help="this one; may be given again")
    options.add_argument("--without", action="append", choices=BENCHMARKS, default=[], help="all but this one")
    options.add_argument("--against", type=Path, metavar="PATH", help="another checkout of cera")
    options.add_argument("--repeat", type=int, metavar="N", help=f"runs of each with --against, {REPEATS} if not said")
    options.add_argument("--quick", action="store_true", help="fewer events with --against: minutes instead of an hour")
    given = options.parse_args(arguments)
    if given.against is None and (given.quick or given.repeat is not None):
        options.error("--quick and --repeat are for --against")
    if given.repeat is not None and given.repeat < 1:
        options.error("--repeat is at least 1")
    names = [name for name in given.only or BENCHMARKS if name not in given.without]
    console = Console(width=None if sys.stdout.isatty() else 130)
    console.print(f"Python {platform.python_version()} on {platform.machine()}")
    if given.against is None:
        for name in names:
            console.print(BENCHMARKS[name]())
        return 0
    with tempfile.TemporaryDirectory() as folder:
        cases = all_cases(names, Path(folder), quick=given.quick)
        return show(compare(cases, given.against, given.repeat or REPEATS), given.against, console)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
