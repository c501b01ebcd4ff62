"""What a StreamLog program means, slowly: every choice of facts for the literals of a body is tried.

It is written from the text (DESIGN, "States" and "StreamLog"; CONFORMANCE S-02, ERR-05, ERR-38, ERR-51, ERR-67), not
from the lowering, and knows neither recursion nor rules that derive states. What it shares with the engines are single
conditions and values (`Evaluator`), timers and the grid of windows.

    in an event or a timer on one    b(i) <= b(x) and e(x) <= e(i), and x is not i, nor what the timer is set on
    in a state                       b(s) <= b(x) and b(s) < e(x) <= e(s)
    in a window                      inside of it
    a state in an event              the event is in the state
    a state in anything else         both share a point of time, or it has no length and lies inside; it is not the
                                     state itself that it is evaluated in, or in a timer on which
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.languages.streamlog.syntax import (
    Atom,
    Between,
    Conjunction,
    Disjunction,
    EvaluationTime,
    Leaf,
    Literal,
    Now,
    Program,
    Query,
    Rule,
    Sliding,
    TimerLiteral,
    Unbounded,
    Window,
    WindowLiteral,
)
from cera.languages.text.nodes import Identifier
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event
from cera.model.events.states import OPEN, announced_end, is_opening, state_term
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    Aggregate,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Temporal,
    Variable,
    operands,
    rebuild,
)
from cera.model.terms.term import Term, Value
from cera.model.time.containment import is_in_state, shares_time, states_share_time
from cera.model.time.interval import Interval, hull, hull_with_openings, point
from cera.model.time.periodic_windows import Period
from cera.model.time.time_text import parse_datetime
from cera.model.time.timers import TIMERS, relative_timer

Values = dict[str, Value]
#: Rows of relations, as terms.
Rows = Mapping[str, Sequence[Term]]


@dataclass(frozen=True)
class Thing:
    """What has a time: an event, a state, a timer or a window. A timer on a state lasts as that does."""

    interval: Interval
    lasting: bool = False
    is_event: bool = False
    id: str = ""
    #: The ids of itself and of what it is set on.
    origins: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Fact:
    """A term that holds for a time."""

    term: Term
    thing: Thing


@dataclass
class World:
    """All that is known: events and states by their labels, and the rows of relations."""

    events: dict[str, list[Fact]] = field(default_factory=dict)
    states: dict[str, list[Fact]] = field(default_factory=dict)
    relations: Rows = field(default_factory=dict)

    def add(self, event: Event) -> None:
        known = self.events.setdefault(event.label, [])
        if all(fact.thing.id != event.id for fact in known):
            thing = Thing(event.interval, is_event=True, id=event.id, origins=frozenset({event.id}))
            known.append(Fact(event.term, thing))


def world_of(events: Iterable[Event], relations: Rows) -> World:
    """Returns what a stream says; a state ends where the first record of it says so."""
    world = World(relations=relations)
    opened: dict[str, tuple[Event, int]] = {}
    for event in events:
        if not is_opening(event.label):
            world.add(event)
            continue
        end = announced_end(event.qualifier)
        _, known = opened.get(event.id, (event, OPEN))
        opened[event.id] = (event, known if end is None else min(known, end))
    for name, (event, end) in opened.items():
        thing = Thing(Interval(event.begin, end), lasting=True, id=name, origins=frozenset({name}))
        world.states.setdefault(state_term(event).label, []).append(Fact(state_term(event), thing))
    return world


def answers(
    program: Program, events: Iterable[Event], states: Iterable[str], relations: Rows | None = None
) -> list[Event]:
    """Returns what the rules derive, each after those whose answers it asks for; `states` are the labels of states."""
    world = world_of(events, relations or {})
    found: list[Event] = []
    waiting = [(module.time, rule) for module in program.modules for rule in module.rules]
    while waiting:
        derived = {rule.head.atom.label for _, rule in waiting}
        time, rule = next(each for each in waiting if not derived & set(_labels(*each)))
        waiting.remove((time, rule))
        made = RuleMeaning(world, frozenset(states), time, rule).answers()
        found += made
        for event in made:
            world.add(event)
    return found


def _labels(time: EvaluationTime | None, rule: Rule) -> Iterator[str]:
    for alternative in alternatives(rule.query):
        body = BodySlots(time, alternative)
        yield from (literal.atom.label for literal in (*body.literals.values(), *body.negated))


def alternatives(query: Query) -> list[tuple[Leaf, ...]]:
    """Returns the conjunctions of which one has to hold."""
    match query:
        case Disjunction(queries=parts):
            return [each for part in parts for each in alternatives(part)]
        case Conjunction(queries=parts):
            chosen = itertools.product(*map(alternatives, parts))
            return [tuple(leaf for part in choice for leaf in part) for choice in chosen]
        case _:
            return [(query,)]


@dataclass
class BodySlots:
    """The parts of a conjunction in its evaluation time, with names for those that have none."""

    literals: dict[str, Literal] = field(default_factory=dict)
    timers: dict[str, TimerLiteral] = field(default_factory=dict)
    anchors: dict[str, str] = field(default_factory=dict)
    windows: dict[str, Window] = field(default_factory=dict)
    negated: list[Literal] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)
    #: The literals of the body itself, with the names of the evaluation times that they have of their own.
    own: dict[str, str | None] = field(default_factory=dict)
    own_negated: list[str | None] = field(default_factory=list)
    module: str | None = None

    def __init__(self, time: EvaluationTime | None, leaves: Sequence[Leaf]) -> None:
        self.literals, self.timers, self.anchors, self.windows, self.own = {}, {}, {}, {}, {}
        self.negated, self.conditions, self.own_negated = [], [], []
        self.module = None if time is None else self._time(time)
        for leaf in leaves:
            match leaf:
                case Literal(negated=True):
                    self.negated.append(leaf)
                    self.own_negated.append(None if leaf.time is None else self._time(leaf.time))
                case Literal():
                    own = None if leaf.time is None else self._time(leaf.time)
                    self.own[self._literal(leaf)] = own
                case TimerLiteral():
                    anchor = leaf.timer.anchor
                    name = self._time(leaf)
                    if isinstance(anchor, Literal):
                        self.own[self.anchors[name]] = None
                case WindowLiteral():
                    self._time(leaf)
                case _:
                    assert isinstance(leaf, Expression)
                    self.conditions.append(leaf)

    def _literal(self, literal: Literal) -> str:
        name = f"#{len(self.literals)}" if literal.identifier is None else literal.identifier.name
        self.literals[name] = literal
        return name

    def _time(self, time: EvaluationTime) -> str:
        match time:
            case Identifier():
                return time.name
            case Literal():
                return self._literal(time)
            case TimerLiteral():
                anchor = time.timer.anchor
                at = anchor.name if isinstance(anchor, Identifier) else self._literal(anchor)
                name = f"#t{len(self.timers)}" if time.identifier is None else time.identifier.name
                self.timers[name] = time
                self.anchors[name] = at
                return name
            case WindowLiteral():
                name = f"#w{len(self.windows)}" if time.identifier is None else time.identifier.name
                self.windows[name] = time.window
                return name


@dataclass(frozen=True)
class Match:
    """One way in which a body holds: its answer's interval and, for aggregates, what it is gathered by."""

    values: Values
    interval: Interval
    group: tuple[object, ...]
    order: tuple[object, ...]


@dataclass
class RuleMeaning:
    """A rule with its evaluation time, in a world."""

    world: World
    states: frozenset[str]
    time: EvaluationTime | None
    rule: Rule
    evaluator: Evaluator = field(default_factory=Evaluator)

    def answers(self) -> list[Event]:
        head = self.rule.head.atom
        found = [m for leaves in alternatives(self.rule.query) for m in self._matches(BodySlots(self.time, leaves))]
        made: dict[str, Event] = {}
        for group in self._groups(found):
            term = self._term(head, group)
            if isinstance(term, Term):
                event = Event(term, group[0].interval)
                made[event.id] = event
        return list(made.values())

    @property
    def _aggregates(self) -> bool:
        return any(_is_aggregate(part) for part in _parts(self.rule.head.atom))

    def _groups(self, found: Sequence[Match]) -> list[list[Match]]:
        if not self._aggregates:
            return [[match] for match in found]
        free = sorted(_free(self.rule.head.atom))
        groups: dict[tuple[object, ...], list[Match]] = {}
        for match in sorted(found, key=lambda match: match.order):  # type: ignore[arg-type, return-value]
            key = (match.group, match.interval, *(repr(match.values[name]) for name in free))
            groups.setdefault(key, []).append(match)
        return list(groups.values())

    # matches

    def _matches(self, body: BodySlots) -> Iterator[Match]:
        names = list(body.literals)
        for things, values in self._facts(body, names, {}, {}):
            known = self._with_timers(body, things)
            if known is not None:
                yield from self._in_windows(body, known, values)

    def _facts(
        self, body: BodySlots, names: Sequence[str], things: dict[str, Thing], values: Values
    ) -> Iterator[tuple[dict[str, Thing], Values]]:
        if not names:
            yield things, values
            return
        literal = body.literals[names[0]]
        rows = self.world.relations.get(literal.atom.label)
        if rows is not None:
            bound = {repr(sorted(more.items())): more for row in rows for more in matched(literal.atom, row, values)}
            for more in bound.values():  # rows only bind variables
                yield from self._facts(body, names[1:], things, more)
            return
        for fact in self._asked(literal):
            for more in matched(literal.atom, fact.term, values):
                yield from self._facts(body, names[1:], {**things, names[0]: fact.thing}, more)

    def _asked(self, literal: Literal) -> list[Fact]:
        lasting = literal.kind == "state" or (literal.kind is None and literal.atom.label in self.states)
        return (self.world.states if lasting else self.world.events).get(literal.atom.label, [])

    def _with_timers(self, body: BodySlots, things: Mapping[str, Thing]) -> dict[str, Thing] | None:
        """Returns the facts and the timers on them; None if one does not happen, or waits for an open state."""
        known = dict(things)
        waiting = list(body.timers)
        while waiting:
            name = next(each for each in waiting if body.anchors[each] in known)
            waiting.remove(name)
            anchor, timer = known[body.anchors[name]], body.timers[name].timer
            if anchor.interval.end == OPEN and "end" in (edge for edge, _ in TIMERS[timer.kind]):
                return None
            begun = anchor.interval if anchor.interval.end < OPEN else point(anchor.interval.begin)
            interval = relative_timer(timer.kind, begun, timer.duration)
            if interval is None:
                return None
            known[name] = Thing(interval, anchor.lasting, origins=anchor.origins)
        return known

    def _in_windows(self, body: BodySlots, things: dict[str, Thing], values: Values) -> Iterator[Match]:
        """Yields a match for each choice of windows of the clock around what has to lie in them."""
        time = self._evaluation_time(body, things)
        demands = [(name, at) for name, own in body.own.items() if name in things for at in (own, time) if at]
        demands = [(name, at) for name, at in demands if name != at]
        clocks: dict[str, list[Interval]] = {}
        for name, window in body.windows.items():
            period = _period(window)
            members = [things[x].interval for x, at in demands if at == name and not things[x].lasting]
            if period is not None and members:
                clocks[name] = list(period.windows(hull(members)))
        for chosen in itertools.product(*clocks.values()):
            around = {name: Thing(interval) for name, interval in zip(clocks, chosen, strict=True)}
            yield from self._match(body, {**things, **around}, values, time, demands)

    def _evaluation_time(self, body: BodySlots, things: Mapping[str, Thing]) -> str | None:
        if body.module is not None:
            return body.module
        windows = [name for name in body.windows if not name.startswith("#")]
        states = [name for name in body.own if name in things and things[name].lasting]
        own = {at for name, at in body.own.items() if name in things}
        if windows:
            return windows[0]
        if len(states) == 1:
            return states[0]
        return next(iter(own)) if self._aggregates and len(own) == 1 else None

    def _match(
        self,
        body: BodySlots,
        things: dict[str, Thing],
        values: Values,
        time: str | None,
        demands: Sequence[tuple[str, str]],
    ) -> Iterator[Match]:
        whole = {time} if time is not None and self._aggregates else set()
        for name, at in demands:
            others = [things[x].interval for x, other in demands if other == at and not things[x].lasting]
            if not self._lies(things[name], at, body, things, values, others):
                return
        ends = {name for name in things if any(_names_end(c, name) for c in body.conditions)}
        if any(things[name].interval.end == OPEN for name in ends):
            return
        times = {name: thing.interval for name, thing in things.items()}
        if not all(self._holds(condition, values, times, things) for condition in body.conditions):
            return
        for literal, own in zip(body.negated, body.own_negated, strict=True):
            windows = [at for at in (own, time) if at is not None and not self._is_unbounded(at, body)]
            assert windows, "a negation without an evaluation time"
            if own in body.own and things[own].is_event:  # it lies in the evaluation time of the rule
                windows = [own]
            whole.add(windows[0])
            if any(
                all(self._lies(fact.thing, at, body, things, values, ()) for at in windows)
                for fact in self._asked(literal)
                if any(True for _ in matched(literal.atom, fact.term, values))
            ):
                return
        kept = {name for name in things if name in whole or name in ends}
        kept |= {anchor for name, anchor in body.anchors.items() if _needs_end(body.timers[name])}
        gathered = self._aggregates
        remains = self._kept(time, body) if gathered else set(things)
        if any(things[name].interval.end == OPEN for name in kept & remains):
            return
        around = [n for n in things if n in body.windows and n not in whole]
        counted = [name for name in remains & set(things) if name not in around]
        opened = [n for n in counted if things[n].lasting and n not in kept and n not in body.timers]
        interval = hull_with_openings(
            (things[name].interval for name in counted if name not in opened),
            (things[name].interval.begin for name in opened),
        )
        group = tuple((things[name].id, things[name].interval) for name in sorted(remains & set(things)))
        order = tuple((things[n].interval.end, things[n].interval.begin, things[n].id) for n in body.own if n in things)
        yield Match(values, interval, group, order)

    def _kept(self, time: str | None, body: BodySlots) -> set[str]:
        """Returns the evaluation time and what it is set on: what is left where matches are gathered."""
        assert time is not None, "an aggregate over all of time"
        names = {time}
        while time in body.anchors:
            time = body.anchors[time]
            names.add(time)
        return names

    def _is_unbounded(self, name: str, body: BodySlots) -> bool:
        return isinstance(body.windows.get(name), Unbounded)

    def _lies(
        self,
        thing: Thing,
        at: str,
        body: BodySlots,
        things: Mapping[str, Thing],
        values: Values,
        others: Sequence[Interval],
    ) -> bool:
        """Returns whether something is in an evaluation time; `others` are the events that have to be there as well."""
        window = body.windows.get(at)
        match window:
            case Unbounded():
                return True
            case Between() if (span := _span(window)) is not None:
                assert not thing.lasting, "a state in a window for each event"
                last = max(interval.end for interval in others)
                return last - span <= thing.interval.begin
            case Between():
                assert not thing.lasting, "a state in bounds"
                times = {name: each.interval for name, each in things.items()} | {"#x": thing.interval}
                begin, end = (Call(edge, (EventReference("#x"),)) for edge in ("begin", "end"))
                inside = (Comparison("<=", _point(window.begin), begin), Comparison("<=", end, _point(window.end)))
                return all(self.evaluator.holds(condition, values, times) for condition in inside)
            case _:
                pass
        if at not in things:  # a window of the clock around nothing
            return False
        around = things[at]
        if thing.id in around.origins:  # ERR-05
            return False
        if thing.lasting and around.is_event:
            return is_in_state(around.interval, thing.interval)
        if thing.lasting:
            return (states_share_time if around.lasting else shares_time)(around.interval, thing.interval)
        if around.lasting:
            return is_in_state(thing.interval, around.interval)
        return around.interval.contains(thing.interval)

    def _holds(
        self, condition: Expression, values: Values, times: Mapping[str, Interval], things: Mapping[str, Thing]
    ) -> bool:
        match condition:
            case Temporal(relation="before" | "after", left=EventReference() as left, right=EventReference() as right):
                first, second = (left, right) if condition.relation == "before" else (right, left)
                end, begin = times[first.identifier].end, times[second.identifier].begin
                return end <= begin if things[first.identifier].lasting else end < begin  # ERR-52
            case _:
                return self.evaluator.holds(condition, values, times)

    # heads

    def _term(self, atom: Atom | Expression, group: Sequence[Match]) -> Value | None:
        if isinstance(atom, Atom):
            children = [self._term(argument, group) for argument in atom.arguments]
            if any(child is None for child in children):
                return None
            return Term(atom.label, [child for child in children if child is not None])
        computed: Values = dict(group[0].values)

        def replaced(part: Expression) -> Expression:
            if not _is_aggregate(part):
                return rebuild(part, replaced)
            name = f"#{len(computed)}"
            value = self._aggregate(part, group)
            if value is not None:
                computed[name] = value
            return Variable(name)

        result = self.evaluator.value(replaced(atom), computed, {})
        return result if isinstance(result, str | int | float | bool) else None

    def _aggregate(self, part: Expression, group: Sequence[Match]) -> Value | None:
        if isinstance(part, Call):  # count(A, I) names the groups (ERR-38)
            return len(group)
        assert isinstance(part, Aggregate)
        found = [self.evaluator.value(part.operand, match.values, {}) for match in group]
        numbers = [each for each in found if isinstance(each, int | float)]
        if part.distinct:
            numbers = list(dict.fromkeys(numbers))
        match part.function:
            case "count":
                return len(numbers)
            case "sum":
                return sum(numbers)
            case "avg":
                return sum(numbers) / len(numbers) if numbers else None
            case "min":
                return min(numbers, default=None)
            case "max":
                return max(numbers, default=None)
            case "first":
                return numbers[0] if numbers else None
            case "last":
                return numbers[-1] if numbers else None
            case _:
                raise AssertionError(part.function)


def matched(atom: Atom, term: Term, values: Values) -> Iterator[Values]:
    """Yields the values with which a term has the attributes of an atom, whatever others it has (ERR-67)."""
    if atom.label != term.label:
        return
    found = [values]
    for argument in atom.arguments:
        found = [more for known in found for child in term.children for more in _argument(argument, child, known)]
    yield from {repr(sorted(each.items(), key=lambda item: item[0])): each for each in found}.values()


def _argument(argument: Atom | Expression, child: Value, values: Values) -> Iterator[Values]:
    match argument:
        case Atom():
            if isinstance(child, Term):
                yield from matched(argument, child, values)
        case Variable(name="_"):
            yield values
        case Variable(name=name):
            if name not in values:
                yield {**values, name: child}
            elif values[name] == child:
                yield values
        case expressions.Literal(value=value):
            if value == child:
                yield values
        case _:
            raise AssertionError(argument)


def _period(window: Window) -> Period | None:
    match window:
        case Now():
            return Period(1, 1)
        case Sliding(range=length, slide=slide):
            return Period(length.microseconds, (slide or length).microseconds)
        case _:
            return None


def _point(bound: Expression) -> Expression:
    """Returns a bound of a window; a text is the point at which it begins."""
    match bound:
        case expressions.Literal(value=str() as text):
            return DateTime((text,), point(parse_datetime(text, "UTC").begin))
        case _:
            return bound


def _span(window: Between) -> int | None:
    match window.begin, window.end:
        case Arithmetic(left=EventReference(identifier="now"), right=DurationLiteral() as length), EventReference():
            return length.duration.microseconds
        case _:
            return None


def _names_end(condition: Expression, name: str) -> bool:
    """Returns whether a condition says more of something than when it begins."""
    match condition:
        case Call(function="begin", arguments=(EventReference(),)):
            return False
        case EventReference():
            return condition.identifier == name
        case _:
            return any(_names_end(part, name) for part in operands(condition))


def _needs_end(timer: TimerLiteral) -> bool:
    return "end" in (edge for edge, _ in TIMERS[timer.timer.kind])


def _is_aggregate(part: Expression) -> bool:
    return isinstance(part, Aggregate) or (isinstance(part, Call) and part.function == "count")


def _parts(atom: Atom | Expression) -> Iterator[Expression]:
    if isinstance(atom, Atom):
        for argument in atom.arguments:
            yield from _parts(argument)
    else:
        yield from expressions.walk(atom)


def _free(atom: Atom | Expression) -> set[str]:
    """Returns the variables of a head that stand outside of its aggregates."""
    match atom:
        case Atom():
            return {name for argument in atom.arguments for name in _free(argument)}
        case Variable():
            return {atom.name}
        case _ if _is_aggregate(atom):
            return set()
        case _:
            return {name for part in operands(atom) for name in _free(part)}
