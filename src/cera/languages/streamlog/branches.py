"""One conjunction of a body as a branch of the hub, in the evaluation time of its rule.

First all that has a name is noted, since a literal may be evaluated in what is declared behind it. Then each evaluation
time makes its demands of the literals in it (`demands`). An aggregate gathers whatever is not its evaluation time, or
what that is set on.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cera.diagnostics import Diagnostic, Span
from cera.languages.streamlog.atoms import has_aggregate, head_of, is_anonymous, pattern_of, renamed
from cera.languages.streamlog.demands import (
    AllTime,
    BoundsTime,
    ClockTime,
    EventTime,
    SpanTime,
    StateTime,
    Time,
    TimerTime,
    begin_of,
    end_of,
    events_inside,
    in_state,
    state_in_state,
    state_in_window,
)
from cera.languages.streamlog.syntax import (
    NOW,
    Between,
    Cardinality,
    EvaluationTime,
    Kind,
    Leaf,
    Literal,
    Now,
    Residue,
    Rule,
    Sliding,
    Timer,
    TimerLiteral,
    Unbounded,
    WindowLiteral,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import (
    Arithmetic,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    Within,
    rebuild,
    walk,
)
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeError, parse_datetime
from cera.rules.reasoning.gathering import late_gathered
from cera.rules.rule import Accumulation, Branch, EventQuery, PeriodicWindow, RelationQuery, RelativeTimer
from cera.rules.states import STATE_TIMERS, StateQuery, is_another, with_states

#: The window `now` on whole microseconds.
_INSTANT = 1
_TAKE = "take a window of the clock, like `Range 1h Slide 1min`, a state or a timer"


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
class RuleContext:
    """What the branches of a rule share."""

    kinds: dict[str, Kind]
    relations: set[str]
    origin: int
    timezone: str
    time: EvaluationTime | None
    source: Rule
    problems: list[Diagnostic]
    refused: bool = False

    def refuse(self, message: str, span: Span | None, hint: str) -> None:
        self.refused = True
        self.problems.append(Diagnostic("SL307", "error", message, span or self.source.span, hint))

    def texts_read(self, expression: Expression) -> Expression:
        """Returns an expression with its texts of times read."""
        match expression:
            case DateTime(texts=texts):
                try:
                    intervals = [parse_datetime(text, self.timezone) for text in texts]
                except (TimeError, ValueError) as error:
                    self.problems.append(Diagnostic("SL001", "error", str(error), expression.span))
                    return expression
                begin, end = intervals[0].begin, intervals[-1].end
                if end < begin:
                    message = f"the interval ends ({texts[-1]}) before it begins ({texts[0]})"
                    self.problems.append(Diagnostic("SL003", "error", message, expression.span, "exchange the two"))
                    return expression
                return replace(expression, interval=Interval(begin, end))
            case _:
                return rebuild(expression, self.texts_read)


@dataclass
class _Parts:
    """A branch while it is made."""

    events: list[EventQuery] = field(default_factory=list)
    states: list[StateQuery] = field(default_factory=list)
    timers: list[RelativeTimer] = field(default_factory=list)
    relations: list[RelationQuery] = field(default_factory=list)
    windows: list[PeriodicWindow] = field(default_factory=list)
    absences: list[Accumulation] = field(default_factory=list)
    absent_states: list[Accumulation] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)
    #: The states that are needed as a whole.
    whole: set[str] = field(default_factory=set)

    def branch(self, head: Construct) -> Branch:
        made = Branch(
            events=tuple(self.events),
            relative_timers=tuple(self.timers),
            absences=tuple(self.absences),
            conditions=tuple(self.conditions),
            relations=tuple(self.relations),
        )
        made = with_states(made, self.states, self.absent_states, head, whole=self.whole)
        return replace(made, windows=tuple(self.windows))


@dataclass
class BranchLowering:
    """The lowering of one conjunction."""

    context: RuleContext
    once: frozenset[str]
    names: Names
    parts: _Parts = field(default_factory=_Parts)
    #: What has a time, by its identifier; the labels of events.
    times: dict[str, Time] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    #: The literals of the body and their own evaluation times.
    members: dict[str, str | None] = field(default_factory=dict)
    negated: list[tuple[Literal, str | None]] = field(default_factory=list)
    _unknown: itertools.count[int] = field(default_factory=itertools.count)

    def branch(self, leaves: Sequence[Leaf]) -> Branch | None:
        """Returns the branch; None if it is refused."""
        gathering = has_aggregate(self.context.source.head.atom)
        module = None if self.context.time is None else self._time(self.context.time)
        for leaf in leaves:
            self._leaf(leaf)
        time = module if module is not None else self._time_of_body(leaves, gathering=gathering)
        time = None if time is None or isinstance(self.times.get(time), AllTime) else time
        if gathering and time is None:
            self._refuse("this aggregate ranges over more than one evaluation time", None, _TAKE)
        absent = [self._window_of(literal, own, time) for literal, own in self.negated]
        whole = {at for at in absent if at is not None}
        if gathering and time is not None:
            whole.add(time)
        for at in self._used(time):
            self._demand(at, [name for name, own in self.members.items() if at in (own, time)], whole=at in whole)
        for (literal, _), window in zip(self.negated, absent, strict=True):
            if window is not None:
                self._absence(literal, window)
        for leaf in leaves:
            self._condition(leaf)
        self._checked()
        if self.context.refused:
            return None
        made = self.parts.branch(head_of(self.context.source.head.atom))
        return self._gathered(made, time) if gathering and time is not None else made

    def name(self, variable: str) -> str:
        if is_anonymous(variable):
            return f"_#{next(self._unknown)}"
        return f"_{variable}#" if variable in self.once else variable

    def _refuse(self, message: str, span: Span | None, hint: str) -> None:
        self.context.refuse(message, span, hint)

    # what there is

    def _leaf(self, leaf: Leaf) -> None:
        match leaf:
            case Literal(negated=True):
                self.negated.append((leaf, None if leaf.time is None else self._time(leaf.time)))
            case Literal():
                own = None if leaf.time is None else self._time(leaf.time)
                name = self._literal(leaf)
                if name is not None:
                    self.members[name] = own
            case TimerLiteral():
                name = self._timer(leaf)
                time = self.times[name]
                if isinstance(leaf.timer.anchor, Literal) and isinstance(time, TimerTime):
                    self.members[time.anchor] = None
            case WindowLiteral():
                self._time(leaf)
            case _:
                pass

    def _literal(self, literal: Literal) -> str | None:
        """Adds a positive literal; returns its identifier, None for the row of a relation."""
        anonymous = literal.identifier is None
        label = literal.atom.label
        name = self.names.fresh(label) if literal.identifier is None else literal.identifier.name
        pattern = pattern_of(literal.atom, self.name)
        if label in self.context.relations:
            self.parts.relations.append(RelationQuery(name, pattern, anonymous, literal.span))
            return None
        if self._kind(literal) == "state":
            self.parts.states.append(StateQuery(name, pattern, anonymous, literal.span))
            self.times[name] = StateTime()
        else:
            self.parts.events.append(EventQuery(name, pattern, anonymous, literal.span))
            self.times[name] = EventTime()
            self.labels[name] = label
        return name

    def _kind(self, literal: Literal) -> Kind:
        return literal.kind or self.context.kinds.get(literal.atom.label, "event")

    def _timer(self, literal: TimerLiteral) -> str:
        anonymous = literal.identifier is None
        name = self.names.fresh("timer") if literal.identifier is None else literal.identifier.name
        anchor = self._anchor(literal.timer)
        timer = RelativeTimer(name, literal.timer.kind, anchor, literal.timer.duration, anonymous, literal.span)
        self.parts.timers.append(timer)
        self.times[name] = TimerTime(anchor)
        return name

    def _anchor(self, timer: Timer) -> str:
        if isinstance(timer.anchor, Identifier):
            return timer.anchor.name
        name = self._literal(timer.anchor)
        assert name is not None
        return name

    def _time(self, time: EvaluationTime) -> str | None:
        """Returns the name of an evaluation time; adds the literals that it consists of."""
        match time:
            case Identifier():
                return time.name
            case Literal():
                return self._literal(time)
            case TimerLiteral():
                return self._timer(time)
            case WindowLiteral():
                name = self.names.fresh("window") if time.identifier is None else time.identifier.name
                self.times[name] = self._window(time)
                return name

    def _window(self, literal: WindowLiteral) -> Time:
        match literal.window:
            case Unbounded():
                return AllTime()
            case Now():
                return ClockTime(_INSTANT, _INSTANT, literal.span)
            case Sliding() as window:
                slide = window.range if window.slide is None else window.slide
                return ClockTime(window.range.microseconds, slide.microseconds, literal.span)
            case Between() as window:
                return self._between(window)

    def _between(self, window: Between) -> Time:
        match window.begin, window.end:
            case (
                Arithmetic(operator="-", left=EventReference(identifier=first), right=DurationLiteral() as length),
                EventReference(identifier=last),
            ) if first == NOW and last == NOW:
                return SpanTime(length.duration)
            case begin, end:
                return BoundsTime(self._point(begin), self._point(end))

    def _point(self, bound: Expression) -> Expression:
        """Returns a bound of a window; a text is the point of time that it begins with."""
        match bound:
            case expressions.Literal(value=str() as text):
                bound = DateTime((text,), span=bound.span)
            case _:
                pass
        read = self._texts_read(bound)
        return expressions.Call("begin", (read,), read.span) if isinstance(read, DateTime) else read

    def _texts_read(self, expression: Expression) -> Expression:
        return self.context.texts_read(expression)

    # evaluation times

    def _time_of_body(self, leaves: Sequence[Leaf], *, gathering: bool) -> str | None:
        """Returns the window that a body declares, or its only state; where all literals have the same, that."""
        windows = [leaf.identifier for leaf in leaves if isinstance(leaf, WindowLiteral)]
        for window in windows:
            if window is not None:
                return window.name
        states = [name for name in self.members if isinstance(self.times[name], StateTime)]
        if len(states) == 1:
            return states[0]
        own = set(self.members.values())
        return next(iter(own)) if gathering and len(own) == 1 else None

    def _used(self, time: str | None) -> list[str]:
        """Returns the evaluation times of the branch, each once."""
        found = [time, *self.members.values(), *(own for _, own in self.negated)]
        return [name for name in dict.fromkeys(found) if name is not None]

    def _is_lasting(self, name: str) -> bool:
        """Returns whether a name is that of a state or of a timer on one."""
        return any(isinstance(self.times.get(each), StateTime) for each in self._anchors(name))

    def _demand(self, at: str, names: Sequence[str], *, whole: bool) -> None:
        """Demands that literals of the body lie in an evaluation time."""
        inside = [name for name in names if name != at]
        events = [name for name in inside if not self._is_lasting(name)]
        states = [name for name in inside if self._is_lasting(name)]
        conditions = self.parts.conditions
        match self.times[at]:
            case AllTime():
                pass
            case StateTime() | TimerTime() if self._is_lasting(at):
                conditions += (in_state(event, at) for event in events)
                conditions += (state_in_state(state, at) for state in states)
                conditions += (is_another(state, self._anchors(at)[-1]) for state in states)
                if whole:
                    self.parts.whole.add(at)
                    conditions += (Comparison("<=", begin_of(state), end_of(at)) for state in states)
            case EventTime() | TimerTime() | StateTime() as time:
                self._exclude(at, events)
                conditions += events_inside(events, begin_of(at), end_of(at))
                if isinstance(time, EventTime):
                    conditions += (in_state(at, state) for state in states)
                else:
                    conditions += (each for state in states for each in state_in_window(state, at))
            case ClockTime() as time:
                self._in_clock(at, time, events, states, whole=whole)
            case SpanTime() as time:
                self._without(whole=whole, states=states, window="[now - d, now]")
                if events:
                    references = tuple(EventReference(event) for event in events)
                    conditions.append(Within(references, DurationLiteral(time.duration)))
            case BoundsTime() as time:
                self._without(whole=whole, states=states, window="[f, g]")
                conditions += events_inside(events, time.begin, time.end)

    def _in_clock(self, at: str, time: ClockTime, events: list[str], states: list[str], *, whole: bool) -> None:
        period = (time.length, time.slide, self.context.origin)
        if whole and not events:
            message = "no event has to lie in this window, and there are windows only around events"
            self._refuse(message, time.span, "ask for an event in it, or take a state as evaluation time")
        elif whole:
            self.parts.windows.append(PeriodicWindow(at, *period, tuple(events), True, time.span))
            self.parts.conditions += (each for state in states for each in state_in_window(state, at))
        elif states:
            message = "a state that shares time with a window of the clock is not run yet, but for aggregates"
            self._refuse(message, time.span, "take the state as evaluation time")
        elif events:
            references = tuple(EventReference(event) for event in events)
            self.parts.conditions.append(InOneWindow(references, *period, time.span))

    def _exclude(self, at: str, events: Sequence[str]) -> None:
        """Refuses literals that might find the event in which they are evaluated: it is not inside of itself."""
        origins = {self.labels.get(name) for name in self._anchors(at)}
        for event in events:
            if self.labels[event] in origins and event not in self._anchors(at):
                message = f"`{self.labels[event]}` in the time of an event with the same label is not run yet"
                hint = "derive it under another label by a rule of its own"
                self._refuse(message, next(e.span for e in self.parts.events if e.identifier == event), hint)

    def _anchors(self, name: str) -> list[str]:
        """Returns an evaluation time and what it is set on; timers may be set on each other by mistake."""
        found = [name]
        while isinstance(time := self.times.get(found[-1]), TimerTime) and time.anchor not in found:
            found.append(time.anchor)
        return found

    def _without(self, *, whole: bool, states: Sequence[str], window: str) -> None:
        if whole:
            self._refuse(f"aggregates and negated literals over `{window}` are not run yet", None, _TAKE)
        if states:
            hint = "take the state as evaluation time"
            self._refuse(f"a state that shares time with `{window}` is not run yet", None, hint)

    # negation, conditions, aggregates

    def _window_of(self, literal: Literal, own: str | None, time: str | None) -> str | None:
        """Returns in what a negated literal is absent: its own time or the rule's, the one that is in the other."""
        own = None if own is None or isinstance(self.times.get(own), AllTime) else own
        if own is None and time is None:
            message = "a negated literal needs an evaluation time that is a state, an event, a timer or a window"
            hint = "give it one, like `while i: not p(X)`, or the rule, like `Range 1h:`"
            self._refuse(message, literal.span, hint)
        if own is None or time is None or own == time:
            return own or time
        if isinstance(self.times[own], EventTime) and own in self.members:
            return own
        message = "a negated literal whose evaluation time may reach beyond that of its rule is not run yet"
        self._refuse(message, literal.span, "let it be an event of the body, or give the rule no evaluation time")
        return None

    def _absence(self, literal: Literal, window: str) -> None:
        if literal.atom.label in self.context.relations:
            self._refuse("a relation cannot be negated", literal.span, "ask for rows that are there")
            return
        absence = Accumulation(window, pattern_of(literal.atom, self.name), True, span=literal.span)
        (self.parts.absent_states if self._kind(literal) == "state" else self.parts.absences).append(absence)

    def _condition(self, leaf: Leaf) -> None:
        match leaf:
            case Literal() | TimerLiteral() | WindowLiteral() | Residue() | Cardinality():
                pass
            case _:
                self.parts.conditions.append(renamed(self._texts_read(leaf), self.name))

    def _checked(self) -> None:
        """Refuses times of windows that no answer knows, and timers that what they are set on cannot have."""
        unknown = {name for name, time in self.times.items() if not isinstance(time, EventTime | TimerTime | StateTime)}
        unknown -= {window.identifier for window in self.parts.windows}
        for part in (part for condition in self.parts.conditions for part in walk(condition)):
            if isinstance(part, EventReference) and part.identifier in unknown:
                message = f"the bounds of the window `{part.identifier}` are known to aggregates and negations only"
                self._refuse(message, part.span, "compare the times of events")
        for timer in self.parts.timers:
            if not isinstance(self.times.get(timer.anchor), EventTime | TimerTime | StateTime):
                self._refuse("a window has no timers", timer.span, "set it on an event or a state")
            elif self._is_lasting(timer.anchor) and timer.kind not in STATE_TIMERS:
                hint = f"the timers of states are {', '.join(STATE_TIMERS)}"
                self._refuse(
                    f"a state has no timer `{timer.kind}`: it would end before the state does", timer.span, hint
                )

    def _gathered(self, made: Branch, time: str) -> Branch | None:
        """Returns the branch with all but its evaluation time gathered; None if that is not known in time."""
        kept = {*self._anchors(time), *(window.identifier for window in made.windows)}
        names = (literal.identifier for literal in made.positive)
        auxiliary = {query.identifier for query in made.events if query.auxiliary}
        made = replace(made, gathered=tuple(name for name in names if name not in kept | auxiliary))
        if late := late_gathered(made):
            message = f"this aggregate would have to wait for `{late[0]}`, which may end after the evaluation time"
            self._refuse(message, None, "let all that the body asks for lie in the evaluation time")
            return None
        return made


def declared_identifiers(leaves: Iterable[Leaf], time: EvaluationTime | None) -> Iterator[str]:
    """Yields the identifiers that a rule declares, wherever."""
    for leaf in (*leaves, time):
        match leaf:
            case Literal() | TimerLiteral() | WindowLiteral():
                if leaf.identifier is not None:
                    yield leaf.identifier.name
                if isinstance(leaf, Literal) and leaf.time is not None:
                    yield from declared_identifiers((), leaf.time)
                if isinstance(leaf, TimerLiteral) and isinstance(leaf.timer.anchor, Literal):
                    yield from declared_identifiers((leaf.timer.anchor,), None)
            case _:
                pass
