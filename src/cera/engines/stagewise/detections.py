"""Facts as derived events: what a rule's head or action tells, with the events that its variables stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from cera.datalog.modules import EventModule, Output
from cera.datalog.tuples import EventTuple, Row, argument_value
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events import detection as model
from cera.model.events.answer_limits import too_many
from cera.model.events.event import Derivation, Event
from cera.model.expressions.expression import Variable
from cera.model.terms.term import Term, TermError, Value
from cera.model.time.interval import Time


class Detection(model.Detection):
    """An event with all facts that tell of it."""

    __slots__ = ("facts",)

    def __init__(self, term: Term, begin: Time, end: Time) -> None:
        super().__init__(term, begin, end)
        self.facts: list[tuple[Output, Row]] = []

    def derivations(self) -> Iterator[Derivation]:
        return (Derivation(output.rule, causes(output, row)) for output, row in self.facts)


def causes(output: Output, row: Row) -> dict[str, Event]:
    """The events of a fact by the names of its variables."""
    pairs = zip(output.variables, row, strict=True)
    return {name: cell.event.event for name, cell in pairs if isinstance(cell, EventTuple)}


class Heads:
    """Makes detections of the facts of a module."""

    def __init__(self, module: EventModule, evaluator: Evaluator) -> None:
        self._outputs = module.outputs
        self._limit = module.limit
        self._evaluator = evaluator

    def detections(self, stages: Sequence[Mapping[str, Collection[Row]]], now: Time) -> list[Detection]:
        """What is detected at the stages of one time; equal events are one."""
        found: dict[tuple[Time, Term], Detection] = {}
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
                        found.setdefault((begin, term), Detection(term, begin, now)).facts.append((output, row))
        return list(found.values())

    def _term(self, output: Output, row: Row) -> Term | None:
        bound = dict(zip(output.variables, row, strict=True))
        try:
            return Term(output.label, self._children(output, bound))
        except TermError:  # too large: undefined, as in the heads of other languages
            self._evaluator.undefined += 1
            return None

    def _children(self, output: Output, bound: Mapping[str, Any]) -> Iterator[Term]:
        """A field without a value is an absent child."""
        for name, expression in output.fields:
            if isinstance(expression, Variable) and isinstance(tuple_ := bound.get(expression.name), EventTuple):
                yield Term(name, [field(each, value) for each, value in tuple_.fields.items()])
                continue
            value = argument_value(expression, bound, self._evaluator)
            if value is not None:
                yield field(name, value)


def field(name: str, value: Value) -> Term:
    """A child with a value; a structured attribute is given on with its own children."""
    return Term(name, value.children, ordered=value.ordered) if isinstance(value, Term) else Term(name, [value])
