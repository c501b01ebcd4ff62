"""In which order the rules of a stage are run.

A rule runs when the facts of its stage that it asks for are complete. Facts that are kept in place change when their
predicate is finished, so rules that ask for those of the stage before run earlier; where that cannot be, the predicate
is not kept in place and its frame rule is run like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cera.datalog.frames import Frame, frame_of
from cera.datalog.normal import NormalRule
from cera.datalog.stratification import components


@dataclass(frozen=True)
class Run:
    """One rule, once."""

    rule: NormalRule


@dataclass(frozen=True)
class Finish:
    """The facts of a predicate are complete; those kept in place are brought up to date."""

    predicate: str


@dataclass(frozen=True)
class Loop:
    """The rules of predicates that need each other, until they find nothing new."""

    predicates: tuple[str, ...]
    rules: tuple[NormalRule, ...]


Step = Run | Finish | Loop


@dataclass(frozen=True)
class Schedule:
    steps: tuple[Step, ...]
    frames: Mapping[str, Frame]


def schedule(rules: Sequence[NormalRule]) -> Schedule:
    """Returns the order of rules that are stratified within their stage."""
    derived = {rule.predicate for rule in rules}
    frames: dict[str, tuple[Frame, NormalRule]] = {}
    for rule in rules:
        frame = frame_of(rule, derived)
        if frame is not None and rule.predicate not in frames:
            frames[rule.predicate] = frame, rule
    loops = _loops(rules)
    for predicate in [name for loop in loops for name in loop.predicates]:
        frames.pop(predicate, None)
    while True:
        graph = _dependencies(rules, loops, frames)
        order = components(graph)
        circles = [component for component in order if len(component) > 1 or component[0] in graph[component[0]]]
        if not circles:
            steps = tuple(component[0] for component in order)
            return Schedule(steps, {name: frame for name, (frame, _) in frames.items()})
        for step in (step for circle in circles for step in circle):
            if isinstance(step, Finish):
                frames.pop(step.predicate, None)


def _loops(rules: Sequence[NormalRule]) -> list[Loop]:
    graph: dict[str, list[str]] = {rule.predicate: [] for rule in rules}
    for rule in rules:
        graph[rule.predicate] += [atom.predicate for atom in rule.atoms if _same_stage(rule, atom.moment)]
    graph = {name: [other for other in others if other in graph] for name, others in graph.items()}
    circles = [c for c in components(graph) if len(c) > 1 or c[0] in graph[c[0]]]
    return [Loop(circle, tuple(rule for rule in rules if rule.predicate in circle)) for circle in circles]


def _same_stage(rule: NormalRule, moment: str) -> bool:
    return moment == ("always" if rule.when == "always" else "new")


def _dependencies(
    rules: Sequence[NormalRule], loops: Sequence[Loop], frames: Mapping[str, tuple[Frame, NormalRule]]
) -> dict[Step, list[Step]]:
    """Returns the steps that each step comes after."""
    derived = dict.fromkeys(rule.predicate for rule in rules)
    loop_of = {name: loop for loop in loops for name in loop.predicates}
    graph: dict[Step, list[Step]] = {Finish(name): [] for name in derived}
    for loop in loops:
        graph[loop] = []
    for rule in rules:
        is_frame = rule.predicate in frames and frames[rule.predicate][1] is rule
        step: Step = loop_of.get(rule.predicate, Finish(rule.predicate) if is_frame else Run(rule))
        after = graph.setdefault(step, [])
        finish = Finish(rule.predicate)
        if step != finish:
            graph[finish].append(step)
        for atom in rule.atoms:
            if atom.predicate in derived and _same_stage(rule, atom.moment):
                inside = isinstance(step, Loop) and atom.predicate in step.predicates
                after += [] if inside else [Finish(atom.predicate)]
            elif atom.moment == "old" and atom.predicate in frames and not is_frame:
                graph[Finish(atom.predicate)].append(step)
    return graph
