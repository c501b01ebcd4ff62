"""`python -m benchmarks.recursion [--links N | --quick] [--way W]…`: a recursion with about a million answers; with
`--quick` a fifth of the links."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from benchmarks.recursion.runner import FULL, QUICK, WAYS, measure


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.recursion", description=__doc__)
    size = options.add_mutually_exclusive_group()
    size.add_argument("--links", type=int, default=FULL, help="how many links there are")
    size.add_argument("--quick", action="store_const", dest="links", const=QUICK, help="fewer links")
    options.add_argument("--way", action="append", choices=[*WAYS], help="only this one; may be given again")
    given = options.parse_args()
    table = measure(given.links, given.way or tuple(WAYS))
    Console(width=None if sys.stdout.isatty() else 130).print(table)


if __name__ == "__main__":
    main()
