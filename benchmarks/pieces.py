"""The events of a file as `cera run` takes them: so many at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import source_of
from cera.model.events.occurrence import Occurrence
from cera.model.time.time_text import TimeFormat

_AT_ONCE = 500


def pieces(path: str) -> Iterator[list[Occurrence]]:
    """Yields the events of a file whose times are numbers of seconds."""
    records = source_of(path).occurrences(Layout(times=TimeFormat("s")))
    while piece := list(islice(records, _AT_ONCE)):
        for item in piece:
            if isinstance(item, Rejected):
                raise SystemExit(f"{item.place}: {item.reason}")
        yield [item for item in piece if isinstance(item, Occurrence)]
