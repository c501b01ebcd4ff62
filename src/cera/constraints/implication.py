"""Which constraints say nothing, contradict each other, or follow from others (seed 002, Defs. 24 to 26, ERR-61).

All of it is sound and none of it complete: what is found is so on every stream, and not all that is so is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from cera.constraints.clause import Alternative, Clause
from cera.constraints.groups import binds, own_names
from cera.constraints.names import used_variables
from cera.constraints.numbers import ALL, NO_NUMBER, CountSet, counts
from cera.constraints.queries import Literal, Part
from cera.constraints.specification import SOME
from cera.model.expressions.expression import Comparison, EventReference, Variable

#: Which comparisons follow from one.
WEAKER = {
    "=": ("=", "<=", ">="),
    "<": ("<", "<=", "!="),
    ">": (">", ">=", "!="),
    "<=": ("<=",),
    ">=": (">=",),
    "!=": ("!=",),
}
_ALWAYS = ("=", "<=", ">=")

#: The names of one clause by those of another one.
Renaming = Mapping[str, str]


def numbers_of(part: Part) -> CountSet | None:
    """Returns the numbers that a literal admits, None if they depend on variables or it is no literal."""
    if not isinstance(part, Literal):
        return None
    return counts(SOME if part.count is None else part.count)


def is_trivial(clause: Clause) -> bool:
    """Returns whether no stream can violate a clause: its body can never hold, or an alternative of its head always
    does, by itself or because of the body."""
    if any(numbers_of(part) == NO_NUMBER for part in clause.body):
        return True
    return any(all(_always(part) or part in clause.body for part in each) for each in clause.head)


def _always(part: Part) -> bool:
    if isinstance(part, Comparison):
        return part.left == part.right and part.operator in _ALWAYS and isinstance(part.left, EventReference | Variable)
    return isinstance(part, Literal) and numbers_of(part) == ALL


def is_unsatisfiable(clause: Clause) -> bool:
    """Returns whether no stream satisfies a clause where its body holds: no alternative ever does."""
    return all(any(_never(part) for part in each) for each in clause.head)


def _never(part: Part) -> bool:
    if isinstance(part, Comparison):
        return part.left == part.right and part.operator not in _ALWAYS
    return isinstance(part, Literal) and numbers_of(part) == NO_NUMBER


def contradicts(first: Clause, second: Clause) -> bool:
    """Returns whether two clauses cannot both hold where the body of the second one does.

    Each demands a count of the same thing in the same time, and no number is in both.
    """
    if len(first.head) != 1 or len(second.head) != 1 or len(first.head[0]) != 1 or len(second.head[0]) != 1:
        return False
    [[one]], [[other]] = first.head, second.head
    if not isinstance(one, Literal) or not isinstance(other, Literal):
        return False
    mine, theirs = numbers_of(one), numbers_of(other)
    if mine is None or theirs is None or mine.intersection(theirs):
        return False
    if not set(one.group_by or ()) <= {name for part in first.body for name in binds(part)}:
        return False
    fixed = _names(second.body)
    for names in _embeddings(first.body, second.body, {}):
        found = _unified(_uncounted(one), _uncounted(other), names)
        if found is not None and _keeps_apart(names, found, fixed):
            return True
    return False


def _names(parts: Sequence[Part]) -> frozenset[str]:
    return frozenset[str]().union(*(used_variables(part) | own_names(part) for part in parts))


def _keeps_apart(names: Renaming, found: Renaming, fixed: frozenset[str]) -> bool:
    """Returns whether what only a head has stays what only a head has, which is existential, or counted over."""
    return not any(found[name] in fixed for name in found.keys() - names.keys())


def implies(first: Clause, second: Clause) -> bool:
    """Returns whether the second clause follows from the first one.

    H1 <- B1  implies  H2 <- B2,  if B1θ is part of B2, and each alternative of H1θ implies one of H2
    """
    if first.definitions != second.definitions:
        return False
    fixed = _names(second.body)
    for names in _embeddings(first.body, second.body, {}):
        if all(any(_follows(each, other, names, fixed) for other in second.head) for each in first.head):
            return True
    return False


def _follows(stronger: Alternative, weaker: Alternative, names: Renaming, fixed: frozenset[str]) -> bool:
    """Returns whether all parts of the weaker conjunction follow from parts of the stronger one. `fixed` are the names
    of the body."""
    if not weaker:
        return True
    first, rest = weaker[0], weaker[1:]
    for part in stronger:
        for found in _weaker(part, first, names):
            if _keeps_apart(names, found, fixed) and _follows(stronger, rest, found, fixed):
                return True
    return False


def _weaker(part: Part, other: Part, names: Renaming) -> Iterator[Renaming]:
    """Yields the renamings under which a part implies another one."""
    found = _unified(part, other, names)
    if found is not None:
        yield found
        return
    if isinstance(part, Literal) and isinstance(other, Literal):
        mine, theirs = numbers_of(part), numbers_of(other)
        found = _unified(_uncounted(part), _uncounted(other), names)
        if found is not None and mine is not None and theirs is not None and mine and mine <= theirs:
            yield found
    elif isinstance(part, Comparison) and isinstance(other, Comparison) and other.operator in WEAKER[part.operator]:
        found = _unified(replace(part, operator=other.operator), other, names)
        if found is not None:
            yield found


def _uncounted(literal: Literal) -> Literal:
    return replace(literal, count=None)


def _embeddings(parts: Sequence[Part], others: Sequence[Part], names: Renaming) -> Iterator[Renaming]:
    """Yields the renamings under which each part is one of the others."""
    if not parts:
        yield names
        return
    for other in others:
        found = _unified(parts[0], other, names)
        if found is not None:
            yield from _embeddings(parts[1:], others, found)


def _unified(mine: Any, theirs: Any, names: Renaming) -> Renaming | None:
    """Returns the renaming, extended, under which two nodes are equal; None if there is none."""
    if isinstance(mine, Variable) and isinstance(theirs, Variable):
        return _renamed(mine.name, theirs.name, names)
    if isinstance(mine, EventReference) and isinstance(theirs, EventReference):
        return _renamed(f"#{mine.identifier}", f"#{theirs.identifier}", names)
    if type(mine) is not type(theirs):
        return None
    if isinstance(mine, Literal) and (mine.group_by is None) != (theirs.group_by is None):
        return None
    if isinstance(mine, tuple):
        if len(mine) != len(theirs):
            return None
        found: Renaming | None = names
        for one, other in zip(mine, theirs, strict=True):
            found = None if found is None else _unified(one, other, found)
        return found
    if not is_dataclass(mine):
        return names if mine == theirs else None
    found = names
    for each in fields(mine):
        if each.compare and each.name != "group_by" and found is not None:
            found = _unified(getattr(mine, each.name), getattr(theirs, each.name), found)
    if found is not None and isinstance(mine, Literal) and mine.group_by is not None:
        known = found
        if {known.get(name, name) for name in mine.group_by} != set(theirs.group_by or ()):
            return None
    return found


def _renamed(name: str, other: str, names: Renaming) -> Renaming | None:
    if name in names:
        return names if names[name] == other else None
    return None if other in names.values() else {**names, name: other}
