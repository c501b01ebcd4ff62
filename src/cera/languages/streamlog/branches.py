"""One conjunction of a body as a branch of the hub, in the evaluation time of its rule.

First all that has a name is noted (`bodies`), since a literal may be evaluated in what is declared behind it. Then each
evaluation time makes its demands of the literals in it (`placement`), and what is negated is absent from it
(`absences`). An aggregate gathers whatever is not its evaluation time, or what that is set on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cera.diagnostics import Span
from cera.languages.streamlog.absences import Absences
from cera.languages.streamlog.atoms import has_aggregate, head_of, renamed
from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.demands import (
    AllTime,
    BoundsTime,
    ClockTime,
    EventTime,
    SpanTime,
    StateTime,
    TimerTime,
)
from cera.languages.streamlog.placement import TAKE, Placement
from cera.languages.streamlog.state_rules import StateLowering
from cera.languages.streamlog.syntax import Cardinality, Leaf, Literal, Residue, TimerLiteral, WindowLiteral
from cera.model.expressions.expression import EventReference, Expression, event_references, walk
from cera.rules.reasoning.gathering import late_gathered
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch, PeriodicWindow, auxiliary_windows
from cera.rules.states import STATE_TIMERS


@dataclass(frozen=True)
class BranchLowering:
    """The lowering of one conjunction."""

    body: Body
    leaves: Sequence[Leaf]
    #: What more there is to do for a rule that derives states.
    state: StateLowering | None = None

    def branch(self) -> Branch | None:
        """Returns the branch; None if it is refused."""
        time = self.time
        self.place()
        if self.body.context.refused:
            return None
        made = self.body.parts.branch(head_of(self.body.context.source.head.atom))
        check_begins(self.body, made)
        return gathered(self.body, made, self.body.anchors(time)) if self.gathers and time is not None else made

    @property
    def gathers(self) -> bool:
        return has_aggregate(self.body.context.source.head.atom)

    @cached_property
    def time(self) -> str | None:
        """The evaluation time of the rule, None for all of time; what has a time is noted first."""
        context = self.body.context
        module = None if context.time is None else self.body.time(context.time)
        for leaf in self.leaves:
            self.body.add(leaf)
        time = module if module is not None else self._time_of_body()
        time = None if time is None or isinstance(self.body.times.get(time), AllTime) else time
        if self.gathers and time is None:
            message = "this aggregate ranges over more than one evaluation time"
            self._refuse("SL303", message, context.source.head.span, TAKE)
        return time if time is None or self.body.outer is None else self.body.take_outer(time)

    @cached_property
    def conditions(self) -> tuple[Expression, ...]:
        """The conditions that the body has."""
        _ = self.time  # what has a time is noted first
        return tuple(each for leaf in self.leaves for each in self._conditions(leaf))

    def place(self) -> None:
        """Adds what evaluation times demand, what is negated, and conditions."""
        absences = Absences(self.body, self.time)
        if self.state is not None:
            self.state.check(self.time, absences.windows)
        whole = set(absences.windows)
        if self.gathers and self.time is not None:
            whole.add(self.time)
        used = self._used()
        placement = Placement(self.body, frozenset(whole), frozenset(self._present(absences) - whole))
        for at in used:
            placement.demand(at, self._members(at))
        absences.add()
        self.body.parts.conditions += self.conditions
        if self.state is not None:
            self.state.settle()
        self._check_names()
        self._check_timers()

    def _refuse(self, code: str, message: str, span: Span | None, hint: str) -> None:
        self.body.context.refuse(code, message, span, hint)

    def _members(self, at: str) -> list[str]:
        return [name for name, own in self.body.members.items() if at in (own, self.time)]

    def _time_of_body(self) -> str | None:
        """Returns the window that a body declares, or its only state; where all literals have the same, that."""
        for leaf in self.leaves:
            if isinstance(leaf, WindowLiteral) and leaf.identifier is not None:
                return self.body.identifier(leaf.identifier.name)
        states = [name for name in self.body.members if isinstance(self.body.times[name], StateTime)]
        if len(states) == 1:
            return states[0]
        own = set(self.body.members.values())
        return next(iter(own)) if self.gathers and len(own) == 1 else None

    def _used(self) -> list[str]:
        """Returns the evaluation times of the branch, each once."""
        found = [self.time, *self.body.members.values(), *(own for _, own in self.body.negated)]
        return [name for name in dict.fromkeys(found) if name is not None]

    def _present(self, absences: Absences) -> set[str]:
        """Returns the windows that conditions are about."""
        times = self.body.times
        windows = {name for name, time in times.items() if isinstance(time, ClockTime | SpanTime | BoundsTime)}
        named = {name for condition in self.conditions for name in event_references(condition)}
        named |= {name for time in times.values() if isinstance(time, BoundsTime) for name in time.identifiers}
        shared = {at for at in self._used() if any(map(self.body.is_lasting, self._members(at)))}
        return windows & (named | shared | absences.around)

    def _conditions(self, leaf: Leaf) -> list[Expression]:
        match leaf:
            case Literal() | TimerLiteral() | WindowLiteral() | Residue() | Cardinality():
                return []
            case _:
                return [renamed(self.body.texts_read(leaf), self.body.name)]

    def _check_names(self) -> None:
        """Refuses conditions on a window that is not there: no literal is evaluated in it."""
        known = {each.identifier for each in (*self.body.parts.windows, *self.body.parts.timers)}
        times = self.body.times.items()
        unknown = {name for name, time in times if isinstance(time, ClockTime | SpanTime | BoundsTime)} - known
        for part in (part for condition in self.body.parts.conditions for part in walk(condition)):
            if isinstance(part, EventReference) and part.identifier in unknown and not self.body.context.refused:
                message = f"nothing is evaluated in the window `{part.identifier}`, so it has no bounds"
                self._refuse("SL305", message, part.span, "let an event lie in it, or compare the times of events")

    def _check_timers(self) -> None:
        """Refuses timers that what they are set on cannot have."""
        for timer in self.body.parts.timers:
            if not isinstance(self.body.times.get(timer.anchor), EventTime | TimerTime | StateTime):
                self._refuse("SL309", "a window has no timers", timer.span, "set it on an event or a state")
            elif self.body.is_lasting(timer.anchor) and timer.kind not in STATE_TIMERS:
                message = f"a state has no timer `{timer.kind}`: it would end before the state does"
                self._refuse("SL309", message, timer.span, f"the timers of states are {', '.join(STATE_TIMERS)}")


def check_begins(body: Body, made: Branch) -> None:
    """Refuses states in a timer or between bounds that may begin after all that the body waits for.

    A state would have to last until then, which nobody knows when the rest has happened.
    """
    asked = [at for at in body.states_in if isinstance(body.times[at], TimerTime | BoundsTime)]
    network = time_network(made) if asked else None
    if network is None or network.contradiction is not None:
        return
    happened = [TimePoint(query.identifier, "begin" if query.kind == "opening" else "end") for query in made.events]
    for at in (at for at in asked if not body.is_lasting(at)):
        bounds = (network.least(TimePoint(at, "begin"), point) for point in happened)
        if not any(bound is not None and bound <= 0 for bound in bounds):
            message = f"nothing else has to happen after `{at}` begins, so it is not known if a state lasts until then"
            hint = "ask for an event in it as well, or let it begin with the end of an event"
            body.context.refuse("SL310", message, None, hint)


def gathered(body: Body, made: Branch, kept: Iterable[str]) -> Branch | None:
    """Returns the branch with all but some literals gathered; None if these are not known in time."""
    kept = {*kept, *(each.identifier for each in made.windows if isinstance(each, PeriodicWindow))}
    auxiliary = {query.identifier for query in made.events if query.auxiliary} | auxiliary_windows(made)
    names = tuple(each.identifier for each in made.positive if each.identifier not in kept | auxiliary)
    made = replace(made, gathered=names, forgotten=made.bound_variables & body.forgotten)
    if late := late_gathered(made):
        message = f"this aggregate would have to wait for `{late[0]}`, which may end after the evaluation time"
        hint = "let all that the body asks for lie in the evaluation time"
        body.context.refuse("SL310", message, None, hint)
        return None
    return made
