"""What has to happen before a clause says anything: without it nothing was judged, and nothing held.

    IF event: order(id(N)) THEN …                     an order
    IF event: order(kind("urgent")) THEN …            an order whose kind is urgent
    IN ANY CASE exists = 1 event: temp(area(A)) END   a temperature: groups without values are those that occur

What must never happen, `exists = 0 event: smoke(room(R))`, is judged by its absence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.constraints.clause import Clause
from cera.constraints.groups import binds
from cera.constraints.module import labels
from cera.constraints.numbers import ZERO, counts
from cera.constraints.queries import Literal, Part, TimerLiteral
from cera.model.events.attributes import AskedValue, Path, value_text
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Literal as Constant


@dataclass(frozen=True)
class Seen:
    """What there was in a recording: labels of events and of what was derived, and what was looked for in vain."""

    labels: Collection[str]
    missing_attributes: Mapping[str, Collection[Path]] = field(default_factory=dict)
    missing_values: Collection[AskedValue] = ()
    #: Of which events that is said, if not of all, in words: ` up to --until`.
    only: str = ""


def missing_occasion(clause: Clause, seen: Seen) -> str | None:
    """Returns what a clause waits for in a recording; None if it was judged, as far as labels and single values say.

    States are seen by the labels of their openings.
    """
    missing = next(_missing(clause.body, clause, seen), None)
    if missing is None and (counted := counted_in_own_groups(clause)) is not None:
        missing = next(_missing([counted], clause, seen, counted=True), None)
    return None if missing is None else f"{missing}{seen.only}"


def values_needed(clause: Clause) -> Iterator[AskedValue]:
    """Yields the values without which what the body of a clause asks for is not there."""
    for part in (*clause.body, *(part for each in clause.definitions for body in each.bodies for part in body)):
        literal = part.anchor if isinstance(part, TimerLiteral) else part
        if isinstance(literal, Literal) and literal.kind != "relation" and needs_one(literal):
            yield from _values(literal)


def _values(literal: Literal) -> Iterator[AskedValue]:
    for argument in literal.atom.arguments:
        match argument:
            case Atom(label, (Constant(value),)) if (text := value_text(value)) is not None:
                yield AskedValue(labels(literal)[0], label, text)


def states_of(clause: Clause) -> frozenset[str]:
    """Returns the labels of the states that the body asks for: what is said of one is not over before it ends."""
    return frozenset(part.atom.label for part in clause.body if isinstance(part, Literal) and part.kind == "state")


def _missing(parts: Sequence[Part], clause: Clause, seen: Seen, *, counted: bool = False) -> Iterator[str]:
    for part in parts:
        literal = part.anchor if isinstance(part, TimerLiteral) else part
        if not isinstance(literal, Literal) or literal.kind == "relation" or not (counted or needs_one(literal)):
            continue
        label = literal.atom.label
        bodies = [body for each in clause.definitions if each.head.atom.label == label for body in each.bodies]
        if bodies:
            found = [next(_missing(body, clause, seen), None) for body in bodies]
            yield from (each for each in found[:1] if each is not None and None not in found)
        else:
            yield from _not_seen(literal, seen)


def _not_seen(literal: Literal, seen: Seen) -> Iterator[str]:
    """Yields what of the label, the attributes and the values of a literal no event had."""
    label = labels(literal)[0]
    named = f"{literal.kind or 'event'} `{literal.atom.label}`"
    if label not in seen.labels:
        yield named
        return
    for argument in literal.atom.arguments:
        if isinstance(argument, Atom) and (argument.label,) in seen.missing_attributes.get(label, ()):
            yield f"{named} with `{argument.label}`"
    for value in _values(literal):
        if value in seen.missing_values:
            yield f"{named} with {value.name} = {value.text}"


def needs_one(literal: Literal) -> bool:
    """Returns whether a literal of a body holds only where there is something."""
    if literal.negated:
        return False
    numbers = None if literal.count is None else counts(literal.count)
    return literal.count is None or (numbers is not None and 0 not in numbers)


def counted_in_own_groups(clause: Clause) -> Literal | None:
    """Returns the head if all it does is to count, and only groups that occur are counted."""
    if len(clause.head) != 1 or len(clause.head[0]) != 1:
        return None
    [literal] = clause.head[0]
    if not isinstance(literal, Literal) or literal.count is None or counts(literal.count) == ZERO:
        return None
    bound = frozenset[str]().union(*map(binds, clause.body))
    return literal if frozenset(literal.group_by or ()) - bound else None
