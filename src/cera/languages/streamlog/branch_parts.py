"""What the branches of a rule share, and a branch while it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cera.diagnostics import Diagnostic, Span
from cera.languages.atoms.syntax import Kind
from cera.languages.streamlog.syntax import EvaluationTime, Leaf, Literal, Rule, TimerLiteral, WindowLiteral
from cera.model.expressions.expression import DateTime, Expression, rebuild
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeError, parse_datetime


@dataclass
class RuleContext:
    """What the branches of a rule share."""

    kinds: dict[str, Kind]
    relations: set[str]
    origin: int
    timezone: str
    time: EvaluationTime | None
    source: Rule
    problems: list[Diagnostic]
    refused: bool = False

    def refuse(self, code: str, message: str, span: Span | None, hint: str) -> None:
        self.refused = True
        problem = Diagnostic(code, "error", message, span or self.source.span, hint)
        if problem not in self.problems:  # of a body that is lowered twice
            self.problems.append(problem)

    def texts_read(self, expression: Expression) -> Expression:
        """Returns an expression with its texts of times read."""
        match expression:
            case DateTime(texts=texts):
                try:
                    intervals = [parse_datetime(text, self.timezone) for text in texts]
                except (TimeError, ValueError) as error:
                    self.problems.append(Diagnostic("SL001", "error", str(error), expression.span))
                    return expression
                begin, end = intervals[0].begin, intervals[-1].end
                if end < begin:
                    message = f"the interval ends ({texts[-1]}) before it begins ({texts[0]})"
                    self.problems.append(Diagnostic("SL003", "error", message, expression.span, "exchange the two"))
                    return expression
                return replace(expression, interval=Interval(begin, end))
            case _:
                return rebuild(expression, self.texts_read)


def declared_identifiers(leaves: Iterable[Leaf], time: EvaluationTime | None) -> Iterator[str]:
    """Yields the identifiers that a rule declares, wherever."""
    for leaf in (*leaves, time):
        match leaf:
            case Literal() | TimerLiteral() | WindowLiteral():
                if leaf.identifier is not None:
                    yield leaf.identifier.name
                if isinstance(leaf, Literal) and leaf.time is not None:
                    yield from declared_identifiers((), leaf.time)
                if isinstance(leaf, TimerLiteral) and isinstance(leaf.timer.anchor, Literal):
                    yield from declared_identifiers((leaf.timer.anchor,), None)
            case _:
                pass
