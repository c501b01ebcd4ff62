"""A branch while a language lowers a conjunction to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import Expression
from cera.rules.earliest import Earliest
from cera.rules.rule import Accumulation, BoundedWindow, Branch, EventQuery, RelationQuery, RelativeTimer, Window
from cera.rules.states import StateQuery, with_states


class Names:
    """Names that are all different: `name`, `name#2`."""

    def __init__(self, separator: str = "#", taken: Iterable[str] = ()) -> None:
        self._separator = separator
        self._taken = set(taken)

    def fresh(self, name: str) -> str:
        numbered = (f"{name}{self._separator}{number}" for number in itertools.count(2))
        free = next(each for each in itertools.chain([name], numbered) if each not in self._taken)
        self._taken.add(free)
        return free


@dataclass
class BranchParts:
    """A branch while it is made."""

    events: list[EventQuery] = field(default_factory=list)
    states: list[StateQuery] = field(default_factory=list)
    timers: list[RelativeTimer] = field(default_factory=list)
    relations: list[RelationQuery] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    absences: list[Accumulation] = field(default_factory=list)
    absent_states: list[Accumulation] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)
    #: The states that are needed as a whole.
    whole: set[str] = field(default_factory=set)
    #: The events of which only the first matters.
    earliest: list[Earliest] = field(default_factory=list)

    def branch(self, head: Construct) -> Branch:
        made = Branch(
            events=tuple(self.events),
            relative_timers=tuple(self.timers),
            absences=tuple(self.absences),
            conditions=tuple(self.conditions),
            relations=tuple(self.relations),
        )
        made = with_states(made, self.states, self.absent_states, head, whole=self.whole)
        windows = sorted(self.windows, key=lambda each: isinstance(each, BoundedWindow))
        return replace(made, windows=tuple(windows), earliest=tuple(self.earliest))
