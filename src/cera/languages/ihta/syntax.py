"""The syntax tree of IHTA: automata as they were written, up to layout and synonyms.

Every node keeps its span, which is left out of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from cera.automata.automaton import Constant, EventQuery, Reference
from cera.diagnostics import Span
from cera.languages.text.nodes import Identifier
from cera.model.expressions.expression import Expression

Role = Literal["start", "end"]
#: What is parsed by itself: the items of a file, and labels, which JSON has as strings.
Start = Literal["automaton", "use", "label"]
STARTS: tuple[Start, ...] = ("automaton", "use", "label")

#: The word for the current time in constraints.
NOW = "now"


@dataclass(frozen=True)
class Header:
    """`ItemOffer(auctionID(A), itemID(I))`."""

    name: str
    attributes: tuple[tuple[str, Constant | Reference], ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Names:
    """`start I0;`, `I1, I2;`: atomic states."""

    roles: tuple[Role, ...]
    names: tuple[Identifier, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Block:
    """What is between the braces of a state; that of an opaque state is left open."""

    members: tuple[Member, ...] = ()
    is_opaque: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Nested:
    """`state b: BidderEnrollment(…) { … }`; without a block it is an automaton of a file that is used."""

    roles: tuple[Role, ...]
    identifier: Identifier | None
    header: Header
    block: Block | None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class LabelText:
    """`j: bid(…) and e(this) - e(last) < 30s`: a query or its absence, and comparisons."""

    query: EventQuery | None
    negated: bool
    identifier: Identifier | None
    conditions: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Arrow:
    """`I0 -> I1: …;`, `enter -> A0: …;`. States of one name are told apart as `ItemOffer.I0`."""

    source: Identifier | None
    target: Identifier
    label: LabelText
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Invariant:
    """`I1 while now - e(last) <= 1h;`."""

    state: Identifier
    conditions: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Schema:
    """`schema bid(auctionID(A));`: events that instances must accept."""

    queries: tuple[EventQuery, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Member = Names | Nested | Arrow | Invariant | Schema


@dataclass(frozen=True)
class AutomatonText:
    """`automaton Auction(auctionID(A)) { … }`."""

    header: Header
    block: Block
    is_strict: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Use:
    """`use "enrollment.ihta";`: its automata can be states of others."""

    path: str
    span: Span | None = field(default=None, compare=False, repr=False)


Item = AutomatonText | Use


@dataclass(frozen=True)
class Program:
    """The items of a file in their order."""

    items: tuple[Item, ...]

    @property
    def automata(self) -> Iterator[AutomatonText]:
        return (item for item in self.items if isinstance(item, AutomatonText))

    @property
    def uses(self) -> Iterator[Use]:
        return (item for item in self.items if isinstance(item, Use))
