"""How events came about: the derivations of an answer as a graph that can be searched and walked."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cera.diagnostics import Span
from cera.errors import UsageError
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Derivation, DerivedEvent, Event
from cera.model.events.states import is_ending, is_opening, state_label, state_term
from cera.model.events.window_events import WINDOW_LABEL
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, InState
from cera.model.matching.matching import Substitution, join, match
from cera.model.message_text import printable
from cera.model.terms.term import Value, label, same
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat
from cera.model.time.timers import TIMERS
from cera.modules.module import Module
from cera.modules.monitoring import Output
from cera.rules.rule import Branch, Rule, RuleProgram, trace_order
from cera.rules.states import is_hidden
from cera.running.head_values import values_shown
from cera.wording import Setting

#: How many characters of an id must be given.
SHORTEST_PREFIX = 4

_SHOWN = 5


@dataclass(frozen=True)
class Reason:
    """A derivation with the place of its rule, the branch it comes from, and the variables that have one value in it.

    The branch of a module's rule has nothing in it: what its variables stand for are the causes.
    """

    derivation: Derivation
    place: Span | None
    branch: Branch
    values: Substitution


@dataclass(frozen=True)
class Causes:
    """Everything that happened, and why; with `wanted`, by so many of the first derivations of each event."""

    program: RuleProgram
    modules: Sequence[Module]
    timezone: str
    events: Sequence[Event]
    answers: Sequence[DerivedEvent]
    times: TimeFormat
    wanted: int | None = None

    def interval(self, interval: Interval) -> str:
        return f"[{self.times.format(interval.begin)}, {self.times.format(interval.end)}]"

    def times_of(self, event: Event) -> str:
        """Returns when an event happened, or how long a state held: its end is exclusive, and may not be known."""
        if state_label(event.label) is None:
            return self.interval(event.interval)
        end = self.times.format(event.end) if is_ending(event.label) else "…"
        return f"[{self.times.format(event.begin)}, {end}["

    @cached_property
    def input(self) -> frozenset[Event]:
        return frozenset(self.events)

    @cached_property
    def derived(self) -> dict[Event, DerivedEvent]:
        return {item.event: item for item in self.answers}

    @cached_property
    def _rules(self) -> dict[str, Rule]:
        return {rule.name: rule for rule in self.program.rules}

    @cached_property
    def _outputs(self) -> dict[str, Output]:
        return {output.rule: output for module in self.modules for output in module.outputs}

    @cached_property
    def _all(self) -> list[Event]:
        """Derived events first, then input events, then timers. Of a state that has ended there is only the ending."""
        timers = (
            event for item in self.answers for derivation in item.derivations for event in derivation.causes.values()
        )
        ended = {event.id for event in self.derived if is_ending(event.label)}
        every = dict.fromkeys([*self.derived, *self.events, *timers])
        return [event for event in every if not (is_opening(event.label) and event.id in ended)]

    def is_timer(self, event: Event) -> bool:
        return event not in self.input and event not in self.derived

    def reasons(self, event: Event) -> list[Reason]:
        """Returns the derivations of the event that are wanted; none for an input event or a timer."""
        return [self._reason(event, derivation) for derivation in self._derivations(event)[: self.wanted]]

    def left_out(self, event: Event) -> int:
        """Returns how many derivations of the event are not wanted."""
        return 0 if self.wanted is None else max(0, len(self._derivations(event)) - self.wanted)

    def _derivations(self, event: Event) -> tuple[Derivation, ...]:
        item = self.derived.get(event)
        return () if item is None else item.derivations

    def _reason(self, event: Event, derivation: Derivation) -> Reason:
        if derivation.rule in self._outputs:
            return Reason(derivation, self._outputs[derivation.rule].span, Branch(), {})
        rule = self._rules[derivation.rule]
        candidates = [branch for branch in rule.branches if {*trace_order(branch)} == derivation.causes.keys()]
        said = values_shown(rule.head, event.term)
        for branch in candidates:
            answers = self._answers(branch, derivation)
            if answers:
                agreeing = [found for answer in answers if (found := join(answer, said)) is not None]
                return Reason(derivation, rule.span, branch, _shared(agreeing or answers))
        return Reason(derivation, rule.span, candidates[0], {})

    def _answers(self, branch: Branch, derivation: Derivation) -> list[Substitution]:
        """Returns the substitutions under which the derivation's events satisfy the branch, as far as they show."""
        patterns = [(query.identifier, query.pattern) for query in branch.events if not query.auxiliary]
        patterns += [(timer.identifier, timer.timer.pattern) for timer in branch.absolute_timers]
        found: list[Substitution] = [{}]
        for identifier, pattern in patterns:
            if identifier in branch.gathered:
                continue
            term = derivation.causes[identifier].term
            found = [j for values in found for more in match(pattern, term) if (j := join(values, more)) is not None]
        timers = {
            t.identifier: f"timer:{t.kind}" for t in branch.relative_timers if t.identifier not in branch.gathered
        }
        if any(derivation.causes[name].label != label for name, label in timers.items()):
            return []
        own = frozenset(name for values in found for name in values)
        known = [c for c in branch.conditions if expressions.variables(c) <= own and not _asks_for_state(c)]
        conditions = [c for c in known if expressions.event_references(c).isdisjoint(branch.gathered)]
        times = {identifier: event.interval for identifier, event in derivation.causes.items()}
        evaluator = Evaluator(self.program.calendars, self.timezone)
        return [values for values in found if all(evaluator.holds(c, values, times) for c in conditions)]

    def reachable(self, events: Sequence[Event]) -> list[Event]:
        """Returns the events and everything they came from, nearest first."""
        found = dict.fromkeys(events)
        waiting = list(found)
        for current in waiting:  # grows as it goes
            for reason in self.reasons(current):
                causes = (*reason.derivation.causes.values(), *reason.derivation.collected)
                new = [cause for cause in dict.fromkeys(causes) if cause not in found]
                found.update(dict.fromkeys(new))
                waiting += new
        return list(found)

    def find(self, name: str) -> Event:
        """Returns the event with this id, with the only id that begins so, or with this id of its source."""
        exact = [event for event in self._all if event.id == name.lower()]
        named = [event for event in self.events if event.qualifier == name]
        begun = [event for event in self._all if event.id.startswith(name.lower())] if name else []
        if len(name) < SHORTEST_PREFIX and not named:
            raise UsageError(
                f"{Setting.EVENT}: '{printable(name)}' is too short; give at least {SHORTEST_PREFIX} characters of an "
                f"event's id{self._examples(begun or self._all)}"
            )
        found = exact or named or begun
        if not found:
            raise self._unknown(name)
        if len(found) > 1:
            what = "the id of" if named else "the begin of the ids of"
            raise UsageError(
                f"{Setting.EVENT}: '{printable(name)}' is {what} {len(found)} events:{self._listed(found)}"
            )
        return found[0]

    def _unknown(self, name: str) -> UsageError:
        labelled = [event for event in self._all if event.label == name]
        if labelled:
            return UsageError(
                f"{Setting.EVENT}: '{printable(name)}' is a label; give an event's id:{self._listed(labelled)}"
            )
        close = difflib.get_close_matches(name, [event.id for event in self._all], n=_SHOWN)
        near = [event for event in self._all if event.id in close]
        return UsageError(
            f"{Setting.EVENT}: there is no event with the id '{printable(name)}'{self._examples(near or self._all)}"
        )

    def _examples(self, events: list[Event]) -> str:
        return f"; there are for example:{self._listed(events)}" if events else ", and no event at all"

    def _listed(self, events: list[Event]) -> str:
        lines = [f"\n  {event.id}  {event_text(event)} {self.interval(event.interval)}" for event in events[:_SHOWN]]
        more = len(events) - _SHOWN
        return "".join(lines) + (f"\n  … and {more:,} more" if more > 0 else "")


def _asks_for_state(condition: Expression) -> bool:
    """Returns whether a condition depends on how long a state holds, which a derivation does not say."""
    return any(isinstance(part, InState) for part in expressions.walk(condition))


def _shared(answers: list[Substitution]) -> dict[str, Value]:
    """Returns the bindings that all answers have in common."""
    first, *others = answers
    return {
        name: value
        for name, value in sorted(first.items())
        if not is_hidden(name) and all(name in other and same(other[name], value) for other in others)
    }


def event_text(event: Event) -> str:
    """Returns the event's term as text, a state as such, a timer by its kind and duration instead of its inner term."""
    if state_label(event.label) is not None:
        return printable(f"state {state_term(event)}")
    term = event.term
    kind = term.label.removeprefix("timer:")
    if kind == term.label:
        return printable(str(term))
    if kind in TIMERS and len(term.children) == 2:
        return f"timer {kind} {term.children[1]}"
    if term.label == WINDOW_LABEL and len(term.children) == 2:
        return f"window {term.children[0]} every {term.children[1]}"
    if term.label == WINDOW_LABEL:
        return "window between bounds"
    return printable(term.label + str(term).removeprefix(label(term.label)))
