"""The kinds of expressions, and what each operator and function takes.

A variable is bound to data, so it can be a number, a string, a truth value or a term (`any`), but never a time. A
length of time is a `duration` if it is written out and a `distance` if it lies between two points of time; with
months they differ (`cera.model.time.durations`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal as OneOf
from typing import assert_never

from cera.diagnostics import Diagnostic, Span, did_you_mean, notation
from cera.model.evaluation.functions import FUNCTIONS, UNITS_OF_TIME, arity, signature
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
)
from cera.model.matching import patterns
from cera.model.terms.values import is_number
from cera.model.time.durations import Duration
from cera.rules.reasoning.cases import constant
from cera.rules.reasoning.quotation import listed, quoted
from cera.rules.reasoning.undefined import always_undefined

#: `unknown` is the kind of an expression that has been reported already.
ExpressionKind = OneOf["number", "string", "boolean", "any", "interval", "duration", "distance", "unknown"]

KIND_NAMES: Mapping[ExpressionKind, str] = MappingProxyType(
    {
        "number": "a number",
        "string": "a string",
        "boolean": "a truth value",
        "any": "a data value",
        "interval": "a time interval",
        "duration": "a length of time",
        "distance": "a length of time",
        "unknown": "of unknown kind",
    }
)
DATA_KINDS: tuple[ExpressionKind, ...] = ("number", "string", "boolean", "any")
_LENGTHS: tuple[ExpressionKind, ...] = ("duration", "distance")
_TAKING_ANY: Mapping[str, tuple[ExpressionKind, ...]] = MappingProxyType(
    {
        **dict.fromkeys(UNITS_OF_TIME, ("interval", *_LENGTHS)),
        "number": DATA_KINDS,
        "string": DATA_KINDS,
        "least": ("number", "string", "any"),
        "greatest": ("number", "string", "any"),
    }
)
_SECONDS = "seconds(…) is a length of time as a number"


def kind_of(expression: Expression) -> ExpressionKind:
    return KindInference().kind(expression)


def as_data(kind: ExpressionKind, place: Span | None = None) -> str | None:
    if kind == "interval":
        begin = notation(place).begin
        return f"iso({begin}(…)) is a time as a string, seconds({begin}(…)) as a number"
    return _SECONDS if kind in _LENGTHS else None


def _bare_word(expression: Expression) -> str | None:
    """Returns a hint for a string that stands there without quotes, where a language has such."""
    if not isinstance(expression, Literal) or not isinstance(expression.value, str) or expression.span is None:
        return None
    word = expression.span.text
    if not word[:1].islower():
        return None
    return f'`{word}` is the string "{word}"; a variable begins with a capital letter: `{word[0].upper()}{word[1:]}`'


@dataclass
class KindInference:
    """An inference of the kind of an expression from the kinds of its parts, with the problems met on the way."""

    problems: list[Diagnostic] = field(default_factory=list)

    def wrong(self, at: Expression, message: str, hint: str | None = None, code: str = "XC405") -> ExpressionKind:
        self.problems.append(Diagnostic(code, "error", message, at.span, hint))
        return "unknown"

    def kind(self, expression: Expression) -> ExpressionKind:
        match expression:
            case Literal():
                value = expression.value
                return "number" if is_number(value) else "string" if isinstance(value, str) else "boolean"
            case DurationLiteral():
                return "duration"
            case DateTime() | EventReference():
                return "interval"
            case Periodic():
                return self.wrong(
                    expression,
                    "a periodic interval can only stand on one side of an Allen relation such as `during`",
                    code="XC404",
                )
            case Variable():
                return "any"
            case Negative():
                return self._defined(expression, self._negative(expression))
            case Arithmetic():
                return self._defined(expression, self._arithmetic(expression))
            case Call():
                return self._defined(expression, self._call(expression))
            case Aggregate():
                return self._aggregate(expression)
            case Comparison():
                return self._comparison(expression)
            case Temporal():
                return self._temporal(expression)
            case Within():
                return self._within(expression)
            case InOneWindow():
                for interval in expression.intervals:
                    self._expect(interval, ("interval",), "only time intervals lie in windows")
                return "boolean"
            case InState():
                self._expect(expression.event, ("interval",), "`in` takes an event and a state")
                return "boolean"
            case Different():
                return "boolean"
            case Not() | And() | Or():
                parts = (expression.operand,) if isinstance(expression, Not) else expression.operands
                for operand in parts:
                    self._expect(operand, ("boolean",), f"`{type(expression).__name__.lower()}` takes conditions")
                return "boolean"
            case _:
                assert_never(expression)

    def _defined(self, expression: Expression, kind: ExpressionKind) -> ExpressionKind:
        """Returns the kind, unless no data gives the expression a value; reports it if so."""
        undefined = None if kind == "unknown" else always_undefined(expression)
        if undefined is None:
            return kind
        return self.wrong(undefined.at, undefined.message, undefined.hint, undefined.code)

    def _expect(self, operand: Expression, kinds: tuple[ExpressionKind, ...], why: str) -> bool:
        """Returns whether the operand is of one of the kinds; reports it if not."""
        found = self.kind(operand)
        if found in kinds or found == "unknown" or (found == "any" and any(kind in DATA_KINDS for kind in kinds)):
            return found != "unknown"
        self.wrong(operand, f"{why}, but {quoted(operand.span, 'it')} is {KIND_NAMES[found]}")
        return False

    def _negative(self, expression: Negative) -> ExpressionKind:
        kind = self.kind(expression.operand)
        if kind in ("number", "any"):
            return "number"
        if kind in (*_LENGTHS, "unknown"):
            return kind
        return self.wrong(expression, f"`-` takes a number or a length of time, not {KIND_NAMES[kind]}")

    def _arithmetic(self, expression: Arithmetic) -> ExpressionKind:
        left, right = self.kind(expression.left), self.kind(expression.right)
        if "unknown" in (left, right):
            return "unknown"
        if {left, right} <= {"number", "any"}:
            return "number"
        match expression.operator, left, right:
            case "-", "interval", "interval":
                return "distance"
            case (("+" | "-"), "interval", "duration"):
                return "interval"
            case "+", "duration", "interval":
                return "interval"
            case "*", "duration", ("number" | "any"):
                return "duration"
            case "*", ("number" | "any"), "duration":
                return "duration"
            case (("+" | "-"), ("duration" | "distance"), ("duration" | "distance")):
                return self._added_lengths(expression, left, right)
            case _:
                hint = _SECONDS if {left, right} & set(_LENGTHS) else None
                message = f"`{expression.operator}` does not go with {KIND_NAMES[left]} and {KIND_NAMES[right]}"
                return self.wrong(expression, message, hint)

    def _added_lengths(self, expression: Arithmetic, left: ExpressionKind, right: ExpressionKind) -> ExpressionKind:
        if left == right == "duration":
            return "duration"
        for side in (expression.left, expression.right):
            value = constant(side)
            if isinstance(value, Duration) and value.months:
                return self.wrong(
                    expression,
                    f"{quoted(side.span, 'a month')} has no fixed length that could be added to a measured one",
                    f"months and years can be added to a point of time, as in {notation(side.span).begin}(e) + 1 month",
                )
        return "duration"

    def _call(self, expression: Call) -> ExpressionKind:
        function = FUNCTIONS.get(expression.function)
        if function is None:
            return self._unknown_function(expression)
        if not function.accepts(len(expression.arguments)):
            given = len(expression.arguments)
            return self.wrong(
                expression,
                f"`{function.name}` takes {arity(function)}, not {given}",
                f"write {signature(function)}",
                "XC406",
            )
        sound = True
        kinds: list[ExpressionKind] = []
        for index, argument in enumerate(expression.arguments):
            parameter = function.parameter(index)
            if parameter == "any":
                kinds.append(self.kind(argument))
                continue
            accepted: tuple[ExpressionKind, ...] = (parameter,)
            if parameter == "duration":
                accepted = _LENGTHS
            why = f"`{function.name}` takes {KIND_NAMES[parameter]} here"
            sound &= self._expect(argument, accepted, why)
        if not sound or "unknown" in kinds:
            return "unknown"
        if function.name in _TAKING_ANY:
            return self._taking_any(expression, kinds)
        return "distance" if function.result == "duration" else function.result

    def _taking_any(self, expression: Call, kinds: list[ExpressionKind]) -> ExpressionKind:
        """Returns the kind of a call of a function whose parameters may be of several kinds, but not of any kind."""
        accepted = _TAKING_ANY[expression.function]
        for kind, argument in zip(kinds, expression.arguments, strict=True):
            if kind not in accepted:
                names = listed(list(dict.fromkeys(KIND_NAMES[k] for k in accepted if k != "any")), "or")
                what = quoted(argument.span, "it")
                message = f"`{expression.function}` takes {names}, but {what} is {KIND_NAMES[kind]}"
                return self.wrong(argument, message, as_data(kind, argument.span))
        if expression.function in ("least", "greatest") and {"number", "string"} <= set(kinds):
            return self.wrong(expression, f"`{expression.function}` takes numbers or strings, not both")
        return FUNCTIONS[expression.function].result

    def _unknown_function(self, expression: Call) -> ExpressionKind:
        if expression.function in AGGREGATES:
            return self.wrong(
                expression,
                f"`{expression.function}` runs over many matches",
                f"write {expression.function}(all …), in the head of the rule",
                "XC407",
            )
        hint = did_you_mean(expression.function, tuple(FUNCTIONS))
        return self.wrong(expression, f"there is no function `{expression.function}`", hint, "XC406")

    def _aggregate(self, expression: Aggregate) -> ExpressionKind:
        if expression.function not in AGGREGATES:
            hint = did_you_mean(expression.function, AGGREGATES)
            return self.wrong(expression, f"there is no aggregate `{expression.function}`", hint, "XC406")
        kind = self.kind(expression.operand)
        if kind == "unknown":
            return "unknown"
        accepted: tuple[ExpressionKind, ...] = DATA_KINDS
        if expression.function in ("sum", "avg"):
            accepted = ("number", "any")
        elif expression.function in ("min", "max"):
            accepted = ("number", "string", "any")
        if kind not in accepted:
            names = listed([KIND_NAMES[k] for k in accepted if k != "any"], "or")
            what = quoted(expression.operand.span, "it")
            message = f"`{expression.function}` takes {names} from each match, but {what} is {KIND_NAMES[kind]}"
            return self.wrong(expression.operand, message, as_data(kind, expression.operand.span))
        return "number" if expression.function in ("count", "sum", "avg") else kind

    def _comparison(self, expression: Comparison) -> ExpressionKind:
        left, right = self.kind(expression.left), self.kind(expression.right)
        if "unknown" in (left, right):
            return "boolean"
        operator = expression.operator
        if left in _LENGTHS and right in _LENGTHS:
            return self._compared_lengths(expression)
        if left == right == "interval":
            return "boolean"
        if left not in DATA_KINDS or right not in DATA_KINDS or (left != right and "any" not in (left, right)):
            hint = f"a length of time has a unit, as in 60 sec; {_SECONDS}" if {left, right} & set(_LENGTHS) else None
            hint = hint or _bare_word(expression.left) or _bare_word(expression.right)
            self.wrong(expression, f"{KIND_NAMES[left]} cannot be compared with {KIND_NAMES[right]}", hint)
        elif operator not in ("=", "!=") and "boolean" in (left, right):
            self.wrong(expression, f"truth values have no order; `{operator}` takes numbers, strings or times")
        return "boolean"

    def _compared_lengths(self, expression: Comparison) -> ExpressionKind:
        left, right = constant(expression.left), constant(expression.right)
        if isinstance(left, Duration) and isinstance(right, Duration) and left.months != right.months:
            self.wrong(
                expression,
                f"{quoted(expression.left.span, str(left))} and {quoted(expression.right.span, str(right))} cannot be "
                "compared: how long a month is depends on where it begins",
            )
        return "boolean"

    def _temporal(self, expression: Temporal) -> ExpressionKind:
        periodic = [side for side in (expression.left, expression.right) if isinstance(side, Periodic)]
        if len(periodic) == 2:
            self.wrong(
                expression,
                f"two periodic intervals cannot stand in `{expression.relation}`",
                "at least one side has to be a single interval, such as an event",
                "XC404",
            )
        elif periodic and expression.relation in ("before", "after"):
            self.wrong(
                expression,
                f"`{expression.relation}` says nothing about a periodic interval, which has occurrences on both sides",
                "use `during`, `overlaps` or another relation that holds for one occurrence",
                "XC404",
            )
        for timer in periodic:
            if patterns.variables(timer.timer.pattern):
                self.wrong(
                    timer,
                    "a variable in a periodic timer of a condition has no value",
                    "write the parts out, or make the timer an event: `event t: timer:…{{…}}`",
                    "XC404",
                )
        for side in (expression.left, expression.right):
            if not isinstance(side, Periodic):
                self._expect(side, ("interval",), f"`{expression.relation}` relates time intervals")
        return "boolean"

    def _within(self, expression: Within) -> ExpressionKind:
        for interval in expression.intervals:
            self._expect(interval, ("interval",), "`within` takes time intervals")
        self._expect(expression.duration, _LENGTHS, "`within` takes a length of time such as 1 min")
        return "boolean"
