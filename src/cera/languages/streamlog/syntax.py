"""The syntax tree of StreamLog (seed 002, chapter 5): programs as they were written, up to layout and synonyms.

Conditions and values are expressions of the model. `b(i)` and `e(i)` are its functions `begin` and `end`, and `now` in
the bounds of a window is the event reference of that name. An aggregate of several variables, `count(A, I)` as in
Listing 5.1, is a call of `count`; an aggregate of one value is the model's. Every node keeps its span, which is left
out of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

from cera.diagnostics import Span
from cera.languages.atoms.syntax import Declaration, Kind, Relation
from cera.languages.text.nodes import Identifier
from cera.model.expressions.atoms import Atom, TimeNode, Window
from cera.model.expressions.expression import Comparison, ComparisonOperator, Not, Temporal, Within
from cera.model.time.durations import Duration

#: The kinds of items; the grammar has a start rule for each.
Start = OneOf["declaration", "rule"]
STARTS: tuple[Start, ...] = ("declaration", "rule")


@dataclass(frozen=True)
class Timer(TimeNode):
    """`from-end[i, 1h]`, `from-end[fire(area(A)), 1h]`; kind by its canonical name."""

    kind: str
    anchor: Identifier | Literal
    duration: Duration
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Literal:
    """`while i: not event j: p(X)`: an atom with its evaluation time, its kind and its identifier, if they are given.

    As an evaluation time, after `until` and in a timer it is positive and has no evaluation time of its own.
    """

    atom: Atom
    kind: Kind | None = None
    identifier: Identifier | None = None
    negated: bool = False
    time: EvaluationTime | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class TimerLiteral:
    """`t: extend[i, 1h]`, `event t: extend[i, 1h]`."""

    timer: Timer
    kind: Kind | None = None
    identifier: Identifier | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class WindowLiteral:
    """`w: Range 1h Slide 30min`; only as an evaluation time may it lack an identifier."""

    window: Window
    identifier: Identifier | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


EvaluationTime = Identifier | Literal | TimerLiteral | WindowLiteral


@dataclass(frozen=True)
class Cardinality:
    """`exists <= 10000 i group-by ()`, `exists = 1 j: auctionEnd(auctionID(A))`. Only in residues."""

    operator: ComparisonOperator
    number: int
    subject: Identifier | Literal
    group_by: tuple[str, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Residue:
    """`{ exists = 1 j: p(X) and e(i) <= b(j) }`: what a constraint says of the query. It is never matched."""

    query: Query
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Conjunction:
    """`q and r`, as it was nested."""

    queries: tuple[Query, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Disjunction:
    """`q or r`, as it was nested."""

    queries: tuple[Query, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Condition = Comparison | Temporal | Within | Not
Leaf = Literal | TimerLiteral | WindowLiteral | Condition | Residue | Cardinality
Query = Leaf | Conjunction | Disjunction


@dataclass(frozen=True)
class Head:
    """`state: onFire(area(A)) until allClear(area(A))`; conditions are what a rewritten query says of its own time.

    A head with conditions has an identifier, and one with that a kind: `event a: h(X) and b(a) = b(w)`.
    """

    atom: Atom
    kind: Kind | None = None
    identifier: Identifier | None = None
    conditions: tuple[Condition, ...] = ()
    until: Literal | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Rule:
    """`head <- query.`"""

    head: Head
    query: Query
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Module:
    """Rules with one evaluation time, None for those before the first that is given."""

    time: EvaluationTime | None
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class TimedRule:
    """A rule as an item of a text: with the evaluation time before it, if it begins a module."""

    time: EvaluationTime | None
    rule: Rule


Item = Declaration | TimedRule


@dataclass(frozen=True)
class Program:
    """The declarations and the modules of a file, in their order. Only the first module may lack a time."""

    declarations: tuple[Declaration, ...] = ()
    modules: tuple[Module, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for module in self.modules for rule in module.rules)

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(each for each in self.declarations if isinstance(each, Relation))


def program_of(items: tuple[Item, ...]) -> Program:
    """Returns the program of items: a rule without an evaluation time belongs to the module before it."""
    declarations: list[Declaration] = []
    modules: list[Module] = []
    for item in items:
        if not isinstance(item, TimedRule):
            declarations.append(item)
        elif item.time is not None or not modules:
            modules.append(Module(item.time, (item.rule,)))
        else:
            modules[-1] = Module(modules[-1].time, (*modules[-1].rules, item.rule))
    return Program(tuple(declarations), tuple(modules))


def leaves(query: Query) -> Iterator[Leaf]:
    """Yields the literals, conditions and residues of a query from left to right; not what is inside of residues."""
    if isinstance(query, Conjunction | Disjunction):
        for part in query.queries:
            yield from leaves(part)
    else:
        yield query


def anchored(time: EvaluationTime | None) -> Literal | None:
    """Returns the literal that an evaluation time is or, if it is a timer, that it is relative to."""
    match time:
        case Literal():
            return time
        case TimerLiteral(timer=Timer(anchor=Literal() as anchor)):
            return anchor
        case _:
            return None


def literals(query: Query) -> Iterator[Literal]:
    """Yields the literals of a query, with those in evaluation times and timers before the literal they are in."""
    for leaf in leaves(query):
        match leaf:
            case Literal():
                if (time := anchored(leaf.time)) is not None:
                    yield time
                yield leaf
            case TimerLiteral():
                if (anchor := anchored(leaf)) is not None:
                    yield anchor
            case _:
                pass
