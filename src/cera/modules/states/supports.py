"""Supports of states as they come in, and states as they go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import STATES, Event
from cera.model.events.occurrence import Cell, Identified, halves, wrap
from cera.model.events.states import ending, opening
from cera.model.events.traces import TracedCause, cause_label, read_cause
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time
from cera.model.time.periodic_windows import Period
from cera.modules.detection import TermDetection, Way
from cera.modules.states.module import StateModule, StateRule

#: The beginning of the labels of children with the values that a support and its release have in common.
_KEY = f"{STATES}key:"
#: The child with the id of a state that has ended, in the events of a loss.
LOST = f"{STATES}lost"


def key_label(variable: str) -> str:
    """Returns the label of the child with the value of a variable."""
    return _KEY + variable


class Support(NamedTuple):
    """A derivation of a state: its rule by number, what it depends on, and its causes in the order of the rule."""

    rule: int
    needed: tuple[str, ...]
    key: tuple[Cell, ...]
    limit: Time | None
    causes: tuple[TracedCause, ...]

    @property
    def duration(self) -> Duration:
        """All that its end depends on."""
        return self.rule, self.needed, self.key, self.limit


#: What the end of a support depends on; supports that agree in it and begin later end later, or together.
Duration = tuple[int, tuple[str, ...], tuple[Cell, ...], Time | None]


def supported_term(label: str, event: Term) -> Term:
    """Returns the term of the state that a support is for."""
    children = [c for c in event.children if not (isinstance(c, Term) and c.label.startswith(STATES))]
    return Term(label, children, ordered=event.ordered)


def read_support(rule: StateRule, number: int, event: Event, evaluator: Evaluator) -> Support:
    """Returns the support that an event is."""
    texts = {c.label: c.children[0] for c in event.term.children if isinstance(c, Term) and c.label.startswith(STATES)}
    causes = tuple(read_cause(str(texts[cause_label(cause.name)])) for cause in rule.causes)
    needed = tuple(found.id for cause, found in zip(rule.causes, causes, strict=True) if cause.is_needed)
    key = tuple(wrap(texts[key_label(variable)]) for variable in rule.key)
    return Support(number, needed, key, _limit(rule, event.interval, causes, evaluator), causes)


def _limit(rule: StateRule, body: Interval, causes: Sequence[TracedCause], evaluator: Evaluator) -> Time | None:
    """Returns the end of the evaluation time of a body, which is not in it any more; None if it has none."""
    if rule.window is not None:
        last = max(Period(*rule.window).begins(body))
        return last + rule.window[0]
    if rule.limit is None:
        return None
    times = {c.name: Interval(found.begin, found.end) for c, found in zip(rule.causes, causes, strict=True)}
    found = evaluator.value(rule.limit, {}, times)
    return found.end if isinstance(found, Interval) else body.end


def release_key(rule: StateRule, event: Term) -> tuple[Cell, ...]:
    """Returns the values that the supports which an event ends have in common with it."""
    values = {c.label: c.children[0] for c in event.children if isinstance(c, Term)}
    return tuple(wrap(values[key_label(variable)]) for variable in rule.key)


def lost_state(event: Term) -> str:
    """Returns the id of the state that has ended."""
    return next(str(c.children[0]) for c in event.children if isinstance(c, Term) and c.label == LOST)


#: The ways in which a state began: its supports at that time, by the number of the rule and the causes.
Ways = tuple[tuple[int, tuple[TracedCause, ...]], ...]


class StateChange(TermDetection):
    """The opening or the ending of a state that rules derive."""

    __slots__ = ("_module", "_ways")

    def __init__(self, module: StateModule, term: Term, begin: Time, end: Time | None, ways: Ways) -> None:
        opened = opening(term, begin)
        event = opened if end is None else ending(opened, end)
        super().__init__(event.term, event.begin, event.end)
        self._module = module
        self._ways = ways

    def ways(self) -> Iterator[Way]:
        for number, causes in self._ways:
            rule = self._module.rules[number]
            named = zip(rule.causes, causes, strict=True)
            yield rule.name, [(cause.name, _stand_in(cause.label, found)) for cause, found in named]


def _stand_in(label: str, cause: TracedCause) -> Identified:
    """Returns an event that stands for a cause of which only the id and the times are known."""
    return Identified(cause.begin, cause.end, label, None, Term(label, ()), None, *halves(cause.id))
