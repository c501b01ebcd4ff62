"""Constructs and expressions as documents, in canonical spelling.

Whatever gets a line of its own when its surroundings are broken (a child of a term, here) is handed to `decorate`, so
that the formatter can put comments beside it.
"""

from __future__ import annotations

from cera.languages.patterns.printer import PatternPrinter, plain_label_text
from cera.languages.text.layout import Document, bracket, concat, join
from cera.languages.text.literals import string_text
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.expressions.expression import (
    Aggregate,
    And,
    DateTime,
    Different,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Not,
    Or,
    Periodic,
    Temporal,
    TimerQuery,
    Within,
)
from cera.model.expressions.printer import OR, PRIMARY, SUM, Special, Spelling
from cera.model.matching.patterns import Label, TermPattern
from cera.model.time.durations import Duration, format_duration
from cera.model.time.timers import SYNONYMS

#: Words that can mean something else where a label stands; as labels they are quoted.
_RESERVED_LABELS = frozenset(
    {"and", "or", "not", "var", "DETECT", "RAISE", "ON", "END", "SEMANTICS", "SOURCE", "CALENDARS", "RELATION"}
)


class TermPrinter(PatternPrinter):
    spelling = Spelling(variable=lambda name: f"var {name}")

    def _pattern_label(self, pattern: TermPattern) -> str:
        is_like_a_timer = pattern.label in SYNONYMS and pattern.ordered and pattern.total
        return string_text(str(pattern.label)) if is_like_a_timer else label_text(pattern.label)

    def timer(self, timer: TimerQuery) -> Document:
        return self._term(f"timer:{timer.name}", timer.pattern)

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
        """Prints the construct after `all` or `optional`.

        In parentheses if it ends in a construct of type `taker` that would take what follows, or if it begins with a
        brace, before which `all` and `optional` are labels.
        """
        takes = taker is not None and taker in _open_ended(construct)
        braces = isinstance(construct, ConstructValue) and _begins_with_brace(construct.expression)
        document = self.construct(construct)
        return concat("(", document, ")") if takes or braces else document

    def _order_key(self, key: OrderKey) -> Document:
        return concat(self.expression(key.expression), " desc" if key.descending else "")

    def _bare(self, expression: Expression, own: int) -> Document:
        match expression:
            case Not(operand=Within(intervals=intervals)) if not all(isinstance(i, EventReference) for i in intervals):
                return concat("not ", self.expression(expression.operand, PRIMARY))  # only simple sets follow `not`
            case _:
                return super()._bare(expression, own)

    def _special(self, expression: Special) -> Document:
        match expression:
            case DateTime():
                return self._call("datetime", [string_text(text) for text in expression.texts])
            case Periodic():
                return self.timer(expression.timer)
            case Temporal():
                left, right = self.expression(expression.left, SUM), self.expression(expression.right, SUM)
                return self._infix(left, expression.relation, right)
            case InState():
                return self._infix(self.expression(expression.event, SUM), "in", expression.state.identifier)
            case Within():
                intervals = bracket("{", [self.expression(interval) for interval in expression.intervals], "}")
                return self._infix(intervals, "within", self.expression(expression.duration, SUM))
            case InOneWindow():  # there is no such condition in this language; it is shown only
                intervals = bracket("{", [self.expression(interval) for interval in expression.intervals], "}")
                length, slide = (format_duration(Duration(0, part)) for part in (expression.length, expression.slide))
                return self._infix(intervals, "in one window of", f"{length} every {slide}")
            case Different():  # there is no such condition either
                return self._infix(expression.left.identifier, "is not", expression.right.identifier)
            case Aggregate():
                which = "distinct " if expression.distinct else "all "
                level = PRIMARY if _begins_with_brace(expression.operand) else OR
                return self._call(expression.function, [concat(which, self.expression(expression.operand, level))])
            case _:
                return super()._special(expression)


def _begins_with_brace(expression: Expression) -> bool:
    match expression:
        case Within() | InOneWindow():
            return True
        case And() | Or():
            return _begins_with_brace(expression.operands[0])
        case _:
            return False


def _open_ended(construct: Construct) -> frozenset[type[Construct]]:
    """Returns the types of the constructs that end where this one ends, so that one could read on in them."""
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


def label_text(label: Label) -> str:
    return string_text(label) if isinstance(label, str) and label in _RESERVED_LABELS else plain_label_text(label)
