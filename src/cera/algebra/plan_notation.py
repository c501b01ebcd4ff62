"""The notation of plans: queries, heads and timers as their language writes them, conditions as the papers write them:
`s.end < t.begin`, `T > 40` (Figs. 4 and 5 of seed 000).

Relations between intervals are spelled out as comparisons of their ends, because that is what selections of CERA see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import (
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
    TimerQuery,
    Variable,
    Within,
)
from cera.model.expressions.printer import AND, ARITHMETIC_LEVELS, COMPARISON, NOT, OR, PRIMARY, SUM, UNARY
from cera.model.matching.patterns import Pattern
from cera.model.terms import term as terms
from cera.model.time.allen import CONVERSES
from cera.model.time.durations import Duration, format_duration
from cera.model.time.periodic_windows import Period
from cera.rules.settlements import ClosingEvent, FirstMatch, MostMatches, OnlyPartner, RefutingEvent, Settlement


@dataclass(frozen=True)
class Notation:
    """The functions that write queries, heads and absolute timers on one line."""

    pattern: Callable[[Pattern], str]
    construct: Callable[[Construct], str]
    timer: Callable[[TimerQuery], str]

    def condition(self, condition: Expression) -> str:
        return condition_text(condition, self.timer)

    def settlement(self, settlement: Settlement) -> str:
        values = f" by {', '.join(settlement.by)}" if settlement.by else ""
        match settlement:
            case ClosingEvent(settles=False):
                return f"{self.pattern(settlement.pattern)}{values} (rows only)"
            case ClosingEvent():
                return f"{self.pattern(settlement.pattern)}{values}"
            case MostMatches():
                return f"{settlement.most} matches{values}"
            case FirstMatch():
                return f"the first match{values}"
            case OnlyPartner():
                return f"the only {settlement.event}{values} (rows only)"
            case RefutingEvent():
                return f"refutation by {self.pattern(settlement.pattern)}{values} (rows only)"
            case _:
                assert_never(settlement)


_COMPARISONS = {"=": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_ARITHMETIC = {"+": "+", "-": "−", "*": "·", "/": "/", "mod": "mod"}

#: Each relation of Allen's between i and j as comparisons; the others are converses of these.
_RELATIONS: Mapping[str, str] = MappingProxyType(
    {
        "before": "{i.end} < {j.begin}",
        "meets": "{i.end} = {j.begin}",
        "overlaps": "{i.begin} < {j.begin} ∧ {j.begin} < {i.end} ∧ {i.end} < {j.end}",
        "starts": "{i.begin} = {j.begin} ∧ {i.end} < {j.end}",
        "during": "{j.begin} < {i.begin} ∧ {i.end} < {j.end}",
        "finishes": "{j.begin} < {i.begin} ∧ {i.end} = {j.end}",
        "equals": "{i.begin} = {j.begin} ∧ {i.end} = {j.end}",
    }
)

WriteTimer = Callable[[TimerQuery], str]


def condition_text(condition: Expression, timer: WriteTimer) -> str:
    """Returns the condition as text; `timer` writes the absolute timers in it."""
    return _text(condition, timer, OR)


def _text(expression: Expression, timer: WriteTimer, level: int) -> str:
    text, own = _bare(expression, timer)
    return text if own >= level else f"({text})"


def _bare(expression: Expression, timer: WriteTimer) -> tuple[str, int]:
    """Returns the text, and how tightly it holds together."""
    match expression:
        case Literal():
            return terms.format_scalar(expression.value), PRIMARY
        case DurationLiteral():
            return format_duration(expression.duration), PRIMARY
        case DateTime():
            return f"datetime({', '.join(terms.format_scalar(text) for text in expression.texts)})", PRIMARY
        case Periodic():
            return timer(expression.timer), PRIMARY
        case Variable():
            return expression.name, PRIMARY
        case EventReference():
            return expression.identifier, PRIMARY
        case Negative():
            return f"−{_text(expression.operand, timer, PRIMARY)}", UNARY
        case Arithmetic():
            sign, own = _ARITHMETIC[expression.operator], ARITHMETIC_LEVELS[expression.operator]
            left, right = _text(expression.left, timer, own), _text(expression.right, timer, own + 1)
            return f"{left} {sign} {right}", own
        case Call():
            arguments = ", ".join(_text(argument, timer, OR) for argument in expression.arguments)
            return f"{expression.function}({arguments})", PRIMARY
        case Aggregate():
            which = "distinct" if expression.distinct else "all"
            return f"{expression.function}({which} {_text(expression.operand, timer, OR)})", PRIMARY
        case Comparison():
            left, right = _text(expression.left, timer, SUM), _text(expression.right, timer, SUM)
            return f"{left} {_COMPARISONS[expression.operator]} {right}", COMPARISON
        case Temporal():
            return _related(expression, timer)
        case Within():
            duration = _text(expression.duration, timer, SUM)
            return f"{_hull(expression.intervals, timer)} ≤ {duration}", COMPARISON
        case InOneWindow():
            intervals = ", ".join(_text(interval, timer, OR) for interval in expression.intervals)
            return f"window {period_text(expression.period)} ⊒ {intervals}", COMPARISON
        case InState():
            event, state = _text(expression.event, timer, SUM), expression.state.identifier
            return f"{event} in {state}", COMPARISON
        case Different():
            return f"{expression.left.identifier} ≢ {expression.right.identifier}", COMPARISON
        case Not():
            return f"¬{_text(expression.operand, timer, PRIMARY)}", NOT
        case And():
            return " ∧ ".join(_text(operand, timer, NOT) for operand in expression.operands), AND
        case Or():
            return " ∨ ".join(_text(operand, timer, AND) for operand in expression.operands), OR
        case _:
            assert_never(expression)


def period_text(period: Period) -> str:
    """Returns `1 hour/30 min`, or `1 hour/30 min@5 min` with another origin than 1970-01-01 at 00:00 UTC."""
    length, slide, origin = (format_duration(Duration(0, part)) for part in period)
    return f"{length}/{slide}" + (f"@{origin}" if period.origin else "")


def _related(condition: Temporal, timer: WriteTimer) -> tuple[str, int]:
    if isinstance(condition.left, Periodic) or isinstance(condition.right, Periodic):
        left, right = _text(condition.left, timer, SUM), _text(condition.right, timer, SUM)
        return f"{left} {condition.relation} {right}", COMPARISON  # some interval of a periodic timer has no name
    i, j, relation = condition.left, condition.right, condition.relation
    if relation not in _RELATIONS:
        i, j, relation = j, i, CONVERSES[relation]
    text = _RELATIONS[relation]
    for name, interval in (("i", i), ("j", j)):
        for edge in ("begin", "end"):
            text = text.replace(f"{{{name}.{edge}}}", _edge(interval, edge, timer))
    return text, AND if "∧" in text else COMPARISON


def _edge(interval: Expression, edge: str, timer: WriteTimer) -> str:
    if isinstance(interval, EventReference):
        return f"{interval.identifier}.{edge}"
    return f"{edge}({_text(interval, timer, OR)})"


def _hull(intervals: tuple[Expression, ...], timer: WriteTimer) -> str:
    begins = [_edge(interval, "begin", timer) for interval in intervals]
    ends = [_edge(interval, "end", timer) for interval in intervals]
    if len(intervals) == 1:
        return f"{ends[0]} − {begins[0]}"
    return f"max{{{', '.join(ends)}}} − min{{{', '.join(begins)}}}"
