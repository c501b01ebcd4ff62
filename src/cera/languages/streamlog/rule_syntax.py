"""Written rules as rules of StreamLog with their evaluation times; SL401 for the parts that it has no words for.

A branch without aggregates is a conjunction that is evaluated all the time; `x in s` becomes `while s: x: …`. An
aggregate ranges over what its evaluation time contains, so it must collect all in one event, state or timer, and ask
for nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from cera.diagnostics import Diagnostic, Span
from cera.languages.atoms.syntax import Kind
from cera.languages.streamlog.atom_writing import ANYTHING, AtomWriter
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Head,
    Literal,
    Query,
    Rule,
    Timer,
    TimerLiteral,
    WindowLiteral,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Unbounded
from cera.model.expressions.constructs import All, OptionalConstruct, has_grouping, walk
from cera.model.expressions.expression import (
    And,
    Call,
    Comparison,
    EventReference,
    Expression,
    InState,
    Not,
    Or,
    Periodic,
    Temporal,
    Within,
    rebuild,
)
from cera.rules.rule import EventQuery
from cera.rules.states import StateQuery
from cera.rules.written import WrittenAccumulation, WrittenBranch, WrittenRule

_NO_TIME = Unbounded()
_TOGETHER = "let the aggregate collect all in one event, state or timer: `while s: collect …`"


@dataclass
class RuleWriter:
    """The writing of one rule. `ambiguous` are labels of states, `relations` names of relations, `unnamed` identifiers
    that can be left out.
    """

    rule: WrittenRule
    ambiguous: Collection[str]
    relations: Collection[str]
    unnamed: Collection[str]
    problems: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.atoms = AtomWriter(self.refuse)

    def refuse(self, message: str, span: Span | None, hint: str) -> None:
        self.problems.append(Diagnostic("SL401", "error", message, span or self.rule.span, hint))

    def written(self) -> tuple[EvaluationTime | None, Rule]:
        """Returns the rule and its evaluation time, None for one that is evaluated all the time."""
        rule = self.rule
        if rule.recipient is not None:
            self.refuse("StreamLog has no messages: its rules derive events", rule.span, "write DETECT for RAISE")
        for part in walk(rule.head):
            if isinstance(part, All | OptionalConstruct):
                word = "all" if isinstance(part, All) else "optional"
                message = f"a head of StreamLog has no `{word}`"
                self.refuse(message, part.span, "derive an event for each value, or an aggregate of them")
                return None, Rule(Head(ANYTHING), Literal(ANYTHING))
        head = Head(self.atoms.head(rule.head))
        grouping = has_grouping(rule.head)
        if not grouping and not any(branch.collections for branch in rule.branches):
            return None, Rule(head, self._alternatives([self._conjunction(branch, ()) for branch in rule.branches]))
        if not grouping:
            collection = next(part for branch in rule.branches for part in branch.collections)
            message = "StreamLog collects events for aggregates only"
            self.refuse(message, collection.span, "ask for the event with an identifier and a condition on its time")
        time, anchors = self._time_of_aggregate()
        branches = [self._conjunction(branch, anchors) for branch in rule.branches]
        return time, Rule(head, self._alternatives(branches))

    # evaluation times of aggregates

    def _time_of_aggregate(self) -> tuple[EvaluationTime, frozenset[str]]:
        """Returns the evaluation time in which all branches collect, and its identifiers."""
        nothing = WindowLiteral(_NO_TIME), frozenset[str]()
        found: list[EvaluationTime] = []
        anchors = frozenset[str]()
        for branch in self.rule.branches:
            windows = {part.window for part in branch.collections}
            if len(windows) != 1:
                count = "nothing" if not windows else "in several windows"
                self.refuse(f"this aggregate collects {count}, which StreamLog cannot say", self.rule.span, _TOGETHER)
                return nothing
            [window] = windows
            time = self._window(branch, window)
            if time is None:
                return nothing
            anchors = _anchors(branch, window)
            for literal in branch.timed:
                if literal.identifier not in anchors:
                    message = f"`{literal.identifier}` is beside what the aggregate ranges over; StreamLog gathers all"
                    self.refuse(message, literal.span, _TOGETHER)
            found.append(time)
        if any(time != found[0] for time in found):
            self.refuse("the branches of this aggregate have different evaluation times", self.rule.span, _TOGETHER)
        return found[0], anchors

    def _window(self, branch: WrittenBranch, window: str) -> EvaluationTime | None:
        queries: dict[str, EventQuery | StateQuery] = {
            **{query.identifier: query for query in branch.events},
            **{query.identifier: query for query in branch.states},
        }
        if window in queries:
            return self._literal(queries[window], named=True)
        for timer in branch.relative_timers:
            if timer.identifier == window:
                if timer.anchor in queries:
                    set_on = self._literal(queries[timer.anchor], named=True)
                    return TimerLiteral(Timer(timer.kind, set_on, timer.duration), None, Identifier(window))
                hint = "set the timer on an event or a state"
                self.refuse("a timer that is set on another one cannot be an evaluation time", timer.span, hint)
                return None
        self.refuse("an absolute timer cannot be an evaluation time", self.rule.span, "collect in an event or a state")
        return None

    # bodies

    @staticmethod
    def _alternatives(branches: Sequence[tuple[Query, ...]]) -> Query:
        parts = [leaves[0] if len(leaves) == 1 else Conjunction(leaves) for leaves in branches]
        return parts[0] if len(parts) == 1 else Disjunction(tuple(parts))

    def _conjunction(self, branch: WrittenBranch, time: Collection[str]) -> tuple[Query, ...]:
        """Returns the parts of a body; what is named in `time` is written before the rule."""
        return tuple(self._leaves(branch, time)) or (Literal(ANYTHING),)

    def _leaves(self, branch: WrittenBranch, time: Collection[str]) -> Iterator[Query]:
        inside = dict(self._states_of(branch))
        for state in branch.states:
            if state.identifier not in time:
                yield self._literal(state)
        for event in branch.events:
            if event.identifier not in time:
                yield self._literal(event, inside.get(event.identifier))
        for absolute in branch.absolute_timers:
            message = "StreamLog has no timers of the calendar"
            self.refuse(message, absolute.span, "take a window of the clock, like `Range 1 day`")
        for timer in branch.relative_timers:
            if timer.identifier not in time:
                name = None if timer.identifier in self.unnamed else Identifier(timer.identifier)
                yield TimerLiteral(Timer(timer.kind, Identifier(timer.anchor), timer.duration), None, name)
        for rows in branch.relations:
            yield Literal(self.atoms.body(rows.pattern))
        for part in branch.accumulations:
            yield from self._accumulation(part)
        for condition in branch.conditions:
            if not (isinstance(condition, InState) and self._states_event(condition, inside)):
                yield self._condition(condition)

    def _literal(self, query: EventQuery | StateQuery, state: str | None = None, *, named: bool = False) -> Literal:
        atom = self.atoms.body(query.pattern)
        kind: Kind | None = "state" if isinstance(query, StateQuery) else self._kind_of_event(atom.label)
        unnamed = not named and query.identifier in self.unnamed
        if kind != "state" and atom.label in self.relations:
            message = f"`{atom.label}` is a relation, and in StreamLog all that it can be"
            self.refuse(message, query.span, "give the relation or the events another name")
        if named and kind is None:
            kind = "event"  # an evaluation time is a state unless it says what it is
        time = None if state is None else Identifier(state)
        return Literal(atom, kind, None if unnamed else Identifier(query.identifier), time=time)

    def _kind_of_event(self, label: str) -> Kind | None:
        return "event" if label in self.ambiguous else None

    def _accumulation(self, part: WrittenAccumulation) -> Iterator[Query]:
        atom = self.atoms.body(part.pattern)
        kind: Kind | None = "state" if part.of_states else self._kind_of_event(atom.label)
        if part.negated:
            if part.conditions:
                message = "StreamLog has no conditions on what does not happen"
                hint = "derive what must not happen by a rule of its own, and negate that"
                self.refuse(message, part.conditions[0].span or part.span, hint)
            yield Literal(atom, kind, negated=True, time=Identifier(part.window))
            return
        if part.of_states:
            self.refuse("StreamLog does not run aggregates over states yet", part.span, "collect events")
        yield Literal(atom, kind)
        yield from map(self._condition, part.conditions)

    # conditions

    def _states_of(self, branch: WrittenBranch) -> Iterator[tuple[str, str]]:
        """Yields the events that are in a state, with the state: each has one evaluation time."""
        found: set[str] = set()
        events = {query.identifier for query in branch.events}
        for condition in branch.conditions:
            match condition:
                case InState(event=EventReference(identifier=event)) if event in events:
                    if event in found:
                        message = f"`{event}` is in two states, and a literal of StreamLog has one evaluation time"
                        hint = "derive what is in one of them by a rule of its own"
                        self.refuse(message, condition.span, hint)
                    found.add(event)
                    yield event, condition.state.identifier
                case _:
                    pass

    @staticmethod
    def _states_event(condition: InState, inside: dict[str, str]) -> bool:
        event = condition.event
        return isinstance(event, EventReference) and inside.get(event.identifier) == condition.state.identifier

    def _condition(self, condition: Expression) -> Query:
        """Returns a condition as a part of a body: `or` becomes one of queries."""
        match condition:
            case Or() | And():
                parts = tuple(map(self._condition, condition.operands))
                return Disjunction(parts) if isinstance(condition, Or) else Conjunction(parts)
            case _:
                leaf = self._compared(condition)
                assert isinstance(leaf, Comparison | Temporal | Within | Not)
                return leaf

    def _compared(self, condition: Expression) -> Expression:
        """Returns a condition in which every truth value is that of a comparison: `f(X)` alone would be an atom."""
        match condition:
            case Not() | And() | Or():
                return rebuild(condition, self._compared)
            case Comparison() | Temporal() | Within():
                for part in expressions.walk(condition):
                    if isinstance(part, Periodic):
                        message = "StreamLog has no timers of the calendar"
                        self.refuse(message, part.span, 'compare with a time: `datetime("…")`')
                return condition
            case Call():
                return Comparison("=", condition, expressions.Literal(True), condition.span)
            case InState():
                message = (
                    "in StreamLog an event is in a state or it is not asked: `in` has no place in other conditions"
                )
                hint = "write a rule of its own for what is in the state"
                self.refuse(message, condition.span, hint)
            case _:
                message = "StreamLog has no condition that is a value alone"
                self.refuse(message, condition.span, "compare the value: `X = true`")
        return Comparison("=", expressions.Literal(True), expressions.Literal(True))


def _anchors(branch: WrittenBranch, window: str) -> frozenset[str]:
    """Returns an evaluation time and what it is set on."""
    anchors = (timer.anchor for timer in branch.relative_timers if timer.identifier == window)
    return frozenset((window, *anchors))
