"""The meaning of states that rules derive, over a whole recording; slow on purpose.

a support d holds in [e(d), end(d)[, where end(d) is the least of
    the ends of the states that d needs
    e(u) for events u behind `until` with e(d) <= b(u) and e(d) < e(u)
    the end of the evaluation time
a state of a term is a maximal period in which intervals of its supports follow one another without a gap,
each beginning before an earlier one ends
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event, in_output_order
from cera.model.events.states import OPEN
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time
from cera.modules.answers.answer import Answer
from cera.modules.module import Settings
from cera.modules.states.module import StateModule
from cera.modules.states.supports import (
    StateChange,
    Support,
    lost_state,
    read_support,
    release_key,
    supported_term,
)


@dataclass(frozen=True)
class StateDefinition:
    """The states of one label."""

    module: StateModule
    settings: Settings

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        found = [one for term, supports in self._supports(events).items() for one in self._states(term, supports)]
        return Answer(tuple(in_output_order(one.result() for one in found)))

    def _supports(self, events: Sequence[Event]) -> dict[Term, list[tuple[Time, Time, Support]]]:
        """Returns the supports of each term: begin, end, and the support itself."""
        evaluator = Evaluator((), self.settings.timezone)
        found: dict[Term, list[tuple[Time, Time, Support]]] = {}
        for number, rule in enumerate(self.module.rules):
            for event in events:
                if event.label == rule.support:
                    support = read_support(rule, number, event, evaluator)
                    term = supported_term(self.module.label, event.term)
                    found.setdefault(term, []).append((event.end, self._end(event.end, support, events), support))
        return found

    def _end(self, begin: Time, support: Support, events: Sequence[Event]) -> Time:
        rule = self.module.rules[support.rule]
        ends = [OPEN if support.limit is None else support.limit]
        for event in events:
            if event.label == rule.loss and lost_state(event.term) in support.needed:
                ends.append(event.end)
            if event.label == rule.release and release_key(rule, event.term) == support.key:
                ends += [event.end] if begin <= event.begin and begin < event.end else []
        return min(ends)

    def _states(self, term: Term, supports: Sequence[tuple[Time, Time, Support]]) -> Iterator[StateChange]:
        last = OPEN if self.settings.until is None else self.settings.until
        lasting = sorted((begin, end) for begin, end, _ in supports if begin < end)
        while lasting:
            begin, end = lasting.pop(0)
            while lasting and lasting[0][0] < end:
                end = max(end, lasting.pop(0)[1])
            ways = [(s.rule, s.causes) for first, until, s in supports if first == begin < until]
            known = tuple(sorted(ways))
            yield StateChange(self.module, term, begin, None, known)
            if end <= last and end != OPEN:
                yield StateChange(self.module, term, begin, end, known)
