"""A recorded stream as constraints see it: events and states with numbers, the rows of relations, and its extent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from operator import attrgetter
from typing import Protocol

from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.constraints.names import ANONYMOUS
from cera.constraints.queries import Kind, Literal
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows, named_rows
from cera.model.events.states import OPEN, is_ending, is_opening, state_term, with_endings
from cera.model.expressions.atoms import Atom, pattern_of
from cera.model.matching.matching import match
from cera.model.matching.patterns import TermPattern
from cera.model.terms.term import Term, Value, value_key
from cera.model.time.interval import MIN_TIME, Interval, Time

Values = Mapping[str, Value]


@dataclass(eq=False)
class Happening:
    """An event, or a state [begin, end[; the end of one that has not ended is later than every time.

    It is shared by all that refers to it: when a state ends, all of it knows.
    """

    term: Term
    begin: Time
    end: Time
    kind: Kind
    event: Event | None = None
    #: What it was derived from, by a local definition, and since when that is certain.
    sources: tuple[Happening, ...] = ()
    since: Time = MIN_TIME - 1
    #: Its number in a run.
    number: int = -1

    @property
    def interval(self) -> Interval:
        return Interval(self.begin, self.end)

    @property
    def is_open(self) -> bool:
        return self.end == OPEN

    @property
    def known(self) -> Time:
        """When it is known that there is such an event or state."""
        return max(self.begin if self.kind == "state" else self.end, self.since)

    @property
    def order(self) -> tuple[Time, Time, Hashable]:
        """The order in which events and states are looked at: that in which they are known."""
        return self.known, self.begin, self.term.key

    @property
    def rank(self) -> tuple[Time, Time, _Identity]:
        """The order in which events are listed as causes: end, begin, id; a state is as its opening."""
        return self.begin if self.kind == "state" else self.end, self.begin, _Identity(self)


@dataclass(frozen=True, eq=False)
class _Identity:
    """The id of what happened, which is computed only where the times of two are equal."""

    happening: Happening

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.happening is other.happening

    def __lt__(self, other: _Identity) -> bool:
        return self._key < other._key

    @property
    def _key(self) -> tuple[str, Hashable]:
        event = self.happening.event
        return ("" if event is None else event.id, self.happening.term.key)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Extent:
    """The time of a recording: from the begin of what is first known in it, to its end. `start` is when it is known.

    `earlier` are begins before that, each with the time at which it is known: those of events that last long.
    """

    begin: Time
    end: Time
    start: Time
    earlier: tuple[tuple[Time, Time], ...] = ()

    def began(self, at: Time) -> Time:
        """Returns the first begin, as far as that is known at a time."""
        return min((begin for known, begin in self.earlier if known <= at), default=self.begin)


def extent_of(known: Iterable[tuple[Time, Time]], end: Time | None = None) -> Extent | None:
    """Returns the time of a recording in which something was known at some times, each with a begin; None if nothing
    was. It ends with the last of these times, or at an end that is given."""
    ordered = sorted(known)
    if not ordered:
        return None
    start, begin = ordered[0]
    earlier = tuple(each for each in ordered if each[1] < begin)
    return Extent(begin, ordered[-1][0] if end is None else end, start, earlier)


class Known(Protocol):
    """What is known of a stream: all of a recording, or what has happened so far."""

    @property
    def relations(self) -> Mapping[str, RelationRows]: ...
    @property
    def locations(self) -> Locations: ...
    @property
    def timezone(self) -> str: ...
    @property
    def begin(self) -> Time:
        """The begin of what is first known."""

    @property
    def start(self) -> Time:
        """The time at which something is first known."""

    @property
    def last(self) -> Time:
        """The time up to which all is known."""

    @property
    def steps(self) -> Sequence[Time]:
        """The times at which something happens: an event ends, a state begins or ends."""

    @property
    def at_end(self) -> Time | None:
        """The time at which all of time is judged: the end of the recording, None as long as it has not ended."""

    def candidates(
        self, literal: Literal, values: Values, local: Mapping[str, Sequence[Happening]], now: Time
    ) -> Iterator[tuple[Happening, dict[str, Value]]]:
        """Yields the events or states that an atom matches, each with the values of all its variables then.

        `local` are those that local definitions derive, by label. Rows of relations are those that are valid now.
        """

    def passed(self, begin: Time, end: Time, end_known: Time, *, clock: bool) -> Time | None:
        """Returns when a time has passed; None if that is not within the recording, or at its edge. A window of the
        clock has to lie in the recording as a whole, others are flushed at its end."""


@dataclass(frozen=True)
class Stream:
    """A whole recording. `until` is the time at which it was cut, None if it was not."""

    happenings: tuple[Happening, ...]
    extent: Extent
    until: Time | None = None
    relations: Mapping[str, RelationRows] = field(default_factory=dict)
    locations: Locations = NO_LOCATIONS
    timezone: str = "UTC"

    @cached_property
    def _by_label(self) -> dict[tuple[str, str], list[Happening]]:
        found: dict[tuple[str, str], list[Happening]] = {}
        for each in self.happenings:
            found.setdefault((each.kind, each.term.label), []).append(each)
        return found

    @property
    def begin(self) -> Time:
        return self.extent.begin

    @property
    def start(self) -> Time:
        return self.extent.start

    @property
    def last(self) -> Time:
        return self.extent.end

    @property
    def at_end(self) -> Time | None:
        return self.extent.end

    def passed(self, begin: Time, end: Time, end_known: Time, *, clock: bool) -> Time | None:
        at = max(end, end_known)
        if begin < self.extent.began(at):
            return None
        limit = self.extent.end if clock else self.until
        return None if limit is not None and end > limit else at

    @cached_property
    def steps(self) -> tuple[Time, ...]:
        times = {each.end for each in self.happenings if not each.is_open}
        return tuple(sorted(times | {each.begin for each in self.happenings if each.kind == "state"}))

    def candidates(
        self, literal: Literal, values: Values, local: Mapping[str, Sequence[Happening]], now: Time
    ) -> Iterator[tuple[Happening, dict[str, Value]]]:
        known: Sequence[Happening] | None = local.get(literal.atom.label)
        if literal.kind == "relation":
            valid = named_rows(self.relations, literal.atom.label).valid(now)
            known = [
                self._rows.setdefault(row, Happening(row, MIN_TIME - 1, MIN_TIME - 1, "relation")) for row in valid
            ]
        matched = self._matched(literal) if known is None else _matched(literal, known)
        yield from ((each, found) for each, found in matched if agrees(found, values))

    def _matched(self, literal: Literal) -> Sequence[tuple[Happening, dict[str, Value]]]:
        """Returns what a literal finds in the stream, whatever the values; looked for once for this very object."""
        entry = self._found.get(id(literal))
        if entry is None:
            known = self._by_label.get((literal.kind or "event", literal.atom.label), [])
            entry = self._found[id(literal)] = (literal, tuple(_matched(literal, known)))
        return entry[1]

    @cached_property
    def _found(self) -> dict[int, tuple[Literal, Sequence[tuple[Happening, dict[str, Value]]]]]:
        """What literals find, by identity; the literals are kept, so that no other one is taken for them."""
        return {}

    @cached_property
    def _rows(self) -> dict[Term, Happening]:
        """The rows that were looked at, each as one thing."""
        return {}


#: The sign of variables that stand for any value.
_ANONYMOUS = "#"


def pattern_for(atom: Atom) -> TermPattern:
    """Returns the pattern of an atom, in which each `_` is a variable of its own."""
    number = count()
    return pattern_of(atom, lambda name: name if name != ANONYMOUS else f"{_ANONYMOUS}{next(number)}")


def _matched(literal: Literal, known: Iterable[Happening]) -> Iterator[tuple[Happening, dict[str, Value]]]:
    """Yields those of some happenings that match a literal, each with the values of its variables."""
    pattern = pattern_for(literal.atom)
    return ((each, found) for each in known for found in matches(pattern, each.term))


def matches(pattern: TermPattern, term: Term) -> list[dict[str, Value]]:
    """Returns the ways in which a pattern matches a term, each with the values of its variables."""
    found = match(pattern, term)
    return [{name: value for name, value in each.items() if name[0] != _ANONYMOUS} for each in found]


def agrees(found: Values, values: Values) -> bool:
    """Returns whether two substitutions give the variables that both have equal values."""
    return all(value_key(value) == value_key(values[name]) for name, value in found.items() if name in values)


def happenings_of(events: Iterable[Event]) -> tuple[Happening, ...]:
    """Returns the events and states of a recording, in which states travel as openings and endings."""
    found: list[Happening] = []
    opened: dict[str, Event] = {}
    ends: dict[str, Time] = {}
    for event in with_endings(dict.fromkeys(events)):
        if is_opening(event.label):
            opened[event.id] = event
        elif is_ending(event.label):
            ends[event.id] = event.end
        else:
            found.append(Happening(event.term, event.begin, event.end, "event", event))
    for identity, opened_by in opened.items():
        end = ends.get(identity, OPEN)
        found.append(Happening(state_term(opened_by), opened_by.begin, end, "state", opened_by))
    return tuple(sorted(found, key=attrgetter("order")))
