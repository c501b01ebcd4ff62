"""The ticks of timers, from all starts and stops of a history."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count

from cera.instances.types import TimerType
from cera.model.interval import MAX_TIME, Time

#: When it ticks, and when its start was.
Tick = tuple[Time, Time]


def ticks(timer: TimerType, starts: Collection[Time], stops: Collection[Time], end: Time) -> set[Tick]:
    """All ticks, given the times of the starts and stops. Repeating timers tick no longer than the recording lasts."""
    return {
        (time, since)
        for since in starts
        for time in _times(timer, since, end)
        if not any(since < each < time for each in (*stops, *(starts if timer.latest else ())))
    }


def _times(timer: TimerType, since: Time, end: Time) -> Iterator[Time]:
    """As if nothing stopped it: since + k · after, once for k = 1 alone."""
    for number in count(1):
        time = since + number * timer.after
        if time > (end if timer.repeats else MAX_TIME):
            return
        yield time
        if not timer.repeats:
            return
