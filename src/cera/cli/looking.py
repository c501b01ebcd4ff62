"""Events that are only looked at: read once, with progress; what is rejected is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cera.cli import report
from cera.cli.recording import progress, show_rejected
from cera.connectors.files import Rejected
from cera.model.events.occurrence import Occurrence
from cera.running.admission import REJECTED_SHOWN

_EVERY = 10_000


def look_at(records: Iterable[Occurrence | Rejected], take: Callable[[Occurrence], None]) -> int:
    """Hands over all events, and returns how many records were rejected."""
    shown, rejected = list[Rejected](), 0
    with progress("reading events") as report_progress:
        for number, event in enumerate(records, 1):
            if number % _EVERY == 0:
                report_progress(f"{number:,} records read")
            if not isinstance(event, Rejected):
                take(event)
                continue
            rejected += 1
            if len(shown) < REJECTED_SHOWN:
                shown.append(event)
    show_rejected(shown, len(shown), report.warn)  # the others are counted
    return rejected
