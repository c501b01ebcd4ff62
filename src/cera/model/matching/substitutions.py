"""Substitutions: the values that the variables of a pattern are bound to.

A variable that an `optional` part left unbound is simply absent.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from cera.model.terms.term import Value, value_key

Substitution = Mapping[str, Value]

NOTHING_BOUND: Substitution = {}


def identity(value: Value | None) -> Hashable:
    """Returns a key that is equal exactly for equal values; cheaper than `value_key`, as terms cache their hash."""
    return (value,) if isinstance(value, bool) else value


def join(one: Substitution, other: Substitution) -> Substitution | None:
    """Returns the substitution that binds what either of them binds, or None if they bind a variable differently."""
    if not other:
        return one
    if not one:
        return other
    for name, value in other.items():
        if name in one and identity(one[name]) != identity(value):
            return None
    return {**one, **other}


def restrict(substitution: Substitution, names: frozenset[str]) -> Substitution:
    """Returns the bindings of these variables only."""
    if not names:
        return NOTHING_BOUND
    return {name: value for name, value in substitution.items() if name in names}


def bindings_key(substitution: Substitution, names: Sequence[str]) -> Hashable:
    """Returns a key that is equal exactly for substitutions that agree on these variables."""
    if len(names) == 1:
        return identity(substitution.get(names[0]))
    return tuple([identity(substitution.get(name)) for name in names])


def substitution_key(substitution: Substitution) -> tuple[Any, ...]:
    """Returns a key that orders all substitutions and is equal exactly for equal ones."""
    return tuple(sorted((name, value_key(value)) for name, value in substitution.items()))
