"""The ticks of timers, from all starts and stops of a history."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count

from cera.instances.types import TimerType
from cera.model.calendars.tick_limits import TICK_LIMIT, check_ticks
from cera.model.time.interval import MAX_TIME, Time

#: When it ticks, and when its start was.
Tick = tuple[Time, Time]


def ticks(
    timer: TimerType,
    starts: Collection[Time],
    stops: Collection[Time],
    end: Time,
    done: Time | None = None,
    limit: int = TICK_LIMIT,
) -> set[Tick]:
    """All ticks, given the times of the starts and stops. Repeating timers tick no longer than until the end.

    Raises TickLimitError where one ticks more often than the limit after what is done.
    """
    stopped = (*stops, *(starts if timer.latest else ()))
    latest = end if timer.repeats else MAX_TIME

    def last(since: Time) -> Time:
        return min((latest, *(each for each in stopped if each > since)))

    return {(time, since) for since in starts for time in _times(timer, since, last(since), done, limit)}


def _times(timer: TimerType, since: Time, last: Time, done: Time | None, limit: int) -> Iterator[Time]:
    """since + k · after until the last time, once for k = 1 alone."""
    if timer.repeats:
        first = since if done is None else max(since, done)
        check_ticks(f"the timer `{timer.name}`", (last - first) // timer.after, first, last, limit)
    for number in count(1):
        time = since + number * timer.after
        if time > last:
            return
        yield time
        if not timer.repeats:
            return
