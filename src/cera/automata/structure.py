"""The tree of states of an automaton, and what its transitions do to instances (seed 002, Definitions 3 to 7 and 12).

The instance that executes a transition is one of the deepest state around both its ends: the *level*. There, the
transition leads from one child to another one, or to the same:

                       is terminating                          is instantiating
    s and s' children  no, unless s is non-atomic and left     no
    s deeper           it goes out of what is around s
    s' deeper                                                  it goes into what is around s'

A transition that is written outside of the state around both its ends goes out of that state, and into it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from cera.automata.automaton import Automaton, EventQuery, Path, Reference, State, Transition
from cera.model.expressions.expression import variables

#: How `explain` and drawings call a transition, by its role and by what triggers it.
Role = Literal["instantiating", "terminating", "instantiating and terminating", "neither"]
Trigger = Literal["event", "absence", "delay"]


@dataclass(frozen=True)
class Step:
    """A transition as the instances of its level execute it; states are paths."""

    number: int
    transition: Transition
    #: The state whose instances execute it, and their active state before and after. An enter transition has no level,
    #: but the root as what is active after it.
    level: Path | None
    before: Path | None
    after: Path
    #: The states that it instantiates, from the outside in.
    created: tuple[Path, ...]
    #: The non-atomic states that it goes out of, from the outside in.
    left: tuple[Path, ...]

    @property
    def is_instantiating(self) -> bool:
        return bool(self.created)

    @property
    def is_terminating(self) -> bool:
        return bool(self.left)

    @property
    def role(self) -> Role:
        if self.created:
            return "instantiating and terminating" if self.left else "instantiating"
        return "terminating" if self.left else "neither"

    @property
    def trigger(self) -> Trigger:
        label = self.transition.label
        return "delay" if label.query is None else "absence" if label.negated else "event"


class Structure:
    """An automaton whose states are known by their paths."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.states: dict[Path, State] = dict(automaton.root.walk())
        self.root: Path = (automaton.root.name,)
        self.steps = tuple(self._step(number, each) for number, each in enumerate(automaton.transitions))

    def parent(self, state: Path) -> Path | None:
        """Returns the direct superstate; None of the root."""
        return state[:-1] or None

    def ancestors(self, state: Path) -> tuple[Path, ...]:
        """Returns the superstates from the outside in."""
        return tuple(state[:length] for length in range(1, len(state)))

    def descendants(self, state: Path) -> Iterator[Path]:
        """Yields the substates of a state."""
        return (each for each in self.states if len(each) > len(state) and each[: len(state)] == state)

    def _step(self, number: int, transition: Transition) -> Step:
        source, target = transition.source, transition.target
        if source is None:
            return Step(number, transition, None, None, self.root, self.ancestors(target), ())
        depth = 0
        while depth < min(len(source), len(target)) - 1 and source[depth] == target[depth]:
            depth += 1
        if transition.level is not None:
            depth = min(depth, len(transition.level))
        level = source[:depth]
        left = tuple(source[:length] for length in range(depth + 1, len(source)))
        if not self.states[source].is_atomic and target[: len(source)] != source:
            left = (*left, source)
        created = tuple(target[:length] for length in range(depth + 1, len(target)))
        return Step(number, transition, level, source[: depth + 1], target[: depth + 1], created, left)

    @cached_property
    def enters(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.level is None)

    @cached_property
    def executed(self) -> dict[Path, tuple[Step, ...]]:
        """The transitions that instances of each non-atomic state execute."""
        non_atomic = [path for path, state in self.states.items() if not state.is_atomic]
        return {path: tuple(step for step in self.steps if step.level == path) for path in non_atomic}

    @cached_property
    def leaving(self) -> dict[Path, tuple[Step, ...]]:
        """The transitions that begin in each atomic state."""
        atomic = [path for path, state in self.states.items() if state.is_atomic]
        return {path: tuple(step for step in self.steps if step.transition.source == path) for path in atomic}

    @cached_property
    def schemas(self) -> dict[Path, tuple[EventQuery, ...]]:
        """The queries of each non-atomic state: those of the transitions that its own instances execute (ERR-48), and
        those of a wider schema."""
        return {
            path: (
                *dict.fromkeys(
                    step.transition.label.query for step in steps if step.transition.label.query is not None
                ),
                *self.states[path].schema,
            )
            for path, steps in self.executed.items()
        }

    @cached_property
    def identified(self) -> dict[str, Path]:
        """The non-atomic states that have identifiers."""
        return {state.identifier: path for path, state in self.states.items() if state.identifier is not None}

    @cached_property
    def is_final(self) -> frozenset[Path]:
        """The atomic end states of the root that no transition leaves: an instance in one of them is finished."""
        left = {step.transition.source for step in self.steps}
        return frozenset(
            path
            for path, state in self.states.items()
            if state.is_atomic and state.is_end and self.parent(path) == self.root and path not in left
        )

    @cached_property
    def key(self) -> str | None:
        """The attribute whose values divide the stream: the root has it, and every label names it with the root's
        variable. None if there is no such attribute."""
        for name, value in self.automaton.root.attributes:
            if isinstance(value, Reference) and self._divides(name, value.variable):
                return name
        return None

    def _divides(self, attribute: str, variable: str) -> bool:
        entering = {id(step.transition.label.query) for step in self.enters}
        for query in self.automaton.queries:
            found = dict(query.named).get((attribute,))
            named = found is not None and getattr(found, "variable", None) == variable
            declares = variable in query.declared
            if not named or declares != (id(query) in entering):
                return False
        return bool(entering)

    @cached_property
    def labels(self) -> dict[Path, str]:
        """The labels of the states as rules see them: non-atomic ones begin with a small letter, as events do; atomic
        ones of different superstates that have one name are known by both names."""
        names = [path[-1] for path, state in self.states.items() if state.is_atomic]
        return {
            path: _small(path[-1])
            if not state.is_atomic
            else path[-1]
            if names.count(path[-1]) == 1
            else f"{_small(path[-2])}.{path[-1]}"
            for path, state in self.states.items()
        }

    @cached_property
    def unnamed(self) -> frozenset[str]:
        """The labels of the states whose names lack an attribute of the root, or have a later value of it: instances of
        the root with different names may have instances inside that have the same name."""
        again = {
            name
            for step in self.steps
            if step.level is not None and step.transition.label.query is not None
            for name in step.transition.label.query.declared
        }
        roots = self._named(self.root)
        lacking = {path for path in self.executed if path != self.root and not roots <= self._named(path) - again}
        return frozenset(
            self.labels[path]
            for path, state in self.states.items()
            if (path if not state.is_atomic else path[:-1]) in lacking
        )

    @cached_property
    def needed(self) -> dict[Path, frozenset[str]]:
        """The variables that instances of each non-atomic state have a use for; others need not be remembered."""
        found: dict[Path, frozenset[str]] = {}
        for path in sorted(self.executed, key=len, reverse=True):
            used = {variable for query in self.schemas[path] for variable in query.referenced}
            used |= {v for step in self.executed[path] for v in self._in_conditions(step)}
            for step in self.executed[path]:
                query = step.transition.label.query
                inherited = {name for state in step.created for name in self._named(state) | found[state]}
                used |= inherited - (frozenset() if query is None else query.declared)
            found[path] = frozenset(used)
        return found

    def _named(self, state: Path) -> set[str]:
        """Returns the variables in the name of a state."""
        return {value.variable for _, value in self.states[state].attributes if isinstance(value, Reference)}

    def _in_conditions(self, step: Step) -> set[str]:
        return {name for each in step.transition.label.conditions for name in variables(each)}


def _small(name: str) -> str:
    return name[:1].lower() + name[1:]
