"""Which engine answers where none is named, or `auto`.

The answers are the same on every engine, so what decides is what each can do, and then the clock.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from cera.connectors.files import EventFile
from cera.connectors.records.layout import Layout
from cera.connectors.source import Source
from cera.wording import Setting

AUTO = "auto"

Engine = Literal["auto", "spark", "local", "reference"]

#: From so many bytes of input on Spark is taken. On two cores local was faster by the clock wherever it was measured,
#: up to 300 MB (docs/spark.md has the table, `python -m benchmarks.recordings` makes it), but it uses one core, and
#: machines with large inputs have more.
SPARK_FROM = 1_000_000_000


@dataclass(frozen=True)
class Choice:
    """An engine, and in a few words why it was taken."""

    engine: Engine
    reason: str

    def __str__(self) -> str:
        return f"engine: {self.engine} ({self.reason})"


@dataclass(frozen=True)
class Recording:
    """What is known of a run before it starts: where the events are, and what was asked for."""

    sources: Sequence[Source]
    layout: Layout
    #: The setting that only Spark takes, if one was given.
    spark_setting: Setting | None = None
    sorted_within_delay: bool = False
    writes_parquet: bool = False


def choose(recording: Recording) -> Choice:
    """Returns the engine for a recording, by what was asked for, where the events are, and the size of the input."""
    found = [file for source in recording.sources for file in source.files(recording.layout, parquet=True)]
    files = [file for file in found if isinstance(file, EventFile)]
    if recording.spark_setting is not None:
        return Choice("spark", f"{recording.spark_setting} is given")
    if recording.writes_parquet:
        return Choice("spark", "Parquet is written")
    if any(file.format == "parquet" for file in files):
        return Choice("spark", "Parquet is read")
    if recording.sorted_within_delay:
        return Choice("local", f"{Setting.MAX_DELAY} is given")
    for source in sorted(recording.sources, key=lambda source: not source.is_standard_input):
        if not source.is_recording:
            return Choice("local", f"events come from {source.kind}")
    return _by_size(sum(file.path.stat().st_size for file in files))


def choose_in_process(reason: str = "events are in this process") -> Choice:
    """Returns the engine for what has to be answered in this process, with the reason for that."""
    return Choice("local", reason)


def _by_size(size: int) -> Choice:
    if size < SPARK_FROM:
        return Choice("local", f"{_bytes(size)} of input")
    lacking = _lacking_for_spark()
    if lacking is not None:
        return Choice("local", f"{_bytes(size)} of input would be for Spark, and {lacking} is not installed")
    return Choice("spark", f"{_bytes(size)} of input")


def _lacking_for_spark() -> str | None:
    """Returns what Spark needs and this machine lacks; None if nothing."""
    if find_spec("pyspark") is None:
        return "pyspark"
    return None if "JAVA_HOME" in os.environ or shutil.which("java") else "Java"


def _bytes(size: int) -> str:
    """Returns a size as `1 byte`, `640 bytes`, `12 kB`, `3.4 GB`."""
    if size < 1000:
        return "1 byte" if size == 1 else f"{size} bytes"
    scaled = float(size)
    for unit in ("kB", "MB"):
        scaled /= 1000
        if round(scaled) < 1000:
            return f"{scaled:.0f} {unit}"
    return f"{scaled / 1000:,.1f} GB"
