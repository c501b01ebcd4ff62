"""Which constructs a program uses, and how often: what the generator's coverage is measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    CalendarsDirective,
    Conjunction,
    Disjunction,
    EventLiteral,
    Identifier,
    ProgramSyntax,
    Query,
    RaiseHead,
    RelationDirective,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
    WhileLiteral,
    literals,
)
from cera.model.expressions import constructs as heads
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    TimerQuery,
    Within,
)
from cera.model.matching import patterns
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.time.timers import SYNONYMS

from .streams import BASE_LABELS, ODD_NAMES


def constructs(program: ProgramSyntax) -> Counter[str]:
    """How often each construct of `features` occurs in the program."""
    found = Counter[str]()
    labels = Counter(_head_label(rule) for rule in program.rules)
    for item in program.items:
        match item:
            case SemanticsDirective():
                found[f"semantics {item.name}"] += 1
            case SourceDirective():
                found["source"] += 1
            case RuleSyntax():
                found.update(_in_rule(item))
                found.update(_in_chain(item, labels))
            case RelationDirective():
                found["versions"] += item.declared.valid_from is not None
            case CalendarsDirective():
                pass
    found["same head label"] += sum(count - 1 for label, count in labels.items() if label is not None)
    return +found


def _head_label(rule: RuleSyntax) -> str | None:
    """The label that the rule derives."""
    construct = rule.head.construct
    return construct.label if isinstance(construct, ConstructTerm) and not isinstance(rule.head, RaiseHead) else None


def _in_chain(rule: RuleSyntax, labels: Counter[str | None]) -> Iterator[str]:
    own = _head_label(rule)
    if own in BASE_LABELS:
        yield "derived base label"
    for literal in literals(rule.query):
        if isinstance(literal, EventLiteral | WhileLiteral):
            pattern = literal.pattern
            if own is not None and isinstance(pattern, VariablePattern) and pattern.pattern is None:
                yield "recursion"
            if isinstance(pattern, TermPattern) and isinstance(pattern.label, str) and pattern.label in labels:
                yield "recursion" if own == pattern.label else "chain"


def _in_rule(rule: RuleSyntax) -> Iterator[str]:
    if isinstance(rule.head, RaiseHead):
        yield "raise"
        if isinstance(rule.head.construct, ConstructValue):
            yield "raise variable"
    yield from _in_head(rule.head.construct)
    yield from _in_query(rule.query)
    timers = [literal for literal in literals(rule.query) if isinstance(literal, RelativeTimerLiteral)]
    identifiers = {timer.identifier.name for timer in timers if timer.identifier is not None}
    yield from ("timer chain" for timer in timers if timer.anchor.name in identifiers)
    yield from _several(rule.query)
    always, some = _bound(rule.query)
    yield from ("branch variable" for name in sorted(heads.variables(rule.head.construct)) if name in some - always)


def _bound(query: Query) -> tuple[set[str], set[str]]:
    """The variables that every branch of a query binds, or may bind, and those that some branch does."""
    match query:
        case Conjunction() | Disjunction():
            parts = [_bound(part) for part in query.queries]
            every = [always for always, _ in parts]
            always = set.union(*every) if isinstance(query, Conjunction) else set.intersection(*every)
            return always, set.union(*(some for _, some in parts))
        case EventLiteral() | AbsoluteTimerLiteral() | RelationLiteral() | WhileLiteral(negated=False):
            pattern = query.timer.pattern if isinstance(query, AbsoluteTimerLiteral) else query.pattern
            names = set(patterns.bound_variables(pattern) | patterns.optional_variables(pattern))
            return names, names
        case _:
            return set(), set()


def _several(query: Query) -> Iterator[str]:
    """Several windows side by side; those of different branches do not meet."""
    if not isinstance(query, Conjunction | Disjunction):
        return
    windows = [part for part in query.queries if isinstance(part, WhileLiteral)]
    for name, negated in (("absences", True), ("collections", False)):
        if isinstance(query, Conjunction) and sum(window.negated == negated for window in windows) > 1:
            yield f"several {name}"
    for part in query.queries:
        yield from _several(part)


def _in_query(query: Query) -> Iterator[str]:
    match query:
        case Conjunction():
            yield "and"
            for part in query.queries:
                yield from ("nested and",) if isinstance(part, Conjunction) else ()
                yield from _in_query(part)
            yield from _in_where(query.conditions, "body where")
        case Disjunction():
            yield "or"
            for part in query.queries:
                yield from ("nested or",) if isinstance(part, Disjunction) else ()
                yield from _in_query(part)
            yield from _in_where(query.conditions, "body where")
        case EventLiteral():
            yield from ("event", *_anonymous(query.identifier), *_in_pattern(query.pattern))
            yield from _in_where(query.conditions, "literal where")
        case RelationLiteral():
            yield from ("relation", *_anonymous(query.identifier), *_in_pattern(query.pattern))
            yield from _in_where(query.conditions, "literal where")
        case AbsoluteTimerLiteral():
            yield from ("absolute timer", *_anonymous(query.identifier), *_in_timer(query.timer))
            yield from _in_where(query.conditions, "literal where")
        case RelativeTimerLiteral():
            yield f"timer {query.kind}"
            yield from ("calendar months",) if query.duration.months else ()
        case WhileLiteral():
            yield from ("absence" if query.negated else "collection", *_in_pattern(query.pattern))
            yield from _in_where(query.conditions, "accumulation where")


def _anonymous(identifier: Identifier | None) -> Iterator[str]:
    if identifier is None:
        yield "anonymous literal"


def _in_where(conditions: tuple[Expression, ...], name: str) -> Iterator[str]:
    if conditions:
        yield name
    for condition in conditions:
        yield from _in_expression(condition)


def _in_timer(timer: TimerQuery) -> Iterator[str]:
    if timer.name != "datetime":
        yield "calendar"
    if patterns.variables(timer.pattern):
        yield "timer variable"


def _in_pattern(pattern: Pattern) -> Iterator[str]:
    for part in patterns.walk(pattern):
        match part:
            case TermPattern():
                yield f"{'total' if part.total else 'partial'} {'ordered' if part.ordered else 'unordered'}"
                match part.label:
                    case AnyLabel():
                        yield "any label"
                    case RegexLabel():
                        yield "label regex"
                    case str():
                        yield from ("odd name",) if part.label in ODD_NAMES else ()
            case ScalarPattern():
                yield "scalar pattern"
            case RegexPattern():
                yield "string regex"
            case VariablePattern():
                yield "var" if part.pattern is None else "as"
                yield from ("whole child",) if part.name == "C" and part.pattern is None else ()
            case Descendant():
                yield "desc"
            case Without():
                yield "without"
            case OptionalPattern():
                yield "optional"


def _in_head(construct: Construct) -> Iterator[str]:
    for part in heads.walk(construct):
        for expression in heads.own_expressions(part):
            yield from _in_expression(expression)
            inside = list(expressions.walk(expression))
            yield from ("head arithmetic",) if any(isinstance(e, Arithmetic | Negative) for e in inside) else ()
            yield from ("head time",) if any(isinstance(e, EventReference) for e in inside) else ()
        match part:
            case ConstructTerm():
                yield from ("ordered head",) if part.ordered else ()
            case All():
                yield "all"
                yield from ("nested all",) if any(isinstance(p, All) for p in heads.walk(part.construct)) else ()
                yield from ("group-by",) if part.group_by else ()
                yield from ("order-by",) if part.order_by else ()
                yield from ("order-by desc" for key in part.order_by if key.descending)
            case OptionalConstruct():
                yield "optional construct"
                yield from ("default",) if part.default is not None else ()
            case ConstructValue():
                pass


def _in_expression(expression: Expression) -> Iterator[str]:
    for part in expressions.walk(expression):
        match part:
            case Temporal():
                yield f"allen {part.relation}"
            case Within():
                yield "within"
            case Call():
                yield "interval function" if part.function in SYNONYMS else f"function {part.function}"
            case DateTime():
                yield "datetime" if len(part.texts) == 1 else "datetime interval"
            case Periodic():
                yield from ("periodic", *_in_timer(part.timer))
            case DurationLiteral():
                yield "duration"
                yield from ("calendar months",) if part.duration.months else ()
            case Arithmetic():
                yield f"arithmetic {part.operator}" if not _is_time(part) else "time arithmetic"
            case Negative():
                yield "negative"
            case Comparison():
                yield f"comparison {part.operator}"
            case Aggregate():
                yield f"aggregate {part.function}{' distinct' if part.distinct else ''}"
            case Not():
                yield "not"
            case And():
                yield "conjunction"
            case Or():
                yield "disjunction"
            case _:
                pass


def _is_time(expression: Arithmetic) -> bool:
    times = (DurationLiteral, DateTime, EventReference)
    operands = (expression.left, expression.right)
    return any(
        isinstance(o, times) or (isinstance(o, Call) and o.function in ("begin", "end", "length", "timeDiff"))
        for o in operands
    )
