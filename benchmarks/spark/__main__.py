"""`python -m benchmarks.spark [--quick]`: the Spark engines alone; ten million events, unless it is to be quick."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.spark.runner import FULL, QUICK, measure

if __name__ == "__main__":
    Console(width=None if sys.stdout.isatty() else 130).print(measure(QUICK if "--quick" in sys.argv[1:] else FULL))
