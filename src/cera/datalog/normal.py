"""Rules as the incremental evaluator takes them.

When the facts of a stage are derived, an atom is about that stage (`new`), the one before it (`old`), or about none
(`always`). An argument is a variable, a constant or `_`; what is computed in a body, `p(N + 1, J)`, becomes a variable
and the condition that it equals N + 1; under `not` it stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cera.datalog.stratification import xy_stage
from cera.datalog.syntax import Anonymous, Argument, Atom, J, Not, Program, Rule
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Comparison, Expression, Variable
from cera.modules.tuples import Cell, cell_of

Moment = Literal["new", "old", "always"]

#: The stages that a rule is for: all, all but stage 0, one of them, or those of a head without a stage.
When = Literal["every", "later", "always"] | int


@dataclass(frozen=True)
class Constant:
    cell: Cell


@dataclass(frozen=True)
class Computed:
    """An argument under `not` that is neither a variable nor a constant."""

    expression: Expression


#: None is `_`.
Term = str | Constant | Computed | None


@dataclass(frozen=True)
class NormalAtom:
    predicate: str
    terms: tuple[Term, ...]
    moment: Moment

    @property
    def names(self) -> frozenset[str]:
        return frozenset(term for term in self.terms if isinstance(term, str))


@dataclass(frozen=True)
class NormalRule:
    """`outputs` are the arguments of the head; the number tells the rule apart from all others."""

    number: int
    predicate: str
    outputs: tuple[Expression, ...]
    positive: tuple[NormalAtom, ...]
    negative: tuple[NormalAtom, ...]
    conditions: tuple[Expression, ...]
    when: When

    @property
    def atoms(self) -> tuple[NormalAtom, ...]:
        return self.positive + self.negative


def normal_rules(program: Program) -> Iterator[NormalRule]:
    return (_normal(number, rule) for number, rule in enumerate(program.rules))


def _normal(number: int, rule: Rule) -> NormalRule:
    moments = xy_stage(rule)
    computed: list[Expression] = []

    def term(argument: Argument, positive: bool) -> Term:
        match argument:
            case Anonymous():
                return None
            case expressions.Literal():
                cell = cell_of(argument.value)
                assert cell is not None, "a constant has a value"
                return Constant(cell)
            case Variable() if "." not in argument.name:
                return argument.name
            case _ if not positive:
                return Computed(argument)
            case _:
                name = f"?{len(computed)}"
                computed.append(Comparison("=", Variable(name), argument))
                return name

    def atom(source: Atom, positive: bool) -> NormalAtom:
        moment: Moment = "always" if source.stage is None else "old" if moments[source.stage] == "old" else "new"
        return NormalAtom(source.predicate, tuple(term(a, positive) for a in source.arguments), moment)

    positive = tuple(atom(part, True) for part in rule.body if isinstance(part, Atom))
    negative = tuple(atom(part.atom, False) for part in rule.body if isinstance(part, Not))
    conditions = [part for part in rule.body if not isinstance(part, Atom | Not)]
    outputs = tuple(argument for argument in rule.head.arguments if not isinstance(argument, Anonymous))
    return NormalRule(number, rule.head.predicate, outputs, positive, negative, (*conditions, *computed), _when(rule))


def _when(rule: Rule) -> When:
    stage = rule.head.stage
    if stage is None:
        return "always"
    return "every" if stage is J else stage if isinstance(stage, int) else "later"
