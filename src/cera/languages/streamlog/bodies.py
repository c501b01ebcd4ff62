"""What has a time in a conjunction: its literals, timers and windows, by their identifiers.

All of it is noted before anything is demanded of it, since a literal may be evaluated in what is declared behind it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

from cera.languages.atoms.syntax import NOW, Kind
from cera.languages.streamlog.atoms import is_anonymous, unnamed_variable
from cera.languages.streamlog.branch_parts import RuleContext
from cera.languages.streamlog.demands import (
    AllTime,
    BoundsTime,
    ClockTime,
    EventTime,
    OuterTime,
    SpanTime,
    StateTime,
    Time,
    TimerTime,
)
from cera.languages.streamlog.syntax import EvaluationTime, Leaf, Literal, Timer, TimerLiteral, WindowLiteral
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded, pattern_of
from cera.model.expressions.expression import Arithmetic, DateTime, DurationLiteral, EventReference, Expression, rebuild
from cera.rules.branch_building import BranchParts, Names
from cera.rules.rule import EventQuery, RelationQuery, RelativeTimer
from cera.rules.states import StateQuery

#: The window `now` on whole microseconds.
_INSTANT = 1


@dataclass
class Body:
    """The parts of one conjunction."""

    context: RuleContext
    once: frozenset[str]
    names: Names
    parts: BranchParts = field(default_factory=BranchParts)
    #: What has a time, by its identifier; the labels of events.
    times: dict[str, Time] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    #: The literals of the body and their own evaluation times.
    members: dict[str, str | None] = field(default_factory=dict)
    negated: list[tuple[Literal, str | None]] = field(default_factory=list)
    #: The evaluation times of positive literals of states.
    states_in: dict[str, None] = field(default_factory=dict)
    #: Of a conjunction that stands twice in a branch: what is added to identifiers, and to variables but the shared.
    mark: str = ""
    variable_mark: str = ""
    shared: frozenset[str] | None = None
    #: The evaluation time of the rule, where that stands in the branch already.
    outer: str | None = None
    aliases: dict[str, str] = field(default_factory=dict)
    #: The variables in the branch of which only matters that they have a value.
    forgotten: set[str] = field(default_factory=set)
    _unknown: itertools.count[int] = field(default_factory=itertools.count)

    def name(self, variable: str) -> str:
        """Returns the name of a variable in the branch."""
        if is_anonymous(variable):
            return self._forgotten(unnamed_variable(next(self._unknown), self.variable_mark))
        if self.shared is not None and variable not in self.shared:
            return self._forgotten(f"_{variable}#{self.variable_mark}")
        return f"_{variable}#{self.variable_mark}" if variable in self.once else variable

    def _forgotten(self, name: str) -> str:
        self.forgotten.add(name)
        return name

    def identifier(self, name: str) -> str:
        """Returns an identifier as it is in the branch."""
        return self.aliases.get(name + self.mark, name + self.mark)

    def take_outer(self, time: str) -> str:
        """Puts what stands in the branch already in the place of the evaluation time; returns its name."""
        assert self.outer is not None
        self.aliases[time] = self.outer
        self.times[self.outer] = OuterTime()
        self.members = {name: self.outer if own == time else own for name, own in self.members.items()}
        self.negated = [(literal, self.outer if own == time else own) for literal, own in self.negated]
        return self.outer

    def add(self, leaf: Leaf) -> None:
        match leaf:
            case Literal(negated=True):
                self.negated.append((leaf, None if leaf.time is None else self.time(leaf.time)))
            case Literal():
                own = None if leaf.time is None else self.time(leaf.time)
                name = self._literal(leaf)
                if name is not None:
                    self.members[name] = own
            case TimerLiteral():
                name = self._timer(leaf)
                time = self.times[name]
                if isinstance(leaf.timer.anchor, Literal) and isinstance(time, TimerTime):
                    self.members[time.anchor] = None
            case WindowLiteral():
                self.time(leaf)
            case _:
                pass

    def _literal(self, literal: Literal) -> str | None:
        """Adds a positive literal; returns its identifier, None for the row of a relation."""
        anonymous = literal.identifier is None
        label = literal.atom.label
        name = self.names.fresh(label) if literal.identifier is None else self.identifier(literal.identifier.name)
        pattern = pattern_of(literal.atom, self.name)
        if label in self.context.relations:
            self.parts.relations.append(RelationQuery(name, pattern, anonymous, literal.span))
            return None
        if self.kind(literal) == "state":
            self.parts.states.append(StateQuery(name, pattern, anonymous, literal.span))
            self.times[name] = StateTime()
        else:
            self.parts.events.append(EventQuery(name, pattern, anonymous, literal.span))
            self.times[name] = EventTime()
            self.labels[name] = label
        return name

    def kind(self, literal: Literal) -> Kind:
        return literal.kind or self.context.kinds.get(literal.atom.label, "event")

    def _timer(self, literal: TimerLiteral) -> str:
        anonymous = literal.identifier is None
        name = self.names.fresh("timer") if literal.identifier is None else self.identifier(literal.identifier.name)
        anchor = self._anchor(literal.timer)
        timer = RelativeTimer(name, literal.timer.kind, anchor, literal.timer.duration, anonymous, literal.span)
        self.parts.timers.append(timer)
        self.times[name] = TimerTime(anchor)
        return name

    def _anchor(self, timer: Timer) -> str:
        if isinstance(timer.anchor, Identifier):
            return self.identifier(timer.anchor.name)
        name = self._literal(timer.anchor)
        assert name is not None
        return name

    def time(self, time: EvaluationTime) -> str | None:
        """Returns the name of an evaluation time; adds the literals that it consists of."""
        match time:
            case Identifier():
                return self.identifier(time.name)
            case Literal():
                return self._literal(time)
            case TimerLiteral():
                return self._timer(time)
            case WindowLiteral():
                name = self.names.fresh("window") if time.identifier is None else self.identifier(time.identifier.name)
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
                return self._between(window, literal)

    def _between(self, window: Between, literal: WindowLiteral) -> Time:
        match window.begin, window.end:
            case (
                Arithmetic(operator="-", left=EventReference(identifier=first), right=DurationLiteral() as length),
                EventReference(identifier=last),
            ) if first == NOW and last == NOW:
                return SpanTime(length.duration, literal.span)
            case begin, end:
                return BoundsTime(self._point(begin), self._point(end), literal.span)

    def _point(self, bound: Expression) -> Expression:
        """Returns a bound of a window; a text is the point of time that it begins with."""
        match bound:
            case expressions.Literal(value=str() as text):
                bound = DateTime((text,), span=bound.span)
            case _:
                pass
        read = self.texts_read(bound)
        return expressions.Call("begin", (read,), read.span) if isinstance(read, DateTime) else read

    def texts_read(self, expression: Expression) -> Expression:
        """Returns an expression with its texts of times read, and with identifiers as they are in the branch."""
        return self._named(self.context.texts_read(expression))

    def _named(self, expression: Expression) -> Expression:
        if isinstance(expression, EventReference):
            return replace(expression, identifier=self.identifier(expression.identifier))
        return rebuild(expression, self._named)

    def is_lasting(self, name: str) -> bool:
        """Returns whether a name is that of a state or of a timer on one."""
        known = {name}  # timers may be set on each other by mistake
        while isinstance(time := self.times.get(name), TimerTime) and time.anchor not in known:
            name = time.anchor
            known.add(name)
        return isinstance(self.times.get(name), StateTime)

    def anchors(self, name: str) -> list[str]:
        """Returns an evaluation time and what it is set on."""
        found: dict[str, None] = {}
        waiting = [name]
        for each in waiting:  # grows as it goes
            if each not in found:
                found[each] = None
                match self.times.get(each):
                    case TimerTime(anchor=anchor):
                        waiting.append(anchor)
                    case BoundsTime() as time:
                        waiting += time.identifiers
                    case _:
                        pass
        return list(found)

    @property
    def events(self) -> list[str]:
        """The events of the body, and those of its timers."""
        return [name for name in self.members if not self.is_lasting(name)]
