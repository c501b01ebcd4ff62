"""`python -m benchmarks.peers [--events N]… [--peer P]… [--rule R]… [--format F]… [--mode M]… [--folder FOLDER]`.

The folder keeps the recordings and an environment for each system, which are made where they are not there. CPU times
are those of all processes of a cell: with its start; without, the first time; and the second time in one process. The
answers of cera have ids and causes, those of the others have not. Exit status 1: the systems do not count the same.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks.peers.runner import MODES, PEERS, RULES, cells, recordings, table


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    options.add_argument("--events", type=int, action="append", help="how many events (default 1,000,000)")
    options.add_argument("--peer", action="append", choices=tuple(PEERS))
    options.add_argument("--rule", action="append", choices=tuple(RULES))
    options.add_argument("--format", action="append", choices=("jsonl", "parquet"))
    options.add_argument("--mode", action="append", choices=MODES)
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "cera-peers")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    formats = given.format or ["jsonl", "parquet"]
    files = [file for events in given.events or [1_000_000] for file in recordings(events, formats, given.folder)]
    found = list(cells(given.peer or PEERS, given.rule or list(RULES), files, given.mode or MODES, given.folder))
    shown, agree = table(found)
    Console(width=None if sys.stdout.isatty() else 130).print(shown)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
