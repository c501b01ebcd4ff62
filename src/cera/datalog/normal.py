"""Rules as the incremental evaluator takes them.

When the facts of a stage are derived, an atom is about that stage (`new`), the one before it (`old`), or about none
(`always`). An argument is a variable, a constant or `_`; what is computed in a body, `p(N + 1, J)`, becomes a variable
and the condition that it equals N + 1; under `not` it stays what it is.

Copy rules (seed 003, section 3.3), `sat_6(X, V, J) <- sat_5(X, V, J).`, are left out. A predicate that has one rule and
no facts besides those of another predicate is only another name for it. Rules ask for the other one instead, so that
copies cost nothing, however many facts stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
class ComputedTerm:
    """An argument under `not` that is neither a variable nor a constant."""

    expression: Expression


#: None is `_`.
Term = str | Constant | ComputedTerm | None


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
    """Normalised rule: `outputs` are the arguments of the head; the number identifies the rule."""

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
                return ComputedTerm(argument)
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


def without_copies(rules: Sequence[NormalRule]) -> tuple[list[NormalRule], dict[str, str]]:
    """Returns the rules without copy rules, and the original of each predicate that was a copy."""
    counts: dict[str, int] = {}
    for rule in rules:
        counts[rule.predicate] = counts.get(rule.predicate, 0) + 1
    copied = {r.predicate: r.positive[0].predicate for r in rules if counts[r.predicate] == 1 and _is_copy(r)}
    originals: dict[str, str] = {}
    for name in copied:
        original, seen = copied[name], {name}
        while original in copied and original not in originals and original not in seen:
            seen.add(original)
            original = copied[original]
        if original not in seen:
            originals |= dict.fromkeys(seen, originals.get(original, original))
    return [_renamed(rule, originals) for rule in rules if rule.predicate not in originals], originals


def _is_copy(rule: NormalRule) -> bool:
    names = tuple(v.name for v in rule.outputs if isinstance(v, Variable) and "." not in v.name)
    return (
        rule.when == "every"
        and len(rule.positive) == 1
        and not rule.negative
        and not rule.conditions
        and rule.positive[0].moment == "new"
        and rule.positive[0].terms == names
        and len(set(names)) == len(rule.outputs)
    )


def _renamed(rule: NormalRule, originals: dict[str, str]) -> NormalRule:
    def renamed(atom: NormalAtom) -> NormalAtom:
        return replace(atom, predicate=originals.get(atom.predicate, atom.predicate))

    return replace(rule, positive=tuple(map(renamed, rule.positive)), negative=tuple(map(renamed, rule.negative)))
