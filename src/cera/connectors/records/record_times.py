"""When a record happened: an interval, or the times of a state, which may have no end yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cera.connectors.records.layout import TIME_FIELDS, Layout, RecordError
from cera.model.terms.json_terms import describe
from cera.model.time.interval import Interval, Time, point
from cera.model.time.time_text import TimeError, TimeFormat

#: The field of event objects that says that a record is a state.
STATE = "state"

#: What the field of states holds. A number and a truth value that are equal are the same key.
_MEANINGS: Mapping[object, bool] = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class StateTimes:
    """The times of a state; without an end it is open."""

    begin: Time
    end: Time | None = None


#: The times that a record gives.
RecordTimes = Interval | StateTimes


def arrival(times: RecordTimes) -> Interval:
    """Returns the interval of the event that a record with these times becomes: a state comes when it begins."""
    return times if isinstance(times, Interval) else point(times.begin)


def is_state(record: Mapping[str, object], name: str | None) -> bool:
    """Returns whether the field of a record says that it is a state: true or 1; null, false and 0 are events."""
    value = None if name is None else record.get(name)
    if value is None:
        return False
    key = value.lower() if isinstance(value, str) else value
    if not isinstance(key, str | int | float) or key not in _MEANINGS:
        raise RecordError(not_a_mark(str(name), describe(value)))
    return _MEANINGS[key]


def not_a_mark(name: str, found: str) -> str:
    """Returns the reason why a record is rejected whose field of states holds something else."""
    return f"in the field `{name}`: a state is marked with true or 1, an event with false, 0 or nothing; found {found}"


def flat_times(record: Mapping[str, object], layout: Layout) -> tuple[RecordTimes, set[str]]:
    """Returns when a flat record happened, and the fields that say so."""
    state = is_state(record, layout.state_field)
    used = set() if layout.state_field is None else {layout.state_field}
    if layout.time_source is None:
        return record_times(record, layout.times, state=state), used | set(TIME_FIELDS)
    begin, end = layout.time_source
    used |= {begin, end}
    if not state:
        return _interval(record, begin, end, layout.times), used
    return _state_times(record, begin, None if end == begin else end, layout.times), used


def record_times(record: Mapping[str, object], times: TimeFormat, *, state: bool = False) -> RecordTimes:
    """Returns when a record happened that has its times in `at`, or in `begin` and `end`."""
    if state:
        if "begin" not in record or "at" in record:
            raise RecordError("a state has its times in `begin` and, once it has ended, in `end`")
        return _state_times(record, "begin", "end", times)
    found = [name for name in TIME_FIELDS if name in record]
    if not found:
        raise RecordError("the time is missing: expected the field `at`, or `begin` and `end`")
    if "at" in found and len(found) > 1:
        raise RecordError(f"too many times: the fields {', '.join(found)}; expected `at`, or `begin` and `end`")
    begin, end = ("at", "at") if "at" in found else ("begin", "end")
    return _interval(record, begin, end, times)


def _state_times(record: Mapping[str, object], begin: str, end: str | None, times: TimeFormat) -> StateTimes:
    if end is None or end not in record:
        return StateTimes(_time(record, begin, times))
    found = _interval(record, begin, end, times)
    return StateTimes(found.begin, found.end)


def _interval(record: Mapping[str, object], begin: str, end: str, times: TimeFormat) -> Interval:
    first = _time(record, begin, times)
    last = first if end == begin else _time(record, end, times)
    if last < first:
        raise RecordError(f"the end lies before the begin: {describe(record[end])} before {describe(record[begin])}")
    return Interval(first, last)


def _time(record: Mapping[str, object], name: str, times: TimeFormat) -> Time:
    if name not in record:
        raise RecordError(f"the time is missing: there is no field `{name}`")
    try:
        return times.parse(record[name])
    except TimeError as error:
        raise RecordError(f"in the field `{name}`: {error}") from None
