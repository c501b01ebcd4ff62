"""A recorded stream as constraints see it: events and states with numbers, the rows of relations, and its extent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.constraints.names import ANONYMOUS
from cera.constraints.queries import Kind, Literal
from cera.model.events.event import STATE_ID, Event
from cera.model.events.relation_rows import RelationRows, named_rows
from cera.model.events.states import OPEN, is_ending, is_opening, state_label, with_endings
from cera.model.expressions.atoms import Atom, pattern_of
from cera.model.matching.matching import match
from cera.model.matching.patterns import TermPattern
from cera.model.terms.term import Term, Value, value_key
from cera.model.time.interval import MIN_TIME, Interval, Time

Values = Mapping[str, Value]


@dataclass(frozen=True, eq=False)
class Happening:
    """An event, or a state [begin, end[; the end of one that has not ended is later than every time."""

    term: Term
    begin: Time
    end: Time
    kind: Kind
    event: Event | None = None
    #: What it was derived from, by a local definition.
    sources: tuple[Happening, ...] = ()

    @property
    def interval(self) -> Interval:
        return Interval(self.begin, self.end)

    @property
    def is_open(self) -> bool:
        return self.end == OPEN

    @property
    def known(self) -> Time:
        """When it is known that there is such an event or state."""
        return self.begin if self.kind == "state" else self.end


@dataclass(frozen=True)
class Stream:
    """All that a constraint can ask for. `until` is the time at which the recording was cut, None if it was not."""

    happenings: tuple[Happening, ...]
    extent: Interval
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

    @cached_property
    def steps(self) -> tuple[Time, ...]:
        """The times at which something happens: an event ends, a state begins or ends."""
        times = {each.end for each in self.happenings if not each.is_open}
        return tuple(sorted(times | {each.begin for each in self.happenings if each.kind == "state"}))

    def candidates(
        self, literal: Literal, values: Values, local: Mapping[str, Sequence[Happening]], now: Time
    ) -> Iterator[tuple[Happening, dict[str, Value]]]:
        """Yields the events or states that an atom matches, each with the values of all its variables then.

        `local` are those that local definitions derive, by label. Rows of relations are those that are valid now.
        """
        known: Sequence[Happening] | None = local.get(literal.atom.label)
        if literal.kind == "relation":
            valid = named_rows(self.relations, literal.atom.label).valid(now)
            known = [
                self._rows.setdefault(row, Happening(row, MIN_TIME - 1, MIN_TIME - 1, "relation")) for row in valid
            ]
        elif known is None:
            known = self._by_label.get((literal.kind or "event", literal.atom.label), [])
        pattern = _pattern(literal.atom)
        for each in known:
            for found in match(pattern, each.term):
                if agrees(found, values):
                    yield each, {name: value for name, value in found.items() if name[0] != _ANONYMOUS}

    @cached_property
    def _rows(self) -> dict[Term, Happening]:
        """The rows that were looked at, each as one thing."""
        return {}


#: The sign of variables that stand for any value.
_ANONYMOUS = "#"


def _pattern(atom: Atom) -> TermPattern:
    """Returns the pattern of an atom, in which each `_` is a variable of its own."""
    number = count()
    return pattern_of(atom, lambda name: name if name != ANONYMOUS else f"{_ANONYMOUS}{next(number)}")


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
    for identity, opening in opened.items():
        label = state_label(opening.label) or ""
        children = [each for each in opening.term.children if not (isinstance(each, Term) and each.label == STATE_ID)]
        term = Term(label, children, ordered=opening.term.ordered)
        found.append(Happening(term, opening.begin, ends.get(identity, OPEN), "state", opening))
    return tuple(sorted(found, key=lambda each: (each.end, each.begin, each.term.key)))


def extent_of(happenings: Iterable[Happening], until: Time | None) -> Interval | None:
    """Returns the time from the first begin to the last end, or to `until`; None if nothing happens."""
    found = list(happenings)
    if not found:
        return None
    last = max(each.begin if each.is_open else each.end for each in found)
    return Interval(min(each.begin for each in found), last if until is None else until)
