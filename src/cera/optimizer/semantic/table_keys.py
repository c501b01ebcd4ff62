"""Lookup merging: two lookups of one row of a table are one (queries that combine database and stream, section 10.1).

    h ← B, r(k(K), a(A)), r(k(K), b(B))      →      h ← B, r(k(K), a(A), b(B))

    if a constraint says that r has at most one row with the same K: IN ANY CASE exists <= 1 r(k(K)) group-by {K} END

Where the two ask for one attribute by different values, they stay: the values are compared by being joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from cera.constraints.cardinalities.laws import greatest
from cera.constraints.clause import Clause
from cera.constraints.numbers import counts
from cera.constraints.queries import Literal
from cera.constraints.subsumption.atoms import FlatAtom, Value, extended, flat, flat_pattern
from cera.model.matching.patterns import Pattern, TermPattern
from cera.rules.rule import Branch, RelationQuery

LAW = "lookup merging"


@dataclass(frozen=True)
class TableKey:
    """That a table has at most one row that an atom matches, for each value of some of its variables."""

    atom: FlatAtom
    names: tuple[str, ...]
    clause: Clause

    def values(self, pattern: Pattern) -> tuple[Value, ...] | None:
        """Returns the values of the key that a lookup has; None if it may find other rows."""
        special = flat_pattern(pattern)
        found = None if special is None else extended(self.atom, special, {})
        return None if found is None else tuple(found[name] for name in self.names)


def table_keys(clauses: Iterable[Clause]) -> list[TableKey]:
    """Returns the keys that constraints declare."""
    found: list[TableKey] = []
    for clause in clauses:
        parts = clause.head[0] if len(clause.head) == 1 and not clause.body and not clause.definitions else ()
        literal = parts[0] if len(parts) == 1 else None
        if not isinstance(literal, Literal) or literal.kind != "relation" or literal.negated:
            continue
        numbers = None if literal.count is None else counts(literal.count)
        most = greatest(numbers) if numbers else None
        atom = flat(literal.atom, "event")
        if most is not None and most <= 1 and atom is not None and literal.time is None:
            names = tuple(sorted(literal.group_by or ()))
            if frozenset(names) <= atom.variables:
                found.append(TableKey(atom, names, clause))
    return found


def with_merged_lookups(
    branch: Branch, clauses: Sequence[Clause]
) -> tuple[Branch, tuple[tuple[RelationQuery, Clause], ...]]:
    """Returns a branch without the lookups that find the row of another one, and each of those with its reason."""
    keys = table_keys(clauses) if len(branch.relations) > 1 else []
    gone: list[tuple[RelationQuery, Clause]] = []
    changed = bool(keys)
    while changed:
        changed = False
        for one, other in combinations(branch.relations, 2):
            key = next((each for each in keys if _same_row(one, other, each)), None)
            merged = None if key is None else _merged(one.pattern, other.pattern)
            if key is not None and merged is not None:
                kept = [replace(each, pattern=merged) if each is one else each for each in branch.relations]
                left = tuple(each for each in kept if each is not other)
                branch, changed = replace(branch, relations=left), True
                gone.append((other, key.clause))
                break
    return branch, tuple(gone)


def _same_row(one: RelationQuery, other: RelationQuery, key: TableKey) -> bool:
    values = key.values(one.pattern)
    return values is not None and values == key.values(other.pattern)


def _merged(one: Pattern, other: Pattern) -> Pattern | None:
    """Returns the pattern of what both match; None if they ask for an attribute in different ways."""
    if not isinstance(one, TermPattern) or not isinstance(other, TermPattern):
        return None
    if (one.label, one.ordered, one.total) != (other.label, other.ordered, other.total) or one.ordered or one.total:
        return None
    more = [child for child in other.children if child not in one.children]
    mine = [child.label for child in one.children if isinstance(child, TermPattern)]
    if any(not isinstance(child, TermPattern) or child.label in mine for child in more):
        return None
    return replace(one, children=(*one.children, *more))
