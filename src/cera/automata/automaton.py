"""The model of an instantiating hierarchical timed automaton (seed 002, Definition 3).

An automaton is a tree of states with transitions between them. A state that has children is non-atomic: it is
instantiated, any number of times at once, and each of its instances is in one of its children.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from cera.automata.times import TimeConstraint
from cera.diagnostics import Span
from cera.model.expressions.expression import Expression
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.tags import tagged
from cera.model.terms.values import Scalar

#: The names from the root to a state.
Path = tuple[str, ...]

#: The identifiers that no label declares: the event that is matched, and the one that was matched before.
THIS, LAST = "this", "last"


@tagged("AutomatonConstant")
@dataclass(frozen=True)
class Constant:
    """`itemID(5)`: a value that is given."""

    value: Scalar


@tagged("AutomatonReference")
@dataclass(frozen=True)
class Reference:
    """`itemID(I)`: the value that a variable has."""

    variable: str


@tagged("AutomatonDeclaration")
@dataclass(frozen=True)
class Declaration:
    """`itemID(I*)`: a variable gets the value; if `unique`, one that it never had, or not for `memory` microseconds."""

    variable: str
    unique: bool = False
    memory: int | None = None


Value = Constant | Reference | Declaration


@tagged("AutomatonQuery")
@dataclass(frozen=True)
class EventQuery:
    """`bid(auctionID(A), value(V*))`: events with this label, and with these values in their attributes.

    An attribute is found by the labels on the way to it, since attributes can have attributes.

    `bid{{auctionID{{var A}}, value{{var V*}}}}`, an extension: events that a pattern matches, which has the label too.
    `declarations` are the variables of the pattern that it declares; it refers to the others.
    """

    label: str
    attributes: tuple[tuple[Path, Value], ...] = ()
    pattern: TermPattern | None = None
    declarations: tuple[Declaration, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def declared(self) -> frozenset[str]:
        return frozenset(each.variable for each in self._declarations())

    @property
    def referenced(self) -> frozenset[str]:
        if self.pattern is not None:
            return patterns.variables(self.pattern) - self.declared
        return frozenset(value.variable for _, value in self.attributes if isinstance(value, Reference))

    @property
    def unique(self) -> tuple[Declaration, ...]:
        return tuple(each for each in self._declarations() if each.unique)

    def _declarations(self) -> Iterator[Declaration]:
        yield from self.declarations
        yield from (value for _, value in self.attributes if isinstance(value, Declaration))

    @property
    def named(self) -> tuple[tuple[Path, Value], ...]:
        """The attributes that an event must have, with their values; of a pattern, those under plain labels."""
        return self.attributes if self.pattern is None else tuple(self._named(self.pattern, ()))

    def _named(self, pattern: TermPattern, path: Path) -> Iterator[tuple[Path, Value]]:
        for child in pattern.children:
            if not isinstance(child, TermPattern) or not isinstance(child.label, str):
                continue
            own = (*path, child.label)
            if len(child.children) == 1 and (value := self._value(child.children[0])) is not None:
                yield own, value
            else:
                yield from self._named(child, own)

    def _value(self, pattern: Pattern) -> Value | None:
        match pattern:
            case ScalarPattern():
                return Constant(pattern.value)
            case VariablePattern(pattern=None):
                declared = {each.variable: each for each in self.declarations}
                return declared.get(pattern.name, Reference(pattern.name))
            case _:
                return None


CountOperator = Literal["=", "!=", "<", "<=", ">", ">="]


@tagged("AutomatonCount")
@dataclass(frozen=True)
class TerminationConstraint:
    """`finishedInstances(b) >= 2`, `allInstances(b) = 3`."""

    function: Literal["finishedInstances", "allInstances"]
    identifier: str
    operator: CountOperator
    number: int
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("AutomatonLabel")
@dataclass(frozen=True)
class Label:
    """What a transition waits for: an event or its absence, and constraints. `identifier` names the event then."""

    query: EventQuery | None = None
    negated: bool = False
    identifier: str | None = None
    times: tuple[TimeConstraint, ...] = ()
    #: Conditions on the data of events, an extension of the paper's labels.
    conditions: tuple[Expression, ...] = ()
    terminations: tuple[TerminationConstraint, ...] = ()


@tagged("AutomatonState")
@dataclass(frozen=True)
class State:
    """A state: atomic if it has no children."""

    name: str
    attributes: tuple[tuple[str, Constant | Reference], ...] = ()
    identifier: str | None = None
    is_start: bool = False
    is_end: bool = False
    children: tuple[State, ...] = ()
    #: Events that its instances must accept, besides those of its transitions (a wider schema).
    schema: tuple[EventQuery, ...] = ()
    #: What must hold while an instance is in it, an extension.
    invariant: tuple[TimeConstraint, ...] = ()
    #: Whether what happens inside is left open: its instances accept whatever is in their schema.
    is_opaque: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_atomic(self) -> bool:
        return not self.children

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, State]]:
        """Yields the state and its descendants, each before its children, with their paths."""
        own = (*path, self.name)
        yield own, self
        for child in self.children:
            yield from child.walk(own)


@tagged("AutomatonTransition")
@dataclass(frozen=True)
class Transition:
    """A transition between two states; an enter transition has no source. `text` is how it is written.

    `level` is the state in whose braces it is written, if both ends are in one child of it: then it goes out of that
    child and into it again. Otherwise the level follows from the two states.
    """

    source: Path | None
    target: Path
    label: Label
    level: Path | None = None
    text: str = field(default="", compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The states that it connects, for messages."""
        return f"{'enter' if self.source is None else self.source[-1]} -> {self.target[-1]}"


@tagged("Automaton")
@dataclass(frozen=True)
class Automaton:
    """A root state with all below it, and the transitions. With `is_strict`, simultaneous events of one instance are a
    violation."""

    root: State
    transitions: tuple[Transition, ...]
    is_strict: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def queries(self) -> Iterator[EventQuery]:
        """Every event query, of transitions and of schemas."""
        for transition in self.transitions:
            if transition.label.query is not None:
                yield transition.label.query
        for _, state in self.root.walk():
            yield from state.schema
