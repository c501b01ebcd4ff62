"""Rules that derive states, `state: h until u <- body`: as rules about supports, and the module that composes them.

    support   h with the causes, for each derivation: when the last event has happened and all states hold
    loss      a state of the body has ended
    release   u has happened

A support may not wait for the end of the evaluation time, with which the state ends. So a timer that is the evaluation
time becomes conditions on what it is set on, and what needs all of the evaluation time is refused (SL312).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cera.diagnostics import Diagnostic, Span
from cera.languages.streamlog.activation import activation_of
from cera.languages.streamlog.atoms import has_aggregate, head_of
from cera.languages.streamlog.bodies import Body
from cera.languages.streamlog.branch_parts import RuleContext
from cera.languages.streamlog.demands import (
    BoundsTime,
    ClockTime,
    EventTime,
    SpanTime,
    StateTime,
    Time,
    TimerTime,
)
from cera.languages.streamlog.scopes import atom_variables
from cera.model.events.event import STATES
from cera.model.events.states import LOSS, RELEASE, SUPPORT
from cera.model.events.window_events import WINDOW_LABEL
from cera.model.expressions.atoms import pattern_of
from cera.model.expressions.constructs import Construct, ConstructTerm, ConstructValue
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Or,
    Variable,
    rebuild,
)
from cera.model.matching.patterns import TermPattern
from cera.model.time.timers import TIMERS
from cera.modules.states.module import StateCause, StateModule, StateRule
from cera.modules.states.supports import LOST, key_label
from cera.rules import rule as hub
from cera.rules.containment_conditions import begin_of, end_of, holds_at
from cera.rules.rule import Branch, EventQuery, RelativeTimer
from cera.rules.states import StateQuery, state_variable, with_states


@dataclass(frozen=True)
class LoweredState:
    """A conjunction of a rule that derives states: the rules about its supports, and how they are composed."""

    label: str
    rule: StateRule
    #: The support, then the losses and the release.
    rules: tuple[hub.Rule, ...]


class StateLowering:
    """The lowering of one conjunction of a rule that derives states, beside that of its branch."""

    def __init__(self, context: RuleContext, body: Body) -> None:
        self._context = context
        self._body = body
        self._time: str | None = None
        self._limit: Expression | None = None

    def check(self, time: str | None, negated: Iterable[str | None]) -> None:
        """Refuses what would begin when it is over: `negated` are the windows of negated literals."""
        self._time = time
        found = None if time is None else self._body.times[time]
        source = self._context.source
        if source.head.conditions:
            hint = "leave them out: it begins with the last event of its body"
            self._refuse("the time of a state has no conditions", source.head.span, hint)
        elif (reason := _reason(found)) is not None:
            hint = "give the rule a state, a timer, `Range d` or no evaluation time"
            self._refuse(f"a state that begins and ends with {reason} does not hold", source.span, hint)
        elif time is not None and not isinstance(found, StateTime) and self._body.is_lasting(time):
            message = "when a timer on a state ends is not known before the state has ended"
            self._refuse(message, source.span, "take the state itself as evaluation time")
        elif has_aggregate(source.head.atom):
            message = "an aggregate is known when its evaluation time is over, and then the state would end"
            self._refuse(message, source.head.span, "derive an event, and a state from that")
        elif time is not None and time in negated:
            message = "an absence is known when its evaluation time is over, and then the state would end"
            self._refuse(message, source.span, "give the negated literal an evaluation time of its own")
        elif source.head.until is not None and self._body.kind(source.head.until) == "state":
            message = "`until` waits for an event, and this is a state"
            self._refuse(message, source.head.until.span, "ask for the state in the body: it ends with it")

    def _refuse(self, message: str, span: Span | None, hint: str) -> None:
        self._context.refuse("SL312", message, span, hint)

    def settle(self) -> None:
        """Lets all states hold together, and takes a timer that is the evaluation time out of the body."""
        parts, time = self._body.parts, self._time
        timers = {timer.identifier: timer for timer in parts.timers}
        is_timer = time is not None and isinstance(self._body.times[time], TimerTime)
        names = [name for name in self._body.anchors(time) if name in timers] if time is not None and is_timer else []
        parts.timers = [timer for timer in parts.timers if timer.identifier not in names]
        parts.conditions = [_resolved(condition, timers, names) for condition in parts.conditions]
        parts.conditions += self._holding_together()
        match None if time is None else self._body.times[time]:
            case TimerTime():
                assert time is not None
                self._limit = _resolved(end_of(time), timers, names)
            case BoundsTime() as bounds:
                self._limit = bounds.end
            case _:
                pass

    def _holding_together(self) -> Iterator[Expression]:
        """Yields the conditions that all states hold when the last of the events and of the states has come."""
        parts = self._body.parts
        states = [query.identifier for query in parts.states]
        names = [*(query.identifier for query in parts.events), *(timer.identifier for timer in parts.timers)]
        points = [end_of(name) for name in names]
        for state in states:
            yield holds_at(state, begin_of(state))  # it has some length
            for point in (*points, *(begin_of(other) for other in states if other != state)):
                yield Or((Comparison("<=", point, begin_of(state)), holds_at(state, point)))

    def lowered(self, name: str, shown: str, made: Branch) -> LoweredState | None:
        """Returns the rules about the supports of a branch; None if it is refused."""
        source, states = self._context.source, self._body.parts.states
        if late := [query for query in made.events if query.kind == "ending"]:
            message = f"this waits for the end of `{late[0].identifier}`, and then the state would end"
            self._refuse(message, late[0].span or source.span, "ask for when it begins only")
            return None
        head, until = head_of(source.head.atom), source.head.until
        key = () if until is None else tuple(sorted({*atom_variables(until.atom)} & made.bound_variables))
        keys = tuple(ConstructTerm(key_label(each), (ConstructValue(Variable(each)),)) for each in key)
        carrying = replace(head, label=SUPPORT + name, children=(*head.children, *keys))
        active = activation_of(self._context.time, source.query, self._context.kinds)
        rules = [hub.Rule(name, carrying, (made,), span=source.span, traced=True, activation=active)]
        rules += (_loss(name, state, source.span) for state in states)
        if until is not None:
            pattern = pattern_of(until.atom, self._body.name)
            branch = Branch((EventQuery("u", pattern, True, until.span),))
            rules.append(hub.Rule(f"{name} until", ConstructTerm(RELEASE + name, keys), (branch,), span=source.span))
        clock = None if self._time is None else self._body.times[self._time]
        rule = StateRule(
            shown,
            SUPPORT + name,
            tuple(_causes(made, {state.identifier for state in states})),
            LOSS + name if states else None,
            None if until is None else RELEASE + name,
            key,
            self._limit,
            (clock.length, clock.slide, self._context.origin) if isinstance(clock, ClockTime) else None,
            source.span,
        )
        return LoweredState(source.head.atom.label, rule, tuple(rules))


def _reason(time: Time | None) -> str | None:
    match time:
        case EventTime():
            return "an event"
        case SpanTime() | ClockTime(length=1):
            return "the present moment"
        case _:
            return None


def composed(lowered: Sequence[LoweredState]) -> tuple[list[hub.Rule], tuple[StateModule, ...]]:
    """Returns the rules of all that derives states, and a module for each label."""
    rules: list[hub.Rule] = []
    modules: list[StateModule] = []
    for label in dict.fromkeys(each.label for each in lowered):
        own = [each for each in lowered if each.label == label]
        partition = _partition(own)
        rules += (_divided(rule, each.rules[0], partition) for each in own for rule in each.rules)
        modules.append(StateModule(label, tuple(each.rule for each in own), partition, own[0].rule.span))
    return rules, tuple(modules)


def endless(lowered: Iterable[LoweredState]) -> Iterator[Diagnostic]:
    """Reports rules whose states never end (SL313)."""
    for each in lowered:
        rule = each.rule
        if rule.loss is None and rule.release is None and rule.limit is None and rule.window is None:
            message = f"a state `{each.label}` that this rule begins never ends, and is kept for ever"
            hint = "say what ends it, like `until p(X)`, ask for a state in the body, or give it an evaluation time"
            yield Diagnostic("SL313", "warning", message, rule.span, hint)


def _causes(branch: Branch, states: set[str]) -> Iterator[StateCause]:
    labels = {query.identifier: _label(query) for query in branch.events}
    labels |= {timer.identifier: f"timer:{timer.kind}" for timer in branch.relative_timers}
    labels |= {window.identifier: WINDOW_LABEL for window in branch.windows}
    for name in hub.trace_order(branch):
        yield StateCause(name, labels[name], name in states)


def _label(query: EventQuery) -> str:
    """Returns the label of the events that a query of StreamLog asks for."""
    assert isinstance(query.pattern, TermPattern)
    assert isinstance(query.pattern.label, str)
    return query.pattern.label


def _loss(name: str, state: StateQuery, span: Span | None) -> hub.Rule:
    ended = with_states(Branch(), [state], whole={state.identifier})
    lost = ConstructTerm(LOST, (ConstructValue(Variable(state_variable(state.identifier))),))
    return hub.Rule(f"{name} ends with {state.identifier}", ConstructTerm(LOSS + name, (lost,)), (ended,), span=span)


def _resolved(expression: Expression, timers: dict[str, RelativeTimer], names: Sequence[str]) -> Expression:
    """Returns an expression in which the bounds of these timers are those of what they are set on, and a duration."""
    match expression:
        case Call(function="begin" | "end" as edge, arguments=(EventReference(identifier=name),)) if (
            name in names and name in timers
        ):
            timer = timers[name]
            bound, sign = TIMERS[timer.kind][edge == "end"]
            anchor: Expression = Call(bound, (EventReference(timer.anchor),), expression.span)
            anchor = _resolved(anchor, timers, names)
            duration = DurationLiteral(timer.duration)
            return anchor if sign == 0 else Arithmetic("+" if sign > 0 else "-", anchor, duration, expression.span)
        case _:
            return rebuild(expression, lambda part: _resolved(part, timers, names))


def _partition(own: Sequence[LoweredState]) -> str | None:
    """Returns an attribute of the state that all events about its supports know; None if there is none."""
    common = [set(_attributes(each)) for each in own]
    found = set.intersection(*common)
    return min(found, default=None)


def _attributes(state: LoweredState) -> Iterator[str]:
    """Yields the attributes whose values all rules about a support bind."""
    support, *others = state.rules
    for label, variable in _values(support.head):
        if all(variable in rule.branches[0].bound_variables for rule in others):
            yield label


def _values(head: Construct) -> Iterator[tuple[str, str]]:
    """Yields the attributes of a state that are one variable."""
    assert isinstance(head, ConstructTerm)
    for child in head.children:
        match child:
            case ConstructTerm(label=label, children=(ConstructValue(expression=Variable(name=name)),)):
                if not label.startswith(STATES):
                    yield label, name
            case _:
                pass


def _divided(rule: hub.Rule, support: hub.Rule, partition: str | None) -> hub.Rule:
    """Returns a rule about supports whose events have the attribute that divides them."""
    if partition is None or rule is support:
        return rule
    [variable] = [name for label, name in _values(support.head) if label == partition]
    child = ConstructTerm(partition, (ConstructValue(Variable(variable)),))
    assert isinstance(rule.head, ConstructTerm)
    return replace(rule, head=replace(rule.head, children=(child, *rule.head.children)))
