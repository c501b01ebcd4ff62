"""What holds under a substitution: a conjunction whose events and states all have identifiers.

Whether a condition can be decided at all depends on states that have ended: a fact that names the end of a state says
that it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cera.constraints.clause import Clause
from cera.constraints.conditions import named_edges
from cera.constraints.consequences.placement import Placement
from cera.constraints.consequences.time_bounds import Kinds, kinds_of
from cera.constraints.groups import binds, components, given_names, own_names
from cera.constraints.names import APART, Names, declared_identifier, fresh, used_identifiers, used_variables
from cera.constraints.queries import (
    Apart,
    Directed,
    Gap,
    GapContent,
    HullLiteral,
    Literal,
    Membership,
    Part,
    SentFrom,
    Spread,
    TimerLiteral,
    WindowLiteral,
)
from cera.model.expressions.atoms import Unbounded
from cera.model.expressions.expression import Comparison, EventReference, Temporal, Variable
from cera.rules.reasoning.time_constraints import MAY_FAIL


@dataclass(frozen=True)
class Facts:
    """Parts that all hold."""

    parts: tuple[Part, ...]

    @cached_property
    def kinds(self) -> Kinds:
        return kinds_of(self.parts)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The variables that literals without a count give values."""
        return frozenset[str]().union(*(binds(p) for p in self.parts if isinstance(p, Literal) and p.count is None))

    @cached_property
    def all_bound(self) -> frozenset[str]:
        return frozenset[str]().union(*map(binds, self.parts))

    @cached_property
    def ended(self) -> frozenset[str]:
        """The states, and timers on states, that have ended."""
        return frozenset(name for part in self.parts for name in needed_ends(part, self.kinds))

    @cached_property
    def placement(self) -> Placement:
        return Placement(self.parts)

    def adding(self, parts: Sequence[Part]) -> Facts:
        return Facts((*self.parts, *parts))


def needed_ends(part: Part, kinds: Kinds) -> Iterator[str]:
    """Yields the states whose end has to be known for a condition to be decided."""
    for name in _needed(part):
        if kinds.get(name) == "state":
            yield name


def _needed(part: Part) -> Iterator[str]:
    match part:
        case Comparison():
            yield from (name for name, is_end in named_edges(part) if is_end)
        case Temporal():
            sides = {"before": (part.left,), "after": (part.right,)}.get(part.relation, (part.left, part.right))
            yield from (each.identifier for each in sides if isinstance(each, EventReference))
        case Spread() | Gap() | GapContent():
            yield from (each.identifier for each in part.identifiers)
        case _:
            return


def is_place(part: Part) -> bool:
    """Returns whether a part is a condition on places, which may not be known."""
    return isinstance(part, Apart | SentFrom | Directed)


def is_condition(part: Part) -> bool:
    return not isinstance(part, Literal | Membership | TimerLiteral | WindowLiteral | HullLiteral)


def prepared(clause: Clause, *, happening: bool = False) -> Clause:
    """Returns a clause in which all of time is the time of no literal, each literal without a count of the body has an
    identifier, timers of a head are in the body (if `happening` is set only those that always happen), and what only an
    alternative has has names that no other has. What local definitions derive has labels that nothing else has."""
    clause = _with_names_apart(_with_labels_apart(_with_timers_in_body(clause, MAY_FAIL if happening else ())))
    parts = [*clause.body, *(part for each in clause.head for part in each)]
    always = {
        part.identifier.identifier
        for part in clause.body
        if isinstance(part, WindowLiteral) and isinstance(part.window, Unbounded) and part.identifier is not None
    }
    always -= {
        each.identifier for part in parts if not isinstance(part, Literal) for each in used_identifiers(part)
    }  # of those that are used otherwise nothing is said
    taken = {each.identifier for part in parts if (each := declared_identifier(part)) is not None}
    body: list[Part] = []
    for part in clause.body:
        if isinstance(part, WindowLiteral) and part.identifier is not None and part.identifier.identifier in always:
            continue
        timed = _timeless(part, always)
        if isinstance(timed, Literal) and timed.count is None and timed.identifier is None:
            name = fresh("x", taken)
            taken.add(name)
            timed = replace(timed, identifier=EventReference(name))
        body.append(timed)
    head = tuple(tuple(_timeless(part, always) for part in each) for each in clause.head)
    return replace(clause, body=tuple(body), head=head)


def _with_labels_apart(clause: Clause) -> Clause:
    derived = {each.head.atom.label for each in clause.definitions}
    if not derived:
        return clause

    def labelled(part: Part) -> Part:
        if isinstance(part, Literal) and part.atom.label in derived:
            return replace(part, atom=replace(part.atom, label=f"{part.atom.label}{APART}"))
        return part

    head = tuple(tuple(map(labelled, each)) for each in clause.head)
    return replace(clause, body=tuple(map(labelled, clause.body)), head=head)


def _timeless(part: Part, always: set[str]) -> Part:
    if isinstance(part, Literal) and isinstance(part.time, EventReference) and part.time.identifier in always:
        return replace(part, time=None)
    return part


def _with_timers_in_body(clause: Clause, left: Collection[str]) -> Clause:
    """H and t <- B  is  H <- B and t,  if t is a timer on what B has, and all of H belongs together.

    An alternative whose timer does not happen is not refuted, so that nothing is violated either way.
    """
    body = list(clause.body)
    known = given_names(body)
    head: list[tuple[Part, ...]] = []
    for alternative in clause.head:
        rest = list(alternative)
        for part in alternative:
            if not isinstance(part, TimerLiteral | HullLiteral) or len(rest) == 1 or len(components(rest, known)) > 1:
                continue
            if isinstance(part, TimerLiteral) and part.timer in left:
                continue
            if all(f"#{each.identifier}" in known for each in used_identifiers(part)):
                rest.remove(part)
                body.append(part)
                known |= own_names(part)
        head.append(tuple(rest))
    return replace(clause, body=tuple(body), head=tuple(head))


def _with_names_apart(clause: Clause) -> Clause:
    if len(clause.head) == 1:
        return clause
    known = given_names(clause.body)
    head: list[tuple[Part, ...]] = []
    for number, alternative in enumerate(clause.head):
        names = apart(alternative, known, f"{APART}{number}")
        head.append(tuple(map(names.part, alternative)))
    return replace(clause, head=tuple(head))


def apart(alternative: Sequence[Part], known: frozenset[str], sign: str) -> Names:
    """Returns other names for what only an alternative has: with a sign behind them."""
    declared = [each.identifier for part in alternative if (each := declared_identifier(part)) is not None]
    variables = {name for part in alternative for name in used_variables(part)} - known
    return Names({name: f"{name}{sign}" for name in declared}, {name: Variable(f"{name}{sign}") for name in variables})
