"""`python -m benchmarks.recordings [--events N] [--engine E] [--program P] [--layout L] [--against PATH]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks.comparison import REPEATS, compare, show
from benchmarks.recordings.cases import chosen
from benchmarks.recordings.data import LAYOUTS
from benchmarks.recordings.runner import ENGINES, PROGRAMS, QUICK, measure


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.recordings", description=__doc__)
    options.add_argument("--events", type=int, default=QUICK, help="how many events a recording has")
    options.add_argument("--engine", action="append", choices=ENGINES)
    options.add_argument("--program", action="append", choices=PROGRAMS)
    options.add_argument("--layout", action="append", choices=tuple(LAYOUTS))
    options.add_argument("--against", type=Path, help="another checkout of cera, measured in the same table")
    options.add_argument("--repeat", type=int, default=REPEATS, help="how often each run with --against is measured")
    given = options.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 130)
    choice = (given.events, given.engine or ENGINES, given.program or PROGRAMS, given.layout or tuple(LAYOUTS))
    if given.against is None:
        console.print(measure(*choice))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return show(compare(chosen(Path(folder), *choice), given.against, given.repeat), given.against, console)


if __name__ == "__main__":
    sys.exit(main())
