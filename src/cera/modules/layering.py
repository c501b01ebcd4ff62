"""The layers of a program, which follow from the events that its modules derive and read.

The units of modules are nodes: they read events of some labels and derive events of others. A unit lies above the units
of other modules whose events it reads; those of one module that read each other's events lie together, where the module
puts them in order. So the input of a layer is complete:

    events of layer k + 1 = events of layer k ∪ what layer k derives
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cera.diagnostics import Diagnostic, Note
from cera.model.time.time_text import TimeFormat
from cera.modules.module import Module, Port, Unit, WritesTimes
from cera.rules.reasoning.graph import Graph, shortest_path, strongly_connected_components


@dataclass(frozen=True)
class Layer:
    """Modules that do not see each other's events."""

    modules: tuple[Module, ...]


@dataclass(frozen=True)
class Layers:
    """A program of all languages, ready for an engine; the lowest layer first."""

    layers: tuple[Layer, ...]

    @property
    def modules(self) -> tuple[Module, ...]:
        """All modules, from the lowest layer to the highest; one whose units lie in several layers is in each."""
        return tuple(module for layer in self.layers for module in layer.modules)

    def changed(self, change: Callable[[Module], Module]) -> Layers:
        """Returns the program with other modules in the same places."""
        return Layers(tuple(Layer(tuple(map(change, layer.modules))) for layer in self.layers))

    def with_times(self, times: TimeFormat) -> Layers:
        """Returns the program whose modules write times in texts as the run does."""
        return self.changed(lambda module: module.with_times(times) if isinstance(module, WritesTimes) else module)


@dataclass(frozen=True)
class _Node:
    """A unit, and its place: the number of its module, and its own among the units of that."""

    unit: Unit
    module: int
    number: int


def layered(modules: Sequence[Module]) -> tuple[Layers, tuple[Diagnostic, ...]]:
    """Returns the layers; none if modules depend on their own events, with the circles as diagnostics (EP303)."""
    if len(modules) == 1 and modules[0].is_recursive:
        return Layers((Layer(tuple(modules)),)), ()
    nodes = [_Node(unit, m, u) for m, module in enumerate(modules) for u, unit in enumerate(module.units)]
    graph = _graph(nodes)
    components = strongly_connected_components(graph)
    circles = [component for component in components if _is_circle(component, graph, nodes, modules)]
    if circles:
        return Layers(()), tuple(_circle(nodes, graph, component, modules) for component in circles)
    height: dict[int, int] = {}
    for component in components:
        inside = set(component)
        steps = [
            height[j] + (nodes[i].module != nodes[j].module) for i in component for j in graph[i] if j not in inside
        ]
        height.update(dict.fromkeys(component, max(steps, default=0)))
    return Layers(tuple(_layer(modules, nodes, height, n) for n in range(max(height.values(), default=-1) + 1))), ()


def _layer(modules: Sequence[Module], nodes: Sequence[_Node], height: dict[int, int], number: int) -> Layer:
    here: dict[int, list[int]] = {}
    for place, node in enumerate(nodes):
        if height[place] == number:
            here.setdefault(node.module, []).append(node.number)
    found = [modules[which].restricted(units) for which, units in here.items()]
    return Layer(tuple(sorted(found, key=lambda module: module.is_recursive)))  # the order in which states are saved


def _graph(nodes: Sequence[_Node]) -> Graph:
    """Returns for each node the nodes whose events it reads."""
    first: dict[int, int] = {}
    for place, node in enumerate(nodes):
        first.setdefault(node.module, place)
    others = {module: [place for place, node in enumerate(nodes) if node.module != module] for module in first}
    graph: list[list[int]] = []
    for reader in nodes:
        within = [first[reader.module] + number for number in reader.unit.within]
        read = [place for place in others[reader.module] if _ports(reader.unit, nodes[place].unit) is not None]
        graph.append([*within, *read])
    return graph


def _ports(reader: Unit, producer: Unit) -> tuple[Port, Port] | None:
    """Returns a port of the reader and one of the producer that meet, if there are such."""
    for read in reader.inputs:
        for derived in producer.outputs:
            if read.label is None or derived.label is None or read.label == derived.label:
                return read, derived
    return None


def _is_circle(component: Sequence[int], graph: Graph, nodes: Sequence[_Node], modules: Sequence[Module]) -> bool:
    """Returns whether a component is a circle that no module can put in order by itself."""
    found = {nodes[place].module for place in component}
    if len(found) == 1 and modules[nodes[component[0]].module].is_recursive:
        return False
    return len(component) > 1 or component[0] in graph[component[0]]


def _circle(nodes: Sequence[_Node], graph: Graph, component: Sequence[int], modules: Sequence[Module]) -> Diagnostic:
    """Returns the shortest circle through the first module of a component, with the places that close it."""
    start = next(place for place in component if not modules[nodes[place].module].is_recursive)
    ways = [way for used in graph[start] if (way := shortest_path(graph, used, start)) is not None]
    circle = [nodes[place] for place in (start, *min(ways, key=len))]
    names = " → ".join(node.unit.name for node in circle)
    notes = [note for reader, producer in pairwise(circle) for note in _notes(reader, producer)]
    first = circle[0].unit
    message = (
        f"the module `{first.name}` monitors events that it derives itself"
        if len(circle) == 2
        else f"the module `{first.name}` monitors events that depend on its own: {names}"
    )
    hint = "derive them under a label that nothing on the circle reads"
    if first.hint is not None and all(node.unit.hint == first.hint for node in circle):
        hint = f"{first.hint}; or {hint}"
    return Diagnostic("EP303", "error", message, notes[0].span, hint, tuple(notes[1:]))


def _notes(reader: _Node, producer: _Node) -> Iterator[Note]:
    """Yields where one reads what the other derives."""
    ports = None if reader.module == producer.module and reader != producer else _ports(reader.unit, producer.unit)
    if ports is None:
        text = f"rule `{reader.unit.name}` queries what rule `{producer.unit.name}` derives"
        yield Note(text, reader.unit.span)
        return
    yield from (port.note for port in ports)
