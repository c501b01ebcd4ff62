"""Facts as derived events, with the events that the variables of a rule's head or action stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from cera.datalog.arguments import argument_value
from cera.datalog.modules import EventModule
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.answer_limits import too_many
from cera.model.expressions.expression import Variable
from cera.model.terms.term import Term, TermError, record_child
from cera.model.time.interval import Time
from cera.modules.detection import TermDetection, Way
from cera.modules.monitoring import Output
from cera.modules.tuples import EventTuple, Row


class FactDetection(TermDetection):
    """An event with all facts that stand for it."""

    __slots__ = ("facts",)

    def __init__(self, term: Term, begin: Time, end: Time) -> None:
        super().__init__(term, begin, end)
        self.facts: list[tuple[Output, Row]] = []

    def ways(self) -> Iterator[Way]:
        for output, row in self.facts:
            cells = zip(output.variables, row, strict=True)
            yield output.rule, [(name, cell.event) for name, cell in cells if isinstance(cell, EventTuple)]


class Heads:
    """The heads of a module, which make detections of its facts."""

    def __init__(self, module: EventModule, evaluator: Evaluator) -> None:
        self._outputs = module.outputs
        self._limit = module.limit
        self._evaluator = evaluator

    def detections(self, stages: Sequence[Mapping[str, Collection[Row]]], now: Time) -> list[FactDetection]:
        """Returns the detections at the stages of one time; equal events are one."""
        found: dict[tuple[Time, Term], FactDetection] = {}
        for facts in stages:
            for output in self._outputs:
                rows = facts.get(output.predicate, ())
                if len(rows) > self._limit:
                    remedy = "Let a condition, a partition, `within` or the recent context leave fewer of them"
                    raise too_many(f"the rule `{output.rule}`", self._limit, "", remedy)
                for row in rows:
                    term = self._term(output, row)
                    if term is not None:
                        begin = min((cell.begin for cell in row if isinstance(cell, EventTuple)), default=now)
                        found.setdefault((begin, term), FactDetection(term, begin, now)).facts.append((output, row))
        return list(found.values())

    def _term(self, output: Output, row: Row) -> Term | None:
        bound = dict(zip(output.variables, row, strict=True))
        try:
            return Term(output.label, self._children(output, bound))
        except TermError:  # too large: undefined, as in the heads of other languages
            self._evaluator.undefined += 1
            return None

    def _children(self, output: Output, bound: Mapping[str, Any]) -> Iterator[Term]:
        """Yields the children of an event; a field without a value is absent."""
        for name, expression in output.fields:
            if isinstance(expression, Variable) and isinstance(tuple_ := bound.get(expression.name), EventTuple):
                yield Term(name, [record_child(each, value) for each, value in tuple_.fields.items()])
                continue
            value = argument_value(expression, bound, self._evaluator)
            if value is not None:
                yield record_child(name, value)
