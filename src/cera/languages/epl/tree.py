"""EPL expressions as binary trees in the paper's prefix form (seed 003, section 3.1), nodes numbered in postorder.

    seq(E1, E2)    (E1, E2)      relaxed: [E1, E2]
    *seq(E1, E2)   (*:E1, E2)    *:E alone is *seq(E, ε)
    and, or, neg                 prior, first: derived, with translations of their own

Longer sequences, conjunctions and disjunctions nest to the right, `prior` to the left: in `A ; B ; C` A comes before B.
The root's number is E. `expand` writes the derived constructs out by their definitions instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from cera.diagnostics import Span
from cera.languages.epl import syntax
from cera.languages.epl.syntax import Event
from cera.languages.text.nodes import EventType
from cera.model.expressions.expression import Expression

Binary = Literal["seq", "relaxed", "*seq", "and", "or", "prior"]


@dataclass(frozen=True)
class BasicNode:
    number: str
    predicate: str
    variable: str | None
    conditions: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class AnyNode:
    number: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class EmptyNode:
    """ε, no event."""

    number: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class BinaryNode:
    """`bound` is the time, in microseconds, that may pass from the end of the first to the end of the whole."""

    number: str
    operator: Binary
    first: Node
    second: Node
    bound: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class NegationNode:
    number: str
    event: Node
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class FirstNode:
    number: str
    event: Node
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class UnlessNode:
    """`E & !F` in one node, so that the negation is asked only where E is satisfied; with `before`, `E & ![F, any]`."""

    number: str
    event: Node
    absent: Node
    before: bool
    span: Span | None = field(default=None, compare=False, repr=False)


Node = BasicNode | AnyNode | EmptyNode | BinaryNode | NegationNode | FirstNode | UnlessNode

ROOT = "E"


def tree_of(event: Event, monitored: tuple[EventType, ...], *, expand: bool = False, fold: bool = False) -> Node:
    """Returns the numbered tree of an event; the monitored types are needed to write `any` out.

    With `fold`, negations in conjunctions have no nodes of their own.
    """
    shape = _Shapes(monitored, expand, fold).of(event)
    return replace(_Numbers().of(shape), number=ROOT)


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case BasicNode() | AnyNode() | EmptyNode():
            return ()
        case BinaryNode():
            return (node.first, node.second)
        case NegationNode() | FirstNode():
            return (node.event,)
        case UnlessNode():
            return (node.event, node.absent)


def postorder(node: Node) -> Iterator[Node]:
    for child in children(node):
        yield from postorder(child)
    yield node


def prefix_form(node: Node) -> str:
    """Prints a tree as the paper does, with basic events by their numbers: `seq(1, *seq(4, 5))`."""
    match node:
        case BasicNode():
            return node.number
        case AnyNode():
            return "any"
        case EmptyNode():
            return "ε"
        case BinaryNode():
            return f"{node.operator}({prefix_form(node.first)}, {prefix_form(node.second)})"
        case NegationNode():
            return f"neg({prefix_form(node.event)})"
        case FirstNode():
            return f"first({prefix_form(node.event)})"
        case UnlessNode():
            return (
                f"{'unless-before' if node.before else 'unless'}({prefix_form(node.event)}, {prefix_form(node.absent)})"
            )


class _Shapes:
    """Trees without numbers."""

    def __init__(self, monitored: tuple[EventType, ...], expand: bool, fold: bool) -> None:
        self._monitored = monitored
        self._expand = expand
        self._fold = fold

    def of(self, event: Event) -> Node:
        match event:
            case syntax.Basic():
                variable = None if event.variable is None else event.variable.name
                return BasicNode("", event.type.predicate, variable, event.conditions, event.span)
            case syntax.AnyEvent():
                return self._any(event.span)
            case syntax.Sequence():
                return self._sequence(event.events, event.span)
            case syntax.RelaxedSequence():
                return self._relaxed(event.events, event.span)
            case syntax.Conjunction():
                return self._conjunction(event)
            case syntax.Disjunction():
                return self._nested("or", event.events, event.span)
            case syntax.Prior():
                return self._prior(event)
            case syntax.Star():
                return self._sequence((event,), event.span)
            case syntax.Negation():
                return NegationNode("", self.of(event.event), event.span)
            case syntax.First():
                return self._first(event)
            case syntax.Within():
                inner = self.of(event.event)
                assert isinstance(inner, BinaryNode), "the checks let a `within` pass that bounds nothing"
                return _bounded(inner, event.duration.microseconds)

    def _sequence(self, events: tuple[Event, ...], span: Span | None) -> Node:
        head, *rest = events
        if isinstance(head, syntax.Star):
            following = self._sequence(tuple(rest), span) if rest else EmptyNode("", span)
            return BinaryNode("", "*seq", self.of(head.event), following, span=span)
        if not rest:
            return self.of(head)
        return BinaryNode("", "seq", self.of(head), self._sequence(tuple(rest), span), span=span)

    def _relaxed(self, events: tuple[Event, ...], span: Span | None) -> Node:
        """Returns [E1, …, En] ≡ (E1, *:any, E2, …, *:any, En)."""
        first = self.of(events[0])
        if len(events) == 1:
            return first
        following = self._relaxed(events[1:], span)
        if not self._expand:
            return BinaryNode("", "relaxed", first, following, span=span)
        return BinaryNode("", "seq", first, BinaryNode("", "*seq", self._any(span), following, span=span), span=span)

    def _nested(self, operator: Literal["and", "or"], events: tuple[Event, ...], span: Span | None) -> Node:
        if len(events) == 1:
            return self.of(events[0])
        return BinaryNode("", operator, self.of(events[0]), self._nested(operator, events[1:], span), span=span)

    def _conjunction(self, event: syntax.Conjunction) -> Node:
        negations = [part for part in event.events if isinstance(part, syntax.Negation)]
        others = tuple(part for part in event.events if not isinstance(part, syntax.Negation))
        if not self._fold or not negations or not others:
            return self._nested("and", event.events, event.span)
        node = self._nested("and", others, event.span)
        for negation in negations:
            match negation.event:
                case syntax.RelaxedSequence(events=(*before, syntax.AnyEvent())):
                    node = UnlessNode("", node, self._relaxed(tuple(before), negation.span), True, event.span)
                case absent:
                    node = UnlessNode("", node, self.of(absent), False, event.span)
        return node

    def _prior(self, event: syntax.Prior) -> Node:
        """Returns prior(E1, E2) ≡ [E1, any] & E2."""
        *before, last = event.events
        first = self.of(before[0]) if len(before) == 1 else self._prior(syntax.Prior(tuple(before), event.span))
        if not self._expand:
            return BinaryNode("", "prior", first, self.of(last), span=event.span)
        later = BinaryNode("", "*seq", self._any(event.span), self._any(event.span), span=event.span)
        before_it = BinaryNode("", "seq", first, later, span=event.span)
        return BinaryNode("", "and", before_it, self.of(last), span=event.span)

    def _first(self, event: syntax.First) -> Node:
        """Returns first(E) ≡ (E & ![E, any])."""
        if not self._expand:
            return FirstNode("", self.of(event.event), event.span)
        again = self._relaxed((event.event, syntax.AnyEvent(event.span)), event.span)
        return BinaryNode("", "and", self.of(event.event), NegationNode("", again, event.span), span=event.span)

    def _any(self, span: Span | None) -> Node:
        """Returns `any`, or the disjunction of all monitored basic events if that is written out."""
        if not self._expand:
            return AnyNode("", span)
        return self._nested("or", tuple(syntax.Basic(each, None, (), span) for each in self._monitored), span)


def _bounded(node: BinaryNode, bound: int) -> BinaryNode:
    """Returns the node with a time limit; for `prior` written out, which is `[E1, any] & E2`, its first part has it."""
    if node.operator != "and":
        return replace(node, bound=bound)
    assert isinstance(node.first, BinaryNode)
    return replace(node, first=_bounded(node.first, bound))


class _Numbers:
    def __init__(self) -> None:
        self._last = 0

    def of(self, node: Node) -> Node:
        match node:
            case BinaryNode():
                node = replace(node, first=self.of(node.first), second=self.of(node.second))
            case NegationNode() | FirstNode():
                node = replace(node, event=self.of(node.event))
            case UnlessNode():
                node = replace(node, event=self.of(node.event), absent=self.of(node.absent))
            case BasicNode() | AnyNode() | EmptyNode():
                pass
        self._last += 1
        return replace(node, number=str(self._last))
