"""The states in which the events of an automaton come, where the events themselves say it (seed 002, section 2.3.1),
and what follows of their order in all of time.

    e(i) <= e(j) <- i: p(K) and j: q(K)

    if p and q are accepted only by instances of one state, inside of it and of what is in it, p and q have the unique
    value K of its name, and no way through the state leads from q to p; or if q creates what p is accepted in

So a rule that asks for such events need not say in which state they come: with the event after which the state accepts
none of them, what is remembered for the rule is forgotten, and before the event that begins the state nothing is.

What is accepted deeper inside may come as long as the child of the state that it is in can be active: there may be
several instances there, of which nothing more is known. An event that is accepted elsewhere, too, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cera.automata.automaton import Declaration, EventQuery, Path, Reference
from cera.automata.structure import Step, Structure
from cera.constraints.derivation.paths import Ways, ways_of


@dataclass(frozen=True)
class EvaluationState:
    """A non-atomic state whose instances have a unique value of `key` in their names."""

    structure: Structure
    path: Path
    key: str

    @property
    def label(self) -> str:
        return self.structure.labels[self.path]

    @cached_property
    def _ways(self) -> Ways:
        return ways_of(self.structure, self.path)

    @cached_property
    def creating(self) -> tuple[Step, ...]:
        return tuple(step for step in self.structure.steps if self.path in step.created)

    @cached_property
    def inside(self) -> tuple[Step, ...]:
        """The transitions of instances of the state, and of those inside of it."""
        depth = len(self.path)
        return tuple(
            step for step in self.structure.steps if step.level is not None and step.level[:depth] == self.path
        )

    @cached_property
    def attributes(self) -> Mapping[str, Path]:
        """The labels of events that come in the state only, each with the way to the attribute that has the key."""
        accepting = {id(step.transition.label.query) for step in (*self.creating, *self.inside)}
        found: dict[str, Path | None] = {}
        for query in self.structure.automaton.queries:
            where = _place(query, self.key) if id(query) in accepting else None
            found[query.label] = where if found.get(query.label, where) == where else None
        return {label: where for label, where in found.items() if where is not None}

    @property
    def begins_with(self) -> frozenset[str]:
        """The labels of events that do nothing but create an instance."""
        labels = {
            step.transition.label.query.label for step in self.creating if step.transition.label.query is not None
        }
        others = {step.transition.label.query.label for step in self.inside if step.transition.label.query is not None}
        return frozenset((labels - others) & self.attributes.keys())

    def orders(self) -> Iterator[tuple[str, str]]:
        """Yields two labels, of which the first never comes after the second with the same key."""
        steps: dict[str, list[tuple[Path, Path]]] = {}
        for step in self.inside:
            query = step.transition.label.query
            if query is not None and query.label in self.attributes:
                steps.setdefault(query.label, []).append(self._children(step))
        ordinary = {label: found for label, found in steps.items() if not self._creates(label)}
        for first in sorted(self.begins_with):
            yield from ((first, other) for other in sorted(ordinary))
        for first, mine in sorted(ordinary.items()):
            for last, theirs in sorted(ordinary.items()):
                after = [{child} | self._ways.reachable(child) for _, child in theirs]
                if first != last and not any(before in later for before, _ in mine for later in after):
                    yield first, last

    def _creates(self, label: str) -> bool:
        queries = [step.transition.label.query for step in self.creating]
        return any(query is not None and query.label == label for query in queries)

    def _children(self, step: Step) -> tuple[Path, Path]:
        """Returns the children of the state that are active before and after a transition."""
        if step.level == self.path:
            assert step.before is not None
            return step.before, step.after
        assert step.level is not None
        child = step.level[: len(self.path) + 1]
        return child, child


def evaluation_states(structure: Structure) -> Iterator[EvaluationState]:
    """Yields the states of an automaton whose instances are known by a value that is never used again."""
    for path, state in structure.states.items():
        names = {value.variable for _, value in state.attributes if isinstance(value, Reference)}
        creating = [step.transition.label.query for step in structure.steps if path in step.created]
        queries = [query for query in creating if query is not None]
        if state.is_atomic or not queries or len(queries) < len(creating):
            continue
        unique = set.intersection(*({each.variable for each in query.unique} for query in queries))
        for key in sorted(unique & names):
            found = EvaluationState(structure, path, key)
            inside = [step.transition.label.query for step in found.inside]
            if not any(query is not None and key in query.declared for query in inside):
                yield found


def _place(query: EventQuery, key: str) -> Path | None:
    """Returns the way to the one attribute of a query that has a variable."""
    if query.pattern is not None:
        return None
    places = [
        p for p, value in query.attributes if isinstance(value, Reference | Declaration) and value.variable == key
    ]
    return places[0] if len(places) == 1 else None
