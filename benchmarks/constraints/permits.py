"""Counts what violates `permits.escl` by hand: `python -m benchmarks.constraints.permits FILE`.

It shares no code with the constraints of cera, so that both can be compared. As there, equal records are one event, and
violations are one if they are about the same values at the same time.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.constraints.logs import Event, by_activity, cases, events_of

RECEIVED = "Confirmation of receipt"
CHECK, ADJUST = "T02 Check confirmation of receipt", "T03 Adjust confirmation of receipt"
DETERMINE, SEND = "T04 Determine confirmation of receipt", "T05 Print and send confirmation of receipt"
DECIDE = "T10 Determine necessity to stop indication"
#: From when on the recording is taken as complete.
SINCE = datetime(2010, 1, 1, tzinfo=UTC)


def of_case(events: list[Event]) -> Iterator[tuple[str, object]]:
    """Yields what violates a constraint in a case, and what keeps violations apart."""
    found = by_activity(events)
    for received in found[RECEIVED]:
        end = received.at + timedelta(days=28)
        if not any(received.at <= each.at <= end for each in found[SEND]):
            yield "sent", received.at
    for one in found[DETERMINE]:
        if not any(each.at <= one.at for each in found[CHECK]):
            yield "checked", one.at
        for other in found[SEND]:
            last = max(one.at, other.at)
            if one["resource"] == other["resource"]:
                yield "four-eyes", (one["resource"], last)
    for one in found[SEND]:
        for other in found[DECIDE]:
            if not one.at < other.at:
                yield "in-order", max(one.at, other.at)
    if len(found[CHECK]) > 2:
        yield "two-checks", None
    for one in found[CHECK]:
        for other in found[CHECK]:
            between = [each for each in found[CHECK] if one.at < each.at < other.at]
            adjusted = [each for each in found[ADJUST] if one.at <= each.at <= other.at]
            if one.at < other.at and not between and not adjusted:
                yield "adjusted", other.at


def weekly(events: list[Event]) -> int:
    """Returns how many weeks, from Thursday on as 1970 began, have fewer than five applications."""
    week = timedelta(days=7)
    begin = datetime(1970, 1, 1, tzinfo=UTC)
    while begin < SINCE:
        begin += week
    last = max(each.at for each in events)
    few = 0
    while begin + week - timedelta(microseconds=1) <= last:
        few += sum(each.activity == RECEIVED and begin <= each.at < begin + week for each in events) < 5
        begin += week
    return few


def counts(path: Path, most: int | None = None) -> Counter[str]:
    """Returns how often each constraint is violated, in the first so many cases."""
    events = events_of(path, most)
    found: Counter[str] = Counter()
    for several in cases(events).values():
        found.update(name for name, _ in set(of_case(several)))
    found["weekly"] = weekly(events)
    return found


def main() -> None:
    for what, number in sorted(counts(Path(sys.argv[1])).items()):
        print(f"{number:7,} {what}")


if __name__ == "__main__":
    main()
