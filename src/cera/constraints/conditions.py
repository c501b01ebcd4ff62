"""Whether conditions hold, and since when that is certain (seed 002, 7.5.3 to 7.5.5, corrected).

A condition that cannot be decided is None: it names the end of a state that has not ended, or a place that nobody
knows. A comparison of values that has no result does not hold, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import assert_never

from cera.constraints.locations import Location, distance, lies
from cera.constraints.queries import (
    AllQuantities,
    AnyQuantity,
    Apart,
    Condition,
    Directed,
    Gap,
    GapContent,
    Literal,
    Quantities,
    Quantity,
    SentFrom,
    Spread,
)
from cera.constraints.specification import Amount, Length, Limit, admits
from cera.constraints.stream import Happening, Known, Values
from cera.constraints.times import ALWAYS_KNOWN, Item, Times
from cera.model.evaluation.evaluator import Evaluator, compare
from cera.model.expressions.expression import (
    Call,
    Comparison,
    ComparisonOperator,
    EventReference,
    Expression,
    Temporal,
    Variable,
    operands,
)
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import Interval, Time

#: What counts events or states in a time: from a literal and the values of variables.
Counter = Callable[[Literal, Values, Times], Sequence[Happening]]


@dataclass(frozen=True)
class Truth:
    """Whether something holds, None if that cannot be said, and since when it is certain."""

    holds: bool | None
    at: Time = ALWAYS_KNOWN


UNKNOWN = Truth(None)


@dataclass
class Conditions:
    """The truth of conditions over a stream."""

    stream: Known
    evaluator: Evaluator
    counter: Counter

    def truth(self, condition: Condition, values: Values, items: Mapping[str, Item]) -> Truth:
        match condition:
            case Comparison():
                return self._comparison(condition, values, items)
            case Temporal():
                return _related(condition, items)
            case Spread():
                found = [items[each.identifier] for each in condition.identifiers]
                if any(each.is_open for each in found):
                    return UNKNOWN
                hull = Distance(min(each.begin for each in found), max(each.end for each in found))
                return Truth(admits(condition.duration, lambda limit: _long(hull, limit)), _known(found))
            case Gap():
                return self._gap(condition, items)
            case GapContent():
                return self._gap_content(condition, values, items)
            case Directed():
                pair = self._located([condition.left, condition.right], items)
                found_way = None if pair is None else lies(condition.direction, pair[0], pair[1])
                at = _known([items[condition.left.identifier], items[condition.right.identifier]])
                return UNKNOWN if found_way is None else Truth(found_way, at)
            case SentFrom():
                return self._sent_from(condition, items)
            case Apart():
                return self._apart(condition, items)
            case _:
                assert_never(condition)

    def _comparison(self, condition: Comparison, values: Values, items: Mapping[str, Item]) -> Truth:
        at = ALWAYS_KNOWN
        for name, end in named_edges(condition):
            if end and items[name].is_open:
                return UNKNOWN
            at = max(at, items[name].known, items[name].end_known if end else ALWAYS_KNOWN)
        times = {name: item.interval for name, item in items.items()}
        return Truth(self.evaluator.holds(condition, values, times), at)

    # Neighbours

    def _gap(self, condition: Gap, items: Mapping[str, Item]) -> Truth:
        found = [items[each.identifier] for each in condition.identifiers]
        if any(each.is_open for each in found):
            return UNKNOWN
        gaps = [Distance(*gap) for gap in neighbours(found)]

        def holds(limit: Limit) -> bool:
            return all(_long(gap, limit) for gap in gaps)

        return Truth(admits(condition.duration, holds), _known(found))

    def _gap_content(self, condition: GapContent, values: Values, items: Mapping[str, Item]) -> Truth:
        found = [items[each.identifier] for each in condition.identifiers]
        if any(each.is_open for each in found):
            return UNKNOWN
        at = known = _known(found)
        owners = tuple(owner for each in found for owner in each.owners)
        gaps: list[Times] = []
        for begin, end in neighbours(found, overlapping=False):
            gaps.append(((Item("timer", begin, end, known, known, None, owners),),))
            at = max(at, end)
        overlaps = len(neighbours(found)) - len(gaps)

        def holds(quantities: Quantities) -> bool:
            match quantities:
                case Quantity():
                    counts = [len(self.counter(quantities.literal, values, gap)) for gap in gaps]
                    counts += [0] * overlaps
                    return admits(quantities.count, lambda limit: all(_counts(limit, n, values) for n in counts))
                case AllQuantities():
                    return all(map(holds, quantities.parts))
                case AnyQuantity():
                    return any(map(holds, quantities.parts))
                case _:
                    assert_never(quantities)

        return Truth(holds(condition.quantities), at)

    # Places

    def _located(self, identifiers: Sequence[EventReference], items: Mapping[str, Item]) -> list[Location] | None:
        """Returns the places of some events; None if one of them is not known."""
        found: list[Location] = []
        for each in identifiers:
            happening = items[each.identifier].happening
            name = None if happening is None else self.stream.locations.name_of(happening.term)
            place = self.stream.locations.find(name)
            if place is None:
                return None
            found.append(place)
        return found

    def _sent_from(self, condition: SentFrom, items: Mapping[str, Item]) -> Truth:
        places = self._located(condition.identifiers, items)
        at = _known([items[each.identifier] for each in condition.identifiers])
        if places is None:
            return UNKNOWN
        if condition.relation == "named":
            within = [self.stream.locations.lies_in(each, condition.place) for each in places]
            if False in within:
                return Truth(False, at)
            return UNKNOWN if None in within else Truth(True, at)
        named = [each.room if condition.place == "room" else each.area for each in places]
        known = [each for each in named if each is not None]
        if len(known) < len(named):
            return UNKNOWN
        if condition.relation == "same":
            return Truth(len(set(known)) == 1, at)
        pairs = combinations(known, 2)
        return Truth(all(self.stream.locations.are_neighbours(condition.place, *pair) for pair in pairs), at)

    def _apart(self, condition: Apart, items: Mapping[str, Item]) -> Truth:
        """Returns whether any two lie so far apart; a place is not compared with itself (ERR-68)."""
        places = self._located(condition.identifiers, items)
        if places is None:
            return UNKNOWN
        distances: list[int] = []
        for first, second in combinations(places, 2):
            found = distance(first, second)
            if found is None:
                return UNKNOWN
            distances.append(found)

        def holds(limit: Limit) -> bool:
            assert isinstance(limit.amount, Length)
            wanted = limit.amount.millimetres
            return all(_compared(limit.operator, each, wanted) for each in distances)

        at = _known([items[each.identifier] for each in condition.identifiers])
        return Truth(admits(condition.distance, holds), at)


def _known(items: Sequence[Item]) -> Time:
    return max(max(each.known, each.end_known) for each in items)


def _related(condition: Temporal, items: Mapping[str, Item]) -> Truth:
    """Returns whether one of Allen's relations holds; the end of a state is exclusive (ERR-52)."""
    assert isinstance(condition.left, EventReference)
    assert isinstance(condition.right, EventReference)
    left, right = items[condition.left.identifier], items[condition.right.identifier]
    relation = condition.relation
    if relation in ("before", "after"):
        first, second = (left, right) if relation == "before" else (right, left)
        if first.is_open:
            return UNKNOWN
        at = max(first.end_known, second.known)
        return Truth(first.end <= second.begin if first.kind == "state" else first.end < second.begin, at)
    if left.is_open or right.is_open:
        return UNKNOWN
    return Truth(RELATIONS[relation](left.interval, right.interval), _known([left, right]))


def named_edges(expression: Expression) -> Iterator[tuple[str, bool]]:
    """Yields the identifiers whose time an expression names, and whether that is, or may be, the end."""
    match expression:
        case Call(function="begin", arguments=(EventReference() as event,)):
            yield event.identifier, False
        case EventReference():
            yield expression.identifier, True
        case _:
            for each in operands(expression):
                yield from named_edges(each)


def _long(gap: Distance, limit: Limit) -> bool:
    assert isinstance(limit.amount, Duration)
    return compare(limit.operator, gap, limit.amount) is True


def _compared(operator: ComparisonOperator, left: int, right: int) -> bool:
    return compare(operator, left, right) is True


def neighbours(items: Sequence[Item], *, overlapping: bool = True) -> list[Interval]:
    """Returns the times between neighbours: those of which one begins when or after the other has ended, with none of
    the others between (ERR-60). Of two that overlap it is no time at all.

    Which of several that begin and end at one point comes first is decided by their order.
    """
    ordered = sorted(range(len(items)), key=lambda index: (items[index].begin, items[index].end, index))
    found: list[Interval] = []
    for place, x in enumerate(ordered):
        for y in ordered[place + 1 :]:
            first, second = items[x], items[y]
            if first.end > second.begin:
                found += [Interval(second.begin, second.begin)] if overlapping else []
                continue
            between = (items[z] for z in ordered[place + 1 : ordered.index(y)])
            if not any(first.end <= each.begin and each.end <= second.begin for each in between):
                found.append(Interval(first.end, second.begin))
    return found


def _counts(limit: Limit, number: int, values: Values) -> bool:
    wanted = whole_number(limit.amount, values)
    return wanted is not None and _compared(limit.operator, number, wanted)


def whole_number(amount: Amount, values: Values) -> int | None:
    """Returns the number that an amount of a cardinality is; None if it is a variable without a whole number."""
    value = values.get(amount.name) if isinstance(amount, Variable) else amount
    return value if isinstance(value, int) and not isinstance(value, bool) else None
