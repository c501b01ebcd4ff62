"""A branch of a rule while the body of a clause, and what refutes its head, are added to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count

from cera.constraints.binding import is_written
from cera.constraints.names import ANONYMOUS
from cera.constraints.queries import Combination, GapContent, Literal, Quantity, ValidityTime
from cera.constraints.reports import numbered
from cera.constraints.translation.bounded_times import bounded_window, point
from cera.constraints.translation.conditions import between
from cera.constraints.translation.places import (
    NotByRulesError,
    Place,
    clock_place,
    covering,
    event_place,
    state_place,
)
from cera.model.expressions.atoms import Atom, pattern_of
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import (
    Comparison,
    Different,
    EventReference,
    Expression,
)
from cera.model.expressions.expression import (
    Literal as Constant,
)
from cera.model.matching.patterns import TermPattern
from cera.model.time.interval import Time
from cera.rules.branch_building import BranchParts, Names
from cera.rules.containment_conditions import events_inside, state_in_state, state_in_window
from cera.rules.rule import Accumulation, Branch, EventQuery, PeriodicWindow, RelationQuery
from cera.rules.states import StateQuery, in_state, is_another, opening_query

#: Why a time is not one of which rules wait for the end.
_NOT_AWAITED = {
    "always": "what happens in all of time is counted from below, which is judged at the end of a recording",
    "clock": "what happens in a window of the clock is counted from below, if that lies in the recording as a whole",
    "early": "what happens before something is counted from below, if that is not before the recording",
    "hull": "what happens in the hull of several events is counted from below",
}
ALWAYS = Place("always", "", Constant(0), Constant(0))


@dataclass
class Clock:
    """Windows of the clock that an identifier stands for, and the events that have to lie in one of them."""

    length: int
    slide: int
    over: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Setting:
    """What a module says of all its clauses: where windows of the clock begin, from when on the stream is complete, if
    that was said, and the zone of times without an offset."""

    origin: Time = 0
    since: Time | None = None
    timezone: str = "UTC"


@dataclass
class ClauseBranch:
    """The literals of a clause as parts of a branch, with the times that its identifiers stand for."""

    names: Names
    setting: Setting
    parts: BranchParts = field(default_factory=BranchParts)
    places: dict[str, Place] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    clocks: dict[str, Clock] = field(default_factory=dict)
    #: The variables that have a value.
    bound: set[str] = field(default_factory=set)
    #: The identifiers of the events and states at fault, each with its label: those of the text, and others.
    named: dict[str, str] = field(default_factory=dict)
    unnamed: dict[str, str] = field(default_factory=dict)
    _unnamed: Iterator[int] = field(default_factory=count)

    def copied(self) -> ClauseBranch:
        """Returns a branch to which more can be added than to this one."""
        return deepcopy(self)

    def branch(self, head: Construct) -> Branch:
        """Returns the branch. Raises NotByRulesError if no event lies in a window that the clause speaks of."""
        parts = self.copied().parts
        for name, clock in self.clocks.items():
            if not clock.over:
                raise NotByRulesError("no event has to lie in a window of the clock")
            window = (clock.length, clock.slide, self.setting.origin, tuple(clock.over))
            parts.windows.append(PeriodicWindow(name, *window, anonymous=True, auxiliary=True))
        return parts.branch(head)

    # Names

    def _value(self, shared: frozenset[str] | None, name: str) -> str:
        """Returns the name of a variable in the branch; those that are not shared are those of one literal."""
        if name == ANONYMOUS or (shared is not None and name not in shared):
            return f"_{'' if name == ANONYMOUS else name}#{next(self._unnamed)}"
        return name

    def pattern(self, atom: Atom, shared: frozenset[str] | None = None) -> TermPattern:
        return pattern_of(atom, lambda name: self._value(shared, name))

    # Literals

    def add(self, literal: Literal, *, shared: frozenset[str] | None = None, at_fault: bool = True) -> str:
        """Adds a literal that needs one event or state in its time; returns its identifier."""
        anonymous = literal.identifier is None or shared is not None
        label = literal.atom.label
        name = self.names.fresh(label) if literal.identifier is None or anonymous else literal.identifier.identifier
        pattern = self.pattern(literal.atom, shared)
        if literal.kind == "relation":
            self.parts.relations.append(RelationQuery(name, pattern, anonymous, literal.span))
            return name
        if literal.kind == "state":
            self.parts.states.append(StateQuery(name, pattern, anonymous, literal.span))
            self.places[name] = state_place(name)
        else:
            self.parts.events.append(EventQuery(name, pattern, anonymous, literal.span))
            self.places[name] = event_place(name)
        self.labels[name] = label
        if at_fault:
            is_named = is_written(literal.identifier) and not anonymous
            (self.named if is_named else self.unnamed)[name] = label
        for place in self.times(literal.time):
            self.parts.conditions += self.inside(name, place)
        return name

    def causes(self) -> Iterator[tuple[str, str]]:
        """Yields the names of the events at fault, as `cera.constraints.reports` gives them, with their identifiers."""
        taken = dict(self.named)
        yield from ((name, name) for name in self.named)
        for identifier, label in self.unnamed.items():
            name = numbered(label, taken)
            taken[name] = label
            yield name, identifier

    def times(self, time: ValidityTime | None) -> list[Place]:
        """Returns the times that something has to lie in all of. Raises NotByRulesError."""
        match time:
            case None:
                return [ALWAYS]
            case Combination(operator="intersection"):
                return [self.places[each.identifier] for each in time.identifiers]
            case Combination(operator="cover-all"):
                return [covering("", [self.places[each.identifier] for each in time.identifiers])]
            case Combination():
                raise NotByRulesError(f"a literal is evaluated in {time.operator}{{…}}")
            case _:
                return [self.places[time.identifier]]

    def inside(self, name: str, place: Place) -> Iterator[Expression]:
        """Yields the conditions by which an event or a state of the branch lies in a time."""
        if place.kind == "always":
            return
        lasting = self.places[name].kind == "state"
        if place.kind == "clock":
            if lasting:
                raise NotByRulesError("a state is asked for in a window of the clock")
            self.clocks[place.name].over.append(name)
        elif lasting:
            yield from self._state_inside(name, place)
        elif place.kind == "state":
            yield in_state(name, place.name)
        else:
            self.usable(place)
            yield from events_inside([name], place.begin, place.end)
            if place.kind == "state timer":
                yield Comparison("<", place.begin, self.places[name].end)
        yield from self.different(name, place.owners)

    def usable(self, place: Place) -> None:
        """Raises NotByRulesError if a time is known before its end is, and is not a state itself."""
        if place.kind == "state timer" and not place.foreseen:
            raise NotByRulesError("a literal is evaluated in a timer that ends after a state does")

    def _state_inside(self, name: str, place: Place) -> Iterator[Expression]:
        if place.kind == "event":
            yield in_state(place.name, name)
        elif place.kind == "state":
            yield state_in_state(name, place.name)
        elif place.is_lasting or place.begins_later or place.kind == "hull" or place.is_bounded:
            raise NotByRulesError("a state is asked for in a time that is neither an event nor a state")
        else:
            yield from state_in_window(name, place.begin, place.end)

    def different(self, name: str, others: Iterable[str]) -> Iterator[Expression]:
        """Yields that an event or a state is none of others, where it could be."""
        for other in others:
            if other == name or self.labels[other] != self.labels[name]:
                continue
            kinds = self.places[name].kind, self.places[other].kind
            if kinds == ("state", "state"):
                yield is_another(name, other)
            elif kinds == ("event", "event"):
                yield Different(EventReference(name), EventReference(other))

    def add_between(self, content: GapContent, quantity: Quantity) -> None:
        """Adds that something lies between two events that do not overlap. Raises NotByRulesError."""
        literal = quantity.literal
        if len(content.identifiers) != 2 or literal.kind == "state":
            raise NotByRulesError("what happens between others is counted")
        first, second = (self.places[each.identifier] for each in content.identifiers)
        if first.kind != "event" or second.kind != "event":
            raise NotByRulesError("what happens between states or times is counted")
        name = self.names.fresh(literal.atom.label)
        pattern = self.pattern(literal.atom, frozenset(self.bound))
        self.parts.events.append(EventQuery(name, pattern, True, literal.span))
        self.places[name] = event_place(name)
        self.labels[name] = literal.atom.label
        self.parts.conditions += self._between(first, second, name)
        self.parts.conditions += self.different(name, (*first.owners, *second.owners))

    def _between(self, first: Place, second: Place, name: str) -> Iterator[Expression]:
        """Yields that an event lies between two others; where these are in a state, so is what lies between them."""
        conditions = self.parts.conditions
        if Comparison("<", first.end, second.begin) in conditions:
            yield from events_inside([name], first.end, second.begin)
        elif Comparison("<", second.end, first.begin) in conditions:
            yield from events_inside([name], second.end, first.begin)
        else:
            yield between(first, second, name)
        for state in self.parts.states:
            both = (in_state(each.name, state.identifier) for each in (first, second))
            if all(each in conditions for each in both):
                yield in_state(name, state.identifier)

    # What is absent

    def absent(
        self,
        literal: Literal,
        shared: frozenset[str],
        excluded: Sequence[str] = (),
        *,
        element: str | None = None,
        conditions: tuple[Expression, ...] = (),
    ) -> None:
        """Adds that a literal finds nothing in its time but some, for which the answer waits until that is over.

        With conditions, which call it the element, only that of which these hold.
        """
        window = self.awaited(literal.time)
        pattern, others = self.pattern(literal.atom, shared), tuple(excluded)
        is_bounded = self.places[window].is_bounded
        absence = Accumulation(
            window,
            pattern,
            True,
            conditions,
            literal.span,
            with_anchor=is_bounded,
            element=element,
            excluded=others,
        )
        if literal.kind == "state":
            if is_bounded:
                raise NotByRulesError("states are counted in a window with bounds of its own")
            absence = replace(absence, opening=self.opening(window))
        self.accumulate(literal, absence)

    def opening(self, name: str) -> EventQuery | None:
        """Returns the query for the opening of a state, with which what shares time with it is kept; None for other
        times."""
        opened = [each for each in self.parts.states if each.identifier == name]
        return opening_query(opened[0]) if opened else None

    def accumulate(self, literal: Literal, absence: Accumulation) -> None:
        (self.parts.absent_states if literal.kind == "state" else self.parts.absences).append(absence)

    def awaited(self, time: ValidityTime | None) -> str:
        """Returns the name of a time of which the answer waits for the end. Raises NotByRulesError."""
        [place, *others] = self.times(time)
        if others:
            raise NotByRulesError("what happens in the intersection of several times is counted")
        since = self.setting.since
        reason = _NOT_AWAITED.get("early" if place.may_begin_early and since is None else place.kind)
        if reason is not None:
            raise NotByRulesError(reason)
        if since is not None:
            self.parts.conditions.append(Comparison("<=", point(since), place.begin))
        if place.is_bounded:
            window = bounded_window(place)
            if window not in self.parts.windows:
                self.parts.windows.append(window)
        for timer in place.timers:
            if timer not in self.parts.timers:
                self.parts.timers.append(timer)
        return place.name

    def clock(self, name: str, length: int, slide: int) -> None:
        self.places[name] = clock_place(name)
        self.clocks[name] = Clock(length, slide)
