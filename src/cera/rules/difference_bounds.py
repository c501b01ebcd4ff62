"""Networks of difference bounds: constraints x - y <= c, their contradictions and their closure.

The time conditions of a rule form such a network over the begins and ends of its events. A negative cycle in it
means that the conditions never hold together; its closure (shortest paths) gives the tightest bound between any two
points, from which it follows how long an event can still contribute (temporal relevance). Each answer comes with
the constraints it follows from, so that a message can name them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)
Reason = TypeVar("Reason")


@dataclass(frozen=True)
class Constraint(Generic[Node, Reason]):
    """left - right <= bound, because of the reason (None: it holds anyway and needs no mention)."""

    left: Node
    right: Node
    bound: int
    reason: Reason | None = None


@dataclass(frozen=True)
class Bound(Generic[Reason]):
    """A tightest bound and the reasons on the path that it follows from, each named once."""

    value: int
    reasons: tuple[Reason, ...]


class DifferenceBounds(Generic[Node, Reason]):
    """A set of constraints x - y <= c. It does not change; `adding` gives a larger one."""

    def __init__(self, constraints: Iterable[Constraint[Node, Reason]] = ()) -> None:
        self.constraints = tuple(constraints)

    def adding(self, constraints: Iterable[Constraint[Node, Reason]]) -> DifferenceBounds[Node, Reason]:
        return DifferenceBounds((*self.constraints, *constraints))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(dict.fromkeys(node for c in self.constraints for node in (c.right, c.left)))

    @cached_property
    def contradiction(self) -> tuple[Constraint[Node, Reason], ...] | None:
        """Constraints around one negative cycle, or None if all of them can hold together (Bellman and Ford)."""
        distance: dict[Node, int] = dict.fromkeys(self.nodes, 0)
        arrived_by: dict[Node, Constraint[Node, Reason]] = {}
        changed: Node | None = None
        for _ in range(len(self.nodes) + 1):
            changed = None
            for constraint in self._tightest:
                if distance[constraint.right] + constraint.bound < distance[constraint.left]:
                    distance[constraint.left] = distance[constraint.right] + constraint.bound
                    arrived_by[constraint.left] = constraint
                    changed = constraint.left
            if changed is None:
                return None
        node: Node = changed  # type: ignore[assignment]  # the last round changed something
        for _ in self.nodes:  # walking back as many steps as there are nodes ends on the cycle
            node = arrived_by[node].right
        cycle = [arrived_by[node]]
        while cycle[-1].right != node:
            cycle.append(arrived_by[cycle[-1].right])
        return tuple(reversed(cycle))

    def bound(self, left: Node, right: Node) -> Bound[Reason] | None:
        """The least c with left - right <= c in every solution; None if the difference has no bound.

        Only for a network without contradiction: in one that has no solution, every bound holds.
        """
        if self.contradiction is not None:
            raise ValueError("a network with a contradiction has no tightest bounds")
        if left == right:
            return Bound(0, ())
        value = self._distances.get((right, left))
        if value is None:
            return None
        path: list[Constraint[Node, Reason]] = []
        node = left
        while node != right:
            path.append(self._arrivals[right, node])
            node = path[-1].right
        return Bound(value, reasons_of(reversed(path)))

    @cached_property
    def _tightest(self) -> tuple[Constraint[Node, Reason], ...]:
        """Of several constraints between the same two nodes, the one that says most."""
        tightest: dict[tuple[Node, Node], Constraint[Node, Reason]] = {}
        for constraint in self.constraints:
            known = tightest.get((constraint.left, constraint.right))
            if known is None or constraint.bound < known.bound:
                tightest[constraint.left, constraint.right] = constraint
        return tuple(tightest.values())

    @cached_property
    def _closure(self) -> tuple[dict[tuple[Node, Node], int], dict[tuple[Node, Node], Constraint[Node, Reason]]]:
        """Shortest paths between all nodes (Floyd and Warshall), and the last constraint on each of them."""
        distances: dict[tuple[Node, Node], int] = {}
        arrivals: dict[tuple[Node, Node], Constraint[Node, Reason]] = {}
        for constraint in self._tightest:
            if constraint.left != constraint.right:
                distances[constraint.right, constraint.left] = constraint.bound
                arrivals[constraint.right, constraint.left] = constraint
        for middle in self.nodes:
            from_middle = [node for node in self.nodes if (middle, node) in distances]
            for start in self.nodes:
                first = distances.get((start, middle))
                if first is None:
                    continue
                for goal in from_middle:
                    length = first + distances[middle, goal]
                    known = distances.get((start, goal))
                    if start != goal and (known is None or length < known):
                        distances[start, goal] = length
                        arrivals[start, goal] = arrivals[middle, goal]
        return distances, arrivals

    @property
    def _distances(self) -> dict[tuple[Node, Node], int]:
        return self._closure[0]

    @property
    def _arrivals(self) -> dict[tuple[Node, Node], Constraint[Node, Reason]]:
        return self._closure[1]


def reasons_of(constraints: Iterable[Constraint[Node, Reason]]) -> tuple[Reason, ...]:
    """The reasons of the constraints in their order, each once. Told apart by identity: conditions carry places."""
    found: dict[int, Reason] = {}
    for constraint in constraints:
        if constraint.reason is not None:
            found.setdefault(id(constraint.reason), constraint.reason)
    return tuple(found.values())
