"""Times as Spark columns: intervals, durations, distances, and operations on them.

All of it is arithmetic on bigint columns of microseconds, and of dates where months are added, independent of the
time zone of the session. A time is undefined in a row where one of its columns is null; the two of an interval are null
together. A constant of the program stays a `Duration` or an `Interval` of the model as long as it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import NamedTuple

from pyspark.sql import Column

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import add_integers, multiply_integers
from cera.engines.spark.values.comparison import CONVERSE, compared
from cera.model.expressions.expression import ComparisonOperator
from cera.model.time.allen import CONVERSES
from cera.model.time.containment import Containment
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval
from cera.model.time.periodic_windows import Period
from cera.model.time.recurrence import DAY, SECOND
from cera.model.time.timers import SYNONYMS, TIMERS, Sign

#: More months than there are dates for; greater numbers are undefined anyway.
_MOST_MONTHS = 12 * 10_000
_FIRST_DAY, _LAST_DAY = MIN_TIME // DAY, MAX_TIME // DAY


class IntervalColumns(NamedTuple):
    """[begin, end]; `is_point` if the two are known to be the same."""

    begin: Column
    end: Column
    is_point: bool = False


class DurationColumns(NamedTuple):
    """Calendar months and microseconds; `months` is None where there are none in any row."""

    microseconds: Column
    months: Column | None = None


class DistanceColumns(NamedTuple):
    """The time from one point to another."""

    begin: Column
    end: Column

    @property
    def microseconds(self) -> Column:
        return self.end - self.begin


TimeColumns = IntervalColumns | DurationColumns | DistanceColumns
Length = DurationColumns | DistanceColumns | Duration


def time_literal(value: Interval | Duration | Distance) -> TimeColumns:
    match value:
        case Interval():
            return IntervalColumns(_bigint(value.begin), _bigint(value.end), value.is_point)
        case Duration():
            return DurationColumns(_bigint(value.microseconds), _bigint(value.months) if value.months else None)
        case Distance():
            return DistanceColumns(_bigint(value.begin), _bigint(value.end))


def _bigint(value: int) -> Column:
    return F.lit(value).cast("bigint")


def is_point(interval: IntervalColumns) -> Column | None:
    """Returns whether it is a point; None if it always is."""
    return None if interval.is_point else interval.begin == interval.end


def where(condition: Column | None, column: Column) -> Column:
    return column if condition is None else F.when(condition, column)


def both(one: Column | None, other: Column | None) -> Column | None:
    tests = [test for test in (one, other) if test is not None]
    return reduce(and_, tests) if tests else None


def point_of(interval: IntervalColumns) -> Column:
    """Returns the time of an interval that is a point; null where it is not."""
    return where(is_point(interval), interval.begin)


def shift(time: Column, duration: DurationColumns | Duration, sign: Sign = 1) -> Column:
    """Computes `durations.shift` by the duration or (with -1) its opposite: null where there is no calendar date."""
    if isinstance(duration, Duration):
        return _shift_by_constant(time, sign * duration.months, sign * duration.microseconds)
    if duration.months is not None:
        time = _add_months(time, duration.months if sign > 0 else F.try_subtract(_bigint(0), duration.months))
    moved = (add_integers if sign > 0 else F.try_subtract)(time, duration.microseconds)
    return F.when(moved.between(MIN_TIME, MAX_TIME), moved)


def _shift_by_constant(time: Column, months: int, microseconds: int) -> Column:
    if months:
        time = _add_months(time, _bigint(months))
    if abs(microseconds) > MAX_TIME - MIN_TIME:
        return F.lit(None).cast("bigint")
    if microseconds == 0:
        return time
    has_date = time <= MAX_TIME - microseconds if microseconds > 0 else time >= MIN_TIME - microseconds
    return F.when(has_date, time + F.lit(microseconds))


def _add_months(time: Column, months: Column) -> Column:
    of_day = F.pmod(time, _bigint(DAY))
    date = F.date_from_unix_date(F.call_function("div", time - of_day, _bigint(DAY)).cast("int"))
    day = F.unix_date(F.add_months(date, F.when(months.between(-_MOST_MONTHS, _MOST_MONTHS), months).cast("int")))
    return F.when(day.between(_FIRST_DAY, _LAST_DAY), day * _bigint(DAY) + of_day)


def hull(intervals: Sequence[IntervalColumns]) -> IntervalColumns:
    """Returns the smallest interval that covers all; null where one is null (which `least` and `greatest` ignore)."""
    if len(intervals) == 1:
        return intervals[0]
    defined = reduce(and_, [interval.begin.isNotNull() for interval in intervals])
    begin, end = F.least(*(i.begin for i in intervals)), F.greatest(*(i.end for i in intervals))
    return IntervalColumns(F.when(defined, begin), F.when(defined, end))


def within(intervals: Sequence[IntervalColumns], length: Length) -> Column:
    """Returns whether the hull of the intervals is at most so long; false or null where it is not."""
    if len(intervals) == 1:
        return compare_times("<=", DistanceColumns(*intervals[0][:2]), length)
    span = DistanceColumns(*covering(intervals))
    return reduce(and_, [i.begin.isNotNull() for i in intervals]) & compare_times("<=", span, length)


def in_one_window(intervals: Sequence[IntervalColumns], period: Period) -> Column:
    """Returns whether some window of the period contains all intervals; false or null where none does."""
    begin, end = covering(intervals)
    held = end - begin + F.pmod(begin - F.lit(period.origin), F.lit(period.slide)) < F.lit(period.length)
    return reduce(and_, [i.begin.isNotNull() for i in intervals], held) if len(intervals) > 1 else held


def window_begins(intervals: Sequence[IntervalColumns], period: Period) -> Column:
    """Returns the begins of the windows that contain all intervals, as an array: `Period.begins`."""
    begin, end = covering(intervals)
    length, slide, origin = period
    earliest = F.greatest(end - F.lit(length - 1), F.lit(MIN_TIME))
    latest = F.least(begin, F.lit(MAX_TIME - length + 1))
    first = earliest + F.pmod(F.lit(origin) - earliest, F.lit(slide))
    return F.when(first <= latest, F.sequence(first, latest, F.lit(slide).cast("bigint")))


def covering(intervals: Sequence[IntervalColumns]) -> tuple[Column, Column]:
    """Returns the hull of the intervals."""
    if len(intervals) == 1:
        return intervals[0].begin, intervals[0].end
    return F.least(*(i.begin for i in intervals)), F.greatest(*(i.end for i in intervals))


def related(relation: str, i: IntervalColumns, j: IntervalColumns) -> Column:
    """Returns whether Allen's relation of this name holds; false or null where it does not."""
    match relation:
        case "before":
            return i.end < j.begin
        case "meets":
            return i.end == j.begin
        case "overlaps":
            return (i.begin < j.begin) & (j.begin < i.end) & (i.end < j.end)  # ERR-21
        case "starts":
            return (i.begin == j.begin) & (i.end < j.end)
        case "during":
            return (j.begin < i.begin) & (i.end < j.end)
        case "finishes":
            return (j.begin < i.begin) & (i.end == j.end)
        case "equals":
            return i.begin == j.begin if i.is_point and j.is_point else (i.begin == j.begin) & (i.end == j.end)
        case _:
            return related(CONVERSES[relation], j, i)


def in_state(event: IntervalColumns, state: IntervalColumns) -> Column:
    """Returns whether an event is in a state (ERR-51)."""
    return (state.begin <= event.begin) & (state.begin < event.end) & (event.end <= state.end)


def contained(containment: Containment, window: IntervalColumns, element: IntervalColumns) -> list[Column]:
    """Returns the conditions under which an event, or a state, lies in a window."""
    empty = (element.begin == element.end) & (window.begin <= element.begin)
    match containment:
        case "inside":
            return [window.begin <= element.begin, element.end <= window.end]
        case "in-state":
            return [in_state(element, window)]
        case "holding":
            return [in_state(window, element)]
        case "sharing":
            return [element.begin <= window.end, (window.begin < element.end) | empty]
        case "common":
            both = (element.begin < window.end) & (window.begin < element.end)
            return [element.begin <= window.end, both | empty]


def relative_timer(kind: str, anchor: IntervalColumns, length: Length) -> IntervalColumns:
    """Computes `timers.relative_timer` by any of the timer's names; null where it does not happen."""
    duration = DurationColumns(length.microseconds) if isinstance(length, DistanceColumns) else length
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[SYNONYMS[kind]]
    begin = _moved(anchor.begin if begin_edge == "begin" else anchor.end, begin_sign, duration)
    end = _moved(anchor.begin if end_edge == "begin" else anchor.end, end_sign, duration)
    happens = begin <= end
    return IntervalColumns(F.when(happens, begin), F.when(happens, end))


def _moved(time: Column, sign: Sign, duration: DurationColumns | Duration) -> Column:
    return time if sign == 0 else shift(time, duration, sign)


def compare_times(operator: ComparisonOperator, left: TimeColumns | Duration, right: TimeColumns | Duration) -> Column:
    """Returns left operator right; false or null where it does not hold, and where the two cannot be compared."""
    match left, right:
        case IntervalColumns(), IntervalColumns():
            return _compare_intervals(operator, left, right)
        case DistanceColumns(), DistanceColumns():
            return compared(operator, left.microseconds, right.microseconds)
        case DistanceColumns(), Duration(months=0):
            return compared(operator, left.microseconds, right.microseconds)
        case DistanceColumns(), DurationColumns(months=None):
            return compared(operator, left.microseconds, right.microseconds)
        case DistanceColumns(), (Duration() | DurationColumns()):
            by_calendar = compared(operator, left.end, shift(left.begin, right))
            if isinstance(right, Duration) or right.months is None:
                return by_calendar
            without_months = compared(operator, left.microseconds, right.microseconds)
            return F.when(right.months == 0, without_months).otherwise(by_calendar)
        case ((Duration() | DurationColumns()), DistanceColumns()):
            return compare_times(CONVERSE[operator], right, left)
        case ((Duration() | DurationColumns()), (Duration() | DurationColumns())):
            return _compare_durations(operator, _columns(left), _columns(right))
        case _:
            return F.lit(False)


def _compare_intervals(operator: ComparisonOperator, left: IntervalColumns, right: IntervalColumns) -> Column:
    points = both(is_point(left), is_point(right))
    if points is None:
        return compared(operator, left.begin, right.begin)
    match operator:
        case "=":
            return (left.begin == right.begin) & (left.end == right.end)
        case "!=":
            return (left.begin != right.begin) | (left.end != right.end)
        case _:
            return points & compared(operator, left.begin, right.begin)


def _compare_durations(operator: ComparisonOperator, left: DurationColumns, right: DurationColumns) -> Column:
    """Compares durations; defined where the two have the same number of months."""
    order = compared(operator, left.microseconds, right.microseconds)
    if left.months is None and right.months is None:
        return order
    return (_months(left) == _months(right)) & order


def _months(duration: DurationColumns) -> Column:
    return _bigint(0) if duration.months is None else duration.months


def _columns(duration: DurationColumns | Duration) -> DurationColumns:
    if isinstance(duration, DurationColumns):
        return duration
    return DurationColumns(_bigint(duration.microseconds), _bigint(duration.months) if duration.months else None)


def negative_length(length: Length) -> Length:
    match length:
        case Duration():
            return -length
        case DistanceColumns():
            return DistanceColumns(length.end, length.begin)
        case DurationColumns():
            months = None if length.months is None else F.try_subtract(_bigint(0), length.months)
            return DurationColumns(F.try_subtract(_bigint(0), length.microseconds), months)


def add_lengths(sign: Sign, left: Length, right: Length) -> DurationColumns:
    """Returns left + right, or left - right; a distance has no months and can be added to what has none."""
    add = add_integers if sign > 0 else F.try_subtract
    one, other = (None if isinstance(side, DistanceColumns) else _columns(side) for side in (left, right))
    if one is not None and other is not None:
        has_months = one.months is not None or other.months is not None
        months = add(_months(one), _months(other)) if has_months else None
        return DurationColumns(add(one.microseconds, other.microseconds), months)
    measures = [_without_months(side) for side in (left, right)]
    return DurationColumns(add(*measures))


def _without_months(length: Length) -> Column:
    """Returns the microseconds; null where there are months besides."""
    match length:
        case DistanceColumns():
            return length.microseconds
        case Duration():
            return F.lit(None).cast("bigint") if length.months else _bigint(length.microseconds)
        case DurationColumns():
            return where(None if length.months is None else length.months == 0, length.microseconds)


def multiply(duration: DurationColumns | Duration, factor: Column) -> DurationColumns:
    one = _columns(duration)
    months = None if one.months is None else multiply_integers(one.months, factor)
    return DurationColumns(multiply_integers(one.microseconds, factor), months)


def in_microseconds(value: TimeColumns | Duration) -> Column:
    """Returns a length, or a time point counted from 1970, in microseconds."""
    return point_of(value) if isinstance(value, IntervalColumns) else _without_months(value)


def in_units(value: TimeColumns | Duration, digits: int) -> Column:
    """Returns the same in a unit of so many digits of microseconds, as a double that is rounded once."""
    microseconds = in_microseconds(value)
    # Java converts a decimal of more than 52 bits to a double by its digits, which is exact
    unit = F.lit(f"{10**-digits:.{digits}f}").cast(f"decimal({digits},{digits})")
    exact = (microseconds.cast("decimal(19,0)") * unit).cast("double")
    rounds_once = microseconds.between(-(2**53), 2**53)
    return F.when(rounds_once, microseconds / F.lit(float(10**digits))).otherwise(exact)


def iso(interval: IntervalColumns) -> Column:
    """Returns the time point in ISO 8601, with a fraction of a second where there is one."""
    time = point_of(interval)
    of_day = F.pmod(time, _bigint(DAY))
    date = F.date_from_unix_date(F.call_function("div", time - of_day, _bigint(DAY)).cast("int"))

    def digits(size: int, count: int, unit: int) -> Column:
        value = F.pmod(F.call_function("div", of_day, _bigint(unit)), _bigint(count))
        return F.lpad(value.cast("string"), size, "0")

    fraction = F.when(F.pmod(of_day, _bigint(SECOND)) == 0, "").otherwise(F.concat(F.lit("."), digits(6, SECOND, 1)))
    clock = [digits(2, 24, 3600 * SECOND), F.lit(":"), digits(2, 60, 60 * SECOND), F.lit(":"), digits(2, 60, SECOND)]
    return F.concat(date.cast("string"), F.lit("T"), *clock, fraction, F.lit("Z"))
