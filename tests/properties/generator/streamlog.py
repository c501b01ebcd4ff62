"""Random StreamLog programs that make sense, as text that is read back, with streams that make them answer.

Events are `a`, `b` and `c` with small numbers `k` and `v`, states `on` and `up` with `k`; each rule may ask for what
those before it derive. A program that the checks refuse is made again with other choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from cera.diagnostics import Source
from cera.languages.atoms.syntax import NOW, Relation
from cera.languages.streamlog.checks import check_program
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.printer import print_program
from cera.languages.streamlog.scopes import rule_scope
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Head,
    Leaf,
    Literal,
    Module,
    Program,
    Query,
    Rule,
    Timer,
    TimerLiteral,
    WindowLiteral,
    anchored,
)
from cera.languages.text.nodes import Identifier
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom, Between, Now, Sliding, Unbounded
from cera.model.expressions.expression import (
    Aggregate,
    Arithmetic,
    Call,
    Comparison,
    ComparisonOperator,
    DurationLiteral,
    EventReference,
    Expression,
    Not,
    Temporal,
    Variable,
    Within,
)
from cera.model.terms.term import Term, Value
from cera.model.time.durations import Duration
from cera.model.time.timers import TIMERS
from cera.rules.states import STATE_TIMERS
from cera.testing import SECOND

from .choices import Choices, DrawnChoices, SeededChoices
from .relations import some_relations
from .states import STATE_LABELS, states
from .streams import _interval

EVENT_LABELS = ("a", "b", "c")
_RELATION = "table"
_FEATURES = frozenset({"relation"})
_DURATIONS = (5, 10, 2, 1, 7)
_AGGREGATES = ("count", "sum", "avg", "min", "max")
_COMPARISONS: tuple[ComparisonOperator, ...] = ("<=", "<", ">", ">=", "=", "!=")


@dataclass(frozen=True)
class StreamLogCase:
    """A program, a stream with events and states, and the rows of its relation."""

    program: Program
    events: tuple[Event, ...]
    relations: Mapping[str, RelationRows]

    @property
    def text(self) -> str:
        return print_program(self.program)

    def __repr__(self) -> str:
        facts = "\n".join(map(str, self.events))
        rows = "\n".join(str(row.term) for each in self.relations.values() for row in each.rows)
        return f"\n{self.text}\n{facts}\n{rows}\n"


@st.composite
def streamlog_cases(draw: st.DrawFn, most_events: int = 16) -> StreamLogCase:
    return make_case(DrawnChoices(_FEATURES, draw), most_events)


def streamlog_case(seed: int, most_events: int = 16) -> StreamLogCase:
    return make_case(SeededChoices(_FEATURES, seed), most_events)


def make_case(choices: Choices, most_events: int) -> StreamLogCase:
    for _ in range(20):
        program = _program(choices)
        parsed = parse(Source("test.slog", print_program(program)))
        found = [*parsed.diagnostics, *check_program(parsed.program)]
        assert not any(each.code in ("SL001", "SL002") for each in found), print_program(program)
        if not any(each.severity == "error" for each in found):
            break
    else:
        parsed = parse(Source("test.slog", "p0(k(K)) <- a(k(K))."))
    events = (*(_event(choices) for _ in range(choices.integer(most_events // 2, most_events))), *states(choices))
    relations = some_relations(choices)
    return StreamLogCase(parsed.program, events, {_RELATION: relations[_RELATION]})


def _event(choices: Choices) -> Event:
    children: list[Value] = [Term("k", [choices.weighted(((4, 0), (3, 1), (1, 2)))])]
    if not choices.chance(10):
        children.append(Term("v", [choices.integer(0, 3)]))
    qualifier = f"n{choices.integer(0, 99)}" if choices.chance(30) else None
    return Event(Term(choices.one_of(EVENT_LABELS), children), _interval(choices), qualifier)


def _program(choices: Choices) -> Program:
    modules: list[Module] = []
    derived: list[str] = []
    for number in range(choices.weighted(((5, 1), (3, 2), (1, 3)))):
        rules = []
        maker = _Maker(choices, tuple(derived))
        time = maker.module_time() if number or choices.chance(75) else None
        for _ in range(choices.weighted(((4, 1), (1, 2)))):
            own = {each.head.atom.label for each in rules}
            label = f"p{len(derived)}" if not own or choices.chance(70) else derived[-1]
            rule = _RuleMaker(choices, tuple(each for each in derived if each != label), module=time).rule(label)
            rules.append(rule)
            if label not in derived:
                derived.append(label)
        modules.append(Module(time, tuple(rules)))
    return Program((Relation(_RELATION, None, "table.csv"),), tuple(modules))


@dataclass
class _Maker:
    """Atoms and evaluation times."""

    choices: Choices
    derived: tuple[str, ...]
    identifiers: dict[str, str] = field(default_factory=dict)
    values: int = 0
    #: Labels that most rules do without, since an event is not inside of itself.
    avoided: frozenset[str] = frozenset()

    def duration(self) -> Duration:
        return Duration(0, self.choices.one_of(_DURATIONS) * SECOND)

    def event_atom(self) -> Atom:
        labels = [label for label in (*EVENT_LABELS, *self.derived) if label not in self.avoided]
        return Atom(self.choices.one_of(labels), self._arguments(valued=True))

    def state_atom(self) -> Atom:
        return Atom(self.choices.one_of(STATE_LABELS), self._arguments(valued=False))

    def relation_atom(self) -> Atom:
        self.values += 1
        more = (Atom("x", (Variable(f"V{self.values}"),)),) if self.choices.chance(30) else ()
        return Atom(_RELATION, (Atom("k", (Variable("K"),)), *more))

    def _arguments(self, *, valued: bool) -> tuple[Atom, ...]:
        choices, found = self.choices, []
        if choices.chance(75):
            key = choices.weighted(((8, "K"), (1, "_"), (1, "L"), (1, "0")))
            found.append(Atom("k", (expressions.Literal(0) if key == "0" else Variable(key),)))
        if valued and choices.chance(60):
            if self.values and choices.chance(15):
                value = Variable(f"V{choices.integer(1, self.values)}")
            else:
                self.values += 1
                value = Variable("_" if choices.chance(15) else f"V{self.values}")
            found.append(Atom("v", (value,)))
        return tuple(found)

    def named(self, kind: str, percent: int = 60) -> Identifier | None:
        if not self.choices.chance(percent):
            return None
        name = f"{'ijklmn'[len(self.identifiers) % 6]}{len(self.identifiers) or ''}"
        self.identifiers[name] = kind
        return Identifier(name)

    def event(self, *, said: bool = False) -> Literal:
        """An event; where a label alone would be that of a state, it is said."""
        atom = self.event_atom()
        return Literal(atom, "event" if said or self.choices.chance(20) else None, self.named("event"))

    def state(self) -> Literal:
        return Literal(self.state_atom(), "state", self.named("state"))

    def timer(self, *, percent: int = 60) -> TimerLiteral:
        """A timer on a literal of its own, or on something that has an identifier."""
        known = [name for name, kind in self.identifiers.items() if kind in ("event", "state")]
        anchor: Identifier | Literal
        if known and self.choices.chance(60):
            anchor = Identifier(self.choices.one_of(known))
            lasting = self.identifiers[anchor.name] == "state"
        else:
            lasting = self.choices.chance(30)
            anchor = self.state() if lasting else self.event()
        kind = self.choices.one_of(STATE_TIMERS if lasting else tuple(TIMERS))
        return TimerLiteral(Timer(kind, anchor, self.duration()), None, self.named("timer", percent))

    def window(self, percent: int = 40) -> WindowLiteral:
        choices = self.choices
        length = self.duration()
        match choices.weighted(((3, "tumbling"), (4, "sliding"), (1, "now"), (1, "unbounded"), (3, "span"))):
            case "tumbling":
                return WindowLiteral(Sliding(length), self.named("window", percent))
            case "sliding":
                slide = Duration(0, choices.one_of((1, 2, 5, 8)) * SECOND)
                return WindowLiteral(Sliding(length, slide), self.named("window", percent))
            case "now":
                return WindowLiteral(Now(), None)
            case "unbounded":
                return WindowLiteral(Unbounded(), None)
            case _:
                now = EventReference(NOW)
                span = Between(Arithmetic("-", now, DurationLiteral(length)), now)
                return WindowLiteral(span, self.named("window", percent))

    def absolute(self) -> WindowLiteral:
        begin = self.choices.integer(0, 20)
        texts = (f"1970-01-01T00:00:{second:02}Z" for second in (begin, begin + self.choices.integer(3, 20)))
        begin_text, end_text = (expressions.Literal(text) for text in texts)
        return WindowLiteral(Between(begin_text, end_text), None)

    def module_time(self) -> EvaluationTime:
        kinds = ((5, "window"), (4, "state"), (3, "event"), (3, "timer"), (2, "absolute"))
        match self.choices.weighted(kinds):
            case "window":
                return self.window()
            case "state":
                return self.state()
            case "event":
                return self.event(said=True)
            case "timer":
                return self.timer()
            case _:
                return self.absolute()


@dataclass
class _RuleMaker(_Maker):
    """One rule of a module."""

    module: EvaluationTime | None = None

    def __post_init__(self) -> None:
        match self.module:
            case Literal(identifier=Identifier(name=name), kind=kind):
                self.identifiers[name] = kind or "event"
            case TimerLiteral(identifier=Identifier(name=name)):
                self.identifiers[name] = "timer"
            case WindowLiteral(identifier=Identifier(name=name)):
                self.identifiers[name] = "window"
            case _:
                pass
        match self.module:
            case TimerLiteral(timer=Timer(anchor=Literal(identifier=Identifier(name=name), kind=kind))):
                self.identifiers[name] = kind or "event"
            case _:
                pass
        anchor = anchored(self.module)
        if anchor is not None and self.choices.chance(60):
            self.avoided = frozenset({anchor.atom.label})

    def rule(self, label: str) -> Rule:
        choices = self.choices
        leaves: list[Query] = []
        if self.module is None and choices.chance(35):
            window = self.window(percent=100)
            leaves += [window] if window.identifier is not None else []
        for _ in range(choices.weighted(((8, 1), (5, 2), (1, 3)))):
            leaves.append(self._positive())
        if choices.chance(15):
            leaves.append(self.timer())
        before = dict(self.identifiers)
        if choices.chance(20):
            leaves.append(self._either())
        self.identifiers = before
        if choices.chance(30):
            leaves.append(self._negated())
        for _ in range(choices.weighted(((8, 0), (3, 1), (1, 2)))):
            leaves += self._condition()
        query = leaves[0] if len(leaves) == 1 else Conjunction(tuple(choices.shuffled(leaves)))
        plain = Rule(Head(Atom(label)), query)
        bound = sorted(rule_scope(Module(self.module, (plain,)), plain).variables)
        return Rule(Head(self._head(label, bound)), query)

    def _positive(self) -> Literal:
        kind = self.choices.weighted(((12, "event"), (4, "state"), (1, "relation")))
        if kind == "relation":
            return Literal(self.relation_atom())
        time = self._own_time() if self.choices.chance(22) else None
        literal = self.event() if kind == "event" else self.state()
        return Literal(literal.atom, literal.kind, literal.identifier, time=time)

    def _own_time(self) -> EvaluationTime:
        choices = self.choices
        known = list(self.identifiers)
        if known and choices.chance(60):
            return Identifier(choices.one_of(known))
        match choices.weighted(((2, "window"), (2, "event"), (2, "state"), (3, "timer"), (2, "bounds"))):
            case "window":
                return self.window()
            case "event":
                return self.event(said=True)
            case "state":
                return self.state()
            case "timer":
                return self.timer()
            case _:
                return self._bounds()

    def _bounds(self) -> WindowLiteral:
        known = [name for name, kind in self.identifiers.items() if kind == "event"]
        if not known:
            return self.absolute()
        name = EventReference(self.choices.one_of(known))
        edges = (Call(self.choices.one_of(("begin", "end")), (name,)), Call("end", (name,)))
        end = Arithmetic("+", edges[1], DurationLiteral(self.duration())) if self.choices.chance(70) else edges[1]
        return WindowLiteral(Between(edges[0], end), None)

    def _negated(self) -> Literal:
        lasting = self.choices.chance(25)
        atom = self.state_atom() if lasting else self.event_atom()
        events = [name for name, found in self.identifiers.items() if found == "event"]
        time: EvaluationTime | None = None
        if self.module is None or self.choices.chance(25):
            time = self._own_time() if self.choices.chance(70) else None
        elif events and self.choices.chance(30):
            time = Identifier(self.choices.one_of(events))
        return Literal(atom, "state" if lasting else None, None, negated=True, time=time)

    def _either(self) -> Disjunction:
        before = dict(self.identifiers)
        found: list[Query] = []
        for _ in range(2):
            self.identifiers = dict(before)
            parts: list[Query] = [self._positive()]
            if self.choices.chance(30):
                parts += self._condition()
            if self.choices.chance(15):
                parts.append(self._negated())
            found.append(parts[0] if len(parts) == 1 else Conjunction(tuple(parts)))
        return Disjunction((found[0], found[1]))

    def _condition(self) -> list[Leaf]:
        choices = self.choices
        timed = [name for name, kind in self.identifiers.items() if kind != "window" or choices.chance(20)]
        if self.values and choices.chance(50 if timed else 100):
            value = Variable(f"V{choices.integer(1, self.values)}")
            other: Expression = expressions.Literal(choices.integer(0, 3))
            if choices.chance(30):
                other = Arithmetic("+", Variable("K"), expressions.Literal(1))
            compared = Comparison(choices.one_of(_COMPARISONS), value, other)
            return [Not(compared) if choices.chance(20) else compared]
        if not timed:
            return []
        one, two = EventReference(choices.one_of(timed)), EventReference(choices.one_of(timed))
        match choices.integer(0, 2):
            case 0:
                left = Call(choices.one_of(("begin", "end")), (one,))
                right: Expression = Call(choices.one_of(("begin", "end")), (two,))
                if choices.chance(50):
                    right = Arithmetic("+", right, DurationLiteral(self.duration()))
                return [Comparison(choices.one_of(("<=", "<", ">=", "!=")), left, right)]
            case 1:
                return [Temporal(choices.one_of(("before", "after")), one, two)]
            case _:
                return [Within((one, two), DurationLiteral(self.duration()))]

    def _head(self, label: str, bound: list[str]) -> Atom:
        choices = self.choices
        values = [name for name in bound if name.startswith("V")]
        arguments = [Atom("k", (Variable("K"),))] if "K" in bound and choices.chance(80) else []
        endless = isinstance(self.module, WindowLiteral) and isinstance(self.module.window, Unbounded)
        if bound and choices.chance(5 if endless else 40):
            arguments.append(Atom("v", (self._aggregate(bound, values),)))
            if choices.chance(20):
                arguments.append(Atom("n", (Call("count", (Variable(bound[0]), Variable(bound[-1]))),)))
        elif values and choices.chance(80):
            value: Expression = Variable(choices.one_of(values))
            if choices.chance(20):
                value = Arithmetic("+", value, expressions.Literal(1))
            arguments.append(Atom("v", (value,)))
        return Atom(label, tuple(arguments))

    def _aggregate(self, bound: list[str], values: list[str]) -> Expression:
        name = Variable(self.choices.one_of(values or bound))
        if self.choices.chance(25):
            return Call("count", (Variable(bound[0]), name))
        return Aggregate(self.choices.one_of(_AGGREGATES), name, self.choices.chance(20))
