"""From StreamLog to normalised rules: what an evaluation time demands of the literals in it.

    unbounded                       nothing
    a state s                       an event x is in s; a negated literal is absent from s
    an event or a timer i           an event x lies in i; a negated literal is absent from i
    Range d Slide d', now           all events lie in one window; a negated literal is absent from it
    [now - d, now]                  the events span at most d
    [f, g]                          f <= b(x) and e(x) <= g

An aggregate gathers the events of its body: what remains of the event trace is the evaluation time. Residues are never
matched. A rule without a module has the window or the state of its body as its evaluation time.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cera.diagnostics import Diagnostic, Span
from cera.languages.streamlog.atoms import has_aggregate, head_of, is_anonymous, pattern_of, renamed
from cera.languages.streamlog.scopes import atom_values
from cera.languages.streamlog.syntax import (
    NOW,
    Atom,
    Between,
    Cardinality,
    Conjunction,
    Disjunction,
    EvaluationTime,
    Kind,
    Leaf,
    Literal,
    Now,
    Origin,
    Program,
    Query,
    Relation,
    Residue,
    Rule,
    Sliding,
    Timer,
    TimerLiteral,
    Unbounded,
    WindowLiteral,
    literals,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Variable,
    Within,
    rebuild,
)
from cera.model.time.durations import Duration
from cera.model.time.time_text import TimeError, parse_datetime
from cera.rules import rule as hub
from cera.rules.declarations import RelationDeclaration
from cera.rules.rule import Accumulation, Branch, EventQuery, PeriodicWindow, RelationQuery, RelativeTimer, RuleProgram
from cera.rules.states import StateQuery, with_states

#: The window `now` on whole microseconds.
_INSTANT = 1


def lower(programs: Sequence[Program], timezone: str) -> tuple[RuleProgram, list[Diagnostic]]:
    """Returns the rules of all files as one program, and what cannot be lowered."""
    kinds = _kinds(programs)
    relations = {each.name for program in programs for each in program.relations}
    names = _Names()
    problems: list[Diagnostic] = []
    rules: list[hub.Rule] = []
    for program in programs:
        origin = _origin(program, timezone, problems)
        for module in program.modules:
            for rule in module.rules:
                lowering = _RuleLowering(kinds, relations, origin, timezone, module.time, rule, problems)
                rules += lowering.rule(names.fresh(rule.head.atom.label))
    declared = tuple(_declared(each) for program in programs for each in program.relations)
    return RuleProgram(tuple(rules), relations=declared), problems


def _declared(relation: Relation) -> RelationDeclaration:
    versions = (relation.valid_from, relation.versions_of)
    return RelationDeclaration(
        relation.name, relation.attributes, relation.source, relation.refresh, *versions, relation.span
    )


def _origin(program: Program, timezone: str, problems: list[Diagnostic]) -> int:
    for each in program.declarations:
        if isinstance(each, Origin):
            try:
                return parse_datetime(each.text, timezone).begin
            except TimeError as error:
                problems.append(Diagnostic("SL001", "error", str(error), each.span))
    return 0


def _kinds(programs: Sequence[Program]) -> dict[str, Kind]:
    """Returns the kind of each label that says it somewhere, or is an evaluation time that no rule derives."""
    found: dict[str, Kind] = {}
    heads = {rule.head.atom.label: rule.head.kind or "event" for program in programs for rule in program.rules}
    for program in programs:
        for module in program.modules:
            times = [module.time, *(each.time for rule in module.rules for each in literals(rule.query))]
            for time in times:
                if isinstance(time, Literal) and time.kind is None:
                    found.setdefault(time.atom.label, heads.get(time.atom.label, "state"))
            for rule in module.rules:
                for literal in literals(rule.query):
                    if literal.kind is not None:
                        found.setdefault(literal.atom.label, literal.kind)
            if isinstance(module.time, Literal) and module.time.kind is not None:
                found.setdefault(module.time.atom.label, module.time.kind)
    return {**found, **heads}


class _Names:
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
    #: The events of the body, which an aggregate gathers.
    gathered: list[str] = field(default_factory=list)
    #: The states that are needed as a whole.
    whole: set[str] = field(default_factory=set)

    def branch(self, *, gathering: bool) -> Branch:
        made = Branch(
            events=tuple(self.events),
            relative_timers=tuple(self.timers),
            absences=tuple(self.absences),
            conditions=tuple(self.conditions),
            relations=tuple(self.relations),
        )
        made = with_states(made, self.states, self.absent_states, whole=self.whole)
        return replace(made, windows=tuple(self.windows), gathered=tuple(self.gathered) if gathering else ())


#: What a time is in the branch: an event or timer, a state, a periodic window, a span, bounds, or all of time.
@dataclass(frozen=True)
class _Interval:
    """An evaluation time that is an event or a timer with an identifier."""

    name: str


@dataclass(frozen=True)
class _State:
    name: str


@dataclass(frozen=True)
class _Period:
    length: int
    slide: int
    span: Span | None


@dataclass(frozen=True)
class _Span:
    duration: Duration


@dataclass(frozen=True)
class _Bounds:
    begin: Expression
    end: Expression


_Time = _Interval | _State | _Period | _Span | _Bounds | None


@dataclass(frozen=True)
class _RuleLowering:
    """The lowering of one rule."""

    kinds: dict[str, Kind]
    relations: set[str]
    origin: int
    timezone: str
    time: EvaluationTime | None
    source: Rule
    problems: list[Diagnostic]

    def rule(self, name: str) -> list[hub.Rule]:
        head = self.source.head
        if head.kind == "state":
            self._refuse("rules that derive states are not run yet", head.atom.span, "derive an event instead")
            return []
        alternatives = _alternatives(self.source.query)
        once = self._once()
        branches = [self._branch(leaves, once) for leaves in alternatives]
        counted = next((name for leaves in alternatives for name in _variables(leaves)), None)
        made = head_of(head.atom, counted)
        return [hub.Rule(name, made, tuple(branches), span=self.source.span)]

    def _refuse(self, message: str, span: Span | None, hint: str) -> None:
        self.problems.append(Diagnostic("SL307", "error", message, span, hint))

    def _once(self) -> frozenset[str]:
        """Returns the variables that stand at one place of the rule only: their values do not matter."""
        atoms = [literal.atom for literal in literals(self.source.query)]
        atoms += [each.atom for each in _times(self.time, self.source) if isinstance(each, Literal)]
        counts = Counter(_names(atoms))
        used = set(_names([self.source.head.atom]))
        for leaf in _leaves(self.source.query):
            if isinstance(leaf, Expression):
                used |= expressions.variables(leaf)
        return frozenset(name for name, count in counts.items() if count == 1 and name not in used)

    def _branch(self, leaves: Sequence[Leaf], once: frozenset[str]) -> Branch:
        declared = [each for leaf in leaves for each in _declared_identifiers(leaf)]
        return _BranchLowering(self, once, _Names("_", declared)).branch(leaves)


@dataclass
class _BranchLowering:
    """The lowering of one conjunction."""

    outer: _RuleLowering
    once: frozenset[str]
    names: _Names
    parts: _Parts = field(default_factory=_Parts)
    known: dict[str, _Time] = field(default_factory=dict)
    #: Positive literals of the body that have no evaluation time of their own.
    plain: list[str] = field(default_factory=list)
    _unknown: itertools.count[int] = field(default_factory=itertools.count)

    def branch(self, leaves: Sequence[Leaf]) -> Branch:
        gathering = has_aggregate(self.outer.source.head.atom)
        negated = [leaf for leaf in leaves if isinstance(leaf, Literal) and leaf.negated]
        module = self._module_time(leaves)
        for leaf in leaves:
            self._positive(leaf)
        own = module if module is not None else self._time_of_body(leaves)
        whole = bool(negated) or gathering
        window = self._demand(own, self.plain, whole=whole)
        for leaf in negated:
            self._negated(leaf, window)
        return self.parts.branch(gathering=gathering)

    def _module_time(self, leaves: Sequence[Leaf]) -> _Time:
        return None if self.outer.time is None else self._time(self.outer.time)

    def _time_of_body(self, leaves: Sequence[Leaf]) -> _Time:
        """Returns the window or the state that a body declares, if it is the only one."""
        windows = [leaf for leaf in leaves if isinstance(leaf, WindowLiteral)]
        if windows:
            return self._time(windows[0])
        states = [state.identifier for state in self.parts.states]
        return _State(states[0]) if len(states) == 1 and len(self.plain) > 0 else None

    def name(self, variable: str) -> str:
        if is_anonymous(variable):
            return f"_{next(self._unknown)}"
        return f"_{variable}" if variable in self.once else variable

    # literals

    def _positive(self, leaf: Leaf) -> None:
        match leaf:
            case Literal(negated=False):
                name = self._literal(leaf)
                if name is None:
                    return
                if leaf.time is not None:
                    self._demand(self._time(leaf.time), [name], whole=False)
                    self.parts.gathered.append(name)
                elif name in {query.identifier for query in self.parts.events}:
                    self.plain.append(name)
                    self.parts.gathered.append(name)
            case TimerLiteral():
                self._timer(leaf)
            case Literal() | WindowLiteral() | Residue() | Cardinality():
                pass
            case _:
                condition = renamed(self._times(leaf), self.name)
                self.parts.conditions.append(condition)

    def _kind(self, literal: Literal) -> Kind:
        return literal.kind or self.outer.kinds.get(literal.atom.label, "event")

    def _literal(self, literal: Literal) -> str | None:
        """Adds a positive literal; returns its identifier, None for the row of a relation."""
        anonymous = literal.identifier is None
        name = self.names.fresh(literal.atom.label) if literal.identifier is None else literal.identifier.name
        pattern = pattern_of(literal.atom, self.name)
        if literal.atom.label in self.outer.relations:
            self.parts.relations.append(RelationQuery(name, pattern, anonymous, literal.span))
            return None
        if self._kind(literal) == "state":
            self.parts.states.append(StateQuery(name, pattern, anonymous, literal.span))
            self.known[name] = _State(name)
        else:
            self.parts.events.append(EventQuery(name, pattern, anonymous, literal.span))
            self.known[name] = _Interval(name)
        return name

    def _timer(self, literal: TimerLiteral) -> str:
        anonymous = literal.identifier is None
        name = self.names.fresh("timer") if literal.identifier is None else literal.identifier.name
        anchor = self._anchor(literal.timer)
        self.parts.timers.append(
            RelativeTimer(name, literal.timer.kind, anchor, literal.timer.duration, anonymous, literal.span)
        )
        self.known[name] = _State(name) if isinstance(self.known.get(anchor), _State) else _Interval(name)
        return name

    def _anchor(self, timer: Timer) -> str:
        if isinstance(timer.anchor, Identifier):
            return timer.anchor.name
        name = self._literal(timer.anchor)
        assert name is not None
        return name

    def _negated(self, literal: Literal, window: str | None) -> None:
        if literal.time is not None:
            window = self._window_of(self._time(literal.time), [])
        if window is None:
            self.outer._refuse(
                "a negated literal needs an evaluation time that is a state, an event, a timer or a window",
                literal.span,
                "give it one, like `while i: not p(X)`, or the rule, like `Range 1h:`",
            )
            return
        pattern = pattern_of(literal.atom, self.name)
        if literal.atom.label in self.outer.relations:
            self.outer._refuse("a relation cannot be negated", literal.span, "ask for rows that are there")
        absence = Accumulation(window, pattern, True, span=literal.span)
        (self.parts.absent_states if self._kind(literal) == "state" else self.parts.absences).append(absence)

    # evaluation times

    def _time(self, time: EvaluationTime) -> _Time:
        """Returns what an evaluation time is; adds the literals that it consists of."""
        match time:
            case Identifier():
                return self.known.get(time.name, _Interval(time.name))
            case Literal():
                name = self._literal(time)
                return None if name is None else self.known[name]
            case TimerLiteral():
                return self.known[self._timer(time)]
            case WindowLiteral():
                found = self._window(time)
                if time.identifier is not None:
                    self.known[time.identifier.name] = found
                return found

    def _window(self, literal: WindowLiteral) -> _Time:
        match literal.window:
            case Unbounded():
                return None
            case Now():
                return _Period(_INSTANT, _INSTANT, literal.span)
            case Sliding() as window:
                slide = window.range if window.slide is None else window.slide
                return _Period(window.range.microseconds, slide.microseconds, literal.span)
            case Between() as window:
                return self._between(window)

    def _between(self, window: Between) -> _Time:
        match window.begin, window.end:
            case (
                Arithmetic(operator="-", left=EventReference(identifier=first), right=DurationLiteral() as length),
                EventReference(identifier=last),
            ) if first == NOW and last == NOW:
                return _Span(length.duration)
            case begin, end:
                return _Bounds(self._times(begin), self._times(end))

    def _demand(self, time: _Time, names: Sequence[str], *, whole: bool) -> str | None:
        """Demands that events lie in an evaluation time; returns its identifier where it is needed as a `whole`."""
        events = [EventReference(name) for name in names]
        match time:
            case None:
                return None
            case _State():
                self.parts.conditions += [InState(event, EventReference(time.name)) for event in events]
                if whole:
                    self.parts.whole.add(time.name)
                return time.name
            case _Interval():
                bounds = (_begin_of(time.name), _end_of(time.name))
                self.parts.conditions += [each for event in events for each in _inside(event, *bounds)]
                return time.name
            case _Period() if whole:
                return self._window_of(time, names)
            case _Period():
                if events:
                    condition = InOneWindow(tuple(events), time.length, time.slide, self.outer.origin, time.span)
                    self.parts.conditions.append(condition)
                return None
            case _Span():
                if whole:
                    self._refuse_whole("[now - d, now]")
                elif events:
                    self.parts.conditions.append(Within(tuple(events), DurationLiteral(time.duration)))
                return None
            case _Bounds():
                if whole:
                    self._refuse_whole("[f, g]")
                self.parts.conditions += [each for event in events for each in _inside(event, time.begin, time.end)]
                return None

    def _window_of(self, time: _Time, names: Sequence[str]) -> str | None:
        """Returns the identifier of an evaluation time as a window of absences."""
        match time:
            case _State() | _Interval():
                return time.name
            case _Period():
                over = tuple(names) or tuple(self.plain)
                if not over:
                    return None
                name = self.names.fresh("window")
                self.parts.windows.append(
                    PeriodicWindow(name, time.length, time.slide, self.outer.origin, over, True, time.span)
                )
                return name
            case _:
                return None

    def _refuse_whole(self, window: str) -> None:
        self.outer._refuse(
            f"aggregates and negated literals over `{window}` are not run yet",
            self.outer.source.span,
            "take a window of the clock, like `Range 1h Slide 1min`, a state or a timer",
        )

    def _times(self, expression: Expression) -> Expression:
        """Returns an expression with its texts of times read."""
        match expression:
            case DateTime(texts=texts):
                try:
                    intervals = [parse_datetime(text, self.outer.timezone) for text in texts]
                except (TimeError, ValueError) as error:
                    self.outer.problems.append(Diagnostic("SL001", "error", str(error), expression.span))
                    return expression
                return replace(expression, interval=intervals[0])
            case _:
                return rebuild(expression, self._times)


def _inside(event: EventReference, begin: Expression, end: Expression) -> Iterator[Expression]:
    yield Comparison("<=", begin, Call("begin", (event,)))
    yield Comparison("<=", Call("end", (event,)), end)


def _begin_of(name: str) -> Expression:
    return Call("begin", (EventReference(name),))


def _end_of(name: str) -> Expression:
    return Call("end", (EventReference(name),))


def _alternatives(query: Query) -> list[tuple[Leaf, ...]]:
    """Returns the disjunctive form of a body."""
    match query:
        case Conjunction():
            parts = [_alternatives(part) for part in query.queries]
            return [tuple(itertools.chain.from_iterable(choice)) for choice in itertools.product(*parts)]
        case Disjunction():
            return [each for part in query.queries for each in _alternatives(part)]
        case _:
            return [(query,)]


def _leaves(query: Query) -> Iterator[Leaf]:
    return (leaf for alternative in _alternatives(query) for leaf in alternative)


def _names(atoms: Iterable[Atom]) -> Iterator[str]:
    """Yields the variables of atoms, each as often as it stands there."""
    return (each.name for atom in atoms for each in atom_values(atom) if isinstance(each, Variable))


def _variables(leaves: Sequence[Leaf]) -> Iterator[str]:
    return _names(leaf.atom for leaf in leaves if isinstance(leaf, Literal) and not leaf.negated)


def _times(time: EvaluationTime | None, rule: Rule) -> Iterator[EvaluationTime]:
    if time is not None:
        yield time
        if isinstance(time, TimerLiteral) and isinstance(time.timer.anchor, Literal):
            yield time.timer.anchor


def _declared_identifiers(leaf: Leaf) -> Iterator[str]:
    match leaf:
        case Literal() | TimerLiteral() | WindowLiteral():
            if leaf.identifier is not None:
                yield leaf.identifier.name
        case _:
            pass
