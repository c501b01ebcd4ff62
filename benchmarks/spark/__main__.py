"""`python -m benchmarks.spark [--quick] [--part batch|stream|keys]…`: the Spark engines alone, with up to ten million
events unless it is to be quick."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from benchmarks.spark.runner import FULL, PARTS, QUICK, measure


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="fewer events")
    arguments.add_argument("--part", action="append", choices=[*PARTS], help="only this part; may be given again")
    chosen = arguments.parse_args()
    table = measure(QUICK if chosen.quick else FULL, chosen.part or ())
    Console(width=None if sys.stdout.isatty() else 130).print(table)


if __name__ == "__main__":
    main()
