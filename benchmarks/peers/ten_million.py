"""`python -m benchmarks.peers.ten_million [--minutes N] [--folder FOLDER] [--markdown FILE]`: ten million events.

The cells that matter most come first, and none is begun after so many minutes (20, if nothing is said): what is missing
then, the next run adds. Systems that take minutes for a rule answer all three at once, and count. Last comes what one
million costs as events, keys, rules and windows grow. The tables are those of `python -m benchmarks.peers`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.peers.__main__ import shown
from benchmarks.peers.runner import Choice
from benchmarks.peers.tasks import SENSOR_RULES, TASKS

_EVENTS = 10_000_000
_EACH_AND_ALL = (*SENSOR_RULES, "all")


def choices(folder: Path) -> Iterator[Choice]:
    """Yields what is asked for, in its order."""
    both, parts = ("parquet", "jsonl"), ("sensors",)
    for systems, tasks, formats, modes in (
        (("cera",), _EACH_AND_ALL, both, ("write",)),
        (("cera", "duckdb", "polars"), _EACH_AND_ALL, both, ("count",)),
        (("siddhi",), _EACH_AND_ALL, ("jsonl",), ("count",)),
        (("cera-spark", "pyspark"), _EACH_AND_ALL, ("parquet",), ("count",)),
        (("cera-stream", "pyspark-stream"), ("all",), ("parquet",), ("count",)),
        (("flink", "python"), ("all",), ("jsonl",), ("count",)),
        (("duckdb", "polars"), _EACH_AND_ALL, both, ("write",)),
    ):
        yield Choice(systems, tasks, (_EVENTS,), formats, modes, parts, folder, turns=1)
    yield Choice(
        ("cera", "duckdb", "polars"), (*TASKS,), (_EVENTS // 10, _EVENTS), both, ("count",), ("growth",), folder
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.ten_million", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "peers")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there, too")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    return shown(choices(given.folder), given.folder, given.markdown, until=until)


if __name__ == "__main__":
    sys.exit(main())
