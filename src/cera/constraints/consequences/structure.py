"""Heads that differ only in their names, in wider counts and in weaker comparisons.

What is refuted in one is refuted in the other at the same time, whatever has not happened yet, so that nothing has to
be decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from cera.constraints.clause import Alternative, Clause
from cera.constraints.consequences.matching import Theta
from cera.constraints.groups import own_names
from cera.constraints.names import used_variables
from cera.constraints.numbers import numbers_of
from cera.constraints.queries import Literal, Part
from cera.constraints.subsumption.atoms import Name
from cera.constraints.subsumption.subsumption import FOLLOWING
from cera.model.expressions.expression import Comparison, EventReference, Variable

#: The names of one clause by those of another one; identifiers have a sign before them.
Renaming = Mapping[str, str]


def is_weakened(first: Clause, second: Clause, theta: Theta) -> bool:
    """Returns whether each alternative of the first head, under θ, implies one of the second part by part."""
    fixed = names_of(second.body)
    names = {name: value.name for name, value in theta.values.items() if isinstance(value, Name)}
    names |= {f"#{name}": f"#{other}" for name, other in theta.identifiers.items()}
    return all(any(_follows(each, other, names, fixed) for other in second.head) for each in first.head)


def names_of(parts: Sequence[Part]) -> frozenset[str]:
    return frozenset[str]().union(*(used_variables(part) | own_names(part) for part in parts))


def _follows(stronger: Alternative, weaker: Alternative, names: Renaming, fixed: frozenset[str]) -> bool:
    if len(stronger) != len(weaker):
        return False
    found: Renaming | None = names
    for one, other in zip(stronger, weaker, strict=True):
        found = None if found is None else _weaker(one, other, found)
    if found is None:
        return False
    own = found.keys() - names.keys()
    return not any(found[name] in fixed for name in own) and len({found[name] for name in own}) == len(own)


def _weaker(part: Part, other: Part, names: Renaming) -> Renaming | None:
    """Returns the renaming under which a part implies another one."""
    found = unified(part, other, names)
    if found is not None:
        return found
    if isinstance(part, Literal) and isinstance(other, Literal) and part.count and other.count:
        mine, theirs = numbers_of(part), numbers_of(other)
        if mine is not None and theirs is not None and mine <= theirs:
            return unified(replace(part, count=None), replace(other, count=None), names)
    if not isinstance(part, Comparison) or not isinstance(other, Comparison):
        return None
    if other.operator not in FOLLOWING[part.operator]:
        return None
    return unified(replace(part, operator=other.operator), other, names)


def unified(mine: Any, theirs: Any, names: Renaming) -> Renaming | None:
    """Returns the renaming, extended, under which two nodes are equal; None if there is none."""
    if isinstance(mine, Variable) and isinstance(theirs, Variable):
        return _renamed(mine.name, theirs.name, names)
    if isinstance(mine, EventReference) and isinstance(theirs, EventReference):
        return _renamed(f"#{mine.identifier}", f"#{theirs.identifier}", names)
    if type(mine) is not type(theirs):
        return None
    found: Renaming | None = names
    if isinstance(mine, tuple):
        if len(mine) != len(theirs):
            return None
        for one, other in zip(mine, theirs, strict=True):
            found = None if found is None else unified(one, other, found)
        return found
    if not is_dataclass(mine):
        return names if mine == theirs else None
    for each in fields(mine):
        if each.compare and each.name != "group_by" and found is not None:
            found = unified(getattr(mine, each.name), getattr(theirs, each.name), found)
    if found is not None and isinstance(mine, Literal):
        known = found
        if (mine.group_by is None) != (theirs.group_by is None):
            return None
        if {known.get(name, name) for name in mine.group_by or ()} != set(theirs.group_by or ()):
            return None
    return found


def _renamed(name: str, other: str, names: Renaming) -> Renaming | None:
    if name in names:
        return names if names[name] == other else None
    return {**names, name: other}
