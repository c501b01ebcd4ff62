"""What identifiers stand for, and the times in which literals are evaluated (seed 002, 7.5.2 and 7.5.4, corrected).

The content of a time is settled when the time has passed. Counts from below are judged only in times inside of the
stream's extent (DESIGN, "The edges of a stream"): windows of the clock as a whole, timers and events from the first
event on, since deadlines are flushed at the end of a recording. All of time is judged at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal as OneOf
from typing import assert_never

from cera.constraints.names import NOW
from cera.constraints.queries import Combination, HullLiteral, TimerLiteral, ValidityTime, WindowLiteral
from cera.constraints.stream import Happening, Known
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.states import OPEN
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded, Window
from cera.model.expressions.expression import (
    Call,
    DateTime,
    EventReference,
    Expression,
    Literal,
    event_references,
    rebuild,
)
from cera.model.terms.term import Value
from cera.model.time.containment import is_in_state, shares_time, states_share_time
from cera.model.time.durations import shift
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, Time
from cera.model.time.periodic_windows import checked_period
from cera.model.time.time_text import parse_datetime
from cera.model.time.timers import TIMERS

#: What an identifier stands for: an event or a timer on one, a state or a timer on one, a window of the clock, all of
#: time. A combination that is not defined is no time at all; what modules have in common if there is none, is no time
#: of which anything is said; and nothing is demanded of a single moment that they have in common.
ItemKind = OneOf["event", "timer", "state", "clock", "always", "never", "unsaid", "moment"]

#: Known from the beginning.
ALWAYS_KNOWN = MIN_TIME - 1


@dataclass(frozen=True)
class Item:
    """What an identifier stands for. `end` is OPEN while it is not known.

    `known` is when it is known that it is there, `end_known` when its end is. `owners` are the events and states that
    it is, or is relative to: they are never inside of it (ERR-05).
    """

    kind: ItemKind
    begin: Time
    end: Time
    known: Time
    end_known: Time
    happening: Happening | None = None
    owners: tuple[Happening, ...] = ()

    @property
    def interval(self) -> Interval:
        return Interval(self.begin, self.end)

    @property
    def is_open(self) -> bool:
        return self.end >= OPEN

    def contains(self, other: Happening) -> bool:
        """Returns whether an event or a state lies in this time."""
        if self.kind in ("always", "never", "unsaid", "moment"):
            return self.kind in ("always", "moment")  # of a moment its times say what lies in it
        if any(other is owner for owner in self.owners):
            return False
        if other.kind == "state":
            if self.kind == "event":
                return is_in_state(self.interval, other.interval)
            return (states_share_time if self.kind == "state" else shares_time)(self.interval, other.interval)
        if self.kind == "state":
            return is_in_state(other.interval, self.interval)
        return self.interval.contains(other.interval)


def item_of(happening: Happening) -> Item:
    kind: ItemKind = "state" if happening.kind == "state" else "event"
    known = happening.known
    return Item(kind, happening.begin, happening.end, known, happening.end, happening, (happening, *happening.sources))


def timer_of(timer: TimerLiteral, anchor: Item) -> Item | None:
    """Returns the time of a timer. None if it does not happen, or is not known yet because its anchor is open."""
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[timer.timer]
    edges: list[tuple[Time, Time]] = []
    for edge, sign in ((begin_edge, begin_sign), (end_edge, end_sign)):
        known = anchor.known if edge == "begin" else anchor.end_known
        if edge == "end" and anchor.is_open:
            edges.append((OPEN, OPEN))
            continue
        time = anchor.begin if edge == "begin" else anchor.end
        moved = shift(time, timer.duration if sign > 0 else -timer.duration) if sign else time
        if moved is None:
            return None
        edges.append((moved, known))
    [(begin, begin_known), (end, end_known)] = edges
    if begin > end or begin >= OPEN:
        return None
    kind: ItemKind = "state" if anchor.kind == "state" else "timer"
    if timer.timer == "shorten-begin":  # there is none if its anchor ends before it begins
        begin_known = max(begin_known, min(begin, end_known))
    return Item(kind, begin, end, begin_known, max(begin_known, end_known), None, anchor.owners)


def hull_of(hull: HullLiteral, items: Mapping[str, Item]) -> Item:
    """Returns the hull of others, as the time of an event."""
    parts = [items[each.identifier] for each in hull.combination.identifiers]
    known = max(max(each.known, each.end_known) for each in parts)
    owners = tuple(owner for each in parts for owner in each.owners)
    return Item("event", min(p.begin for p in parts), max(p.end for p in parts), known, known, None, owners)


def windows_of(
    literal: WindowLiteral,
    items: Mapping[str, Item],
    values: Mapping[str, Value],
    stream: Known,
    evaluator: Evaluator,
    origin: Time,
) -> Iterator[Item]:
    """Yields the windows that an identifier can stand for: those in which something of the stream lies."""
    window = literal.window
    match window:
        case Unbounded():
            yield Item("always", MIN_TIME, MAX_TIME, ALWAYS_KNOWN, ALWAYS_KNOWN)
        case Now():
            for step in stream.steps:
                yield clock_window(step, step, step)
        case Sliding():
            for begin, end in sliding(window, origin, stream.begin, stream.last):
                yield clock_window(begin, end, begin)
        case Between():
            for now in stream.steps if is_moving(window) else (None,):
                found = between(window, now, items, values, evaluator, stream.timezone)
                if found is not None:
                    yield found
        case _:
            assert_never(window)


def clock_window(begin: Time, end: Time, known: Time) -> Item:
    """Returns a window of the clock: it is known from its begin on, or with what happens at the time that it is
    relative to."""
    return Item("clock", begin, end, known, known)


def sliding(window: Sliding, origin: Time, first: Time, last: Time) -> Iterator[Interval]:
    """Yields the windows that share a point with a time."""
    length = window.range.microseconds
    slide = length if window.slide is None else window.slide.microseconds
    period = checked_period(length, slide, origin)
    begin = origin + -(-(first - length + 1 - origin) // slide) * slide
    for each in range(begin, last + 1, slide):
        yield Interval(each, each + period.length - 1)


def is_moving(window: Window) -> bool:
    """Returns whether a window is relative to the present time."""
    if isinstance(window, Now):
        return True
    return isinstance(window, Between) and NOW in event_references(window.begin) | event_references(window.end)


def between(
    window: Between,
    now: Time | None,
    items: Mapping[str, Item],
    values: Mapping[str, Value],
    evaluator: Evaluator,
    timezone: str,
) -> Item | None:
    times = {name: item.interval for name, item in items.items()}
    if now is not None:
        times[NOW] = Interval(now, now)
    named = (event_references(window.begin) | event_references(window.end)) - {NOW}
    if any(items[name].is_open for name in named):
        return None
    edges: list[Interval] = []
    for bound in (window.begin, window.end):
        value = evaluator.value(_dated(bound, timezone), values, times)
        if not isinstance(value, Interval):
            return None
        edges.append(value)
    begin, end = edges[0].begin, edges[1].end
    if begin > end:
        return None
    known = max((max(items[name].known, items[name].end_known) for name in named), default=ALWAYS_KNOWN)
    if now is not None:
        known = max(known, now)
    if not named:
        return clock_window(begin, end, begin if now is None else known)
    return Item("timer", begin, end, known, known)


def _dated(expression: Expression, timezone: str) -> Expression:
    """Replaces texts by the times that they are: `["2026-01-01", "2026-02-01"]`."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return _date(expression.value, timezone)
    return expression if isinstance(expression, Call) else rebuild(expression, lambda part: _dated(part, timezone))


@lru_cache(maxsize=100)  # of the text of constraints
def _date(text: str, timezone: str) -> DateTime:
    return DateTime((text,), parse_datetime(text, timezone))


#: A time: one of these, each of which is in all of several items.
Times = tuple[tuple[Item, ...], ...]


def times_of(time: ValidityTime | None, items: Mapping[str, Item]) -> Times:
    """Returns the time in which a literal is evaluated (E-28); without one all of time."""
    match time:
        case None:
            return ((Item("always", MIN_TIME, MAX_TIME, ALWAYS_KNOWN, ALWAYS_KNOWN),),)
        case EventReference():
            return ((items[time.identifier],),)
        case Combination():
            return _combined(time, [items[each.identifier] for each in time.identifiers])
        case _:
            assert_never(time)


def _combined(combination: Combination, items: Sequence[Item]) -> Times:
    match combination.operator:
        case "intersection":
            begin, end = common(items)
            if combination.of_modules and begin == end and all(each.begin < each.end for each in items):
                return ((*items, Item("moment", begin, end, ALWAYS_KNOWN, ALWAYS_KNOWN)),)
            if begin <= end:
                return (tuple(items),)
            at = min(max(i.known, i.end_known) for i in items if i.end < begin)
            return _never(at, items, "unsaid" if combination.of_modules else "never")
        case "union":
            ordered = sorted(items, key=lambda each: each.interval)
            reached = ordered[0].end
            for each in ordered[1:]:
                if each.begin > reached:
                    return _never(max(max(i.known, i.end_known) for i in items), items)
                reached = max(reached, each.end)
            return ((_covering(items),),)
        case "cover-each":
            return tuple((each,) for each in items)
        case "cover-all":
            return ((_covering(items),),)
        case "each" | "any":
            raise AssertionError("`each` and `any` have been eliminated")
        case _:
            assert_never(combination.operator)


def common(items: Sequence[Item]) -> tuple[Time, Time]:
    """Returns the begin and the end of what times have in common; there is nothing if it ends before it begins."""
    return max(each.begin for each in items), min(each.end for each in items)


def _never(at: Time, items: Sequence[Item], kind: ItemKind = "never") -> Times:
    """Returns the time that is none, and since when that is certain."""
    known = max(at, max(each.known for each in items))
    return ((Item(kind, known, known, known, known),),)


def _covering(items: Sequence[Item]) -> Item:
    """Returns the hull of some items; that of states alone is like a state."""
    kind: ItemKind = "state" if all(each.kind == "state" for each in items) else "timer"
    known, end_known = max(each.known for each in items), max(each.end_known for each in items)
    owners = tuple(owner for each in items for owner in each.owners)
    return Item(kind, min(i.begin for i in items), max(i.end for i in items), known, end_known, None, owners)


def lies_in(happening: Happening, times: Times) -> bool:
    """Returns whether an event or a state lies in a time."""
    return any(all(item.contains(happening) for item in items) for items in times)


def noticed(happening: Happening, times: Times) -> Time:
    """Returns when it is certain that what lies in a time does: for a state not before both have begun."""
    known = max(happening.known, begun(times))
    if happening.kind != "state":
        return known
    inside = [items for items in times if all(item.contains(happening) for item in items)]
    return max(known, min(max(item.begin for item in items) for items in inside))


def begun(times: Times) -> Time:
    """Returns when it is known that there is a time, so that something can be said of its content."""
    return max((item.known for items in times for item in items), default=ALWAYS_KNOWN)


def settled(times: Times, stream: Known) -> Time | None:
    """Returns when the content of a time is settled; None if that is not within the recording, or at its edge."""
    found = [begun(times)]
    for items in times:
        passed = _passed(items, stream)
        if passed is None:
            return None
        found.append(passed)
    return max(found)


def _passed(items: Sequence[Item], stream: Known) -> Time | None:
    """Returns when what times have in common has passed: when the first of them has."""
    kinds = {each.kind for each in items}
    if kinds & {"unsaid", "moment"}:
        return None
    if "never" in kinds:
        return max(each.known for each in items)
    bounded = [each for each in items if each.kind != "always"]
    if not bounded:
        return stream.at_end
    begin, end = common(bounded)
    known = over(bounded)
    if known >= OPEN:
        return None
    is_clock = any(each.kind == "clock" and each.end == end for each in bounded)
    return stream.passed(begin, end, known, clock=is_clock)


def over(items: Sequence[Item]) -> Time:
    """Returns when it is certain what lies in all of some times, whatever comes; OPEN if that is not known.

    A state that has not ended when the first of them does is one in which all before lies. A timer on a state has to be
    known to its end.
    """
    _, end = common(items)
    if end >= OPEN:
        return OPEN
    return max(end, *(min(each.end_known, end) if _is_state(each) else each.end_known for each in items))


def _is_state(item: Item) -> bool:
    return item.kind == "state" and item.happening is not None
