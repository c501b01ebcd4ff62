"""Directed graphs: components in the order of dependence, shortest paths."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cera.rules.reasoning.graph import shortest_path, strongly_connected_components

graphs = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.sets(st.integers(0, n - 1)).map(sorted), min_size=n, max_size=n)
)


def reachable(graph: list[list[int]], start: int) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        for successor in graph[waiting.pop()]:
            if successor not in found:
                found.add(successor)
                waiting.append(successor)
    return found


@given(graphs)
def test_a_component_is_what_reaches_each_other_and_comes_after_what_it_reaches(graph: list[list[int]]) -> None:
    components = strongly_connected_components(graph)
    assert sorted(vertex for component in components for vertex in component) == list(range(len(graph)))
    seen: set[int] = set()
    for component in components:
        for vertex in component:
            both_ways = {other for other in reachable(graph, vertex) if vertex in reachable(graph, other)}
            assert both_ways == set(component)
        seen |= set(component)
        assert all(successor in seen for vertex in component for successor in graph[vertex])


@given(graphs, st.data())
def test_a_shortest_path_is_a_path_and_none_is_shorter(graph: list[list[int]], data: st.DataObject) -> None:
    start, goal = (data.draw(st.integers(0, len(graph) - 1)) for _ in range(2))
    path = shortest_path(graph, start, goal)
    layers = [{start}]
    while goal not in layers[-1] and len(layers) <= len(graph):
        layers.append({successor for vertex in layers[-1] for successor in graph[vertex]})
    if path is None:
        assert goal not in reachable(graph, start)
        return
    assert (path[0], path[-1], len(path)) == (start, goal, len(layers))
    assert all(after in graph[before] for before, after in pairwise(path))


def test_a_deep_graph_does_not_exhaust_the_stack() -> None:
    depth = 50_000
    graph = [[vertex + 1] for vertex in range(depth)] + [[0]]
    assert len(strongly_connected_components(graph)) == 1
