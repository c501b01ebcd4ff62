"""Texts of times in conditions and windows, read: `b(i) >= datetime("2026-01-01")`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cera.constraints.clause import Clause
from cera.constraints.queries import Part, WindowLiteral
from cera.diagnostics import Diagnostic
from cera.model.expressions.atoms import Between
from cera.model.expressions.expression import Comparison, DateTime, Expression, Temporal, rebuild
from cera.model.time.clock import TimeError
from cera.model.time.interval import Interval
from cera.model.time.time_text import parse_datetime


@dataclass
class _Reader:
    timezone: str
    #: By what is wrong and where: the parts of a constraint are in several clauses.
    problems: dict[tuple[object, ...], Diagnostic] = field(default_factory=dict)

    def clause(self, clause: Clause) -> Clause:
        definitions = (replace(each, bodies=tuple(map(self.parts, each.bodies))) for each in clause.definitions)
        head = tuple(map(self.parts, clause.head))
        return replace(clause, head=head, body=self.parts(clause.body), definitions=tuple(definitions))

    def parts(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        return tuple(map(self._part, parts))

    def _part(self, part: Part) -> Part:
        match part:
            case Comparison() | Temporal():
                found = self._expression(part)
                assert isinstance(found, Comparison | Temporal)
                return found
            case WindowLiteral(window=Between() as window):
                bounds = replace(window, begin=self._expression(window.begin), end=self._expression(window.end))
                return part if bounds == window else replace(part, window=bounds)
            case _:
                return part

    def _expression(self, expression: Expression) -> Expression:
        if not isinstance(expression, DateTime):
            return rebuild(expression, self._expression)
        try:
            intervals = [parse_datetime(text, self.timezone) for text in expression.texts]
        except (TimeError, ValueError) as error:
            return self._wrong(expression, "EC003", str(error))
        begin, end = intervals[0].begin, intervals[-1].end
        if begin > end:
            texts = expression.texts
            message = f"the interval ends ({texts[-1]}) before it begins ({texts[0]})"
            return self._wrong(expression, "EC305", message, "exchange the two")
        return replace(expression, interval=Interval(begin, end))

    def _wrong(self, expression: Expression, code: str, message: str, hint: str | None = None) -> Expression:
        found = Diagnostic(code, "error", message, expression.span, hint)
        self.problems[code, message, expression.span] = found
        return expression


def with_dates(clauses: Sequence[Clause], timezone: str) -> tuple[tuple[Clause, ...], list[Diagnostic]]:
    """Returns clauses whose texts of times are read in a time zone, and errors for those that are not times."""
    reader = _Reader(timezone)
    found = tuple(map(reader.clause, clauses))
    return found, list(reader.problems.values())
