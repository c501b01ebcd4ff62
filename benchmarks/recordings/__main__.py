"""`python -m benchmarks.recordings [--events N] [--engine E] [--program P] [--layout L] [--against PATH]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.recordings.data import LAYOUTS
from benchmarks.recordings.runner import ENGINES, PROGRAMS, QUICK, measure

if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m benchmarks.recordings", description=__doc__)
    options.add_argument("--events", type=int, default=QUICK, help="how many events a recording has")
    options.add_argument("--engine", action="append", choices=ENGINES)
    options.add_argument("--program", action="append", choices=PROGRAMS)
    options.add_argument("--layout", action="append", choices=tuple(LAYOUTS))
    options.add_argument("--against", type=Path, help="another checkout of cera, measured in the same table")
    given = options.parse_args()
    table = measure(
        given.events, given.engine or ENGINES, given.program or PROGRAMS, given.layout or tuple(LAYOUTS), given.against
    )
    Console(width=None if sys.stdout.isatty() else 130).print(table)
