"""`python -m benchmarks [NAME…]`: runs the benchmarks and prints a table for each."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Mapping

from rich.console import Console
from rich.table import Table

from benchmarks import parse_and_check
from benchmarks.epl import runner as epl
from benchmarks.instances import runner as instances
from benchmarks.local import runner as local
from benchmarks.recordings import runner as recordings


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
    "spark": _spark,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"there is no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 130)
    console.print(f"Python {platform.python_version()} on {platform.machine()}")
    for name in names or BENCHMARKS:
        console.print(BENCHMARKS[name]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
