"""What has to be there once for a clause to be judged, as clauses without a head: their violations are the occasions.

    IF event o: order(id(N)) and event p: payment(id(N)) THEN …
        <- event: order(id(N))                                        an order that has one id
        <- event: payment(id(N))                                      a payment that has one
        <- event o: order(id(N)) and event p: payment(id(N))          both of the same one

The last of them implies the others, which say why there is none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cera.constraints.clause import Clause
from cera.constraints.explanations import query_text
from cera.constraints.occasions import counted_in_own_groups, needs_one
from cera.constraints.places import Located, located_literals
from cera.constraints.queries import (
    Apart,
    Directed,
    HullLiteral,
    Literal,
    Membership,
    Part,
    SentFrom,
    TimerLiteral,
    WindowLiteral,
)

#: Parts of a head that are not conditions on what the body finds.
_ASKING = (Literal, Membership, TimerLiteral, WindowLiteral, HullLiteral)


@dataclass(frozen=True)
class Need:
    """Something without which a clause is not judged: one of several clauses without a head, and why there was none."""

    ways: tuple[Clause, ...]
    reason: str


@dataclass(frozen=True)
class PlaceNeed:
    """An event of a literal whose place is known as well as conditions need it."""

    located: Located

    @property
    def reason(self) -> str:
        return f"no `{self.located.literal.atom.label}` comes from a place that the file of locations knows"


def needs_of(clause: Clause) -> tuple[Need, ...]:
    """Returns what a clause needs to be judged, the last of which is all of it; nothing if it always is."""
    counted = counted_in_own_groups(clause)
    body = clause.body if counted is None else (*clause.body, _one_of(counted))
    if not any(isinstance(part, Literal) and (part.kind != "relation" or part.count is None) for part in body):
        return ()
    single = [part for part in body if isinstance(part, Literal) and needs_one(part) and part.atom.arguments]
    found = [
        Need((_headless(clause, [_alone(part)], f"{number}"),), _unmatched(part))
        for number, part in enumerate(single)
        if part.kind != "relation" and not _is_derived(part, clause)
    ]
    ways = [[*body, *decided] for decided in _decided(clause)]
    return (*found, Need(tuple(_headless(clause, each, f"all{n}") for n, each in enumerate(ways)), NEVER))


#: Why a clause was not judged of which each part was there, but not all together.
NEVER = "its body never held: nothing had such values and times together"


def place_needs_of(clause: Clause) -> tuple[PlaceNeed, ...]:
    """Returns of which literals of a clause the place of an event has to be known."""
    return tuple(PlaceNeed(each) for each in located_literals(clause) if each.literal.kind == "event")


def relations_needed(clause: Clause) -> Iterator[str]:
    """Yields the relations without a row of which the body of a clause does not hold."""
    for part in clause.body:
        if isinstance(part, Literal) and part.kind == "relation" and needs_one(part):
            yield part.atom.label


def _one_of(literal: Literal) -> Literal:
    """Returns a literal that asks for one of what is counted."""
    return replace(literal, count=None, group_by=None, identifier=None)


def _alone(literal: Literal) -> Literal:
    """Returns a literal that asks for one of its events or states, whenever it is."""
    return replace(_one_of(literal), time=None)


def _is_derived(literal: Literal, clause: Clause) -> bool:
    return any(each.head.atom.label == literal.atom.label for each in clause.definitions)


def _unmatched(literal: Literal) -> str:
    kind = literal.kind or "event"
    return f"no {kind} `{literal.atom.label}` matches {query_text(literal.atom)}"


def _headless(clause: Clause, body: Sequence[Part], which: str) -> Clause:
    return replace(clause, name=f"{clause.name}/{which}", head=(), body=tuple(body))


def _decided(clause: Clause) -> list[tuple[Part, ...]]:
    """Returns what has to hold besides the body so that the head is neither refuted nor unknown: where it is about
    places, and nothing violates it, one of its alternatives; otherwise nothing."""
    conditions = [part for alternative in clause.head for part in alternative]
    if any(isinstance(part, _ASKING) for part in conditions):
        return [()]
    return list(clause.head) if any(isinstance(part, Directed | SentFrom | Apart) for part in conditions) else [()]
