"""Patterns, constructs and expressions as documents, in canonical spelling.

Whatever gets a line of its own when its surroundings are broken (a child of a term, here) is handed to `decorate`, so
that the formatter can put comments beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cera.languages.text.comments import Decorate, undecorated
from cera.languages.text.layout import SPACE, Document, Group, Indent, bracket, concat, join
from cera.languages.text.literals import string_text
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
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
from cera.model.terms import term as terms
from cera.model.terms.values import is_number
from cera.model.time.durations import format_duration
from cera.model.time.timers import SYNONYMS

#: How tightly an expression holds together; what stands inside of a tighter one needs parentheses.
OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, PRIMARY = range(8)

_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "mod": PRODUCT}

_SLASH_OR_ESCAPE = re.compile(r"\\.|/", re.DOTALL)

#: Words that can mean something else where a label stands; as labels they are quoted.
_RESERVED_LABELS = frozenset(
    {"and", "or", "not", "var", "DETECT", "RAISE", "ON", "END", "SEMANTICS", "SOURCE", "CALENDARS"}
)
#: Words that can mean something else where an expression begins; as identifiers they are put in parentheses.
_RESERVED_REFERENCES = frozenset({"not", "all", "distinct", "optional"})


class TermPrinter:
    def __init__(self, decorate: Decorate = undecorated) -> None:
        self.decorate = decorate

    def pattern(self, pattern: Pattern) -> Document:
        match pattern:
            case TermPattern():
                is_like_a_timer = pattern.label in SYNONYMS and pattern.ordered and pattern.total
                label = string_text(str(pattern.label)) if is_like_a_timer else label_text(pattern.label)
                return self._term(label, pattern)
            case ScalarPattern():
                return terms.format_scalar(pattern.value)
            case RegexPattern():
                return _regex(pattern.expression)
            case VariablePattern():
                bound = "" if pattern.pattern is None else concat(" -> ", self.pattern(pattern.pattern))
                return concat(f"var {pattern.name}", bound)
            case Descendant():
                return concat("desc ", self.pattern(pattern.pattern))
            case Without():
                return concat("without ", self.pattern(pattern.pattern))
            case OptionalPattern():
                return concat("optional ", self.pattern(pattern.pattern))

    def timer(self, timer: TimerQuery) -> Document:
        return self._term(f"timer:{timer.name}", timer.pattern)

    def _term(self, label: str, pattern: TermPattern) -> Document:
        opening, closing = "[]" if pattern.ordered else "{}"
        times = 1 if pattern.total else 2
        children = [self.decorate(child, self.pattern(child)) for child in pattern.children]
        return bracket(label + opening * times, children, closing * times)

    def construct(self, construct: Construct) -> Document:
        match construct:
            case ConstructTerm():
                opening, closing = "[]" if construct.ordered else "{}"
                children = [self.decorate(child, self.construct(child)) for child in construct.children]
                return bracket(label_text(construct.label) + opening, children, closing)
            case ConstructValue():
                return self.expression(construct.expression)
            case All():
                grouping = join(", ", (f"var {name}" for name in construct.group_by))
                ordering = join(", ", (self._order_key(key) for key in construct.order_by))
                return concat(
                    "all ",
                    self._inner(construct.construct, All if construct.group_by or construct.order_by else None),
                    concat(" group-by {", grouping, "}") if construct.group_by else "",
                    concat(" order-by {", ordering, "}") if construct.order_by else "",
                )
            case OptionalConstruct():
                if construct.default is None:
                    return concat("optional ", self._inner(construct.construct, None))
                first = self._inner(construct.construct, OptionalConstruct)
                return concat("optional ", first, " with default ", self.construct(construct.default))

    def _inner(self, construct: Construct, taker: type[All | OptionalConstruct] | None) -> Document:
        """What stands after `all` or `optional`.

        In parentheses if it ends in a construct of type `taker` that would take what follows, or if it begins with a
        brace, before which `all` and `optional` are labels.
        """
        takes = taker is not None and taker in _open_ended(construct)
        braces = isinstance(construct, ConstructValue) and _begins_with_brace(construct.expression)
        document = self.construct(construct)
        return concat("(", document, ")") if takes or braces else document

    def _order_key(self, key: OrderKey) -> Document:
        return concat(self.expression(key.expression), " desc" if key.descending else "")

    def expression(self, expression: Expression, level: int = OR) -> Document:
        """The expression, in parentheses if it holds together less tightly than `level`."""
        own = _level(expression)
        return self._bare(expression, own) if own >= level else concat("(", self._bare(expression, own), ")")

    def _bare(self, expression: Expression, own: int) -> Document:
        match expression:
            case Literal():
                return terms.format_scalar(expression.value)
            case DurationLiteral():
                return format_duration(expression.duration)
            case DateTime():
                return _call("datetime", [string_text(text) for text in expression.texts])
            case Periodic():
                return self.timer(expression.timer)
            case Variable():
                return f"var {expression.name}"
            case EventReference(identifier=name):
                return f"({name})" if name in _RESERVED_REFERENCES else name
            case Negative(operand=Literal() as literal) if is_number(literal.value):
                return concat("-(", self.expression(literal), ")")  # -3 would be read as the number
            case Negative():
                return concat("-", self.expression(expression.operand, PRIMARY))
            case Arithmetic():
                left, right = self.expression(expression.left, own), self.expression(expression.right, own + 1)
                return _infix(left, expression.operator, right)
            case Comparison():
                left, right = self.expression(expression.left, SUM), self.expression(expression.right, SUM)
                return _infix(left, expression.operator, right)
            case Temporal():
                left, right = self.expression(expression.left, SUM), self.expression(expression.right, SUM)
                return _infix(left, expression.relation, right)
            case Within():
                intervals = bracket("{", [self.expression(i) for i in expression.intervals], "}")
                return _infix(intervals, "within", self.expression(expression.duration, SUM))
            case Call():
                return _call(expression.function, [self.expression(a) for a in expression.arguments])
            case Aggregate():
                which = "distinct " if expression.distinct else "all "
                level = PRIMARY if _begins_with_brace(expression.operand) else OR
                return _call(expression.function, [concat(which, self.expression(expression.operand, level))])
            case Not(operand=Within(intervals=intervals)) if not all(isinstance(i, EventReference) for i in intervals):
                return concat("not ", self.expression(expression.operand, PRIMARY))  # only simple sets follow `not`
            case Not():
                return concat("not ", self.expression(expression.operand, own))
            case And():
                return _chain("and ", [self.expression(o, own + 1) for o in expression.operands])
            case Or():
                return _chain("or ", [self.expression(o, own + 1) for o in expression.operands])


def _level(expression: Expression) -> int:
    match expression:
        case Or():
            return OR
        case And():
            return AND
        case Not():
            return NOT
        case Comparison() | Temporal() | Within():
            return COMPARISON
        case Arithmetic():
            return _LEVELS[expression.operator]
        case Negative():
            return UNARY
        case Literal(value=int() | float() as value) if value < 0:
            return UNARY
        case _:
            return PRIMARY


def _begins_with_brace(expression: Expression) -> bool:
    match expression:
        case Within():
            return True
        case And() | Or():
            return _begins_with_brace(expression.operands[0])
        case _:
            return False


def _open_ended(construct: Construct) -> frozenset[type[Construct]]:
    """The types of the constructs that end where this one ends, so that one could read on in them."""
    match construct:
        case OptionalConstruct():
            last = construct.construct if construct.default is None else construct.default
            return _open_ended(last) | {OptionalConstruct}
        case All():
            return (
                frozenset({All})
                if construct.group_by or construct.order_by
                else _open_ended(construct.construct) | {All}
            )
        case ConstructTerm() | ConstructValue():
            return frozenset()


def _infix(left: Document, operator: str, right: Document) -> Document:
    return Group(concat(left, f" {operator}", Indent(concat(SPACE, right))))


def _chain(connective: str, operands: Sequence[Document]) -> Document:
    first, *others = operands
    return Group(concat(first, Indent(concat(*(concat(SPACE, connective, other) for other in others)))))


def _call(function: str, arguments: Sequence[Document]) -> Document:
    return bracket(f"{function}(", arguments, ")")


def label_text(label: Label) -> str:
    match label:
        case str():
            return string_text(label) if label in _RESERVED_LABELS else terms.label(label)
        case AnyLabel():
            return "*"
        case RegexLabel():
            return _regex(label.expression)


def _regex(expression: str) -> str:
    escaped = _SLASH_OR_ESCAPE.sub(lambda found: r"\/" if found[0] == "/" else found[0], expression)
    return f"/{escaped}/"
