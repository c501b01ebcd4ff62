"""Facts that no later stage can use, because every rule that looks back to them asks that not too much time has passed.

    sat2(X, T, Y, s(J)) <- B(Y, s(J)), has_sat1(X, T, J), time(Now, s(J)), Now - T <= 2000000.

Two seconds after T, has_sat1(X, T) is of no use. Stages remove such facts when they come to them; here they are removed
from histories in which nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cera.datalog.expression_source import Writing
from cera.datalog.frames import Expiry, Frame, deadline_of
from cera.datalog.normal import NormalAtom, NormalRule
from cera.datalog.stage_source import deadline_function
from cera.datalog.syntax import root
from cera.datalog.tuples import Row
from cera.model.expressions import Expression, variables

#: Until when a fact can be of use; something else than an integer where that is not known.
Lasting = Callable[[Row], Any]


def lastings(rules: Iterable[NormalRule], writing: Writing) -> Mapping[str, Sequence[Lasting]]:
    """For the predicates of which every use has a limit: what each use says."""
    found: dict[str, list[Lasting] | None] = {}
    for rule in rules:
        for atom in rule.atoms:
            if atom.moment == "old":
                limit = _limit(rule, atom, writing) if atom in rule.positive else None
                others = found.setdefault(atom.predicate, [])
                if limit is None:
                    found[atom.predicate] = None
                elif others is not None:
                    others.append(limit)
    return {predicate: limits for predicate, limits in found.items() if limits is not None}


def is_over(row: Row, limits: Sequence[Lasting], now: int) -> bool:
    """Whether a fact is of no use at a time and later."""
    return all((until := limit(row)).__class__ is int and until < now for limit in limits)


def _limit(rule: NormalRule, atom: NormalAtom, writing: Writing) -> Lasting | None:
    names = tuple(term if isinstance(term, str) else f"unnamed {place}" for place, term in enumerate(atom.terms))
    clocks = [each.terms[0] for each in rule.positive if each.predicate == "time" and each.moment == "new"]
    for clock in clocks:
        if isinstance(clock, str):
            pairs = [(each, deadline_of(each, clock)) for each in rule.conditions]
            known = [(each, until) for each, until in pairs if until is not None and _is_about(until, names)]
            if known and len(set(names)) == len(names):
                expiry = Expiry(clock, tuple(each for each, _ in known), tuple(until for _, until in known))
                return deadline_function(writing, Frame(atom.predicate, names, (), (), expiry))
    return None


def _is_about(expression: Expression, names: Sequence[str]) -> bool:
    return {root(name) for name in variables(expression)} <= set(names)
