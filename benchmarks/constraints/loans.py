"""Counts what violates `loans.escl` by hand: `python -m benchmarks.constraints.loans FILE`.

It shares no code with the constraints of cera, so that both can be compared. As there, equal records are one event, and
violations are one if they are about the same values at the same time.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.constraints.logs import Event, by_activity, cases, events_of


def within(events: Sequence[Event], begin: datetime, length: timedelta) -> bool:
    return any(begin <= each.at <= begin + length for each in events)


def of_case(events: list[Event]) -> Iterator[tuple[str, object]]:
    """Yields what violates a constraint in a case, and what keeps violations apart."""
    found = by_activity(events)
    fraud, validation = found["W_Beoordelen fraude"], found["W_Valideren aanvraag"]
    decisions = [*found["A_DECLINED"], *found["A_CANCELLED"], *found["A_APPROVED"]]
    for one in found["A_SUBMITTED"]:
        if not within(decisions, one.at, timedelta(days=30)):
            yield "decided", one.at
        for other in found["A_ACCEPTED"]:
            if one["amount"] != other["amount"]:
                yield "amount", (one["amount"], other["amount"], max(one.at, other.at))
    if found["A_CANCELLED"]:
        first = min(each.at for each in found["A_CANCELLED"])
        for one in found["A_DECLINED"]:
            yield "declined-or-cancelled", max(one.at, first)
    if len(found["O_CREATED"]) > 3:
        yield "three-offers", None
    for one in found["O_CREATED"]:
        if not within(found["O_SENT"], one.at, timedelta(seconds=1)):
            yield "sent", one.at
    for one in found["A_ACCEPTED"]:
        for other in found["A_APPROVED"]:
            if one["resource"] == other["resource"]:
                yield "four-eyes", (one["resource"], max(one.at, other.at))
    starts = [each for each in fraud if each["transition"] == "START"]
    ends = [each for each in fraud if each["transition"] == "COMPLETE"]
    for one in starts:
        for other in starts:
            between = [each for each in starts if one.at < each.at < other.at]
            if one.at < other.at and not between and not any(one.at <= each.at <= other.at for each in ends):
                yield "alternate", other.at
    for one in validation:
        if one["transition"] == "START":
            complete = [each for each in validation if each["transition"] == "COMPLETE"]
            if not within(complete, one.at, timedelta(hours=1)):
                yield "validated", one.at


def counts(path: Path, most: int | None = None) -> Counter[str]:
    """Returns how often each constraint is violated, in the first so many cases."""
    found: Counter[str] = Counter()
    for several in cases(events_of(path, most)).values():
        found.update(name for name, _ in set(of_case(several)))
    return found


def main() -> None:
    for what, number in sorted(counts(Path(sys.argv[1])).items()):
        print(f"{number:7,} {what}")


if __name__ == "__main__":
    main()
