"""`python -m benchmarks.local [--full]`: the local engine alone; with `--full` also over ten million events."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.local.runner import FULL, QUICK, measure

if __name__ == "__main__":
    Console(width=None if sys.stdout.isatty() else 130).print(measure(FULL if "--full" in sys.argv[1:] else QUICK))
