"""The memory of a local Spark session: its one Java process is driver and executor at once.

Spark's own default is a heap of 1 GB, in which a million events with their answers do not fit. The heap takes half of
the machine's memory, less a share for each Python worker, of which there may be one on each core. (A worker that reads
JSON lines, or writes answers, was measured at 190 MB; one that runs the rules of a stream at up to 280 MB.) The other
half is for what Java needs beside its heap, for the files that the system caches, and for other processes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

DRIVER_MEMORY = "spark.driver.memory"

_MEGABYTE = 1 << 20
_SHARE = 0.5
_PYTHON_WORKER = 300
#: Spark's own default, and the largest heap for which Java's references have four bytes.
_LEAST, _MOST = 1024, 31 * 1024

_LOCAL = re.compile(r"local(?:\[(\*|\d+)(?:,\d+)?\])?")
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def local_memory(master: str, environment: Mapping[str, str]) -> str | None:
    """Returns the heap of a session on this master, as Spark writes it; None where Spark or the user decides it."""
    cores = local_cores(master)
    if cores is None or "SPARK_DRIVER_MEMORY" in environment or _in_defaults(environment):
        return None
    return f"{heap(machine_memory(), cores)}m"


def heap(machine: int, cores: int) -> int:
    """Returns the megabytes of heap on a machine with so many bytes of memory, with Python workers on so many cores."""
    wanted = int(machine * _SHARE) // _MEGABYTE - cores * _PYTHON_WORKER
    return max(_LEAST, min(_MOST, wanted))


def local_cores(master: str) -> int | None:
    """Returns how many tasks run at once on a local master; None for a cluster."""
    found = _LOCAL.fullmatch(master)
    if found is None:
        return None
    return (os.cpu_count() or 1) if found[1] == "*" else int(found[1] or 1)


def machine_memory() -> int:
    """Returns the bytes of memory that this process may use: those of the machine, or of its container."""
    everything = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [int(text) for path in _LIMITS if (text := _text(path)).isdigit()]
    return min([everything, *limits])


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _in_defaults(environment: Mapping[str, str]) -> bool:
    """Returns whether Spark's own file of settings sets the memory of the driver."""
    home = environment.get("SPARK_HOME")
    folder = environment.get("SPARK_CONF_DIR") or (None if home is None else f"{home}/conf")
    lines = _text(Path(folder) / "spark-defaults.conf").splitlines() if folder else []
    return any(re.match(rf"\s*{re.escape(DRIVER_MEMORY)}[\s=]", line) for line in lines)
