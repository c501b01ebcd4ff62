"""`python -m benchmarks.instances [--quick]`: sequences over a million events; with `--quick` over a tenth of them."""

from __future__ import annotations

import sys

from rich.console import Console

from benchmarks.instances.runner import FULL, QUICK, measure

if __name__ == "__main__":
    Console(width=None if sys.stdout.isatty() else 150).print(measure(QUICK if "--quick" in sys.argv[1:] else FULL))
