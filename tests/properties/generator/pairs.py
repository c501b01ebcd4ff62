"""Which construct stands directly inside of which: the pairs of a program, and those that the grammar allows.

The names are those of the grammar's rules where it has them. The pairs of the grammar are written down here by hand, a
line for each outer construct, in the order of `grammar.lark`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    Conjunction,
    Disjunction,
    EventLiteral,
    ProgramSyntax,
    Query,
    RelativeTimerLiteral,
    WhileLiteral,
)
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import (
    Aggregate,
    And,
    Arithmetic,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Variable,
)
from cera.model.matching import patterns
from cera.model.matching.patterns import Descendant, OptionalPattern, Pattern, TermPattern, VariablePattern, Without

Pair = tuple[str, str]

_TERMS = ("total unordered", "partial unordered", "total ordered", "partial ordered")
_PATTERNS = (*_TERMS, "var", "as", "desc")
_LEAVES = ("scalar", "regex")
_QUERIES = ("and", "or", "event", "relative timer", "absolute timer", "collection", "absence")
_HEADS = ("unordered", "ordered", "variable", "constant", "calculated", "aggregate", "all", "optional")
_TRUTHS = ("and", "or", "not", "comparison", "temporal", "within", "call")
_NUMBERS = ("arithmetic", "negative", "call", "variable", "constant")

#: What may stand directly inside of what.
ALLOWED: frozenset[Pair] = frozenset(
    (outer, inner)
    for outers, inners in (
        (("query and", "query or"), (*_QUERIES, "where")),
        (("event", "absolute timer", "collection", "absence"), ("where",)),
        (("event", "collection", "absence"), _PATTERNS),
        (_TERMS, (*_PATTERNS, *_LEAVES, "without", "optional pattern")),
        (("as", "desc", "without", "optional pattern"), (*_PATTERNS, *_LEAVES)),
        (("unordered", "ordered", "all", "optional", "default"), _HEADS),
        (("all",), ("group-by", "order-by")),
        (("where", "and", "or", "not"), _TRUTHS),
        (("arithmetic", "negative"), _NUMBERS),
        (("arithmetic",), ("aggregate",)),
        (("operand of aggregate",), _NUMBERS),
    )
    for outer in outers
    for inner in inners
)


def pairs(program: ProgramSyntax) -> Counter[Pair]:
    """How often each pair occurs."""
    found = Counter[Pair]()
    for rule in program.rules:
        found.update(_of_query(rule.query))
        found.update(_of_construct(rule.head.construct))
    return found


def _of_query(query: Query) -> Iterator[Pair]:
    match query:
        case Conjunction() | Disjunction():
            outer = "query and" if isinstance(query, Conjunction) else "query or"
            for part in query.queries:
                yield outer, _query_name(part)
                yield from _of_query(part)
            yield from _of_where(outer, query.conditions)
        case EventLiteral() | WhileLiteral():
            name = _query_name(query)
            yield name, _pattern_name(query.pattern)
            yield from _of_pattern(query.pattern)
            yield from _of_where(name, query.conditions)
        case AbsoluteTimerLiteral():
            yield from _of_where("absolute timer", query.conditions)
        case RelativeTimerLiteral():
            pass


def _query_name(query: Query) -> str:
    match query:
        case Conjunction():
            return "and"
        case Disjunction():
            return "or"
        case EventLiteral():
            return "event"
        case AbsoluteTimerLiteral():
            return "absolute timer"
        case RelativeTimerLiteral():
            return "relative timer"
        case WhileLiteral():
            return "absence" if query.negated else "collection"


def _of_where(outer: str, conditions: tuple[Expression, ...]) -> Iterator[Pair]:
    for condition in conditions:
        yield outer, "where"
        yield "where", _expression_name(condition)
        yield from _of_expression(condition)


def _of_pattern(pattern: Pattern) -> Iterator[Pair]:
    for part in patterns.walk(pattern):
        for inner in patterns.parts(part):
            yield _pattern_name(part), _pattern_name(inner)


def _pattern_name(pattern: Pattern) -> str:
    match pattern:
        case TermPattern():
            return f"{'total' if pattern.total else 'partial'} {'ordered' if pattern.ordered else 'unordered'}"
        case VariablePattern():
            return "var" if pattern.pattern is None else "as"
        case Descendant():
            return "desc"
        case Without():
            return "without"
        case OptionalPattern():
            return "optional pattern"
        case patterns.ScalarPattern():
            return "scalar"
        case patterns.RegexPattern():
            return "regex"


def _of_construct(construct: Construct) -> Iterator[Pair]:
    name = _construct_name(construct)
    match construct:
        case ConstructTerm():
            for child in construct.children:
                yield name, _construct_name(child)
                yield from _of_construct(child)
        case ConstructValue():
            yield from _of_expression(construct.expression)
        case All():
            yield name, _construct_name(construct.construct)
            yield from [(name, "group-by")] if construct.group_by else []
            yield from [(name, "order-by")] if construct.order_by else []
            yield from _of_construct(construct.construct)
        case OptionalConstruct():
            yield name, _construct_name(construct.construct)
            yield from _of_construct(construct.construct)
            if construct.default is not None:
                yield "default", _construct_name(construct.default)
                yield from _of_construct(construct.default)


def _construct_name(construct: Construct) -> str:
    match construct:
        case ConstructTerm():
            return "ordered" if construct.ordered else "unordered"
        case All():
            return "all"
        case OptionalConstruct():
            return "optional"
        case ConstructValue(expression=Variable()):
            return "variable"
        case ConstructValue(expression=Literal()):
            return "constant"
        case ConstructValue(expression=Aggregate()):
            return "aggregate"
        case ConstructValue():
            return "calculated"


def _of_expression(expression: Expression) -> Iterator[Pair]:
    for part in expressions.walk(expression):
        if isinstance(part, And | Or | Not | Arithmetic | Negative):
            yield from ((_expression_name(part), _expression_name(inner)) for inner in expressions.operands(part))
        elif isinstance(part, Aggregate):
            yield "operand of aggregate", _expression_name(part.operand)


def _expression_name(expression: Expression) -> str:
    return "constant" if isinstance(expression, Literal) else type(expression).__name__.lower()
