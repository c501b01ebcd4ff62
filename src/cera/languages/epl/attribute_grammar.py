"""The attribute grammar of seed 003, Table 1: what may come before each subevent, and which variables it sees.

    PPS(Q)    the possible predecessors of Q: what can be satisfied at the stage right before Q begins
    EVar(Q)   the variables that Q exports
    IVar(Q)   the variables that Q imports

The root has the predecessor `start`, which holds at every stage (ERR-99). In a relaxed sequence [F, G] the predecessor
of G is that F has been satisfied at some stage up to now. A sequence with a bound (`within`) hands down, besides the
variables of F, the time at which F ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from cera.languages.epl.syntax import Context
from cera.languages.epl.tree import (
    AnyNode,
    BasicNode,
    BinaryNode,
    EmptyNode,
    FirstNode,
    NegationNode,
    Node,
    UnlessNode,
    postorder,
)

#: Ways to remember a predecessor: at the very stage (`sat`, with a time stamp `at`), at any stage up to now (`has`),
#: at the last stage where it was satisfied (`last`), until it is used (`wait`); `start` is always.
Memory = Literal["start", "sat", "at", "has", "last", "wait"]

#: Relaxed sequences remember by the context of the rule.
MEMORIES: Mapping[Context, Memory] = {"unrestricted": "has", "recent": "last", "chronicle": "wait"}


@dataclass(frozen=True)
class Predecessor:
    memory: Memory
    number: str = ""
    #: The arguments of its predicate.
    variables: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.memory if self.memory == "start" else f"{self.memory}{self.number}".removeprefix("sat")


@dataclass(frozen=True)
class Bound:
    """At most `microseconds` after the time that the variable `since` stands for; `now` is the time of the stage."""

    since: str
    microseconds: int
    now: str = "Now"


@dataclass(frozen=True)
class Attributes:
    """Attributes of one node; `bounds` are the time limits that it lies in."""

    predecessors: tuple[Predecessor, ...]
    imported: tuple[str, ...]
    exported: tuple[str, ...]
    bounds: tuple[Bound, ...] = ()
    #: For the first of a relaxed sequence, of `prior` or of a bounded sequence: how it is remembered for the second.
    remembered: Predecessor | None = None
    #: The time limit that begins with the end of this node.
    starts: Bound | None = None
    #: The hidden variable for the age of an occurrence (chronicle).
    age: str | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """The arguments of the satisfaction predicate: imported, then exported variables."""
        return self.imported + tuple(name for name in self.exported if name not in self.imported)


START = Predecessor("start")


def attributes(root: Node, context: Context = "unrestricted") -> dict[str, Attributes]:
    """Returns the attributes of every node by its number."""
    grammar = _Grammar(root)
    grammar.inherit(root, Attributes((START,), (), ()), context)
    return grammar.found


def exported(node: Node) -> tuple[str, ...]:
    """Returns EVar(node)."""
    match node:
        case BasicNode():
            return () if node.variable is None else (node.variable,)
        case AnyNode() | EmptyNode() | NegationNode():
            return ()
        case FirstNode() | UnlessNode():
            return exported(node.event)
        case BinaryNode(operator="or"):
            return ()
        case BinaryNode(operator="*seq"):
            return exported(node.second)
        case BinaryNode():
            return exported(node.first) + exported(node.second)


class _Grammar:
    def __init__(self, root: Node) -> None:
        self.found: dict[str, Attributes] = {}
        self._taken = {n.variable for n in postorder(root) if isinstance(n, BasicNode) and n.variable is not None}
        self._now = self._fresh("Now")

    def inherit(self, node: Node, above: Attributes, context: Context) -> None:
        """Gives the node what it inherits, and its parts what they inherit."""
        own = replace(above, exported=exported(node), remembered=None, starts=None, age=None)
        self.found[node.number] = own
        match node:
            case BasicNode() | AnyNode() | EmptyNode():
                pass
            case NegationNode():
                # A negation asks whether there is any instance, so what it negates is never restricted.
                self.inherit(node.event, own, "unrestricted")
            case UnlessNode():
                self.inherit(node.event, own, context)
                self.inherit(node.absent, own, "unrestricted")
            case FirstNode():
                self.inherit(node.event, own, context)
            case BinaryNode():
                self._binary(node, own, context)
            case _:
                assert_never(node)

    def _binary(self, node: BinaryNode, own: Attributes, context: Context) -> None:
        match node.operator:
            case "seq" | "relaxed":
                self.inherit(node.first, own, context)
                memory = MEMORIES[context] if node.operator == "relaxed" else "sat" if node.bound is None else "at"
                remembered = self._remember(node, memory)
                first = self.found[node.first.number]
                bounds = own.bounds if first.starts is None else (*own.bounds, first.starts)
                below = replace(own, predecessors=(remembered,), imported=remembered.variables, bounds=bounds)
                self.inherit(node.second, below, context)
            case "prior":
                self.inherit(node.first, own, context)
                self._remember(node, MEMORIES[context])
                self.inherit(node.second, own, context)
            case "*seq":
                repeated = Predecessor("sat", node.first.number, _union(own.imported, exported(node.first)))
                below = replace(own, predecessors=_distinct((repeated, *own.predecessors)))
                self.inherit(node.first, below, context)
                self.inherit(node.second, below, context)
            case "and" | "or":
                self.inherit(node.first, own, context)
                self.inherit(node.second, own, context)

    def _remember(self, node: BinaryNode, memory: Memory) -> Predecessor:
        """Returns the first part of the node as its second part knows it: with the time and the age that are needed."""
        first = self.found[node.first.number]
        since = None if node.bound is None else Bound(self._fresh("T"), node.bound, self._now)
        age = self._fresh("N") if memory == "wait" else None
        hidden = (*([since.since] if since else []), *([age] if age else []))
        remembered = Predecessor(memory, node.first.number, first.variables + hidden)
        self.found[node.first.number] = replace(first, remembered=remembered, starts=since, age=age)
        return remembered

    def _fresh(self, letter: str) -> str:
        """Returns a variable that the rule does not have, nor one with another `_`: T, T1, T2, …"""
        candidates = [letter, *(f"{letter}{index}" for index in range(1, 2 * len(self._taken) + 2))]
        name = next(candidate for candidate in candidates if not {candidate, f"{candidate}_"} & self._taken)
        self._taken.add(name)
        return name


def _union(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(left + right))


def _distinct(predecessors: tuple[Predecessor, ...]) -> tuple[Predecessor, ...]:
    """Returns the predecessors in the order of their numbers, as the paper lists them; `start` first."""
    return tuple(sorted(dict.fromkeys(predecessors), key=lambda p: int(p.number) if p.number.isdigit() else 0))
