"""The bodies of clauses over a stream: under which substitutions they hold, and since when that is certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

from cera.constraints.binding import Binding, Plan, plan
from cera.constraints.clause import DerivedPredicate
from cera.constraints.conditions import Conditions, whole_number
from cera.constraints.derived import derived_happening, merged
from cera.constraints.groups import counting_variable
from cera.constraints.names import atom_variables
from cera.constraints.numbers import NO_NUMBER, CountSet, counts
from cera.constraints.queries import HullLiteral, Literal, Membership, Part, TimerLiteral, WindowLiteral
from cera.constraints.specification import SOME, Specification, changed, variables
from cera.constraints.stream import Happening, Known, Values
from cera.constraints.times import (
    ALWAYS_KNOWN,
    Item,
    Times,
    begun,
    hull_of,
    item_of,
    lies_in,
    noticed,
    settled,
    timer_of,
    times_of,
    windows_of,
)
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import Variable
from cera.model.terms.term import Value, value_key
from cera.model.time.interval import Time

#: The numbers of a cardinality without variables; the same ones are asked for again and again.
_fixed = lru_cache(maxsize=1_000)(counts)


@dataclass
class Bodies:
    """The evaluation of conjunctions over a stream: the substitutions under which they hold."""

    stream: Known
    evaluator: Evaluator
    origin: Time = 0
    local: dict[str, list[Happening]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.conditions = Conditions(self.stream, self.evaluator, self._counted_in)
        #: The time at which rows of relations are counted.
        self._now = self.stream.begin

    # Local definitions

    def derive(self, definitions: Iterable[DerivedPredicate]) -> None:
        """Adds what local definitions derive, each after those that it needs."""
        for definition in definitions:
            bindings = [each for body in definition.bodies for each in self.bindings(plan(body), Binding())]
            found = [derived_happening(definition.head, each) for each in sorted(bindings, key=attrgetter("at"))]
            happenings = merged(each for each in found if each is not None)
            known = self.local.setdefault(definition.head.atom.label, [])
            known += sorted(happenings, key=attrgetter("order"))

    # Bodies

    def bindings(self, plan: Plan, binding: Binding) -> Iterator[Binding]:
        """Yields the substitutions under which all parts hold, with the time at which that is certain."""
        if not plan.parts:
            yield binding
            return
        part, rest = plan.parts[0], Plan(plan.parts[1:])
        for found in self.extended(part, binding):
            yield from self.bindings(rest, found)

    def extended(self, part: Part, binding: Binding) -> Iterator[Binding]:
        """Yields the substitutions under which one more part holds."""
        match part:
            case Literal(kind="relation", count=None):
                now = max(binding.at, self.stream.begin)
                for _, values in self.stream.candidates(part, binding.values, self.local, now):
                    yield binding.extended(values)
            case Literal(count=None):
                times = times_of(part.time, binding.items)
                for happening, values in self.stream.candidates(part, binding.values, self.local, binding.at):
                    if self.lies_in(happening, times):
                        at = noticed(happening, times)
                        yield binding.extended(values, part.identifier, item_of(happening), at)
            case Literal():
                yield from self._counted_bindings(part, binding)
            case Membership():
                member = self.member(part, binding)
                if member.holds:
                    yield binding.extended({}, at=member.at)
            case TimerLiteral() | HullLiteral():
                item = self.interval(part, binding)
                if item is not None:
                    yield binding.extended({}, part.identifier, item, item.known)
            case WindowLiteral():
                windows = windows_of(part, binding.items, binding.values, self.stream, self.evaluator, self.origin)
                for item in windows:
                    yield binding.extended({}, part.identifier, item, item.known)
            case _:
                truth = self.conditions.truth(part, binding.values, binding.items)
                if truth.holds:
                    yield binding.extended({}, at=truth.at)

    def interval(self, part: TimerLiteral | HullLiteral, binding: Binding) -> Item | None:
        if isinstance(part, HullLiteral):
            return hull_of(part, binding.items)
        assert not isinstance(part.anchor, Literal)
        return timer_of(part, binding.items[part.anchor.identifier])

    def _counted_bindings(self, part: Literal, binding: Binding) -> Iterator[Binding]:
        """Yields the groups whose count a body admits, with the values of their variables."""
        times = times_of(part.time, binding.items)
        free = counting_variable(part) - binding.values.keys()
        for values, found in self.groups(part, binding, times):
            together = {**binding.values, **values}
            if free:
                values = {**values, next(iter(free)): len(found)}
                together |= values
                at = self.settled(part, times)
            else:
                at = self._confirmed(part, together, found, times)
            if at is None:
                continue
            grouped = binding.extended(values, at=at)
            if part.identifier is None:
                seen = [each for each in found if noticed(each, times) <= at]
                yield grouped.counted(seen, self._enough(part, together, found))
            else:
                for each in found:
                    yield grouped.extended({}, part.identifier, item_of(each), noticed(each, times))

    def lies_in(self, happening: Happening, times: Times) -> bool:
        """Returns whether an event or a state lies in a time. One that is derived only when the time has passed does
        not."""
        if not lies_in(happening, times):
            return False
        if happening.since <= (happening.begin if happening.kind == "state" else happening.end):
            return True
        passed = settled(times, self.stream)
        return passed is None or noticed(happening, times) <= passed

    # Counts

    def _counted_in(self, literal: Literal, values: Values, times: Times) -> list[Happening]:
        """Returns the events or states that a literal finds in a time, each once, in the order in which that is
        certain."""
        found = {
            id(one): one
            for one, _ in self.stream.candidates(literal, values, self.local, self._now)
            if self.lies_in(one, times)
        }
        return in_order(found.values(), times)

    def settled(self, part: Literal, times: Times) -> Time | None:
        """Returns when what a literal finds is settled; a relation does not change."""
        return ALWAYS_KNOWN if part.kind == "relation" else settled(times, self.stream)

    def groups(self, part: Literal, binding: Binding, times: Times) -> list[tuple[dict[str, Value], list[Happening]]]:
        """Returns the groups of a counted literal with their members: those that occur, and if all the variables of the
        groups have values the one that these make, be it empty (ERR-55)."""
        self._now = max(binding.at, self.stream.begin)
        unbound = [name for name in part.group_by or () if name not in binding.values]
        if not unbound:
            names = atom_variables(part.atom)
            known = {name: value for name, value in binding.values.items() if name in names}
            return [({}, self._counted_in(part, known, times))]
        found: dict[object, tuple[dict[str, Value], dict[int, Happening]]] = {}
        for happening, values in self.stream.candidates(part, binding.values, self.local, self._now):
            if self.lies_in(happening, times):
                group = {name: values[name] for name in unbound if name in values}
                key = tuple(value_key(group[name]) if name in group else None for name in unbound)
                found.setdefault(key, (group, {}))[1][id(happening)] = happening
        return [(group, in_order(members.values(), times)) for group, members in found.values()]

    def numbers(self, count: Specification | None, values: Values) -> CountSet:
        """Returns the numbers that a cardinality admits; none if a variable in it is not a whole number."""
        count = SOME if count is None else count
        fixed = _fixed(count)
        if fixed is not None:
            return fixed
        if any(whole_number(Variable(name), values) is None for name in variables(count)):
            return NO_NUMBER
        found = counts(changed(count, lambda amount: whole_number(amount, values) or 0))
        assert found is not None
        return found

    def _confirmed(self, part: Literal, values: Values, members: Sequence[Happening], times: Times) -> Time | None:
        """Returns since when it is certain that a count holds; None if it does not, or nothing is certain."""
        if len(members) not in self.numbers(part.count, values):
            return None
        enough = self._enough(part, values, members)
        if enough is None:
            return self.settled(part, times)
        return begun(times) if enough == 0 else noticed(members[enough - 1], times)

    def _enough(self, part: Literal, values: Values, members: Sequence[Happening]) -> int | None:
        """Returns how many are enough for a count to hold, whatever else there is; None if it depends on that."""
        numbers = self.numbers(part.count, values)
        return next((n for n in range(len(members) + 1) if numbers.has_all_from(n)), None)

    def member(self, part: Membership, binding: Binding) -> Member:
        """Returns whether something lies in a time, as a count of one or none."""
        times = times_of(part.time, binding.items)
        item = binding.items[part.identifier.identifier]
        if any(each.kind == "unsaid" for items in times for each in items):
            return Member(None, begun(times))
        if item.happening is None:
            inside, at = _covered(item, times)
        else:
            inside, at = _included(item, item.happening, times)
        holds = int(inside) in self.numbers(part.count, binding.values)
        return Member(holds, max(item.known, begun(times), at))


@dataclass(frozen=True)
class Member:
    """Whether something lies in a time, None if nothing is said of that, and since when that is certain."""

    holds: bool | None
    at: Time


def in_order(members: Iterable[Happening], times: Times) -> list[Happening]:
    """Returns what lies in a time in the order in which that is certain, and then in that of causes."""
    return sorted(members, key=lambda each: (noticed(each, times), *each.rank))


def _included(item: Item, happening: Happening, times: Times) -> tuple[bool, Time]:
    """Returns whether an event or a state lies in a time, and when that is certain: that a state does not, when it has
    ended, unless it begins behind the time."""
    if lies_in(happening, times):
        return True, noticed(happening, times)
    behind = all(any(each.end < item.begin for each in items) for items in times)
    return False, ALWAYS_KNOWN if happening.kind != "state" or behind else item.end_known


def _covered(item: Item, times: Times) -> tuple[bool, Time]:
    """Returns whether a timer or a window lies in a time, and when that is certain: in a state when it has passed."""
    failing: list[Time] = []
    for items in times:
        if all(_covers(each, item) for each in items):
            return True, max([item.end_known, *(min(each.end_known, item.end) for each in items)])
        ends = (each.known if each.begin > item.begin else each.end_known for each in items if not _covers(each, item))
        failing.append(min(ends))
    return False, max(failing)


def _covers(time: Item, item: Item) -> bool:
    return time.kind == "always" or (time.kind not in ("never", "unsaid") and time.interval.contains(item.interval))
