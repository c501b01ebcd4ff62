"""Relations, their attributes and the events that a module monitors: whether the rules keep to what is declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.languages.epl.predicates import is_taken
from cera.languages.epl.printer import label_text
from cera.languages.epl.syntax import Basic, Module, Relation, Rule, basics
from cera.languages.epl.variables import result_expressions, visible_outside
from cera.languages.text.nodes import SHORT_KINDS, EventType, Kind, Partition
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable

_OTHER_LABEL = "derive events with another label from them first"

#: The attributes of time that every event has.
TIME_ATTRIBUTES = ("evtime", "Time")

#: The words for changes, as they may be written.
_KINDS: dict[str, Kind] = {word: kind for kind, short in SHORT_KINDS.items() for word in (kind, short)}

#: The prefix that tuples of such an event do not have.
_MISSING: dict[Kind, tuple[str, str]] = {"insert": ("old_", "old"), "delete": ("new_", "new")}


def check_relations(module: Module) -> Iterator[Diagnostic]:
    """Reports unknown relations (EP102) and attributes (EP103, EP105), and events that are not monitored (EP104)."""
    changes = {each.predicate: each for each in module.monitored if each.kind is not None}
    for declared in module.monitored:
        yield from _known(declared, module, changes)
    for rule in module.rules:
        for basic in basics(rule.event):
            unknown = list(_known(basic.type, module, changes))
            yield from unknown or _monitored(basic.type, module)
        yield from _rule_attributes(rule, module.relations)
    yield from _partition(module)


def _known(event: EventType, module: Module, changes: Mapping[str, EventType]) -> Iterator[Diagnostic]:
    """Reports unknown relations, and labels that clash with predicates; `changes` has monitored changes by
    predicate."""
    if event.kind is not None and module.relations and event.name not in module.relations:
        hint = did_you_mean(event.name, module.relations) or f"declare it: `relation {event.name}(…);`"
        message = f"no relation `{event.name}` is declared"
        yield Diagnostic("EP102", "error", message, event.span, hint)
    if event.kind is None and is_taken(event.name):
        message = f"events of the label `{event.name}` cannot be told from a predicate of the translation"
        yield Diagnostic("EP107", "error", message, event.span, _OTHER_LABEL)
    if event.kind is None and event.predicate in changes:
        message = (
            f"events of the label `{event.name}` cannot be told from `{changes[event.predicate]}` in the translation"
        )
        yield Diagnostic("EP107", "error", message, event.span, _OTHER_LABEL)


def _monitored(event: EventType, module: Module) -> Iterator[Diagnostic]:
    if not module.monitored or event in module.monitored:
        return
    spelled = [_written(each) for each in (*module.monitored, event)]
    alike = [str(each) for each in module.monitored if each.kind == event.kind]
    message = f"the module does not monitor `{event}`, so this never happens in its history"
    hint = _quoting(event, module) or did_you_mean(str(event), alike) or f"write `monitor {', '.join(spelled)};`"
    yield Diagnostic("EP104", "error", message, event.span, hint)


def _quoting(event: EventType, module: Module) -> str | None:
    """Returns the hint for `update(X)` in a module that monitors events with the label `update`."""
    words = [each.name for each in module.monitored if each.kind is None and each.name.lower() in _KINDS]
    word = next((each for each in words if event.kind == _KINDS[each.lower()]), None)
    if word is None:
        return None
    return (
        f"`{word}(…)` is a change of a relation; events with the label `{word}` are quoted: "
        f'`monitor "{word}";` and `"{word}"({event.name})`'
    )


def _written(event: EventType) -> str:
    return label_text(event.name) if event.kind is None else f"{event.kind}({label_text(event.name)})"


def _rule_attributes(rule: Rule, relations: dict[str, Relation]) -> Iterator[Diagnostic]:
    everywhere = {each.variable.name: each for each in basics(rule.event) if each.variable is not None}
    for basic in basics(rule.event):
        own = {} if basic.variable is None else {basic.variable.name: basic}
        yield from _attributes(basic.conditions, {**everywhere, **own}, relations)
    yield from _attributes(result_expressions(rule), visible_outside(rule.event), relations)


def _attributes(
    found: Iterable[Expression], variables: dict[str, Basic], relations: dict[str, Relation]
) -> Iterator[Diagnostic]:
    for expression in found:
        for part in expressions.walk(expression):
            if isinstance(part, Variable):
                variable, _, attribute = part.name.partition(".")
                if variable in variables:
                    yield from _attribute(attribute, variables[variable], relations, part.span)


def _attribute(name: str, basic: Basic, relations: dict[str, Relation], span: Span | None) -> Iterator[Diagnostic]:
    relation, kind = relations.get(basic.type.name), basic.type.kind
    if relation is not None and name in relation.attributes:
        return
    prefix = name[:4] if name[:4] in ("old_", "new_") and kind is not None else ""
    if kind in _MISSING and prefix == _MISSING[kind][0]:
        message = f"a tuple that {_PASSIVE[kind]} has no {_MISSING[kind][1]} contents"
        yield Diagnostic("EP105", "error", message, span, f"write `{name[4:]}` without `{prefix}`")
        return
    if relation is None or name in TIME_ATTRIBUTES or name.removeprefix(prefix) in relation.attributes:
        return
    plain = name.removeprefix(prefix)
    message = f"the relation `{relation.name}` has no attribute `{plain}`; it has {', '.join(relation.attributes)}"
    note = Note(f"`{relation.name}` is declared here", relation.span)
    hint = did_you_mean(plain, (*relation.attributes, "evtime"))
    yield Diagnostic("EP103", "error", message, span, hint, (note,))


_PASSIVE: dict[Kind, str] = {"insert": "is inserted", "delete": "is deleted", "update": "is updated"}


def _partition(module: Module) -> Iterator[Diagnostic]:
    declared = next((each for each in module.declarations if isinstance(each, Partition)), None)
    if declared is None:
        return
    for name in dict.fromkeys(each.name for each in module.monitored):
        relation = module.relations.get(name)
        if relation is not None and declared.attribute not in relation.attributes:
            message = f"the relation `{name}` has no attribute `{declared.attribute}` to partition by"
            hint = did_you_mean(declared.attribute, relation.attributes)
            yield Diagnostic(
                "EP103", "error", message, declared.span, hint, (Note("it is declared here", relation.span),)
            )
