"""Variables for the events of a rule that have none, so that leaving one out does not change what is detected.

A detection begins with the first of its events and has them as causes, and a relaxed sequence combines every
occurrence of its parts: all of that goes by variables. In a star, a disjunction or a negation a variable would be
local, so an event there needs none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cera.languages.epl.syntax import (
    AnyEvent,
    Basic,
    Conjunction,
    Disjunction,
    Event,
    First,
    Negation,
    Prior,
    Relaxed,
    Rule,
    Sequence,
    Star,
    Within,
    basics,
)
from cera.languages.text.nodes import Identifier

#: The stage variable of the translation.
_RESERVED = frozenset({"J", "_"})


def with_variables(rule: Rule) -> Rule:
    """Returns the rule with a variable for each event that others can see: `(A, A)` is `(A(A), A(A_2))`."""
    event = _Namer(rule.event).event(rule.event)
    return rule if event == rule.event else replace(rule, event=event)


class _Namer:
    def __init__(self, event: Event) -> None:
        self._taken = _RESERVED | {each.variable.name for each in basics(event) if each.variable is not None}

    def event(self, event: Event) -> Event:
        match event:
            case Basic():
                return event if event.variable is not None else replace(event, variable=self._fresh(event))
            case AnyEvent() | Star() | Disjunction() | Negation():
                return event
            case Sequence() | Relaxed() | Prior() | Conjunction():
                return replace(event, events=tuple(map(self.event, event.events)))
            case First() | Within():
                return replace(event, event=self.event(event.event))

    def _fresh(self, event: Basic) -> Identifier:
        """Returns a variable named after the label or the relation, with a number where that is taken."""
        plain = re.sub(r"\W", "_", event.type.name)
        candidates = (plain, *(f"{plain}_{number}" for number in range(2, len(self._taken) + 3)))
        name = next(each for each in candidates if each not in self._taken)
        self._taken |= {name}
        return Identifier(name, event.span)
