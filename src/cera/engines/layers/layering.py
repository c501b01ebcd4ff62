"""Which rules and modules see what which others derive, and the layers that follow from it.

XChangeEQ rules and modules are nodes: they read events of some labels and derive events of others. A rule lies above
the modules whose events it reads, and in the layer of rules whose events it reads, or above; there, strata put them in
order. A module lies above all whose events it reads. So a layer finds complete what it reads:

    events of layer k + 1 = events of layer k ∪ what layer k derives
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from cera.diagnostics import Diagnostic, Note, Span
from cera.engines.layers.modules import Module
from cera.instances.types import InstanceModule
from cera.modules.monitoring import Monitored, Output
from cera.rules.analysis.dependencies import EventPattern, event_patterns, rule_uses
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.reasoning.graph import Graph, shortest_path, strongly_connected_components
from cera.rules.rule import Rule, RuleProgram


@dataclass(frozen=True)
class Layer:
    """Rules and modules that do not see each other's events. `rules` is None where there are none."""

    rules: RuleProgram | None
    modules: tuple[Module, ...] = ()


@dataclass(frozen=True)
class Layers:
    """A program of all languages, ready for an engine; the lowest layer first."""

    layers: tuple[Layer, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for layer in self.layers if layer.rules is not None for rule in layer.rules.rules)

    @property
    def modules(self) -> tuple[Module, ...]:
        return tuple(module for layer in self.layers for module in layer.modules)


Node = Rule | Module


def layered(program: RuleProgram, modules: Sequence[Module]) -> tuple[Layers, tuple[Diagnostic, ...]]:
    """The layers; where modules read what depends on themselves, none, and the circles (EP303)."""
    if not modules:
        return Layers((Layer(program),)), ()
    nodes: list[Node] = [*program.rules, *modules]
    graph = _graph(program.rules, modules)
    components = strongly_connected_components(graph)
    circles = [c for c in components if _is_circle(c, graph, len(program.rules))]
    if circles:
        return Layers(()), tuple(_circle(nodes, graph, component, len(program.rules)) for component in circles)
    height: dict[int, int] = {}
    for component in components:
        inside = set(component)
        steps = [
            height[j] + (isinstance(nodes[i], Module) or isinstance(nodes[j], Module))
            for i in component
            for j in graph[i]
            if j not in inside
        ]
        height.update(dict.fromkeys(component, max(steps, default=0)))
    return Layers(tuple(_layer(program, nodes, height, n) for n in range(max(height.values()) + 1))), ()


def _layer(program: RuleProgram, nodes: Sequence[Node], height: dict[int, int], number: int) -> Layer:
    here = [node for i, node in enumerate(nodes) if height[i] == number]
    rules = tuple(node for node in here if isinstance(node, Rule))
    modules = tuple(node for node in here if isinstance(node, Module))
    return Layer(replace(program, rules=rules) if rules else None, modules)


def _graph(rules: Sequence[Rule], modules: Sequence[Module]) -> Graph:
    """For each node, the nodes whose events it reads."""
    first = len(rules)
    graph: list[list[int]] = []
    for rule, uses in zip(rules, rule_uses(rules), strict=True):
        read = [first + m for m, module in enumerate(modules) if any(True for _ in _rule_reads(rule, module))]
        graph.append([*uses.all, *read])
    for module in modules:
        by_rules = [i for i, rule in enumerate(rules) if any(True for _ in _module_reads(module, rule))]
        by_modules = [first + m for m, other in enumerate(modules) if module.reads & other.derives]
        graph.append([*by_rules, *by_modules])
    return graph


def _rule_reads(rule: Rule, module: Module) -> Iterator[EventPattern]:
    """The queries of a rule for which a module derives events."""
    for query in event_patterns(rule):
        label = query_label(query.pattern)
        if label is None or label in module.derives:
            yield query


def _module_reads(module: Module, rule: Rule) -> Iterator[Monitored]:
    """What a module monitors that a rule derives; what a rule sends away is not seen."""
    label = head_label(rule.head)
    if rule.recipient is None:
        yield from (each for each in module.monitored if label is None or each.label == label)


def _is_circle(component: Sequence[int], graph: Graph, rules: int) -> bool:
    """Whether a component has a circle that a module is part of."""
    with_module = any(i >= rules for i in component)
    return with_module and (len(component) > 1 or component[0] in graph[component[0]])


def _circle(nodes: Sequence[Node], graph: Graph, component: Sequence[int], rules: int) -> Diagnostic:
    """The shortest circle through the first module of a component, with the places that close it."""
    start = next(i for i in component if i >= rules)
    ways = [way for used in graph[start] if (way := shortest_path(graph, used, start)) is not None]
    circle = [nodes[i] for i in (start, *min(ways, key=len))]
    names = " → ".join(node.name for node in circle)
    notes = [note for reader, producer in pairwise(circle) for note in _notes(reader, producer)]
    message = (
        f"the module `{circle[0].name}` monitors events that it derives itself"
        if len(circle) == 2
        else f"the module `{circle[0].name}` monitors events that depend on its own: {names}"
    )
    hint = "derive them under a label that nothing on the circle reads"
    if len(circle) == 2 and isinstance(circle[0], InstanceModule):
        hint = f"in its own file an event type is called by the name of its definition; or {hint}"
    return Diagnostic("EP303", "error", message, notes[0].span, hint, tuple(notes[1:]))


def _notes(reader: Node, producer: Node) -> list[Note]:
    """Where one reads what the other derives."""
    if isinstance(reader, Rule):
        if isinstance(producer, Rule):
            return [Note(f"rule `{reader.name}` queries what rule `{producer.name}` derives", _place(reader))]
        query = next(_rule_reads(reader, producer))
        label = query_label(query.pattern)
        output = next(each for each in producer.outputs if label in (None, each.label))
        told = Note(f"rule `{output.rule}` derives them", output.span)
        return [Note(f"rule `{reader.name}` queries this", query.span), told]
    if isinstance(producer, Rule):
        read = next(_module_reads(reader, producer))
        told = Note(f"rule `{producer.name}` can derive them", producer.head.span or producer.span)
    else:
        read, output = _shared(reader, producer)
        told = Note(f"rule `{output.rule}` derives them", output.span)
    return [Note(f"module `{reader.name}` monitors `{read}`", read.span), told]


def _shared(reader: Module, producer: Module) -> tuple[Monitored, Output]:
    return next((m, o) for m in reader.monitored for o in producer.outputs if m.label == o.label)


def _place(rule: Rule) -> Span | None:
    return rule.span
