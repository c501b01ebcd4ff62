"""Networks of difference bounds: constraints x - y <= c, their contradictions and their closure.

The time conditions of a rule form such a network over the begins and ends of its events. A negative cycle in it
means that the conditions never hold together; its closure (shortest paths) gives the tightest bound between any two
points, from which it follows how long an event can still contribute (temporal relevance). Each answer comes with
the constraints it follows from, so that a message can name them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Generic, TypeVar

from cera.rules.reasoning.graph import strongly_connected_components

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


#: The lengths of the shortest paths from a node, and the last constraint on each.
_Paths = tuple[dict[Node, int], dict[Node, Constraint[Node, Reason]]]


class DifferenceBounds(Generic[Node, Reason]):
    """A set of constraints x - y <= c. It does not change; `adding` gives a larger one."""

    def __init__(self, constraints: Iterable[Constraint[Node, Reason]] = ()) -> None:
        self.constraints = tuple(constraints)
        self._paths: dict[Node, _Paths[Node, Reason]] = {}

    def adding(self, constraints: Iterable[Constraint[Node, Reason]]) -> DifferenceBounds[Node, Reason]:
        return DifferenceBounds((*self.constraints, *constraints))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(dict.fromkeys(node for c in self.constraints for node in (c.right, c.left)))

    @cached_property
    def contradiction(self) -> tuple[Constraint[Node, Reason], ...] | None:
        """The constraints around one negative cycle, or None if all of them can hold together."""
        if self._solution is not None:
            return None
        value: dict[Node, int] = dict.fromkeys(self.nodes, 0)
        arrived_by: dict[Node, Constraint[Node, Reason]] = {}
        while True:
            _relax(self._tightest, value, arrived_by)
            cycle = _cycle(arrived_by)
            if cycle is not None:
                return cycle

    @cached_property
    def _solution(self) -> dict[Node, int] | None:
        """A value for each node with which all constraints hold, if there is one (Bellman and Ford).

        Every other round goes backwards, so that a chain of constraints takes two rounds, whatever its direction (Yen).
        """
        value: dict[Node, int] = dict.fromkeys(self.nodes, 0)
        arrived_by: dict[Node, Constraint[Node, Reason]] = {}
        backwards = self._tightest[::-1]
        while _relax(self._tightest, value, arrived_by) and _relax(backwards, value, arrived_by):
            if _cycle(arrived_by) is not None:
                return None
        return value

    def bound(self, left: Node, right: Node) -> Bound[Reason] | None:
        """Returns the least c with left - right <= c in every solution; None if the difference has no bound.

        Only for a network without contradiction: in one that has no solution, every bound holds.
        """
        value = self.least(left, right)
        if value is None:
            return None
        path: list[Constraint[Node, Reason]] = []
        node = left
        while node != right:
            path.append(self._from(right)[1][node])
            node = path[-1].right
        return Bound(value, reasons_of(reversed(path)))

    def least(self, left: Node, right: Node) -> int | None:
        """Returns the value of the bound, without its reasons."""
        _ = self._values
        if left == right:
            return 0
        return self._from(right)[0].get(left) if right in self._edges else None

    def equal(self, left: Node, right: Node) -> bool:
        """Returns whether two nodes have the same value in every solution."""
        values, tied = self._values, self._tied
        return left == right or (left in tied and tied[left] == tied.get(right) and values[left] == values[right])

    @property
    def _values(self) -> dict[Node, int]:
        if self._solution is None:
            raise ValueError("a network with a contradiction has no tightest bounds")
        return self._solution

    @cached_property
    def _tightest(self) -> tuple[Constraint[Node, Reason], ...]:
        """The tightest of the constraints between the same two nodes."""
        tightest: dict[tuple[Node, Node], Constraint[Node, Reason]] = {}
        for constraint in self.constraints:
            known = tightest.get((constraint.left, constraint.right))
            if known is None or constraint.bound < known.bound:
                tightest[constraint.left, constraint.right] = constraint
        return tuple(tightest.values())

    @cached_property
    def _edges(self) -> dict[Node, list[Constraint[Node, Reason]]]:
        """The constraints by their right nodes, from which their left nodes are reached."""
        edges: dict[Node, list[Constraint[Node, Reason]]] = {node: [] for node in self.nodes}
        for constraint in self._tightest:
            edges[constraint.right].append(constraint)
        return edges

    def _slack(self, constraint: Constraint[Node, Reason]) -> int:
        """Returns by how much a constraint is more than met in the solution; never negative."""
        values = self._values
        return constraint.bound + values[constraint.right] - values[constraint.left]

    def _from(self, start: Node) -> _Paths[Node, Reason]:
        """Returns shortest paths from a node (Dijkstra over the slacks, Johnson), and the last constraint on each of
        them.

        Of paths of the same length the one with the fewest constraints is taken.
        """
        if start in self._paths:
            return self._paths[start]
        values = self._values
        distances: dict[Node, int] = {}
        arrivals: dict[Node, Constraint[Node, Reason]] = {}
        waiting: list[tuple[int, int, int, Node, Constraint[Node, Reason] | None]] = [(0, 0, 0, start, None)]
        count = 0
        best: dict[Node, tuple[int, int]] = {start: (0, 0)}
        while waiting:
            slack, steps, _, node, by = heappop(waiting)
            if node in distances:
                continue
            distances[node] = slack - values[start] + values[node]
            if by is not None:
                arrivals[node] = by
            for constraint in self._edges[node]:
                new = slack + self._slack(constraint), steps + 1
                known = best.get(constraint.left)
                if constraint.left not in distances and (known is None or new < known):
                    best[constraint.left] = new
                    count += 1
                    heappush(waiting, (*new, count, constraint.left, constraint))
        self._paths[start] = distances, arrivals
        return distances, arrivals

    @cached_property
    def _tied(self) -> dict[Node, int]:
        """The components of nodes whose differences are the same in every solution: cycles without slack."""
        places = {node: at for at, node in enumerate(self.nodes)}
        graph: list[list[int]] = [[] for _ in places]
        for constraint in self._tightest:
            if self._slack(constraint) == 0:
                graph[places[constraint.right]].append(places[constraint.left])
        components = strongly_connected_components(graph)
        return {self.nodes[at]: number for number, component in enumerate(components) for at in component}


def _relax(
    constraints: Sequence[Constraint[Node, Reason]],
    value: dict[Node, int],
    arrived_by: dict[Node, Constraint[Node, Reason]],
) -> bool:
    """Lowers the values of nodes until each constraint in turn holds; returns whether that changed any."""
    changed = False
    for constraint in constraints:
        if value[constraint.right] + constraint.bound < value[constraint.left]:
            value[constraint.left] = value[constraint.right] + constraint.bound
            arrived_by[constraint.left] = constraint
            changed = True
    return changed


def _cycle(arrived_by: Mapping[Node, Constraint[Node, Reason]]) -> tuple[Constraint[Node, Reason], ...] | None:
    """Returns a cycle among the constraints that nodes got their values by: its sum is negative."""
    seen: dict[Node, Node] = {}
    for start in arrived_by:
        node = start
        while node in arrived_by and node not in seen:
            seen[node] = start
            node = arrived_by[node].right
        if node in arrived_by and seen[node] == start:
            cycle = [arrived_by[node]]
            while cycle[-1].right != node:
                cycle.append(arrived_by[cycle[-1].right])
            return tuple(reversed(cycle))
    return None


def reasons_of(constraints: Iterable[Constraint[Node, Reason]]) -> tuple[Reason, ...]:
    """Returns the reasons of the constraints in order, each once, by identity: conditions carry places."""
    found: dict[int, Reason] = {}
    for constraint in constraints:
        if constraint.reason is not None:
            found.setdefault(id(constraint.reason), constraint.reason)
    return tuple(found.values())
