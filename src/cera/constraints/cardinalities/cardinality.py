"""Cardinality constraints as facts about one kind of window: `exists <= 60 highTemp(area(A)) group-by {A}` in each.

A fact speaks of the groups that occur, and with no group of all the events, be there none. One with `given` speaks of
the groups of windows in which that occurs too: it comes from a rule, `IF l2 THEN exists = 2 l1`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cera.constraints.cardinalities.laws import specification_of
from cera.constraints.clause import Clause
from cera.constraints.constraint import Constraint, Module
from cera.constraints.numbers import CountSet, counts
from cera.constraints.queries import Literal, WindowLiteral
from cera.constraints.subsumption.atoms import FlatAtom, flat
from cera.model.expressions.atoms import Atom, Sliding
from cera.model.expressions.expression import EventReference
from cera.model.time.durations import Duration
from cera.model.time.interval import Time
from cera.model.time.periodic_windows import Period


@dataclass(frozen=True)
class Cardinality:
    """How many events an atom matches in each window of a period, for each group. `because` are the names of the
    constraints and rules that it follows from."""

    atom: FlatAtom
    written: Atom
    group: frozenset[str]
    numbers: CountSet
    period: Period
    given: tuple[FlatAtom, ...] = ()
    because: tuple[str, ...] = ()

    def module(self) -> Module | None:
        """Returns it as a set of constraints; None if it says that there are no numbers at all."""
        count = specification_of(self.numbers)
        if count is None:
            return None
        literal = Literal(self.written, "event", count=count, group_by=tuple(sorted(self.group)))
        return Module(WindowLiteral(window_of(self.period)), Constraint(literal))


def window_of(period: Period) -> Sliding:
    slide = None if period.slide == period.length else Duration(0, period.slide)
    return Sliding(Duration(0, period.length), slide)


def cardinality_of(clause: Clause, origin: Time = 0) -> Cardinality | None:
    """Returns the cardinality that a clause is; None if it is another kind of constraint, or of another time."""
    if clause.definitions or len(clause.head) != 1 or len(clause.head[0]) != 1:
        return None
    counted = clause.head[0][0]
    windows = [part for part in clause.body if isinstance(part, WindowLiteral)]
    others = [part for part in clause.body if not isinstance(part, WindowLiteral)]
    if not isinstance(counted, Literal) or counted.kind != "event" or counted.count is None or len(windows) != 1:
        return None
    [window] = windows
    if not isinstance(window.window, Sliding) or window.identifier is None:
        return None
    slid = window.window
    period = Period(slid.range.microseconds, (slid.slide or slid.range).microseconds, origin)
    numbers, atom = counts(counted.count), flat(counted.atom, "event")
    if numbers is None or atom is None or not _in(counted, window.identifier) or counted.group_by is None:
        return None
    given: list[FlatAtom] = []
    for part in others:
        if not isinstance(part, Literal) or part.kind != "event" or part.count is not None or part.negated:
            return None
        body = flat(part.atom, "event")
        if body is None or not _in(part, window.identifier):
            return None
        given.append(body)
    group = frozenset(counted.group_by)
    # A variable of the body that the counted atom has too is given, so it is one of the groups whatever is written.
    group |= atom.variables & frozenset[str]().union(*(each.variables for each in given))
    return Cardinality(atom, counted.atom, group, numbers, period, tuple(given), (clause.constraint,))


def _in(literal: Literal, window: EventReference) -> bool:
    return isinstance(literal.time, EventReference) and literal.time.identifier == window.identifier


def because(cardinality: Cardinality, *names: str) -> Cardinality:
    return replace(cardinality, because=tuple(dict.fromkeys((*cardinality.because, *names))))
