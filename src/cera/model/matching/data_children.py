"""The children of one data term, and the tables of a pattern's children on them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cera.model.matching.combination import Lookup, Row, Search, Table
from cera.model.matching.matchers import Matcher
from cera.model.matching.patterns import Pattern
from cera.model.matching.substitutions import NOTHING_BOUND, Substitution, bindings_key, restrict
from cera.model.terms.term import Term

#: Matching a child again because it depends on a binding costs more than choosing one of its rows.
_STEPS_PER_MATCH = 20


@dataclass(frozen=True)
class Child:
    """A child of a pattern, by its position.

    `core` is the matcher without the `without` and `optional` parts if the child depends on variables bound elsewhere.
    `known` are the variables that are surely bound when its turn comes.
    """

    position: int
    matcher: Matcher
    core: Matcher | None = None
    known: frozenset[str] = frozenset()

    @cached_property
    def decisive(self) -> tuple[str, ...]:
        """The variables whose values decide where and how the child can match."""
        core = self.core or self.matcher
        return tuple(sorted(self.matcher.context | (core.bound & self.known)))


class DataChildren:
    """The children of a data term while one pattern is matched on it.

    `enough` is a number of places that are as good as more (n for an unordered pattern with n children), or None.
    """

    def __init__(self, value: Term, source: Pattern, given: Substitution, search: Search, enough: int | None) -> None:
        self.value = value
        self.given = given
        self.search = search
        self._source = source
        self._enough = enough
        self._by_label: dict[str, list[int]] = {}
        for index, child in enumerate(value.children):
            if isinstance(child, Term):
                self._by_label.setdefault(child.label, []).append(index)
        self._lookups: dict[tuple[int, Hashable], Lookup] = {}
        self._cores: dict[int, Lookup] = {}

    def table(self, child: Child) -> Table:
        """Returns the distinct answers of a child, with the data children that have them."""
        matcher = child.matcher
        return Table(self._rows(matcher, self._candidates(matcher), NOTHING_BOUND, self._enough), matcher.bound)

    def table_at(self, child: Child, index: int) -> Table:
        """Returns the answers of a child on one data child."""
        return Table(self._rows(child.matcher, (index,), NOTHING_BOUND, self._enough), child.matcher.bound)

    def lookup(self, child: Child, substitution: Substitution) -> Lookup:
        """Returns the table of a child under a substitution, made when it is first asked for."""
        key = (child.position, None if child.core is None else bindings_key(substitution, child.decisive))
        found = self._lookups.get(key)
        if found is None:
            table = self.table(child) if child.core is None else self._dependent_table(child, child.core, substitution)
            found = self._lookups[key] = Lookup(table, child.known)
        return found

    def _dependent_table(self, child: Child, core: Matcher, substitution: Substitution) -> Table:
        """Returns the table under the bindings that the child depends on, where its core matches."""
        cores = self._cores.get(child.position)
        if cores is None:
            rows = self._rows(core, self._candidates(core), NOTHING_BOUND, enough=None)
            cores = self._cores[child.position] = Lookup(Table(rows, core.bound), child.known)
        indexes = sorted({index for _, places in cores.rows(substitution) for index in places})
        self.search.step(self._source, _STEPS_PER_MATCH * len(indexes))
        given = restrict(substitution, child.matcher.context)
        return Table(self._rows(child.matcher, indexes, given, self._enough), child.matcher.bound)

    def _candidates(self, matcher: Matcher) -> Sequence[int]:
        if matcher.label is None:
            return range(len(self.value.children))
        return self._by_label.get(matcher.label, ())

    def _rows(self, matcher: Matcher, indexes: Sequence[int], given: Substitution, enough: int | None) -> Sequence[Row]:
        children = self.value.children
        if len(indexes) == 1:
            return [(answer, indexes) for answer in matcher.answers(children[indexes[0]], given, self.search)]
        names = tuple(matcher.names)
        rows: dict[Hashable, tuple[Substitution, list[int]]] = {}
        for index in indexes:
            answers = matcher.answers(children[index], given, self.search)
            if len(answers) > 1:
                self.search.step(self._source, len(answers))
            for answer in answers:
                places = rows.setdefault(bindings_key(answer, names), (answer, []))[1]
                if enough is None or len(places) < enough:
                    places.append(index)
            if not names and rows and enough is not None and len(rows[()][1]) == enough:
                break
        return list(rows.values())
