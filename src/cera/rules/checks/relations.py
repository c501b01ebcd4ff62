"""Queries of relations compared with their declarations: XC114, XC115, XC117, XC118."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean, notation
from cera.model.matching.patterns import OptionalPattern, Pattern, TermPattern, VariablePattern, Without
from cera.rules.analysis.attribute_kinds import expected_row_kinds
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.declarations import Attribute, RelationDeclaration
from cera.rules.reasoning.quotation import listed
from cera.rules.reasoning.value_kinds import BOOLEAN, NUMBER, STRING, Kinds
from cera.rules.rule import Branch, EventQuery, RelationQuery, RuleProgram, relation_name

_KINDS: Mapping[str, Kinds] = {"string": STRING, "number": NUMBER, "boolean": BOOLEAN}
_NAMES: Mapping[str, str] = {"string": "a string", "number": "a number", "boolean": "a truth value"}


def check_relations(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC114: no such relation. XC115: no such attribute. XC117: a relation that is asked for or derived as events."""
    for rule in program.rules:
        for branch in rule.branches:
            for query in branch.relations:
                yield from _of_query(query, program)
            yield from _as_events(branch, program)
        declared = program.relation(head_label(rule.head) or "")
        if declared is not None:
            message = f"rule `{rule.name}` derives events with the name of the relation `{declared.name}`"
            yield _both(message, rule.head.span or rule.span, "rename one of them", declared)
    for source in program.declared or ():
        declared = program.relation(source.label)
        if declared is not None:
            message = f"`{source.label}` is declared as events that come from outside and as a relation"
            yield _both(message, source.span, "keep one of the declarations, or rename one", declared)


def _of_query(query: RelationQuery, program: RuleProgram) -> Iterator[Diagnostic]:
    span = query.pattern.span or query.span
    name = relation_name(query.pattern)
    if name is None:
        message = "a query of a relation begins with the name of the relation"
        yield Diagnostic("XC114", "error", message, span, "write for example `relation r: ventilation{{ … }}`")
        return
    declared = program.relation(name)
    if declared is None:
        hint = did_you_mean(name, [relation.name for relation in program.relations])
        hint = hint or f'declare it: RELATION {name} FROM "{name}.csv"'
        yield Diagnostic("XC114", "error", f"there is no relation `{name}`", span, hint)
    elif declared.attributes is not None:
        yield from _of_attributes(query.pattern, declared, declared.attributes)


def _of_attributes(
    pattern: Pattern, declared: RelationDeclaration, attributes: tuple[Attribute, ...]
) -> Iterator[Diagnostic]:
    for child in pattern.children if isinstance(pattern, TermPattern) else ():
        term = child
        while isinstance(term, Without | OptionalPattern) or (isinstance(term, VariablePattern) and term.pattern):
            assert term.pattern is not None
            term = term.pattern
        if not isinstance(term, TermPattern) or not isinstance(term.label, str):
            continue
        names = [attribute.name for attribute in attributes]
        if term.label not in names:
            there = f"there are {listed([f'`{name}`' for name in names])}" if names else "it has none"
            message = f"`{term.label}` is not an attribute of the relation `{declared.name}`"
            hint = did_you_mean(term.label, names) or there
            yield Diagnostic("XC115", "error", message, term.span, hint, _declared_here(declared))


def _as_events(branch: Branch, program: RuleProgram) -> Iterator[Diagnostic]:
    for query in branch.events:
        declared = program.relation(query_label(query.pattern) or "")
        if declared is not None:
            name = declared.name
            message = f"`{name}` is a relation, and this asks for events"
            yield _both(message, query.pattern.span, f"write {notation(query.pattern.span).rows(name)}", declared)
    for part in branch.accumulations:
        declared = program.relation(query_label(part.pattern) or "")
        if declared is not None:
            word = "not" if part.negated else "collect"
            message = f"`{declared.name}` is a relation, whose rows have no times, and `while … {word}` looks at times"
            rows = notation(part.pattern.span).rows(declared.name)
            hint = f"ask for its rows in a rule of their own: {rows} beside an event"
            yield _both(message, part.pattern.span, hint, declared)


def _both(message: str, span: Span | None, hint: str, declared: RelationDeclaration) -> Diagnostic:
    return Diagnostic("XC117", "error", message, span, hint, _declared_here(declared))


def _declared_here(declared: RelationDeclaration) -> tuple[Note, ...]:
    return (Note(f"the relation `{declared.name}` is declared here", declared.span),)


def check_relation_kinds(program: RuleProgram) -> Iterator[Diagnostic]:
    """XC118: an attribute whose declared kind can never be what the rule takes, or joins it with."""
    if not program.relations:
        return
    for expected in expected_row_kinds(program.rules):
        found = _attribute(program.relation(expected.label), expected.path[-1]) if len(expected.path) == 1 else None
        kinds = None if found is None else _KINDS.get(found.kind or "")
        if found is not None and kinds is not None and not kinds & expected.kinds:
            message = f"`{found.name}` of `{expected.label}` is declared as {_NAMES[found.kind or '']}"
            yield _never(f"{message}, and this takes another kind of value", expected.span, found.span)
    for rule in program.rules:
        for branch in rule.branches:
            yield from _never_joined(branch, program)


def _never_joined(branch: Branch, program: RuleProgram) -> Iterator[Diagnostic]:
    """Yields an error for each variable that is declared as one kind here and as another one there."""
    known: dict[str, tuple[str, Attribute]] = {}
    queries: tuple[EventQuery | RelationQuery, ...] = (*branch.events, *branch.relations)
    for query in queries:
        label = query_label(query.pattern) or ""
        relation = program.relation(label) if isinstance(query, RelationQuery) else None
        attributes = relation.attributes if relation is not None else program.attributes.get(label)
        for attribute, variable in _bound(query.pattern, attributes or ()):
            label_before, before = known.setdefault(variable.name, (label, attribute))
            if before.kind != attribute.kind:
                shown = notation(variable.span).variable(variable.name)
                message = f"`{shown}` is {_NAMES[attribute.kind or '']} here, and in `{label_before}`"
                message += f" it is {_NAMES[before.kind or '']}: the two are never equal"
                yield _never(message, variable.span, before.span)


def _bound(pattern: Pattern, attributes: tuple[Attribute, ...]) -> Iterator[tuple[Attribute, VariablePattern]]:
    """Yields the variables that are the whole value of an attribute with a declared kind."""
    for child in pattern.children if isinstance(pattern, TermPattern) else ():
        match child:
            case TermPattern(label=str(name), children=(VariablePattern(pattern=None) as variable,)):
                yield from ((each, variable) for each in attributes if each.name == name and each.kind in _KINDS)
            case _:
                pass


def _attribute(declared: RelationDeclaration | None, name: str) -> Attribute | None:
    return next((each for each in (declared and declared.attributes) or () if each.name == name), None)


def _never(message: str, span: Span | None, declared: Span | None) -> Diagnostic:
    return Diagnostic("XC118", "error", message, span, None, (Note("declared here", declared),))
