"""In which order the facts of a stage can be derived (seed 003, end of section 4.2).

A program is stratified if no predicate depends on its own absence. It is XY-stratified if that holds within every
single stage: facts at s(J) may depend on the absence of facts at J whatever they are. The order is found in the graph
of the predicates at s(J), in which the facts of J are given.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

from cera.datalog.printer import print_atom
from cera.datalog.syntax import NEXT, Atom, J, Program, Rule, negated_atoms, positive_atoms
from cera.diagnostics import Diagnostic, Note
from cera.model.expressions.expression import Literal as Constant
from cera.model.expressions.expression import Variable
from cera.rules.reasoning import graph as numbered

Node = TypeVar("Node", bound=Hashable)


def components(graph: Mapping[Node, Collection[Node]]) -> list[tuple[Node, ...]]:
    """Returns the strongly connected components of a graph node → its dependencies, those depended on first."""
    nodes = list(graph)
    return [tuple(nodes[n] for n in found) for found in numbered.strongly_connected_components(_numbers(graph))]


def shortest_path(graph: Mapping[Node, Collection[Node]], start: Node, goal: Node) -> list[Node] | None:
    """Returns the nodes of a shortest path, both ends included; None if there is none."""
    if start not in graph or goal not in graph:
        return None
    nodes = list(graph)
    path = numbered.shortest_path(_numbers(graph), nodes.index(start), nodes.index(goal))
    return None if path is None else [nodes[n] for n in path]


def _numbers(graph: Mapping[Node, Collection[Node]]) -> list[list[int]]:
    numbers = {node: number for number, node in enumerate(graph)}
    return [[numbers[other] for other in others if other in numbers] for others in graph.values()]


Kind = Literal["stratified", "XY-stratified"]


@dataclass(frozen=True)
class Edge:
    """The head of a rule needs the facts of an atom of its body, or needs that there are none."""

    rule: Rule
    atom: Atom
    negative: bool


@dataclass(frozen=True)
class Stratification:
    """`order` are the predicates of one stage in the order in which they are complete, recursive ones together."""

    kind: Kind
    order: tuple[tuple[str, ...], ...]


def stratify(program: Program) -> tuple[Stratification | None, tuple[Diagnostic, ...]]:
    """Returns the stratification of a program, or None and the reasons why it has none."""
    within_stage = _edges(program, across_stages=False)
    diagnostics = _problems(within_stage)
    if diagnostics:
        return None, diagnostics
    order = tuple(components(_graph(program, within_stage)))
    across_stages = _edges(program, across_stages=True)
    _, circles = _needs(across_stages)
    stratified = not any(edge.negative and _on_a_circle(edge, circles) for edge in across_stages)
    return Stratification("stratified" if stratified else "XY-stratified", order), ()


def same_stage(rule: Rule, atom: Atom) -> bool:
    """Returns whether an atom of the body is about the stage of the head, or about no stage."""
    if atom.stage is None:
        return rule.head.stage is None
    return atom.stage == rule.head.stage


def _edges(program: Program, *, across_stages: bool) -> list[Edge]:
    derived = {rule.head.predicate for rule in program.rules}
    return [
        Edge(rule, atom, negative)
        for rule in program.rules
        for negative, atoms in ((False, positive_atoms(rule)), (True, negated_atoms(rule)))
        for atom in atoms
        if atom.predicate in derived and (across_stages or same_stage(rule, atom))
    ]


def _graph(program: Program, edges: list[Edge]) -> dict[str, list[str]]:
    graph: dict[str, list[str]] = {rule.head.predicate: [] for rule in program.rules}
    for edge in edges:
        graph[edge.rule.head.predicate].append(edge.atom.predicate)
    return graph


def _negative_cycles(edges: list[Edge]) -> list[tuple[Edge, list[str]]]:
    """Returns the negative edges that lie on a cycle, each with a shortest path from its target back to its head."""
    graph, circles = _needs(edges)
    found = []
    for edge in edges:
        if edge.negative and _on_a_circle(edge, circles):
            back = shortest_path(graph, edge.atom.predicate, edge.rule.head.predicate)
            if back is not None:
                found.append((edge, back))
    return found


def _needs(edges: list[Edge]) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Returns the graph of the edges, and for each predicate the number of its component."""
    graph: dict[str, list[str]] = {}
    for edge in edges:
        graph.setdefault(edge.rule.head.predicate, []).append(edge.atom.predicate)
    return graph, {name: number for number, found in enumerate(components(graph)) for name in found}


def _on_a_circle(edge: Edge, circles: Mapping[str, int]) -> bool:
    """Returns whether the target of an edge leads back to its head."""
    return circles.get(edge.atom.predicate) == circles[edge.rule.head.predicate]


def _problems(edges: list[Edge]) -> tuple[Diagnostic, ...]:
    reported: set[frozenset[str]] = set()
    diagnostics: list[Diagnostic] = []
    for edge, back in _negative_cycles(edges):
        if frozenset(back) not in reported:
            reported.add(frozenset(back))
            diagnostics.append(_no_order(edge, back, edges))
    return (*diagnostics, *_endless(edges))


def _no_order(edge: Edge, back: list[str], edges: list[Edge]) -> Diagnostic:
    head = edge.rule.head.predicate
    cycle = " → ".join([head, *back])
    notes = []
    for one, other in pairwise(back):
        step = next(e for e in edges if e.rule.head.predicate == one and e.atom.predicate == other)
        how = "needs the absence of" if step.negative else "needs"
        notes.append(Note(f"`{print_atom(step.rule.head)}` {how} `{print_atom(step.atom)}`", step.atom.span))
    message = f"`{head}` depends on its own absence at the same stage: {cycle}"
    hint = "look for what was not there one stage before: `not …(…, J)` in a rule whose head has s(J)"
    span = edge.atom.span
    return Diagnostic("DL301", "error", message, span, None if edge.rule.head.stage is None else hint, tuple(notes))


def _endless(edges: list[Edge]) -> list[Diagnostic]:
    """Reports rules that make new values in a recursion that stays at one stage: `p(N + 1, J) <- p(N, J)`."""
    _, circles = _needs(edges)
    diagnostics = []
    for rule in dict.fromkeys(edge.rule for edge in edges if _on_a_circle(edge, circles)):
        computed = [a for a in rule.head.arguments if not isinstance(a, Variable | Constant) or _is_attribute(a)]
        if computed:
            message = (
                f"`{rule.head.predicate}` counts on and on at one stage: its recursion makes a new value each time"
            )
            hint = "let the recursion go from J to s(J)" if rule.head.stage is not None else None
            diagnostics.append(Diagnostic("DL302", "error", message, rule.head.span, hint))
    return diagnostics


def _is_attribute(argument: object) -> bool:
    return isinstance(argument, Variable) and "." in argument.name


def xy_stage(rule: Rule) -> Mapping[object, str]:
    """Returns the names of a rule's stages when stage s(J) is derived: `new` for it, `old` for the one before."""
    if rule.head.stage is NEXT:
        return {NEXT: "new", J: "old"}
    if isinstance(rule.head.stage, int):
        return {rule.head.stage: "new", rule.head.stage - 1: "old"}
    return {J: "new"}
