"""From the syntax tree to normalised rules.

Lowering gives every rule and every event query a name, writes each body in disjunctive form, reads the texts of
`datetime("…")` in the time zone of the run, and looks at what only the syntax tree can tell: directives, calendars and
the scopes of event identifiers. What is wrong with the rules themselves is found by `cera.rules.checks.check`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from cera.diagnostics import Diagnostic, Span, did_you_mean
from cera.languages.xchangeeq.body_limits import MAX_BRANCHES, check_branch, count_branches, too_many_branches
from cera.languages.xchangeeq.directives import chosen_semantics, declared_relations, declared_sources
from cera.languages.xchangeeq.names import Names, check_scopes, identifier_names, plain_label, rule_name
from cera.languages.xchangeeq.state_literals import check_states, labelled
from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    Conjunction,
    Disjunction,
    EventLiteral,
    Identifier,
    Literal,
    ProgramSyntax,
    Query,
    RaiseHead,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    StateLiteral,
    WhileLiteral,
)
from cera.model.calendars.calendar_files import Calendar, check_timer
from cera.model.events.event import Recipient
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import And, DateTime, Expression, Periodic, TimerQuery, rebuild
from cera.model.time.interval import Interval
from cera.model.time.time_text import parse_datetime
from cera.rules.rule import (
    AbsoluteTimer,
    Accumulation,
    Branch,
    EventQuery,
    RelationQuery,
    RelativeTimer,
    Rule,
    RuleProgram,
    Semantics,
)
from cera.rules.states import StateQuery, with_states


@dataclass(frozen=True)
class _OfStates:
    """An accumulation whose pattern asks for states."""

    accumulation: Accumulation


Lowered = EventQuery | StateQuery | AbsoluteTimer | RelativeTimer | Accumulation | RelationQuery | _OfStates


def lower(
    files: Sequence[ProgramSyntax],
    *,
    calendars: Sequence[Calendar],
    timezone: str,
    semantics: Semantics | None,
) -> tuple[RuleProgram, tuple[Diagnostic, ...]]:
    """Lowers the files to one program. An explicit `semantics` wins over what the files ask for."""
    asked, problems = chosen_semantics(files)
    sources, wrong_sources = declared_sources(files)
    problems += wrong_sources
    relations, wrong_relations = declared_relations(files)
    problems += wrong_relations
    lowering = _Lowering(tuple(calendars), timezone, problems)
    names = Names("#")
    program = RuleProgram(
        tuple(lowering.rule(rule, names.fresh(rule_name(rule))) for file in files for rule in file.rules),
        semantics or asked or "practical",
        sources,
        tuple(calendars),
        relations,
    )
    return program, tuple(problems)


@dataclass(frozen=True)
class _Alternative:
    """One conjunction of the disjunctive form."""

    literals: tuple[Lowered, ...] = ()
    conditions: tuple[Expression, ...] = ()

    def where(self, conditions: tuple[Expression, ...]) -> _Alternative:
        return replace(self, conditions=self.conditions + conditions) if conditions else self

    def branch(self, head: Construct) -> Branch:
        accumulations = _of_type(Accumulation, self.literals)
        branch = Branch(
            _of_type(EventQuery, self.literals),
            _of_type(AbsoluteTimer, self.literals),
            _of_type(RelativeTimer, self.literals),
            tuple(a for a in accumulations if not a.negated),
            tuple(a for a in accumulations if a.negated),
            self.conditions,
            relations=_of_type(RelationQuery, self.literals),
        )
        elements = tuple(part.accumulation for part in _of_type(_OfStates, self.literals))
        return with_states(branch, _of_type(StateQuery, self.literals), elements, head)


@dataclass(frozen=True)
class _Lowering:
    """Lowering of rules; `problems` are the diagnostics so far."""

    calendars: tuple[Calendar, ...]
    timezone: str
    problems: list[Diagnostic]

    def rule(self, rule: RuleSyntax, name: str) -> Rule:
        self.problems.extend(check_scopes(rule))
        count = count_branches(rule.query)
        if count > MAX_BRANCHES:
            self.problems.append(too_many_branches(rule, name, count))
        self.problems.extend(check_states(rule))
        head = rule.head
        alternatives = self._alternatives(rule.query, identifier_names(rule.query), pruned=count > MAX_BRANCHES)
        branches = tuple(alternative.branch(head.construct) for alternative in alternatives)
        if count <= MAX_BRANCHES:
            problems = (problem for branch in branches for problem in check_branch(rule, name, branch))
            self.problems.extend(itertools.islice(problems, 1))
        return Rule(
            name,
            self._construct(head.construct),
            branches,
            Recipient(head.recipient, head.transport) if isinstance(head, RaiseHead) else None,
            rule.span,
        )

    def _alternatives(self, query: Query, names: Names, *, pruned: bool) -> list[_Alternative]:
        """Returns the disjunctive form of a query; when `pruned`, one alternative that stands for the too many."""
        match query:
            case Conjunction():
                parts = [self._alternatives(part, names, pruned=pruned) for part in query.queries]
                found = [_together(choice) for choice in itertools.product(*parts)]
            case Disjunction():
                found = [a for part in query.queries for a in self._alternatives(part, names, pruned=pruned)]
                found = found[:1] if pruned else found
            case _:
                return [self._literal(query, names)]
        conditions = self._conditions(query.conditions)
        return [alternative.where(conditions) for alternative in found]

    def _literal(self, literal: Literal, names: Names) -> _Alternative:
        match literal:
            case EventLiteral():
                name, anonymous = _name(literal.identifier, plain_label(literal.pattern) or "event", names)
                query = EventQuery(name, literal.pattern, anonymous, literal.span)
                return _Alternative((query,), self._conditions(literal.conditions))
            case StateLiteral():
                name, anonymous = _name(literal.identifier, plain_label(literal.pattern) or "state", names)
                state = StateQuery(name, labelled(literal.pattern), anonymous, literal.span)
                return _Alternative((state,), self._conditions(literal.conditions))
            case AbsoluteTimerLiteral():
                name, anonymous = _name(literal.identifier, "timer", names)
                self._check_timer(literal.timer, literal.timer.pattern.span or literal.span)
                absolute = AbsoluteTimer(name, literal.timer, anonymous, literal.span)
                return _Alternative((absolute,), self._conditions(literal.conditions))
            case RelativeTimerLiteral():
                name, anonymous = _name(literal.identifier, "timer", names)
                anchor = literal.anchor.name
                relative = RelativeTimer(name, literal.kind, anchor, literal.duration, anonymous, literal.span)
                return _Alternative((relative,))
            case RelationLiteral():
                name, anonymous = _name(literal.identifier, plain_label(literal.pattern) or "relation", names)
                rows = RelationQuery(name, literal.pattern, anonymous, literal.span)
                return _Alternative((rows,), self._conditions(literal.conditions))
            case WhileLiteral():
                conditions = self._conditions(literal.conditions)
                window = literal.window.name
                pattern = labelled(literal.pattern) if literal.of_states else literal.pattern
                accumulation = Accumulation(window, pattern, literal.negated, conditions, literal.span)
                return _Alternative((_OfStates(accumulation) if literal.of_states else accumulation,))

    def _conditions(self, conditions: Iterable[Expression]) -> tuple[Expression, ...]:
        return tuple(self._expression(part) for condition in conditions for part in _conjuncts(condition))

    def _expression(self, expression: Expression) -> Expression:
        match expression:
            case DateTime():
                return replace(expression, interval=self._interval(expression))
            case Periodic():
                self._check_timer(expression.timer, expression.span)
                return expression
            case _:
                return rebuild(expression, self._expression)

    def _construct(self, construct: Construct) -> Construct:
        match construct:
            case ConstructTerm():
                return replace(construct, children=tuple(self._construct(child) for child in construct.children))
            case ConstructValue():
                return replace(construct, expression=self._expression(construct.expression))
            case All():
                keys = tuple(replace(key, expression=self._expression(key.expression)) for key in construct.order_by)
                return replace(construct, construct=self._construct(construct.construct), order_by=keys)
            case OptionalConstruct():
                default = None if construct.default is None else self._construct(construct.default)
                return replace(construct, construct=self._construct(construct.construct), default=default)

    def _interval(self, expression: DateTime) -> Interval | None:
        try:
            intervals = [parse_datetime(text, self.timezone) for text in expression.texts]
        except ValueError as error:
            self.problems.append(Diagnostic("XC004", "error", str(error), expression.span))
            return None
        begin, end = intervals[0].begin, intervals[-1].end
        if begin <= end:
            return Interval(begin, end)
        message = f"the interval ends ({expression.texts[-1]}) before it begins ({expression.texts[0]})"
        self.problems.append(Diagnostic("XC004", "error", message, expression.span, "exchange the two"))
        return None

    def _check_timer(self, timer: TimerQuery, span: Span | None) -> None:
        known = ("datetime", *(calendar.name for calendar in self.calendars))
        if timer.name not in known:
            hint = did_you_mean(timer.name, known) or 'name the file that has it: CALENDARS "calendars.toml"'
            message = f"there is no calendar `{timer.name}`"
            self.problems.append(Diagnostic("XC106", "error", message, span, hint))
            return
        for problem in check_timer(timer, self.calendars):
            self.problems.append(Diagnostic("XC107", "error", problem, span))


T = TypeVar("T")


def _of_type(kind: type[T], literals: Iterable[Lowered]) -> tuple[T, ...]:
    return tuple(literal for literal in literals if isinstance(literal, kind))


def _together(choice: Iterable[_Alternative]) -> _Alternative:
    parts = list(choice)
    return _Alternative(
        tuple(literal for part in parts for literal in part.literals),
        tuple(condition for part in parts for condition in part.conditions),
    )


def _conjuncts(condition: Expression) -> Iterable[Expression]:
    if not isinstance(condition, And):
        return (condition,)
    return itertools.chain.from_iterable(_conjuncts(operand) for operand in condition.operands)


def _name(identifier: Identifier | None, otherwise: str, names: Names) -> tuple[str, bool]:
    """Returns the identifier of a literal, and whether it was left out in the text."""
    return (names.fresh(otherwise), True) if identifier is None else (identifier.name, False)
