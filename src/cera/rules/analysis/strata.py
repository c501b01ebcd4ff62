"""Stratification: an order of the rules in which each finds complete what it needs complete (seed 001 section 4.2).

P = P_1 ⊎ … ⊎ P_n such that for r in P_i and r' in P_j: i > j if r depends on r' temporally, by grouping or negatively
(ERR-20), and i >= j if it does so positively. Of all stratifications this is the least: every rule as low as it can be.
A program has one if and only if no cycle of its precedence graph goes through a strict dependency (seed 001 A.4, X-35).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from cera.diagnostics import Diagnostic, Note
from cera.errors import ProgramError
from cera.rules.analysis.dependencies import Dependency, DependencyKind, dependencies, rule_uses
from cera.rules.reasoning.graph import Graph, shortest_path, strongly_connected_components
from cera.rules.rule import Rule, RuleProgram

__all__ = [
    "Dependency",
    "DependencyKind",
    "Stratification",
    "check_strata",
    "dependencies",
    "recursive_components",
    "stratify",
]


@dataclass(frozen=True)
class Stratification:
    """The strata from the lowest to the highest, each with its rules in the order of the text."""

    strata: tuple[tuple[Rule, ...], ...]


class PrecedenceGraph:
    """The rules of a program as vertices, their dependencies as edges."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.uses = rule_uses(rules)
        self.graph: Graph = [use.all for use in self.uses]
        self.components = strongly_connected_components(self.graph)

    def recursive_components(self) -> list[list[int]]:
        """Returns the components that contain a cycle."""
        return [c for c in self.components if len(c) > 1 or c[0] in self.graph[c[0]]]

    def strict_cycles(self) -> Iterator[list[Dependency]]:
        """Yields for each component and strict kind the shortest cycle that begins with such a dependency."""
        for component in self.recursive_components():
            strict = list(self._strict_inside(frozenset(component)))
            for kind in dict.fromkeys(dependency.kind for _, _, dependency in strict):
                yield self._shortest_cycle(component, [edge for edge in strict if edge[2].kind == kind])

    def _strict_inside(self, inside: frozenset[int]) -> Iterator[tuple[int, int, Dependency]]:
        for i in sorted(inside):
            for j in sorted(self.uses[i].strict & inside):
                for dependency in self.uses[i].strict_dependencies(self.rules, i, j):
                    yield i, j, dependency

    def _shortest_cycle(
        self, component: Sequence[int], edges: Sequence[tuple[int, int, Dependency]]
    ) -> list[Dependency]:
        """Returns the shortest cycle through one of the edges; of several the first."""
        for i, j, dependency in edges:
            if i == j:
                return [dependency]
        inside = set(component)
        graph = [[j for j in self.graph[i] if j in inside] if i in inside else [] for i in range(len(self.graph))]
        shortest: list[Dependency] = []
        for i, j, dependency in edges:
            cycle = [dependency, *self._along(shortest_path(graph, j, i) or [])]
            if not shortest or len(cycle) < len(shortest):
                shortest = cycle
            if len(shortest) == 2:  # no rule depends on itself, so there is none shorter
                break
        return shortest

    def _along(self, path: Sequence[int]) -> list[Dependency]:
        return [next(self.uses[i].dependencies(self.rules, i, (j,))) for i, j in pairwise(path)]


def stratify(rules: Sequence[Rule]) -> Stratification:
    """Returns the least stratification; raises a ProgramError with XC301, XC302, XC303 if there is none."""
    precedence = PrecedenceGraph(rules)
    problems = [_cycle_diagnostic(cycle) for cycle in precedence.strict_cycles()]
    if problems:
        raise ProgramError(problems)
    stratum: dict[int, int] = {}
    for component in precedence.components:
        inside = set(component)
        lowest = max(
            (
                stratum[j] + (j in precedence.uses[i].strict)
                for i in component
                for j in precedence.graph[i]
                if j not in inside
            ),
            default=0,
        )
        stratum.update(dict.fromkeys(component, lowest))
    return Stratification(
        tuple(
            tuple(rule for i, rule in enumerate(rules) if stratum[i] == number)
            for number in range(max(stratum.values(), default=-1) + 1)
        )
    )


def recursive_components(rules: Sequence[Rule]) -> tuple[tuple[Rule, ...], ...]:
    """Returns the sets of rules that depend on each other (or one on itself) in a cycle; none if a program is
    hierarchical (X-36).
    """
    return tuple(tuple(rules[i] for i in c) for c in PrecedenceGraph(rules).recursive_components())


def check_strata(program: RuleProgram) -> Iterator[Diagnostic]:
    try:
        stratify(program.rules)
    except ProgramError as error:
        yield from error.findings


#: A kind of dependency in the words of messages: a rule that does not group collects only.
_Wording = DependencyKind | Literal["collecting"]

_CODES: dict[DependencyKind, str] = {"negative": "XC301", "grouping": "XC302", "temporal": "XC303"}
_NEEDS: dict[_Wording, str] = {
    "negative": "rule `{0}` needs the absence of events that depend on rule `{0}` itself",
    "grouping": "rule `{0}` groups events that depend on rule `{0}` itself",
    "collecting": "rule `{0}` collects events that depend on rule `{0}` itself",
    "temporal": "rule `{0}` sets a timer on an event that depends on rule `{0}` itself",
}
_HINTS: dict[_Wording, str] = {
    "negative": "let the `not` query events that no rule on the cycle derives, for example under a label of their own",
    "grouping": "group in a rule whose result no rule on the cycle queries, for example under a label of its own",
    "collecting": (
        "query them one by one: in place of `while w: collect q` write `event e: q`, and "
        "`begin(w) <= begin(e), end(e) <= end(w)` as its conditions"
    ),
    "temporal": "set the timer on an event that no rule on the cycle derives, for example under a label of its own",
}
_USES: dict[_Wording, str] = {
    "negative": "rule `{}` needs the absence of this",
    "grouping": "rule `{}` groups this",
    "collecting": "rule `{}` collects this",
    "temporal": "rule `{}` sets a timer on this",
    "positive": "rule `{}` queries this",
}


def _wording(dependency: Dependency) -> _Wording:
    return "collecting" if dependency.kind == "grouping" and not dependency.rule.grouping else dependency.kind


def _cycle_diagnostic(cycle: Sequence[Dependency]) -> Diagnostic:
    """Returns the cycle with, for each rule on it, the query that closes it and the head that the query meets.

    The first query is the place of the diagnostic itself.
    """
    first = cycle[0]
    notes: list[Note] = []
    for dependency in cycle:
        notes.append(Note(_USES[_wording(dependency)].format(dependency.rule.name), dependency.query_span))
        notes.append(Note(f"rule `{dependency.on.name}` can derive such an event", dependency.head_span))
    way = " → ".join([*(dependency.rule.name for dependency in cycle), first.rule.name])
    return Diagnostic(
        _CODES[first.kind],
        "error",
        f"{_NEEDS[_wording(first)].format(first.rule.name)}: {way}",
        first.query_span or first.rule.span,
        _HINTS[_wording(first)],
        tuple(notes[1:]),
    )
