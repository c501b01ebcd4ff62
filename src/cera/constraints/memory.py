"""What a verifier remembers of a stream: events and states by label and by the values of their attributes.

A memory answers the same questions as a whole recording (`stream.Known`), for what has happened so far. Deadlines in
the future are answered as if they had passed, so that it is known when to look again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cera.constraints.locations import Locations
from cera.constraints.queries import Literal
from cera.constraints.stream import Happening, agrees, matches, pattern_for
from cera.model.events.relation_rows import RelationRows, named_rows
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Literal as Constant
from cera.model.expressions.expression import Variable
from cera.model.matching.patterns import TermPattern
from cera.model.terms.term import Term, Value, value_key
from cera.model.time.interval import MIN_TIME, Time

#: The label of what is found, and whether that are states; of what local definitions derive None.
Place = tuple[str | None, str]
#: What is new, or has ended: where it is looked up, and itself.
Change = tuple[Place, Happening]
_Numbered = dict[int, Happening]


class Asked:
    """A literal as it is looked up: its pattern, and the attributes that have one value or variable."""

    __slots__ = ("attributes", "label", "literal", "pattern", "place")

    def __init__(self, literal: Literal, *, local: bool) -> None:
        self.literal = literal
        self.label = literal.atom.label
        self.place: Place = (None if local else literal.kind or "event", self.label)
        self.pattern: TermPattern = pattern_for(literal.atom)
        #: The label of each attribute, with the name of its variable or the key of its value.
        self.attributes: list[tuple[str, str | None, Any]] = []
        for argument in literal.atom.arguments:
            if isinstance(argument, Atom) and len(argument.arguments) == 1:
                [inner] = argument.arguments
                if isinstance(inner, Variable):
                    self.attributes.append((argument.label, inner.name, None))
                elif isinstance(inner, Constant):
                    self.attributes.append((argument.label, None, value_key(inner.value)))


class Store:
    """Happenings in the order in which they are known, by label and by the values of some attributes."""

    def __init__(self, indexed: Mapping[Place, Collection[str]]) -> None:
        self._indexed = indexed
        self.by_label: dict[Place, _Numbered] = {}
        self._by_value: dict[tuple[Place, str], dict[Any, _Numbered]] = {}

    def add(self, place: Place, happening: Happening) -> None:
        self.by_label.setdefault(place, {})[happening.number] = happening
        for name, key in _keys(happening.term, self._indexed.get(place, ())):
            self._by_value.setdefault((place, name), {}).setdefault(key, {})[happening.number] = happening

    def remove(self, place: Place, happening: Happening) -> None:
        self.by_label[place].pop(happening.number, None)
        for name, key in _keys(happening.term, self._indexed.get(place, ())):
            found = self._by_value[place, name]
            if key in found:
                found[key].pop(happening.number, None)
                if not found[key]:
                    del found[key]

    def find(self, asked: Asked, values: Mapping[str, Value]) -> Collection[Happening]:
        """Returns what a literal could match, by the attribute whose value has the fewest."""
        place = asked.place
        found: _Numbered | None = None
        for name, variable, key in asked.attributes:
            if variable is not None:
                if variable not in values:
                    continue
                key = value_key(values[variable])
            index = self._by_value.get((place, name))
            if index is None:
                return ()
            some = index.get(key)
            if some is None:
                return ()
            if found is None or len(some) < len(found):
                found = some
        if found is None:
            found = self.by_label.get(place)
        return () if found is None else found.values()


def _keys(term: Term, names: Collection[str]) -> Iterator[tuple[str, Any]]:
    for child in term.children if names else ():
        if child.__class__ is Term and child.label in names and len(child.children) == 1:
            yield child.label, value_key(child.children[0])


class Known:
    """What has happened up to now, whatever it is."""

    def __init__(
        self,
        relations: Mapping[str, RelationRows],
        locations: Locations,
        timezone: str,
        since: Time | None = None,
        begins: Sequence[tuple[Time, Time]] = (),
    ) -> None:
        self.relations = relations
        self.locations = locations
        self.timezone = timezone
        self.now: Time = MIN_TIME
        #: From when on the stream is complete, if that is said.
        self._since = since
        self._is_told = bool(begins)
        #: The time at which something is first known, and its begin; None if that is nothing.
        self.first: tuple[Time, Time] | None = begins[0] if begins else None
        #: Begins before that, with the times at which they are known, each before the one before it.
        self.earlier: list[tuple[Time, Time]] = list(begins[1:])
        #: The end of the recording, once it has ended.
        self.at_end: Time | None = None
        self.steps: list[Time] = []
        #: The ways in which literals match, by the number of what they match.
        self.matched: dict[int, dict[int, list[dict[str, Value]]]] = {}

    @property
    def begin(self) -> Time:
        if self._since is not None:
            return min(self._since, self.last)
        return self.now if self.first is None else self.first[1]

    @property
    def start(self) -> Time:
        return self.now if self.first is None else self.first[0]

    @property
    def last(self) -> Time:
        return self.now if self.at_end is None else self.at_end

    def see(self, begin: Time) -> None:
        """Takes note of the begin of something that is known now."""
        if self.first is None:
            self.first = (self.now, begin)
        elif self._since is not None or self._is_told:
            return
        elif begin < (self.earlier[-1][1] if self.earlier else self.first[1]):
            if self.first[0] == self.now:
                self.first = (self.now, begin)
            else:
                self.earlier.append((self.now, begin))

    def began(self, at: Time) -> Time:
        place = bisect_left(self.earlier, (at + 1,))
        return self.earlier[place - 1][1] if place else self.begin

    def passed(self, begin: Time, end: Time, end_known: Time, *, clock: bool) -> Time | None:
        at = max(end, end_known)
        if clock and self.at_end is not None and end > self.at_end:
            return None
        if at <= self.now and begin < self.began(at):
            return None
        return at

    def matches(self, asked: Asked, happening: Happening) -> list[dict[str, Value]]:
        """Returns the ways in which a literal matches, which are remembered."""
        known = self.matched.get(happening.number)
        if known is None:
            known = self.matched[happening.number] = {}
        found = known.get(id(asked))
        if found is None:
            found = known[id(asked)] = matches(asked.pattern, happening.term)
        return found


class View:
    """The stream as one clause sees it, with what its own definitions derive."""

    def __init__(self, known: Known, store: Store, local: Store, asked: Mapping[int, Asked]) -> None:
        self.known = known
        self.store = store
        self.local = local
        #: By the identity of the literal.
        self._asked = asked
        self._rows: dict[Term, Happening] = {}

    @property
    def relations(self) -> Mapping[str, RelationRows]:
        return self.known.relations

    @property
    def locations(self) -> Locations:
        return self.known.locations

    @property
    def timezone(self) -> str:
        return self.known.timezone

    @property
    def begin(self) -> Time:
        return self.known.begin

    @property
    def start(self) -> Time:
        return self.known.start

    @property
    def last(self) -> Time:
        return self.known.last

    @property
    def steps(self) -> Sequence[Time]:
        return self.known.steps

    @property
    def at_end(self) -> Time | None:
        return self.known.at_end

    def passed(self, begin: Time, end: Time, end_known: Time, *, clock: bool) -> Time | None:
        return self.known.passed(begin, end, end_known, clock=clock)

    def asked(self, literal: Literal) -> Asked:
        return self._asked[id(literal)]

    def candidates(
        self, literal: Literal, values: Mapping[str, Value], local: object, now: Time
    ) -> Iterator[tuple[Happening, dict[str, Value]]]:
        asked = self._asked[id(literal)]
        if literal.kind == "relation" and asked.place[0] is not None:
            for row in named_rows(self.relations, literal.atom.label).valid(now):
                happening = self._rows.setdefault(row, Happening(row, MIN_TIME - 1, MIN_TIME - 1, "relation"))
                for found in matches(asked.pattern, row):
                    if agrees(found, values):
                        yield happening, found
            return
        for each in self.find(asked, values):
            for found in self.known.matches(asked, each):
                if agrees(found, values):
                    yield each, found

    def find(self, asked: Asked, values: Mapping[str, Value]) -> Iterable[Happening]:
        store = self.local if asked.place[0] is None else self.store
        return store.find(asked, values)
