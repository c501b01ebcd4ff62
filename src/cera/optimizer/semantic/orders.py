"""Orders: which events come last, as constraints say.

IF event i: item(auction(A)) and event j: end(auction(A)) THEN e(i) <= b(j)
IF event i: item(auction(A)) THEN exists = 1 event j: end(auction(A)) and e(i) <= b(j)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cera.constraints.clause import Clause
from cera.constraints.numbers import compared, counts
from cera.constraints.queries import Literal, Part
from cera.constraints.subsumption.atoms import FlatAtom, flat
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Comparison, Temporal
from cera.optimizer.semantic.residues import is_plain
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_constraints import TimeConstraint
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch


@dataclass(frozen=True)
class Order:
    """For any two events that match `first` and `last` with the same values of their common variables, the first
    ends at least by `least` sooner than the last: e(i) + least <= e(j).
    """

    first: FlatAtom
    last: FlatAtom
    least: int
    #: The atom of the last one, as it is written.
    written: Atom
    clause: Clause


def orders(clauses: Iterable[Clause]) -> Iterator[Order]:
    """Yields the orders that clauses say.

    Both literals are about all of time, since an order inside of a state or a window says nothing about two events of
    which one lies outside. A body with conditions is left out: it does not speak of all events.
    """
    for clause in clauses:
        if clause.definitions or len(clause.head) != 1:
            continue
        yield from _of_pairs(clause)
        yield from _of_the_only_one(clause)


def _of_pairs(clause: Clause) -> Iterator[Order]:
    """Yields the orders of `e(i) <= e(j) <- i: p and j: q`."""
    conditions = clause.head[0]
    literals = [part for part in clause.body if is_plain(part)]
    if len(literals) != 2 or len(clause.body) != 2 or not all(map(_is_about_time, conditions)):
        return
    for first, last in (literals, literals[::-1]):
        yield from _ordered(first, last, conditions, clause)


def _of_the_only_one(clause: Clause) -> Iterator[Order]:
    """Yields the order of `exists = 1 j: q and e(i) <= e(j) <- i: p`.

    There is one q with these values in all of time, and every p ends before it does.
    """
    head, body = clause.head[0], clause.body
    counted = [part for part in head if isinstance(part, Literal)]
    if len(counted) != 1 or len(body) != 1 or not is_plain(body[0]):
        return
    [last] = counted
    conditions = [part for part in head if part is not last]
    if last.kind != "event" or last.time is not None or last.count is None or not all(map(_is_about_time, conditions)):
        return
    atom = flat(last.atom, "event")
    if counts(last.count) != compared("=", 1) or atom is None or last.group_by is None:
        return
    first = flat(body[0].atom, "event")
    common = frozenset[str]() if first is None else atom.variables & first.variables
    if frozenset(last.group_by) <= common:  # else there is one for each value of a variable that the body does not have
        yield from _ordered(body[0], last, conditions, clause)


def _ordered(first: Literal, last: Literal, conditions: Sequence[Part], clause: Clause) -> Iterator[Order]:
    if first.identifier is None or last.identifier is None:
        return
    earlier, later = flat(first.atom, "event"), flat(last.atom, "event")
    names = first.identifier.identifier, last.identifier.identifier
    said = tuple(part for part in conditions if isinstance(part, Comparison | Temporal))
    proper: list[TimeConstraint] = [Constraint(TimePoint(name, "begin"), TimePoint(name, "end"), 0) for name in names]
    network = time_network(Branch(conditions=said)).adding(proper)
    if earlier is None or later is None or network.contradiction is not None:
        return
    bound = network.bound(TimePoint(names[0], "end"), TimePoint(names[1], "end"))
    if bound is not None and bound.value <= 0:
        yield Order(earlier, later, -bound.value, last.atom, clause)


def _is_about_time(part: Part) -> bool:
    return isinstance(part, Comparison | Temporal)
