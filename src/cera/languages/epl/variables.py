"""Tuple variables: where they may be used, and why not elsewhere (seed 003, Table 1, as rules about the text).

A basic event defines its variable. The variable is known to the events after it in the same sequence, and beyond the
sequence to the same extent; conjunctions hand the variables of all conjuncts on, but not from one conjunct to another;
a star, a disjunction and a negation keep their variables to themselves.

An event without a variable gets one, so that leaving it out does not change what is detected: a detection begins with
the first of its events and has them as causes, and a relaxed sequence combines every occurrence of its parts, and all
of that goes by variables. In a star, a disjunction or a negation a variable would be local, so an event there needs
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.epl.syntax import (
    AnyEvent,
    Basic,
    Conjunction,
    Disjunction,
    Event,
    First,
    Negation,
    Prior,
    RelaxedSequence,
    Rule,
    Sequence,
    Star,
    Within,
    basics,
    parts,
)
from cera.languages.text.nodes import EventType, Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable

#: The path from the event of a rule to an event inside it: each step is an event and the index of its part.
Path = tuple[tuple[Event, int], ...]
Scope = Mapping[str, Basic]


@dataclass(frozen=True)
class _Definition:
    basic: Basic
    variable: Identifier
    path: Path


def check_variables(rule: Rule) -> list[Diagnostic]:
    """Reports variables that are not defined where they are used (EP201, EP202), or defined twice (EP203)."""
    changes = {each.type.name: each.type for each in basics(rule.event) if each.type.kind and each.variable is None}
    checks = _Checks(list(_definitions(rule.event, ())), changes)
    scope = checks.event(rule.event, {}, ())
    for expression in result_expressions(rule):
        checks.expression(expression, scope, ())
    return checks.problems


def visible_outside(event: Event) -> dict[str, Basic]:
    """Returns EVar(event), with the basic event that defines each variable."""
    match event:
        case Basic():
            return {} if event.variable is None else {event.variable.name: event}
        case AnyEvent() | Star() | Disjunction() | Negation():
            return {}
        case Sequence() | RelaxedSequence() | Prior() | Conjunction():
            return {name: basic for part in event.events for name, basic in visible_outside(part).items()}
        case First() | Within():
            return visible_outside(event.event)


def result_expressions(rule: Rule) -> Iterator[Expression]:
    """Yields the expressions in the head and the action of a rule."""
    if rule.head is not None:
        yield from (each.expression for each in rule.head.fields)
    if rule.action is not None:
        yield from rule.action.arguments


def _definitions(event: Event, path: Path) -> Iterator[_Definition]:
    if isinstance(event, Basic) and event.variable is not None:
        yield _Definition(event, event.variable, path)
    for index, part in enumerate(parts(event)):
        yield from _definitions(part, (*path, (event, index)))


@dataclass(frozen=True)
class _Checks:
    definitions: list[_Definition]
    #: The changes without a variable, by their relations.
    changes: Mapping[str, EventType]
    problems: list[Diagnostic] = field(default_factory=list)

    def event(self, event: Event, imported: Scope, path: Path) -> Scope:
        """Checks an event that imports variables; the answer are these and the ones that it exports."""
        match event:
            case Basic():
                known = self._defined(event, imported)
                for condition in event.conditions:
                    self.expression(condition, known, path)
                return known
            case AnyEvent():
                return imported
            case Sequence() | RelaxedSequence():
                for index, part in enumerate(event.events):
                    imported = self.event(part, imported, (*path, (event, index)))
                return imported
            case Conjunction() | Prior():
                exported = dict(imported)
                for index, part in enumerate(event.events):
                    for name, basic in self.event(part, imported, (*path, (event, index))).items():
                        if name in exported and exported[name] is not basic:
                            self._twice(basic, exported[name])
                        exported[name] = basic
                return exported
            case Star() | Negation() | Disjunction():
                for index, part in enumerate(parts(event)):
                    self.event(part, imported, (*path, (event, index)))
                return imported
            case First() | Within():
                return self.event(event.event, imported, (*path, (event, 0)))

    def _defined(self, event: Basic, imported: Scope) -> Scope:
        variable = event.variable
        if variable is None:
            return imported
        if variable.name == "J":
            message = "a variable cannot be called `J`: in the translation J is the stage"
            self.problems.append(Diagnostic("EP203", "error", message, variable.span, "give it another name"))
        if variable.name in imported:
            self._twice(event, imported[variable.name])
        return {**imported, variable.name: event}

    def _twice(self, event: Basic, first: Basic) -> None:
        assert event.variable is not None
        assert first.variable is not None
        name = event.variable.name
        message = f"the variable `{name}` is defined twice"
        hint = "each event has a variable of its own; to relate two events, compare their attributes"
        note = Note(f"`{name}` is defined here first", first.variable.span)
        self.problems.append(Diagnostic("EP203", "error", message, event.variable.span, hint, (note,)))

    def expression(self, expression: Expression, scope: Scope, path: Path) -> None:
        for part in expressions.walk(expression):
            if isinstance(part, Variable):
                name = part.name.partition(".")[0]
                if name not in scope:
                    self._unknown(name, part.span, scope, path)

    def _unknown(self, name: str, span: Span | None, scope: Scope, path: Path) -> None:
        defined = [definition for definition in self.definitions if definition.variable.name == name]
        if not defined:
            hint = did_you_mean(name, scope) or f"an event defines it: update(ACC({name})), A({name})"
            if name in self.changes:
                kind = self.changes[name].kind
                hint = (
                    f"`{kind}({name})` is a change of the relation `{name}`; write `{kind}(ACC({name}))` for a tuple "
                    f'of the relation ACC, `"{kind}"({name})` for an event with the label `{kind}`'
                )
            self.problems.append(Diagnostic("EP201", "error", f"no event defines the variable `{name}`", span, hint))
            return
        why, hint = _why_hidden(defined[0], path)
        note = Note(f"`{name}` is defined here", defined[0].variable.span)
        self.problems.append(Diagnostic("EP202", "error", f"`{name}` is not known here: {why}", span, hint, (note,)))


def _why_hidden(definition: _Definition, place: Path) -> tuple[str, str]:
    """Returns why a variable cannot be seen from a place, and a hint."""
    same = 0
    while same < min(len(definition.path), len(place)) and _same_step(definition.path[same], place[same]):
        same += 1
    own = definition.path[same:]
    apart = own[0][0] if own and same < len(place) and own[0][0] is place[same][0] else None
    inner = own[1:] if apart is not None else own
    for event, _ in reversed(inner):
        match event:
            case Star():
                return (
                    "it belongs to one of the events that `*:` repeats, of which there may be none or many",
                    "use it inside of the `*:` only, or write the event that you mean without `*:`",
                )
            case Negation():
                return (
                    "it belongs to an event that must not happen (`!`)",
                    "use it inside of the `!` only: of what did not happen there is nothing to tell",
                )
            case Disjunction():
                return (
                    "it belongs to a branch of `{…}`, and another branch may be the one that happened",
                    "use it inside of its branch only, or write a rule for each branch",
                )
            case _:
                pass
    match apart:
        case Disjunction():
            return "it belongs to another branch of `{…}`", "give each branch the conditions that it needs"
        case Conjunction() | Prior():
            return (
                "the parts of `&` and `prior` are recognised independently of each other",
                "compare in an event that follows, or use a sequence: in `[E1, E2]` E2 knows the variables of E1",
            )
        case _:
            return "its event comes later", "a condition can speak of its own event and of those before it"


def _same_step(one: tuple[Event, int], other: tuple[Event, int]) -> bool:
    return one[0] is other[0] and one[1] == other[1]


#: The stage variable of the translation.
_RESERVED = frozenset({"J", "_"})


def with_variables(rule: Rule) -> Rule:
    """Returns the rule with a variable for each event that others can see: `(A, A)` is `(A(A), A(A_2))`."""
    event = _Namer(rule.event).event(rule.event)
    return rule if event == rule.event else replace(rule, event=event)


class _Namer:
    """A namer of the events that have no variable."""

    def __init__(self, event: Event) -> None:
        self._taken = _RESERVED | {each.variable.name for each in basics(event) if each.variable is not None}

    def event(self, event: Event) -> Event:
        match event:
            case Basic():
                return event if event.variable is not None else replace(event, variable=self._fresh(event))
            case AnyEvent() | Star() | Disjunction() | Negation():
                return event
            case Sequence() | RelaxedSequence() | Prior() | Conjunction():
                return replace(event, events=tuple(map(self.event, event.events)))
            case First() | Within():
                return replace(event, event=self.event(event.event))

    def _fresh(self, event: Basic) -> Identifier:
        """Returns a variable named after the label or the relation, with a number where that is taken."""
        plain = re.sub(r"\W", "_", event.type.name)
        candidates = (plain, *(f"{plain}_{number}" for number in range(2, len(self._taken) + 3)))
        name = next(each for each in candidates if each not in self._taken)
        self._taken |= {name}
        return Identifier(name, event.span)
