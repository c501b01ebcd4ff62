"""Components and paths in graphs of predicates, or of whatever else depends on one another."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TypeVar

from cera.rules.reasoning import graph as numbered

Node = TypeVar("Node", bound=Hashable)


def components(graph: Mapping[Node, Collection[Node]]) -> list[tuple[Node, ...]]:
    """The strongly connected components of a graph node → what it depends on, those depended on first."""
    nodes = list(graph)
    return [tuple(nodes[n] for n in found) for found in numbered.strongly_connected_components(_numbers(graph))]


def shortest_path(graph: Mapping[Node, Collection[Node]], start: Node, goal: Node) -> list[Node] | None:
    """The nodes of a shortest path, both ends included; None if there is none."""
    if start not in graph or goal not in graph:
        return None
    nodes = list(graph)
    path = numbered.shortest_path(_numbers(graph), nodes.index(start), nodes.index(goal))
    return None if path is None else [nodes[n] for n in path]


def _numbers(graph: Mapping[Node, Collection[Node]]) -> list[list[int]]:
    numbers = {node: number for number, node in enumerate(graph)}
    return [[numbers[other] for other in others if other in numbers] for others in graph.values()]
