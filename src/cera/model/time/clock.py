"""Clocks of time zones: what they show at a time, and when they show something.

Twice a year many clocks are changed. A wall time that a clock leaves out never happens, one that it goes through again
happens twice. There are three ways to read a wall time:

    from_local       exactly one time: left out, it is later by the length of the gap; shown twice, it is the first.
                     That is what java.time does, and so Spark; times in data and programs are read like this.
    times_shown      every time at which the clock shows it: none, one or two. `timer:datetime` is read like this.
    time_of_day      exactly one time: left out, it is when the clock is changed; shown twice, it is the first. It
                     keeps the order of the wall times; the hours of calendars are read like this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from cera.model.message_text import did_you_mean
from cera.model.time.interval import EPOCH, MICROSECOND, Time

#: Times as a clock shows them, without zone.
Wall = datetime

_WALL_EPOCH: Wall = EPOCH.replace(tzinfo=None)
_DAY: Time = 86_400_000_000


class TimeError(ValueError):
    """Something is not a time, or lies outside of the years 1 to 9999, or a time zone is unknown."""


@cache
def time_zone(name: str) -> ZoneInfo:
    """Returns the zone of the IANA data base with this name."""
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        guess = did_you_mean(name, available_timezones()) or "; write for example 'UTC' or 'Europe/Berlin'"
        raise TimeError(f"there is no time zone '{name}'{guess}") from None


def to_local(time: Time, zone: ZoneInfo) -> Wall:
    """Returns what a clock in the zone shows, at the outermost the first and last moment that have a date."""
    try:
        return (EPOCH + time * MICROSECOND).astimezone(zone).replace(tzinfo=None, fold=0)
    except OverflowError:
        return datetime.min if time < 0 else datetime.max


def from_local(wall: Wall, zone: ZoneInfo) -> Time:
    """Returns when a clock in the zone shows this; may lie outside of the years 1 to 9999 in UTC."""
    return (wall - _WALL_EPOCH - _offset(wall, zone, fold=0)) // MICROSECOND


def times_shown(walls: Iterable[Wall], zone: ZoneInfo) -> Iterator[Time]:
    """Yields every time at which a clock in the zone shows one of the wall times; both are in order."""
    second_round: list[Time] = []
    for wall in walls:
        before, after = _offset(wall, zone, fold=0), _offset(wall, zone, fold=1)
        elapsed = wall - _WALL_EPOCH
        if before < after:  # the clock is put forward over it
            continue
        if before > after:
            yield (elapsed - before) // MICROSECOND
            second_round.append((elapsed - after) // MICROSECOND)
        else:
            yield from second_round
            second_round.clear()
            yield (elapsed - before) // MICROSECOND
    yield from second_round


def time_of_day(wall: Wall, zone: ZoneInfo) -> Time:
    """Returns when a clock in the zone shows this for the first time, or is put forward over it."""
    before, after = _offset(wall, zone, fold=0), _offset(wall, zone, fold=1)
    elapsed = wall - _WALL_EPOCH
    if before >= after:
        return (elapsed - before) // MICROSECOND
    earlier, changed = (elapsed - after) // MICROSECOND, (elapsed - before) // MICROSECOND
    while changed - earlier > 1:
        middle = (earlier + changed) // 2
        shown = (EPOCH + middle * MICROSECOND).astimezone(zone)
        if shown.utcoffset() == before:
            earlier = middle
        else:
            changed = middle
    return changed


def walls_between(first: Time, last: Time, zone: ZoneInfo) -> tuple[Wall, Wall]:
    """Returns a lower and an upper bound of the wall times that a clock in the zone shows in [first, last].

    Only a change less than a day from the edge can lead below the wall time of `first` or above that of `last`.
    """
    lowest, highest = to_local(first, zone), to_local(last, zone)
    lowest = min(lowest, _earlier(to_local(first + _DAY, zone)))
    highest = max(highest, _later(to_local(last - _DAY, zone)))
    return lowest, highest


def _earlier(wall: Wall) -> Wall:
    return wall - timedelta(days=1) if wall - datetime.min >= timedelta(days=1) else datetime.min


def _later(wall: Wall) -> Wall:
    return wall + timedelta(days=1) if datetime.max - wall >= timedelta(days=1) else datetime.max


def _offset(wall: Wall, zone: ZoneInfo, fold: int) -> timedelta:
    offset = wall.replace(tzinfo=zone, fold=fold).utcoffset()
    assert offset is not None
    return offset
