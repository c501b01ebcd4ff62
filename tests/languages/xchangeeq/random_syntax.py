"""Random syntax trees: everything the grammar can say, names and texts chosen to be awkward.

They need not make sense: nothing is declared, bound or of the right kind. They are what the parser can return, numbers
in the one representation that it gives them, so that parse(print(p)) = p can be asked of them. Programs that do make
sense, for the engines, are those of `properties/generator`.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    CalendarsDirective,
    Conjunction,
    DetectHead,
    Disjunction,
    EventLiteral,
    Head,
    Identifier,
    Item,
    ProgramSyntax,
    Query,
    RaiseHead,
    RelationDirective,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
    StateLiteral,
    WhileLiteral,
)
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.expressions.expression import (
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
    InState,
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
from cera.model.matching.patterns import (
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
from cera.model.terms.values import MAX_INTEGER, MIN_INTEGER, Scalar, number
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import Duration
from cera.model.time.timers import TIMERS
from cera.rules.declarations import Attribute, RelationDeclaration, SourceLabel

names = st.sampled_from(
    (
        *("a", "temp", "b-c", "_x1", "burnt_down", "order", "min", "event", "while", "desc", "all", "before"),
        *("default", "without", "optional", "collect", "state", "in"),
    )
)
awkward_labels = st.sampled_from(
    (
        *("", "true", "false", "and", "or", "not", "var", "where", "ON", "END", "DETECT", "extend", "from-end"),
        *("timer", "datetime", "two words", "@id", "a:b", "timer:datetime", 'quo"te', "back\\slash", "ünï", "1st"),
        *("{uri}local", "# no", "/*", "/* no */", "tab\t", "two\nlines", "ü→😀"),
    )
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | awkward_labels
labels = names | awkward_labels | texts
variables = st.sampled_from(["A", "B", "T", "X1", "_", "_v", "var", "all"])
regexes = st.sampled_from(
    (
        *("a.*", "[0-9]+", "x|y", r"\d{2}", r"\d{2,3}", r"\.", "a b", " ", '"', "#", "é", r"a\/b", r"[^a-z]", r"\\"),
        "(a|b)?c",
    )
)
integers = st.integers(MIN_INTEGER, MAX_INTEGER) | st.integers(-5, 5)
numbers = integers | st.floats(allow_nan=False, allow_infinity=False).map(number).filter(lambda n: n is not None)
scalars: SearchStrategy[Scalar] = st.booleans() | texts | numbers  # type: ignore[assignment]
durations = st.builds(
    Duration,
    st.integers(0, 30),
    st.sampled_from([0, 1, 999, 1_500_000, 60_000_000, 194_000_000, 10**12]) | st.integers(0, 10**14),
)
flags = st.booleans()


def few(items: SearchStrategy[object], least: int = 0, most: int = 3) -> SearchStrategy[tuple]:  # type: ignore[type-arg]
    return st.lists(items, min_size=least, max_size=most).map(tuple)


pattern_labels: SearchStrategy[Label] = labels | st.just(AnyLabel()) | st.builds(RegexLabel, regexes)


def _larger_patterns(inner: SearchStrategy[Pattern]) -> SearchStrategy[Pattern]:
    children = few(inner | st.builds(Without, inner) | st.builds(OptionalPattern, inner))
    return (
        st.builds(TermPattern, pattern_labels, children, flags, flags)
        | st.builds(VariablePattern, variables, inner)
        | st.builds(Descendant, inner)
    )


patterns = st.recursive(
    st.builds(ScalarPattern, scalars)
    | st.builds(RegexPattern, regexes)
    | st.builds(VariablePattern, variables)
    | st.builds(TermPattern, pattern_labels, st.just(()), flags, flags),
    _larger_patterns,
    max_leaves=6,
)
children = few(patterns | st.builds(Without, patterns) | st.builds(OptionalPattern, patterns))
term_patterns = st.builds(TermPattern, pattern_labels, children, flags, flags)
event_patterns = (
    term_patterns
    | st.builds(VariablePattern, variables, st.none() | term_patterns | st.builds(Descendant, patterns))
    | st.builds(Descendant, patterns)
)


@st.composite
def timers(draw: st.DrawFn) -> TimerQuery:
    name = draw(st.sampled_from(["datetime", "tradingDay", "shop-hours"]))
    return TimerQuery(name, TermPattern(f"timer:{name}", draw(children), draw(flags), draw(flags)))


identifiers = st.sampled_from(
    (
        *("a", "s", "t", "o-1", "_x", "event", "while", "and", "all", "not", "desc", "before", "min", "where", "end"),
        *("datetime", "from-here", "state", "in"),
    )
)
functions = st.sampled_from([*sorted(FUNCTIONS), "f", "unknown-one"])
references = st.builds(EventReference, identifiers)


def _larger_expressions(inner: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    return (
        st.builds(Negative, inner)
        | st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "mod"]), inner, inner)
        | st.builds(Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner, inner)
        | st.builds(Temporal, st.sampled_from(sorted(RELATIONS)), inner, inner)
        | st.builds(Within, few(references | inner, 1), inner)
        | st.builds(InState, inner, references)
        | st.builds(Call, functions, few(inner))
        | st.builds(Aggregate, st.sampled_from(AGGREGATES), inner, flags)
        | st.builds(Not, inner)
        | st.builds(And, few(inner, 2))
        | st.builds(Or, few(inner, 2))
    )


simple_expressions: SearchStrategy[Expression] = (
    st.builds(Literal, scalars)
    | st.builds(DurationLiteral, durations)
    | st.builds(DateTime, few(texts, 1, 2))
    | st.builds(Periodic, timers())
    | st.builds(Variable, variables)
    | references
)
expressions = st.recursive(simple_expressions, _larger_expressions, max_leaves=6)
conditions = few(expressions)


def _value(expression: Expression) -> Construct:
    """A bare name in a head is the empty term."""
    if isinstance(expression, EventReference):
        return ConstructTerm(expression.identifier)
    return ConstructValue(expression)


def _larger_constructs(inner: SearchStrategy[Construct]) -> SearchStrategy[Construct]:
    keys = few(st.builds(OrderKey, expressions, flags))
    return (
        st.builds(ConstructTerm, labels, few(inner), flags)
        | st.builds(All, inner, few(variables), keys)
        | st.builds(OptionalConstruct, inner, st.none() | inner)
    )


constructs = st.recursive(
    st.builds(_value, expressions) | st.builds(ConstructTerm, labels, st.just(()), flags),
    _larger_constructs,
    max_leaves=5,
)
head_constructs = st.builds(ConstructTerm, labels, few(constructs), flags) | st.builds(
    ConstructValue, st.builds(Variable, variables)
)
heads: SearchStrategy[Head] = st.builds(DetectHead, head_constructs) | st.builds(
    RaiseHead, texts, st.none() | texts, head_constructs
)


def _is_term(pattern: Pattern) -> bool:
    return isinstance(pattern, TermPattern)


declared = st.none() | st.builds(Identifier, identifiers)
literals: SearchStrategy[Query] = (
    st.builds(EventLiteral, declared, event_patterns, conditions)
    | st.builds(
        RelativeTimerLiteral, declared, st.sampled_from(sorted(TIMERS)), st.builds(Identifier, identifiers), durations
    )
    | st.builds(AbsoluteTimerLiteral, declared, timers(), conditions)
    | st.builds(RelationLiteral, declared, event_patterns.filter(_is_term), conditions)
    | st.builds(StateLiteral, declared, event_patterns, conditions)
    | st.builds(WhileLiteral, st.builds(Identifier, identifiers), flags, event_patterns, conditions, of_states=flags)
)
queries: SearchStrategy[Query] = st.recursive(
    literals,
    lambda inner: st.builds(Conjunction, few(inner, 1), conditions) | st.builds(Disjunction, few(inner, 1), conditions),
    max_leaves=4,
)
attributes: SearchStrategy[Attribute] = st.recursive(
    st.builds(Attribute, labels, st.none() | st.sampled_from(["string", "number", "boolean"])),
    lambda inner: st.builds(Attribute, labels, st.none(), few(inner)),
    max_leaves=4,
)
source_labels = st.builds(SourceLabel, labels, st.none() | few(attributes))
valid_from = st.just((None, ())) | st.tuples(labels, few(labels))
declarations = st.builds(
    lambda name, attributes, source, refresh, valid: RelationDeclaration(name, attributes, source, refresh, *valid),
    labels,
    st.none() | few(attributes),
    st.none() | texts,
    st.none() | durations,
    valid_from,
)
rules = st.builds(RuleSyntax, heads, queries)
items: SearchStrategy[Item] = (
    rules
    | rules
    | st.builds(SemanticsDirective, st.sampled_from(["practical", "formal"]))
    | st.builds(SourceDirective, few(source_labels, 1))
    | st.builds(CalendarsDirective, texts)
    | st.builds(RelationDirective, declarations)
)
programs: SearchStrategy[ProgramSyntax] = st.builds(ProgramSyntax, few(items))
