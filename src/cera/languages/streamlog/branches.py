"""One conjunction of a body as a branch of the hub, in the evaluation time of its rule.

First all that has a name is noted (`bodies`), since a literal may be evaluated in what is declared behind it. Then each
evaluation time makes its demands of the literals in it (`placement`). An aggregate gathers whatever is not its
evaluation time, or what that is set on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cera.diagnostics import Span
from cera.languages.streamlog.atoms import has_aggregate, head_of, pattern_of, renamed
from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.demands import AllTime, EventTime, StateTime, TimerTime
from cera.languages.streamlog.placement import TAKE, Placement
from cera.languages.streamlog.state_rules import StateLowering
from cera.languages.streamlog.syntax import Cardinality, Leaf, Literal, Residue, TimerLiteral, WindowLiteral
from cera.model.expressions.expression import EventReference, walk
from cera.rules.reasoning.gathering import late_gathered
from cera.rules.rule import Accumulation, Branch
from cera.rules.states import STATE_TIMERS


@dataclass(frozen=True)
class BranchLowering:
    """The lowering of one conjunction."""

    body: Body
    #: What more there is to do for a rule that derives states.
    state: StateLowering | None = None

    def branch(self, leaves: Sequence[Leaf]) -> Branch | None:
        """Returns the branch; None if it is refused."""
        gathering = has_aggregate(self.body.context.source.head.atom)
        module = None if self.body.context.time is None else self.body.time(self.body.context.time)
        for leaf in leaves:
            self.body.add(leaf)
        time = module if module is not None else self._time_of_body(leaves, gathering=gathering)
        time = None if time is None or isinstance(self.body.times.get(time), AllTime) else time
        if gathering and time is None:
            self._refuse("this aggregate ranges over more than one evaluation time", None, TAKE)
        absent = [self._window_of(literal, own, time) for literal, own in self.body.negated]
        if self.state is not None:
            self.state.check(time, absent)
        whole = {at for at in absent if at is not None}
        if gathering and time is not None:
            whole.add(time)
        for at in self._used(time):
            Placement(self.body).demand(
                at, [name for name, own in self.body.members.items() if at in (own, time)], whole=at in whole
            )
        for (literal, _), window in zip(self.body.negated, absent, strict=True):
            if window is not None:
                self._absence(literal, window)
        for leaf in leaves:
            self._condition(leaf)
        if self.state is not None:
            self.state.settle()
        self._checked()
        if self.body.context.refused:
            return None
        made = self.body.parts.branch(head_of(self.body.context.source.head.atom))
        return self._gathered(made, time) if gathering and time is not None else made

    def _refuse(self, message: str, span: Span | None, hint: str) -> None:
        self.body.context.refuse(message, span, hint)

    def _time_of_body(self, leaves: Sequence[Leaf], *, gathering: bool) -> str | None:
        """Returns the window that a body declares, or its only state; where all literals have the same, that."""
        windows = [leaf.identifier for leaf in leaves if isinstance(leaf, WindowLiteral)]
        for window in windows:
            if window is not None:
                return window.name
        states = [name for name in self.body.members if isinstance(self.body.times[name], StateTime)]
        if len(states) == 1:
            return states[0]
        own = set(self.body.members.values())
        return next(iter(own)) if gathering and len(own) == 1 else None

    def _used(self, time: str | None) -> list[str]:
        """Returns the evaluation times of the branch, each once."""
        found = [time, *self.body.members.values(), *(own for _, own in self.body.negated)]
        return [name for name in dict.fromkeys(found) if name is not None]

    def _window_of(self, literal: Literal, own: str | None, time: str | None) -> str | None:
        """Returns in what a negated literal is absent: its own time or the rule's, the one that is in the other."""
        own = None if own is None or isinstance(self.body.times.get(own), AllTime) else own
        if own is None and time is None:
            message = "a negated literal needs an evaluation time that is a state, an event, a timer or a window"
            hint = "give it one, like `while i: not p(X)`, or the rule, like `Range 1h:`"
            self._refuse(message, literal.span, hint)
        if own is None or time is None or own == time:
            return own or time
        if isinstance(self.body.times[own], EventTime) and own in self.body.members:
            return own
        message = "a negated literal whose evaluation time may reach beyond that of its rule is not run yet"
        self._refuse(message, literal.span, "let it be an event of the body, or give the rule no evaluation time")
        return None

    def _absence(self, literal: Literal, window: str) -> None:
        if literal.atom.label in self.body.context.relations:
            self._refuse("a relation cannot be negated", literal.span, "ask for rows that are there")
            return
        absence = Accumulation(window, pattern_of(literal.atom, self.body.name), True, span=literal.span)
        (self.body.parts.absent_states if self.body.kind(literal) == "state" else self.body.parts.absences).append(
            absence
        )

    def _condition(self, leaf: Leaf) -> None:
        match leaf:
            case Literal() | TimerLiteral() | WindowLiteral() | Residue() | Cardinality():
                pass
            case _:
                self.body.parts.conditions.append(renamed(self.body.texts_read(leaf), self.body.name))

    def _checked(self) -> None:
        """Refuses times of windows that no answer knows, and timers that what they are set on cannot have."""
        unknown = {
            name for name, time in self.body.times.items() if not isinstance(time, EventTime | TimerTime | StateTime)
        }
        unknown -= {window.identifier for window in self.body.parts.windows}
        for part in (part for condition in self.body.parts.conditions for part in walk(condition)):
            if isinstance(part, EventReference) and part.identifier in unknown:
                message = f"the bounds of the window `{part.identifier}` are known to aggregates and negations only"
                self._refuse(message, part.span, "compare the times of events")
        for timer in self.body.parts.timers:
            if not isinstance(self.body.times.get(timer.anchor), EventTime | TimerTime | StateTime):
                self._refuse("a window has no timers", timer.span, "set it on an event or a state")
            elif self.body.is_lasting(timer.anchor) and timer.kind not in STATE_TIMERS:
                hint = f"the timers of states are {', '.join(STATE_TIMERS)}"
                self._refuse(
                    f"a state has no timer `{timer.kind}`: it would end before the state does", timer.span, hint
                )

    def _gathered(self, made: Branch, time: str) -> Branch | None:
        """Returns the branch with all but its evaluation time gathered; None if that is not known in time."""
        kept = {*self.body.anchors(time), *(window.identifier for window in made.windows)}
        names = (literal.identifier for literal in made.positive)
        auxiliary = {query.identifier for query in made.events if query.auxiliary}
        made = replace(made, gathered=tuple(name for name in names if name not in kept | auxiliary))
        if late := late_gathered(made):
            message = f"this aggregate would have to wait for `{late[0]}`, which may end after the evaluation time"
            self._refuse(message, None, "let all that the body asks for lie in the evaluation time")
            return None
        return made
