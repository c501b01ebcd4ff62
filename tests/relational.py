"""A plain evaluator of the algebra, straight from the definitions of seed 000: whole relations, nothing incremental.

It is the oracle for plans, for the equations of finite differencing, and for temporal preservation. A tuple is a dict
from attribute names to values; an event reference `i.ref` is the event itself. What it shares with the engines are the
matching of patterns, the evaluation of conditions and the construction of terms, so mistakes there do not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from cera.algebra.differencing import DifferenceReference
from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.operators import Relation as RelationOperator
from cera.algebra.plan import Plan, Point
from cera.algebra.schema import MERGED, begin, end, matching, reference
from cera.engines.reference.construction import construct_terms
from cera.engines.reference.entailment import Theory, timer_event, window_events
from cera.engines.reference.enumeration import Match
from cera.model.events.event import Event
from cera.model.matching.matching import match
from cera.model.terms.term import Term, value_key
from cera.model.time.interval import Interval, Time
from cera.rules.rule import BoundedWindow, PeriodicWindow, RelationQuery, RelativeTimer, Window
from cera.testing import seconds

Tuple = dict[str, Any]

#: The attributes whose values say where a tuple came from, and not what it is: see `Relation`.
_FIRST = ".first"


class Relation:
    """A set of tuples. An attribute `j.first` is not part of a tuple, it remembers the first event that a temporal join
    or a gathering has dropped from it, because heads put what they gather in the order of the events."""

    def __init__(self, tuples: Iterable[Tuple] = ()) -> None:
        self._tuples: dict[object, Tuple] = {}
        for row in tuples:
            known = self._tuples.setdefault(identity(row), row)
            if known is not row and _firsts(row) < _firsts(known):
                known.update((name, event) for name, event in row.items() if name.endswith(_FIRST))

    def __iter__(self) -> Iterator[Tuple]:
        return iter(self._tuples.values())

    def __len__(self) -> int:
        return len(self._tuples)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self._tuples.keys() == other._tuples.keys()

    def __repr__(self) -> str:
        return "\n".join(["", *sorted(", ".join(f"{k}={v}" for k, v in sorted(row.items())) for row in self)])


def _firsts(row: Tuple) -> list[Any]:
    """The events that a tuple remembers, as matches are compared: one after the other."""
    return [event.order_key for name, event in row.items() if name.endswith(_FIRST)]


def identity(row: Tuple) -> frozenset[tuple[str, object]]:
    """What makes two tuples the same; True is not 1."""
    return frozenset((name, _key(value)) for name, value in row.items() if not name.endswith(_FIRST))


def _key(value: Any) -> object:
    return value if value is None or isinstance(value, Event) else value_key(value)


def stream_tuple(event: Event) -> Tuple:
    """An event as a tuple of a stream; the id that its source gave it is a part of it."""
    row: Tuple = {"begin": event.begin, "end": event.end, "term": event.term}
    return row if event.qualifier is None else {**row, "id": event.qualifier}


def event_of(row: Tuple) -> Event:
    return Event(row["term"], Interval(row["begin"], row["end"]), row.get("id"))


def last_end(row: Tuple) -> Time:
    """END of a tuple: the greatest of its ends (Def. 0.5, over the time attributes: ERR-10)."""
    return max(value for name, value in row.items() if name == "end" or name.endswith(".end"))


def occurrence_time(row: Tuple) -> Interval:
    return Interval(min(v for name, v in row.items() if name == "begin" or name.endswith(".begin")), last_end(row))


@dataclass(frozen=True)
class World:
    """What expressions are evaluated in: the stream E, the materialization points so far, and what timers need.

    With `until`, the streams hold what has ended by then, timers included. `now` is the time of Δ and ∘.
    """

    events: tuple[Event, ...]
    theory: Theory
    points: Mapping[str, Relation] = field(default_factory=dict)
    until: Time | None = None
    now: Time | None = None

    def evaluate(self, expression: Expression) -> Relation:
        return Relation(self._tuples(expression))

    def derived(self, plan: Plan) -> dict[str, Relation]:
        """The relation of every point of a plan, one after the other, and of those on a cycle until nothing changes."""
        points: dict[str, Relation] = dict(self.points)
        done: set[str] = set()
        for point in plan.points:
            if point.name in done:
                continue
            cycle = plan.cycle(point.name)
            if not cycle:
                points[point.name] = replace(self, points=points).evaluate(point.expression)
            else:
                points.update(self._cycle(cycle, points))
                done.update(each.name for each in cycle)
        return points

    def _cycle(self, cycle: Sequence[Point], below: Mapping[str, Relation]) -> dict[str, Relation]:
        found = {point.name: Relation() for point in cycle}
        while True:
            world = replace(self, points={**below, **found})
            new = {point.name: world.evaluate(point.expression) for point in cycle}
            if new == found:
                return found
            found = new

    def _tuples(self, expression: Expression) -> Iterator[Tuple]:
        match expression:
            case Stream():
                yield from (stream_tuple(e) for e in self.events if self.until is None or e.end <= self.until)
            case DifferenceReference():
                yield from self._part(expression, self.evaluate(expression.of))
            case Reference():
                yield from self.points[expression.name]
            case Matching():
                yield from self._matching(expression)
            case AbsoluteTimers():
                yield from self._absolute_timers(expression)
            case RelativeTimers():
                anchors = {event_of(row) for row in self.evaluate(expression.source)}
                yield from self._relative_timers(expression, anchors)
            case PeriodicWindows() | BoundedWindows():
                raise AssertionError("windows are made with what they are over")
            case Join(right=RelationOperator() as rows):
                yield from self._lookup(self.evaluate(expression.left), rows)
            case RelationOperator():
                raise AssertionError("a relation stands to the right of a join")
            case Join():
                yield from self._join(expression)
            case Selection():
                for row in self.evaluate(expression.input):
                    if self._holds(expression.condition, row):
                        yield row
            case Projection():
                hidden = expression.input.schema.data - expression.attributes
                for row in self.evaluate(expression.input):
                    yield {name: value for name, value in row.items() if name not in hidden}
            case TemporalJoin():
                yield from self._temporal_join(expression)
            case AntiSemiJoin():
                right = self.evaluate(expression.right)
                for row in self.evaluate(expression.left):
                    if not any(self._inside(expression, row, other) for other in right):
                        yield row
            case Gathering():
                yield from (_gathered(row, expression) for row in self.evaluate(expression.input))
            case Merging():
                yield from (_merged(row, expression) for row in self.evaluate(expression.input))
            case Renaming():
                names = _renaming(expression)
                for row in self.evaluate(expression.input):
                    yield {names.get(name, name): value for name, value in row.items()}
            case Construction():
                yield from self._construction(expression)
            case Union():
                for part in expression.inputs:
                    yield from self.evaluate(part)
            case _:
                assert_never(expression)

    def _matching(self, expression: Matching) -> Iterator[Tuple]:
        for event in map(event_of, self.evaluate(expression.source)):
            for answer in match(expression.pattern, event.term):
                yield {**answer, **_times(expression.identifier, event)}

    def _absolute_timers(self, expression: AbsoluteTimers) -> Iterator[Tuple]:
        for event in self.theory.timer_events(expression.timer):
            if self.until is None or event.end <= self.until:
                for answer in match(expression.timer.pattern, event.term):
                    yield {**answer, **_times(expression.identifier, event)}

    def _relative_timers(self, timers: RelativeTimers, anchors: Iterable[Event]) -> Iterator[Tuple]:
        timer = RelativeTimer(timers.identifier, timers.kind, timers.anchor, timers.duration)
        for anchor in anchors:
            event = timer_event(timer, anchor)
            if event is not None and (self.until is None or event.end <= self.until):
                yield {**_times(timers.identifier, event), reference(timers.anchor): anchor}

    def _windows(
        self, windows: PeriodicWindows | BoundedWindows, around: Iterable[tuple[Event, ...]]
    ) -> Iterator[Tuple]:
        window: Window
        if isinstance(windows, BoundedWindows):
            window = BoundedWindow(windows.identifier, windows.bounds)
        else:
            window = PeriodicWindow(windows.identifier, *windows.period, windows.over)
        for events in around:
            inside = dict(zip(windows.over, events, strict=True))
            for event in window_events(window, inside):
                if self.until is None or event.end <= self.until:
                    yield {**_times(window.identifier, event), **{reference(name): inside[name] for name in inside}}

    def _part(self, leaf: DifferenceReference, tuples: Iterable[Tuple]) -> Iterator[Tuple]:
        """ΔR or ∘R: known now or before; a timer not before its anchor (ERR-08), nor a window before its events."""
        assert self.now is not None
        for row in tuples:
            known = last_end(row)
            if isinstance(leaf.of, RelativeTimers | PeriodicWindows | BoundedWindows):
                known = max((known, *(event.end for event in trace_of(row).values())))
            if known == self.now if leaf.part == "Δ" else known < self.now:
                yield row

    def _join(self, join: Join) -> Iterator[Tuple]:
        left, right = self.evaluate(join.left), join.right
        others: Iterable[Tuple]
        leaf = right.of if isinstance(right, DifferenceReference) else right
        if isinstance(leaf, RelativeTimers):  # a timer is made with its anchor, whatever that is (ERR-08, ERR-17)
            others = self._relative_timers(leaf, {row[reference(leaf.anchor)] for row in left})
        elif isinstance(leaf, PeriodicWindows | BoundedWindows):
            others = self._windows(leaf, {tuple(row[reference(name)] for name in leaf.over) for row in left})
        else:
            others = self.evaluate(right)
        if isinstance(right, DifferenceReference) and isinstance(
            leaf, RelativeTimers | PeriodicWindows | BoundedWindows
        ):
            others = self._part(right, others)
        for other in list(others):
            yield from ({**row, **other} for row in left if _agree(row, other))

    def _lookup(self, left: Relation, rows: RelationOperator) -> Iterator[Tuple]:
        """The rows that are valid at the last end of some events, or all if it does not depend on these."""
        query = RelationQuery(rows.identifier, rows.pattern)
        for row in left:
            at = max((row[end(name)] for name in rows.at), default=0)
            answers = self.theory.rows(query, at)
            yield from ({**row, **answer} for answer in answers if _agree(row, answer))

    def _temporal_join(self, operator: TemporalJoin) -> Iterator[Tuple]:
        dropped = {begin(operator.element), end(operator.element), reference(operator.element)}
        collected = matching(operator.element) if operator.counted else f"{operator.element}{_FIRST}"
        right = self.evaluate(operator.right)
        for row in self.evaluate(operator.left):
            for other in right:
                if self._inside(operator, row, other):
                    kept = {name: value for name, value in other.items() if name not in dropped}
                    yield {**row, **kept, collected: other[reference(operator.element)]}

    def _inside(self, operator: TemporalJoin | AntiSemiJoin, row: Tuple, other: Tuple) -> bool:
        """Whether a tuple of the right side lies in the window of one of the left and agrees with it."""
        window, element = operator.window, operator.element
        return (
            _agree(row, other)
            and row[begin(window)] <= other[begin(element)]
            and other[end(element)] <= row[end(window)]
            and all(row[reference(i)] != other[reference(element)] for i in operator.excluded)
            and all(self._holds(condition, {**other, **row}) for condition in operator.condition)
        )

    def _holds(self, condition: Any, row: Tuple) -> bool:
        return self.theory.evaluator.holds(condition, values_of(row), times_of(row))

    def _construction(self, construction: Construction) -> Iterator[Tuple]:
        groups: dict[object, list[Match]] = {}
        intervals: dict[object, Interval] = {}
        branches = construction.input.inputs if isinstance(construction.input, Union) else (construction.input,)
        for row in (row for branch in branches for row in self.evaluate(branch)):  # what each matches counts (ERR-07)
            trace = {name: row[reference(i)] for name, i in construction.causes if reference(i) in row}
            key = frozenset(trace.items())
            intervals[key] = Interval(row["end" if construction.momentary else "begin"], row["end"])
            groups.setdefault(key, []).append(Match(trace, collected_of(row), values_of(row), intervals[key]))
        recipient = construction.recipient.qualifier if construction.recipient else None
        for key, matches in groups.items():
            for term, _ in construct_terms(construction.head, matches, self.theory):
                yield stream_tuple(Event(term, intervals[key], recipient))


def values_of(row: Tuple) -> dict[str, Any]:
    """σ of a tuple: its data attributes, which hold no dot."""
    return {n: v for n, v in row.items() if "." not in n and n not in ("begin", "end", "term", "id")}


def times_of(row: Tuple) -> dict[str, Interval]:
    names = [name.removesuffix(".begin") for name in row if name.endswith(".begin")]
    return {name: Interval(row[begin(name)], row[end(name)]) for name in names}


def trace_of(row: Tuple) -> dict[str, Event]:
    """τ of a tuple: its event references."""
    return {name.removesuffix(".ref"): event for name, event in row.items() if name.endswith(".ref")}


def collected_of(row: Tuple) -> tuple[Event, ...]:
    """The events that were gathered, then those that temporal joins have dropped, in the order of the joins."""
    return tuple(event for name, event in row.items() if name.endswith((".match", _FIRST)))


def _times(identifier: str, event: Event) -> Tuple:
    return {begin(identifier): event.begin, end(identifier): event.end, reference(identifier): event}


def _agree(row: Tuple, other: Tuple) -> bool:
    return all(_key(row[name]) == _key(other[name]) for name in row.keys() & other.keys())


def _gathered(row: Tuple, gathering: Gathering) -> Tuple:
    """The tuple with the times and references of some identifiers as matches, which stand before older ones."""
    names = [name for i in gathering.identifiers | gathering.dropped for name in (begin(i), end(i), reference(i))]
    rest = {name: value for name, value in row.items() if name not in names}
    older = {name: rest.pop(name) for name in [*rest] if name.endswith((".match", _FIRST))}
    made = matching if gathering.counted else (lambda match: f"{match}{_FIRST}")
    return {**rest, **{made(match): row[reference(i)] for match, i in gathering.pairs}, **older}


def _merged(row: Tuple, merging: Merging) -> Tuple:
    begins, ends = [begin(i) for i in merging.identifiers], [end(i) for i in merging.identifiers]
    rest = {name: value for name, value in row.items() if name not in {*begins, *ends}}
    return {**rest, begin(MERGED): min(row[b] for b in begins), end(MERGED): max(row[e] for e in ends)}


def _renaming(renaming: Renaming) -> dict[str, str]:
    names = {old: new for new, old in renaming.variables}
    for new, old in renaming.identifiers:
        names |= {begin(old): begin(new), end(old): end(new), reference(old): reference(new)}
    return names


def fact(**attributes: Any) -> Tuple:
    """A tuple written by hand, in seconds: `fact(i=(10, 70), S="s")` has i.begin, i.end, i.ref and S."""
    row: Tuple = {}
    for name, value in attributes.items():
        row |= _times(name, happening(name, *value)) if isinstance(value, tuple) else {name: value}
    return row


def happening(name: str, first: float, last: float) -> Event:
    """The event that `fact` takes for an identifier."""
    return Event(Term(name), Interval(seconds(first), seconds(last)))
