"""Directed graphs on the numbers 0 to n-1: components and shortest paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

#: For each vertex, the vertices it has an edge to.
Graph = Sequence[Collection[int]]


def strongly_connected_components(graph: Graph) -> list[list[int]]:
    """Returns the components, each after all components it has edges to (Tarjan, without recursion)."""
    components: list[list[int]] = []
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_vertices: list[int] = []
    is_open: set[int] = set()
    for root in range(len(graph)):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        open_vertices.append(root)
        is_open.add(root)
        path = [(root, iter(graph[root]))]
        while path:
            vertex, successors = path[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    open_vertices.append(successor)
                    is_open.add(successor)
                    path.append((successor, iter(graph[successor])))
                    break
                if successor in is_open:
                    low[vertex] = min(low[vertex], index[successor])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[vertex])
                if low[vertex] == index[vertex]:
                    at = open_vertices.index(vertex)
                    component = open_vertices[at:]
                    del open_vertices[at:]
                    is_open.difference_update(component)
                    components.append(sorted(component))
    return components


def shortest_path(graph: Graph, start: int, goal: int) -> list[int] | None:
    """Returns the vertices from start to goal, both included, over the fewest edges; None if there is no way."""
    came_from = {start: start}
    waiting = deque([start])
    while waiting:
        vertex = waiting.popleft()
        if vertex == goal:
            path = [vertex]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        for successor in graph[vertex]:
            if successor not in came_from:
                came_from[successor] = vertex
                waiting.append(successor)
    return None
