"""Rules with other names for their variables and identifiers, as another language allows them.

Aggregates fold the matches of one event in the order of their substitutions, which compare by the names of variables.
New names therefore keep the order of the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from cera.model.expressions import constructs
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import (
    Aggregate,
    DateTime,
    EventReference,
    Expression,
    Periodic,
    TimerQuery,
    Variable,
    rebuild,
)
from cera.model.matching import patterns
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.rules.rule import BoundedWindow, Window
from cera.rules.written import WrittenAccumulation, WrittenBranch, WrittenRule

#: The aggregates whose value may depend on the order of matches; sums of fractions are rounded at each step.
_FOLDING = ("sum", "avg", "first", "last")


def variables_of(rule: WrittenRule) -> frozenset[str]:
    """Returns every variable of a rule."""
    found = set(constructs.variables(rule.head))
    for branch in rule.branches:
        found.update(*(patterns.variables(pattern) for pattern in branch.patterns()))
        conditions = (*branch.conditions, *branch.inner_conditions())
        found.update(*(expressions.variables(condition) for condition in conditions))
    return frozenset(found)


def names_in_order(
    names: Iterable[str], wish: Callable[[str], str], seen_as: Callable[[str, str], str] = lambda _, new: new
) -> dict[str, str]:
    """Returns a new name for each name, the one wished for where that keeps the order.

    `seen_as` gives the name that counts for the order, of the old name and the new one.
    """
    found: dict[str, str] = {}
    before = ""
    for name in sorted(names):
        new = wish(name)
        candidates = (new, f"_{new}", f"{before.rstrip('#')}_{new}")
        free = (each for each in candidates if each not in found.values() and seen_as(name, each) > before)
        found[name] = next(free)
        before = seen_as(name, found[name])
    return found


def is_order_sensitive(rule: WrittenRule) -> bool:
    """Returns whether the order in which matches are folded can be seen in what a rule derives."""
    values = (value for part in constructs.walk(rule.head) for value in constructs.own_expressions(part))
    parts = (part for value in values for part in expressions.walk(value))
    folding = any(isinstance(part, Aggregate) and part.function in _FOLDING for part in parts)
    return folding or any(isinstance(part, All) for part in constructs.walk(rule.head))


def renamed(rule: WrittenRule, variables: Mapping[str, str], identifiers: Mapping[str, str]) -> WrittenRule:
    """Returns the rule with new names; what the mappings lack keeps its own. Texts of times are only texts again."""
    naming = _Naming(variables, identifiers)
    branches = tuple(map(naming.branch, rule.branches))
    return replace(rule, head=naming.construct(rule.head), branches=branches)


class _Naming:
    def __init__(self, variables: Mapping[str, str], identifiers: Mapping[str, str]) -> None:
        self._variables, self._identifiers = variables, identifiers

    def variable(self, name: str) -> str:
        return self._variables.get(name, name)

    def identifier(self, name: str) -> str:
        return self._identifiers.get(name, name)

    def branch(self, branch: WrittenBranch) -> WrittenBranch:
        return replace(
            branch,
            events=tuple(
                replace(each, identifier=self.identifier(each.identifier), pattern=self.pattern(each.pattern))
                for each in branch.events
            ),
            states=tuple(
                replace(each, identifier=self.identifier(each.identifier), pattern=self._term(each.pattern))
                for each in branch.states
            ),
            relations=tuple(
                replace(each, identifier=self.identifier(each.identifier), pattern=self.pattern(each.pattern))
                for each in branch.relations
            ),
            absolute_timers=tuple(
                replace(each, identifier=self.identifier(each.identifier), timer=self._timer(each.timer))
                for each in branch.absolute_timers
            ),
            relative_timers=tuple(
                replace(each, identifier=self.identifier(each.identifier), anchor=self.identifier(each.anchor))
                for each in branch.relative_timers
            ),
            collections=tuple(map(self._accumulation, branch.collections)),
            absences=tuple(map(self._accumulation, branch.absences)),
            conditions=tuple(map(self.expression, branch.conditions)),
            windows=tuple(map(self._window, branch.windows)),
            gathered=tuple(map(self.identifier, branch.gathered)),
            forgotten=frozenset(map(self.variable, branch.forgotten)),
            ended=frozenset(map(self.identifier, branch.ended)),
        )

    def _window(self, window: Window) -> Window:
        name = self.identifier(window.identifier)
        if isinstance(window, BoundedWindow):
            return replace(window, identifier=name, bounds=window.bounds.renamed(self.identifier))
        return replace(window, identifier=name, over=tuple(map(self.identifier, window.over)))

    def _accumulation(self, part: WrittenAccumulation) -> WrittenAccumulation:
        return replace(
            part,
            window=self.identifier(part.window),
            pattern=self.pattern(part.pattern),
            conditions=tuple(map(self.expression, part.conditions)),
        )

    def _timer(self, timer: TimerQuery) -> TimerQuery:
        return replace(timer, pattern=self._term(timer.pattern))

    def _term(self, pattern: TermPattern) -> TermPattern:
        return replace(pattern, children=tuple(map(self.pattern, pattern.children)))

    def pattern(self, pattern: Pattern) -> Pattern:
        match pattern:
            case TermPattern():
                return self._term(pattern)
            case ScalarPattern() | RegexPattern():
                return pattern
            case VariablePattern():
                inner = None if pattern.pattern is None else self.pattern(pattern.pattern)
                return replace(pattern, name=self.variable(pattern.name), pattern=inner)
            case Descendant() | Without() | OptionalPattern():
                return replace(pattern, pattern=self.pattern(pattern.pattern))

    def expression(self, expression: Expression) -> Expression:
        match expression:
            case Variable():
                return replace(expression, name=self.variable(expression.name))
            case EventReference():
                return replace(expression, identifier=self.identifier(expression.identifier))
            case Periodic():
                return replace(expression, timer=self._timer(expression.timer))
            case DateTime():
                return replace(expression, interval=None)
            case _:
                return rebuild(expression, self.expression)

    def construct(self, construct: Construct) -> Construct:
        match construct:
            case ConstructTerm():
                return replace(construct, children=tuple(map(self.construct, construct.children)))
            case ConstructValue():
                return replace(construct, expression=self.expression(construct.expression))
            case All():
                keys = tuple(replace(key, expression=self.expression(key.expression)) for key in construct.order_by)
                grouped = tuple(map(self.variable, construct.group_by))
                return replace(
                    construct, construct=self.construct(construct.construct), group_by=grouped, order_by=keys
                )
            case OptionalConstruct():
                default = None if construct.default is None else self.construct(construct.default)
                return replace(construct, construct=self.construct(construct.construct), default=default)
