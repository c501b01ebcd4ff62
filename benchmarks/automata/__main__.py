"""`python -m benchmarks.automata [--quick]`: auctions as automata, a million events; with `--quick` fewer."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.automata.runner import FULL, QUICK, measure

if __name__ == "__main__":
    Console(width=None if sys.stdout.isatty() else 180).print(measure(QUICK if "--quick" in sys.argv[1:] else FULL))
