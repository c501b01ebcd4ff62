"""What a StreamLog program means, slowly: every choice of facts for the literals of a body is tried.

It is written from the text (DESIGN, "States" and "StreamLog"; CONFORMANCE S-02, ERR-05, ERR-38, ERR-51, ERR-67), not
from the lowering, and knows neither recursion nor rules that derive states. What it shares with the engines are single
conditions and values (`Evaluator`), timers and the grid of windows.

    in an event or a timer on one    b(i) <= b(x) and e(x) <= e(i), and x is not i, nor what the timer is set on
    in a state                       b(s) <= b(x) and b(s) < e(x) <= e(s)
    in a window                      inside of it; the event that `[f, g]` is relative to is not (ERR-05)
    in [now - d, now]                inside of the window of that length that ends with the last event in it; where
                                     nothing has to lie in it but states and what is negated, of the body
    a state in an event              the event is in the state
    a state in anything else         both share a point of time, or it has no length and lies inside; it is not the
                                     state itself that it is evaluated in, or in a timer on which

An aggregate over `[now - d, now]` has an answer for each match, over all matches in the window that ends with it which
have the same values for the other variables of the head.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Leaf,
    Literal,
    Program,
    Query,
    Rule,
    TimerLiteral,
    WindowLiteral,
)
from cera.languages.text.nodes import Identifier
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Event
from cera.model.events.states import OPEN, announced_end, is_opening, state_term
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom, Between, Now, Sliding, Unbounded, Window
from cera.model.expressions.expression import (
    Aggregate,
    Arithmetic,
    Call,
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
    #: The windows that are literals themselves.
    declared: list[str] = field(default_factory=list)
    module: str | None = None

    def __init__(self, time: EvaluationTime | None, leaves: Sequence[Leaf]) -> None:
        self.literals, self.timers, self.anchors, self.windows, self.own = {}, {}, {}, {}, {}
        self.negated, self.conditions, self.own_negated, self.declared = [], [], [], []
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
                    self.declared.append(self._time(leaf))
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
    #: The ids of all that is asked for, evaluation times included.
    facts: tuple[str, ...] = ()
    sliding: bool = False


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
        found = self._found(None)
        groups = self._groups(found)
        if self._aggregates and any(match.sliding for match in found):
            windows = {(match.interval, repr(self._group_values(match))) for match in found}
            groups = [
                group
                for window, values in sorted(windows, key=repr)
                for group in self._groups(self._found(window))
                if repr(self._group_values(group[0])) == values
            ]
        made: dict[str, Event] = {}
        for group in groups:
            term = self._term(head, group)
            if isinstance(term, Term):
                event = Event(term, group[0].interval)
                made[event.id] = event
        return list(made.values())

    def _found(self, window: Interval | None) -> list[Match]:
        """Returns the matches; in a given window, if it is one that ends with a match."""
        bodies = [BodySlots(self.time, leaves) for leaves in alternatives(self.rule.query)]
        return [match for body in bodies for match in self._matches(body, window)]

    def _group_values(self, match: Match) -> list[Value]:
        return [match.values[name] for name in sorted(_free(self.rule.head.atom))]

    @property
    def _aggregates(self) -> bool:
        return any(_is_aggregate(part) for part in _parts(self.rule.head.atom))

    def _groups(self, found: Sequence[Match]) -> list[list[Match]]:
        if not self._aggregates:
            return [[match] for match in found]
        groups: dict[tuple[object, ...], list[Match]] = {}
        # each combination of facts and values counts once, in however many windows it lies that are not asked about
        each_once = {(m.group, m.interval, m.order, m.facts, repr(sorted(m.values.items()))): m for m in found}
        for match in sorted(each_once.values(), key=lambda match: match.order):  # type: ignore[arg-type, return-value]
            key = (match.group, match.interval, repr(self._group_values(match)))
            groups.setdefault(key, []).append(match)
        return list(groups.values())

    # matches

    def _matches(self, body: BodySlots, window: Interval | None) -> Iterator[Match]:
        names = list(body.literals)
        for things, values in self._facts(body, names, {}, {}):
            known = self._with_timers(body, things)
            if known is not None:
                yield from self._in_windows(body, known, values, window)

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

    def _in_windows(
        self, body: BodySlots, things: dict[str, Thing], values: Values, given: Interval | None
    ) -> Iterator[Match]:
        """Yields a match for each choice of windows of the clock around what has to lie in them.

        `given` is a window `[now - d, now]` in place of the one that ends with the match.
        """
        time = self._evaluation_time(body, things)
        demands = [(name, at) for name, own in body.own.items() if name in things for at in (own, time) if at]
        demands = [(name, at) for name, at in demands if name not in self._kept(at, body)]  # nor what that is set on
        clocks: dict[str, list[Interval]] = {}
        for name, window in body.windows.items():
            period = _period(window)
            members = [things[x].interval for x, at in demands if at == name and not things[x].lasting]
            if period is not None and members:
                clocks[name] = list(period.windows(hull(members)))
        things = {**things, **self._between(body, things, values, demands)}
        if given is not None and time is not None:
            things[time] = Thing(given)
        for chosen in itertools.product(*clocks.values()):
            around = {name: Thing(interval) for name, interval in zip(clocks, chosen, strict=True)}
            yield from self._match(body, {**things, **around}, values, time, demands)

    def _between(
        self, body: BodySlots, things: Mapping[str, Thing], values: Values, demands: Sequence[tuple[str, str]]
    ) -> dict[str, Thing]:
        """Returns the windows `[f, g]` and `[now - d, now]`, as far as they happen."""
        found: dict[str, Thing] = {}
        events = [x for x in body.own if x in things and not things[x].lasting]
        for name, window in body.windows.items():
            if not isinstance(window, Between):
                continue
            span = _span(window)
            if span is not None:
                members = [x for x, at in demands if at == name and not things[x].lasting] or events
                last = max((things[x].interval.end for x in members), default=None)
                if last is not None:
                    found[name] = Thing(Interval(last - span, last))
                continue
            times = {each: thing.interval for each, thing in things.items()}
            points = [self.evaluator.value(_point(bound), values, times) for bound in (window.begin, window.end)]
            if all(isinstance(each, Interval) for each in points):
                begin, end = (each.begin for each in points if isinstance(each, Interval))
                named = {each for bound in (window.begin, window.end) for each in expressions.event_references(bound)}
                origins = frozenset(each for name in named for each in things[name].origins)
                if begin <= end:
                    found[name] = Thing(Interval(begin, end), origins=origins)
        return found

    def _evaluation_time(self, body: BodySlots, things: Mapping[str, Thing]) -> str | None:
        if body.module is not None:
            return body.module
        states = [name for name in body.own if name in things and things[name].lasting]
        own = {at for name, at in body.own.items() if name in things}
        if body.declared:
            return body.declared[0]
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
            if not self._lies(things[name], at, body, things):
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
            if any(at not in things for at in windows):
                return
            if own in body.own and things[own].is_event:  # it lies in the evaluation time of the rule
                windows = [own]
            whole.add(windows[0])
            if any(
                all(self._lies(fact.thing, at, body, things) for at in windows)
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
        at = None if time is None else body.windows.get(time)
        facts = tuple(things[name].id for name in body.literals if name in things)
        yield Match(values, interval, group, order, facts, isinstance(at, Between) and _span(at) is not None)

    def _kept(self, time: str | None, body: BodySlots) -> set[str]:
        """Returns the evaluation time and what it is set on: what is left where matches are gathered."""
        assert time is not None, "an aggregate over all of time"
        names, waiting = {time}, [time]
        while waiting:
            at = waiting.pop()
            window = body.windows.get(at)
            named = [body.anchors[at]] if at in body.anchors else []
            if isinstance(window, Between) and _span(window) is None:
                named += (name for bound in (window.begin, window.end) for name in expressions.event_references(bound))
            waiting += (name for name in named if name not in names)
            names.update(named)
        return names

    def _is_unbounded(self, name: str, body: BodySlots) -> bool:
        return isinstance(body.windows.get(name), Unbounded)

    def _lies(self, thing: Thing, at: str, body: BodySlots, things: Mapping[str, Thing]) -> bool:
        """Returns whether something is in an evaluation time."""
        if isinstance(body.windows.get(at), Unbounded):
            return True
        if at not in things:  # a window that does not happen
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
        case Temporal(relation="before" | "after", left=EventReference(), right=EventReference()):
            first = condition.left if condition.relation == "before" else condition.right
            return isinstance(first, EventReference) and first.identifier == name
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
