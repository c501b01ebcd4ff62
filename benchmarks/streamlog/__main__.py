"""`python -m benchmarks.streamlog [--events N | --quick] [--way W]… [--listing L]…`: Listings 5.1 and 5.3 over a
million records; with `--quick` a tenth of them."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from benchmarks.streamlog.generate import RECORDINGS
from benchmarks.streamlog.runner import FULL, QUICK, WAYS, measure


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.streamlog", description=__doc__)
    size = options.add_mutually_exclusive_group()
    size.add_argument("--events", type=int, default=FULL, help="how many records there are")
    size.add_argument("--quick", action="store_const", dest="events", const=QUICK, help="fewer records")
    options.add_argument("--way", action="append", choices=[*WAYS], help="only this one; may be given again")
    options.add_argument("--listing", action="append", choices=[*RECORDINGS], help="only this one; may be given again")
    given = options.parse_args()
    table = measure(given.events, given.way or tuple(WAYS), given.listing or tuple(RECORDINGS))
    Console(width=None if sys.stdout.isatty() else 130).print(table)


if __name__ == "__main__":
    main()
