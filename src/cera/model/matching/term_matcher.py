"""Matching a term pattern: its label, and its children on the children of the data, each on one of its own.

The definition (seed 001 section 3.1, Xcerpt's simulation). A *match* of some children of the pattern is one answer for
each of them, such that the answers agree and the children can be placed on different data children, in order if the
pattern is ordered, each where it has its answer. Let R be the required children, O those under `optional`, W those
under `without`.

    (1)  Start with every match of R.
    (2)  For each p in O from left to right: where the match can be extended by answers of p, take all extensions, else
         leave it as it is.
    (3)  If the pattern is total, keep the matches of as many children as the data has.
    (4)  Keep the matches that no answer of a p in W extends.

Each match that is left gives an answer: the union of its answers. A variable that the pattern binds in a required place
is the same variable inside `without` and `optional`, wherever these stand: children that mention it there are matched
under its value, after those that bind it. A variable that stands only inside one `without` may have any value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cera.model.matching.assignment import Places, arrange
from cera.model.matching.combination import Search, Table, combinations
from cera.model.matching.data_children import Child, DataChildren
from cera.model.matching.matchers import FAILED, MATCHED, Matcher, distinct
from cera.model.matching.patterns import TermPattern
from cera.model.matching.substitutions import NOTHING_BOUND, Substitution, bindings_key, join
from cera.model.terms.term import Term, Value


@dataclass(frozen=True)
class Children:
    """The children of a pattern by the way in which they take part.

    `required` make up the first join. Those of them that depend on variables bound elsewhere stand there without their
    `without` and `optional` parts, and come once more in `dependent`, complete.
    """

    required: tuple[Child, ...] = ()
    dependent: tuple[Child, ...] = ()
    optional: tuple[Child, ...] = ()
    without: tuple[Child, ...] = ()

    @property
    def count(self) -> int:
        return len(self.required) + len(self.optional) + len(self.without)


class _Match(NamedTuple):
    """The union of the answers, and the places where each child, by its position, has its own."""

    substitution: Substitution
    options: dict[int, Places]


class TermMatcher(Matcher):
    def __init__(
        self, source: TermPattern, accepts: Callable[[str], object] | None, children: Children, context: frozenset[str]
    ) -> None:
        self._source = source
        self.label = source.label if isinstance(source.label, str) else None
        self._accepts = accepts
        self._children = children
        self._count = children.count
        self._stages = (*children.dependent, *children.optional)
        self.bound = _union(child.matcher.bound for child in children.required)
        self.names = self.bound | _union(child.matcher.names for child in (*children.required, *self._stages))
        self.context = context
        self._order = tuple(sorted(self.names | context))
        self._fewest = len(children.required)
        self._most = self._fewest + len(children.optional) if source.total else None
        self._only_child = children.required[0] if children.count == 1 and self._fewest == 1 and not context else None
        self._positional = source.ordered and source.total and not children.optional
        self._ordered = None if _never_compete(source, children) else source.ordered
        self._direct = self._ordered is None and not self._stages and not children.without

    def answers(self, value: Value, given: Substitution, search: Search) -> Sequence[Substitution]:
        if not isinstance(value, Term) or not self._accepts_label(value.label):
            return FAILED
        count = len(value.children)
        if count < self._fewest or (self._most is not None and count > self._most):
            return FAILED
        if self._source.ordered and not value.ordered and count > 1:
            return FAILED
        if not self._count:
            return MATCHED
        if self._only_child is not None:
            return self._of_only_child(self._only_child.matcher, value, given, search)
        direct = self._directly(value, search) if self._direct else None
        return self._of_children(value, given, search) if direct is None else direct

    def _accepts_label(self, label: str) -> object:
        if self.label is not None:
            return self.label == label
        return self._accepts is None or self._accepts(label)

    def _of_only_child(
        self, matcher: Matcher, value: Term, given: Substitution, search: Search
    ) -> Sequence[Substitution]:
        if len(value.children) == 1:
            return matcher.answers(value.children[0], given, search)
        if not matcher.names:
            return MATCHED if any(matcher.answers(child, given, search) for child in value.children) else FAILED
        everywhere = (answer for child in value.children for answer in matcher.answers(child, given, search))
        found = distinct(everywhere, self._order)
        search.admit(self._source, len(found))
        search.step(self._source, len(found))
        return found

    def _directly(self, value: Term, search: Search) -> Sequence[Substitution] | None:
        """Returns the answers in the common case: children with different labels, each on the one data child that has
        its label and with one answer there. Returns None if it is not that simple."""
        by_label: dict[str, Value] = {}
        for data_child in value.children:
            if isinstance(data_child, Term) and by_label.setdefault(data_child.label, data_child) is not data_child:
                return None
        whole = NOTHING_BOUND
        for child in self._children.required:
            candidate = by_label.get(child.matcher.label or "")
            if candidate is None:
                return FAILED
            answers = child.matcher.answers(candidate, NOTHING_BOUND, search)
            if len(answers) != 1:
                return None if answers else FAILED
            joined = join(whole, answers[0])
            if joined is None:
                return FAILED
            whole = joined
        return (whole,)

    def _of_children(self, value: Term, given: Substitution, search: Search) -> Sequence[Substitution]:
        data = DataChildren(value, self._source, given, search, None if self._ordered else self._count)
        tables = []
        for index, child in enumerate(self._children.required):
            table = data.table_at(child, index) if self._positional else data.table(child)
            if not table.rows:
                return FAILED
            tables.append(table)
        found: dict[Hashable, Substitution] = {}
        for answer in self._all(tables, data):
            found.setdefault(bindings_key(answer, self._order), answer)
            search.admit(self._source, len(found))
        return list(found.values())

    def _all(self, tables: Sequence[Table], data: DataChildren) -> Iterator[Substitution]:
        if self._stages or self._children.without:
            for joint in self._joint(tables, data):
                yield from self._completed(joint, data)
        else:
            for substitution, _ in combinations(tables, self._ordered, data.search, self._source):
                yield substitution

    def _joint(self, tables: Sequence[Table], data: DataChildren) -> Iterator[_Match]:
        """Yields the matches of step (1), without the parts of children that depend on variables of others."""
        positions = [child.position for child in self._children.required]
        for substitution, options in combinations(tables, self._ordered, data.search, self._source):
            whole = {**data.given, **substitution} if data.given else substitution
            yield _Match(whole, dict(zip(positions, options, strict=True)))

    def _completed(self, joint: _Match, data: DataChildren) -> Iterator[Substitution]:
        """Does the rest of step (1), and (2) to (4). The stack holds matches and how many stages they have passed."""
        stack = [(joint, 0)]
        while stack:
            current, stage = stack.pop()
            if stage == len(self._stages):
                if self._is_answer(current, data):
                    yield current.substitution
                continue
            child = self._stages[stage]
            extensions = list(self._extensions(current, child, data))
            if not extensions and stage >= len(self._children.dependent):
                extensions = [current]
            stack.extend((extension, stage + 1) for extension in reversed(extensions))

    def _is_answer(self, match: _Match, data: DataChildren) -> bool:
        if self._source.total and len(match.options) != len(data.value.children):
            return False
        return not any(any(self._extensions(match, child, data)) for child in self._children.without)

    def _extensions(self, match: _Match, child: Child, data: DataChildren) -> Iterator[_Match]:
        """Yields the matches of this child as well."""
        for answer, places in data.lookup(child, match.substitution).rows(match.substitution):
            data.search.step(self._source)
            joined = join(match.substitution, answer)
            if joined is not None:
                options = {**match.options, child.position: places}
                if self._can_be_placed(options):
                    yield _Match(joined, options)

    def _can_be_placed(self, options: dict[int, Places]) -> bool:
        if self._ordered is None:
            return True
        return arrange([options[position] for position in sorted(options)], ordered=self._ordered) is not None


def _never_compete(source: TermPattern, children: Children) -> bool:
    """Returns whether the children have different labels, so that no two of them can match the same data child."""
    everyone = (*children.required, *children.optional, *children.without)
    labels = {child.matcher.label for child in everyone}
    return not source.ordered and None not in labels and len(labels) == len(everyone)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
