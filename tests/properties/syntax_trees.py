"""Random syntax trees that need not make sense: everything the grammar can read, for the printer to write.

Nothing here is declared, bound or of the right kind. Names and strings are odd on purpose; numbers are in the one
representation that the parser gives them.
"""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st

from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    CalendarsDirective,
    Conjunction,
    DetectHead,
    Disjunction,
    EventLiteral,
    Identifier,
    ProgramSyntax,
    Query,
    RaiseHead,
    RelativeTimerLiteral,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
    WhileLiteral,
)
from cera.model.allen import RELATIONS
from cera.model.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.durations import Duration
from cera.model.expressions import (
    AGGREGATES,
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    TimerQuery,
    Variable,
    Within,
)
from cera.model.functions import FUNCTIONS
from cera.model.patterns import (
    AnyLabel,
    Descendant,
    Label,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.timers import TIMERS
from cera.model.values import MAX_INTEGER, MIN_INTEGER, Scalar, number
from cera.rules.declarations import Attribute, SourceLabel

_KEYWORDS = (
    "and",
    "or",
    "not",
    "event",
    "while",
    "where",
    "all",
    "desc",
    "without",
    "optional",
    "var",
    "collect",
    "timer",
)
Item = TypeVar("Item")

_PLAIN = ("a", "b", "temp", "burnt_down", "x-y", "_1", "@id")

texts = st.sampled_from(("", "x", 'say "hi"', "a\\b", "tab\t", "two\nlines", "/* no */", "# no", "ü→😀")) | st.text(
    max_size=4
)
identifiers = st.sampled_from(("i", "j", "from-here", "_x", "event", "where", "end", "min", "datetime"))
variables = st.sampled_from(("X", "Y", "_", "var1", "all"))
labels = st.sampled_from((*_PLAIN, *_KEYWORDS, "true", "extend", "datetime", "ON", "END", "", "zwei Wörter")) | texts
regexes = st.sampled_from(("a.*", "[a-z]+", "x|y", r"\d{2,3}", r"a\/b", "(a|b)?c", r"\.", " ", "#", "é", r"\\"))
scalars: st.SearchStrategy[Scalar] = st.one_of(
    st.integers(-3, 3),
    st.integers(MIN_INTEGER, MAX_INTEGER),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: number(value) or 0),
    st.booleans(),
    texts,
)
durations = st.one_of(
    st.builds(Duration, st.just(0), st.integers(0, 100).map(lambda second: second * 1_000_000)),
    st.builds(Duration, st.integers(0, 30), st.integers(0, 10**14)),
)


def lists(items: st.SearchStrategy[Item], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[Item, ...]]:
    return st.lists(items, min_size=least, max_size=most).map(tuple)


any_labels: st.SearchStrategy[Label] = st.one_of(labels, st.just(AnyLabel()), st.builds(RegexLabel, regexes))


def _terms(children: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    return st.builds(TermPattern, any_labels, lists(children), st.booleans(), st.booleans())


def _larger_patterns(inner: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
    children = st.one_of(inner, inner, st.builds(Without, inner), st.builds(OptionalPattern, inner))
    return st.one_of(_terms(children), st.builds(VariablePattern, variables, inner), st.builds(Descendant, inner))


patterns: st.SearchStrategy[Pattern] = st.recursive(
    st.one_of(
        st.builds(TermPattern, any_labels, st.just(()), st.booleans(), st.booleans()),
        st.builds(ScalarPattern, scalars),
        st.builds(RegexPattern, regexes),
        st.builds(VariablePattern, variables),
    ),
    _larger_patterns,
    max_leaves=6,
)
term_patterns = _terms(patterns)
event_patterns = st.one_of(
    term_patterns,
    st.builds(VariablePattern, variables, st.none() | term_patterns),
    st.builds(Descendant, patterns),
)


@st.composite
def timer_queries(draw: st.DrawFn) -> TimerQuery:
    name = draw(st.sampled_from(("datetime", "tradingDay", "x-y")))
    return TimerQuery(
        name, TermPattern(f"timer:{name}", draw(lists(patterns)), draw(st.booleans()), draw(st.booleans()))
    )


def _larger_expressions(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Negative, inner),
        st.builds(Arithmetic, st.sampled_from(("+", "-", "*", "/", "mod")), inner, inner),
        st.builds(Call, st.sampled_from((*sorted(FUNCTIONS), "unknown-one")), lists(inner)),
        st.builds(Aggregate, st.sampled_from(AGGREGATES), inner, st.booleans()),
        st.builds(Comparison, st.sampled_from(("=", "!=", "<", "<=", ">", ">=")), inner, inner),
        st.builds(Temporal, st.sampled_from(sorted(RELATIONS)), inner, inner),
        st.builds(Within, lists(inner, 1), inner),
        st.builds(Not, inner),
        st.builds(And, lists(inner, 2)),
        st.builds(Or, lists(inner, 2)),
    )


expressions: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(
        st.builds(Literal, scalars),
        st.builds(DurationLiteral, durations),
        st.builds(DateTime, lists(texts, 1, 2)),
        st.builds(Periodic, timer_queries()),
        st.builds(Variable, variables),
        st.builds(EventReference, identifiers),
    ),
    _larger_expressions,
    max_leaves=6,
)
#: In a head a name alone is a term, not an event.
values = expressions.filter(lambda expression: not isinstance(expression, EventReference))


def _larger_constructs(inner: st.SearchStrategy[Construct]) -> st.SearchStrategy[Construct]:
    keys = lists(st.builds(OrderKey, expressions, st.booleans()), 0, 2)
    return st.one_of(
        st.builds(ConstructTerm, labels, lists(inner), st.booleans()),
        st.builds(All, inner, lists(variables, 0, 2), keys),
        st.builds(OptionalConstruct, inner, st.none() | inner),
    )


constructs: st.SearchStrategy[Construct] = st.recursive(
    st.builds(ConstructValue, values), _larger_constructs, max_leaves=5
)
head_constructs = st.one_of(
    st.builds(ConstructTerm, labels, lists(constructs), st.booleans()),
    st.builds(ConstructValue, st.builds(Variable, variables)),
)
heads = st.one_of(
    st.builds(DetectHead, head_constructs), st.builds(RaiseHead, texts, st.none() | texts, head_constructs)
)

declared = st.builds(Identifier, identifiers)
conditions = lists(expressions, 0, 2)
literals: st.SearchStrategy[Query] = st.one_of(
    st.builds(EventLiteral, st.none() | declared, event_patterns, conditions),
    st.builds(RelativeTimerLiteral, st.none() | declared, st.sampled_from(sorted(TIMERS)), declared, durations),
    st.builds(AbsoluteTimerLiteral, st.none() | declared, timer_queries(), conditions),
    st.builds(WhileLiteral, declared, st.booleans(), event_patterns, conditions),
)
queries: st.SearchStrategy[Query] = st.recursive(
    literals,
    lambda inner: st.one_of(
        st.builds(Conjunction, lists(inner, 1), conditions), st.builds(Disjunction, lists(inner, 1), conditions)
    ),
    max_leaves=4,
)
attributes = st.recursive(
    st.builds(Attribute, labels, st.none() | st.sampled_from(("string", "number", "boolean"))),
    lambda inner: st.builds(Attribute, labels, st.none(), lists(inner)),
    max_leaves=4,
)
source_labels = st.builds(SourceLabel, labels, st.none() | lists(attributes))
items = st.one_of(
    st.builds(RuleSyntax, heads, queries),
    st.builds(RuleSyntax, heads, queries),
    st.builds(SemanticsDirective, st.sampled_from(("practical", "formal"))),
    st.builds(SourceDirective, lists(source_labels, 1)),
    st.builds(CalendarsDirective, texts),
)


def programs() -> st.SearchStrategy[ProgramSyntax]:
    return st.builds(ProgramSyntax, lists(items, 0, 2))
