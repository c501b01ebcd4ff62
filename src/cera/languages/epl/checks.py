"""The errors, warnings and notes about a module before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cera.diagnostics import Diagnostic, Note, in_source_order
from cera.languages.epl.actions import check_action, check_functions
from cera.languages.epl.event_shapes import check_shapes
from cera.languages.epl.memory import kept_histories, unbounded
from cera.languages.epl.printer import label_text, name_text, print_condition
from cera.languages.epl.relations import check_relations
from cera.languages.epl.syntax import Declaration, Granularity, Module, Monitor, Relation, Rule, basics
from cera.languages.epl.variables import check_variables
from cera.languages.text.nodes import Field, Identifier, Partition
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.expression import And, Call, Comparison, Expression, Literal, Not, Or, Variable


def check_module(module: Module) -> list[Diagnostic]:
    """Returns the errors of a module; if there are none, its warnings and notes."""
    errors = [*_declarations(module), *_rule_names(module), *check_relations(module)]
    for rule in module.rules:
        errors += [*check_shapes(rule), *check_variables(rule), *check_head(rule)]
        errors += [*check_action(rule), *check_functions(rule)]
    if errors:
        return in_source_order(errors)
    remembering = list(unbounded(module))
    kept = () if remembering else kept_histories(module)
    return in_source_order([*check_conditions(module), *remembering, *kept, *_partitioning(module)])


def check_names(modules: Sequence[Module]) -> Iterator[Diagnostic]:
    """Reports modules of a program that have the same name (EP101)."""
    return _twice((module.name for module in modules), "module")


def _declarations(module: Module) -> Iterator[Diagnostic]:
    if not any(isinstance(declared, Monitor) for declared in module.declarations):
        types = dict.fromkeys(str(each.type) for rule in module.rules for each in basics(rule.event))
        hint = f"write `monitor {', '.join(types) or 'update(R)'};` before the rules"
        message = f"the module `{module.name.name}` monitors nothing, so nothing happens in its history"
        yield Diagnostic("EP006", "error", message, module.name.span, hint)
    for kind in (Granularity, Partition):
        yield from _only_one([each for each in module.declarations if isinstance(each, kind)], kind.__name__.lower())
    relations: dict[str, Relation] = {}
    for declared in module.declarations:
        if isinstance(declared, Relation):
            if declared.name in relations:
                message = f"the relation `{declared.name}` is declared twice"
                note = Note("it is declared here first", relations[declared.name].span)
                yield Diagnostic("EP006", "error", message, declared.span, "keep one of the two", (note,))
            relations.setdefault(declared.name, declared)
            if again := [name for place, name in enumerate(declared.attributes) if name in declared.attributes[:place]]:
                message = f"the relation `{declared.name}` has the attribute `{again[0]}` twice"
                yield Diagnostic("EP006", "error", message, declared.span, "keep one of the two")


def _only_one(found: Sequence[Declaration], what: str) -> Iterator[Diagnostic]:
    for again in found[1:]:
        message = f"the module has two declarations of its {what}"
        note = Note("here is the first", found[0].span)
        yield Diagnostic("EP006", "error", message, again.span, "keep one of the two", (note,))


def _rule_names(module: Module) -> Iterator[Diagnostic]:
    return _twice((rule.name for rule in module.rules), "rule")


def _twice(names: Iterable[Identifier], what: str) -> Iterator[Diagnostic]:
    seen: dict[str, Identifier] = {}
    for name in names:
        if name.name in seen:
            message = f"there are two {what}s with the name `{name.name}`"
            note = Note("here is the first", seen[name.name].span)
            yield Diagnostic("EP101", "error", message, name.span, "rename one of them", (note,))
        seen.setdefault(name.name, name)


def _partitioning(module: Module) -> Iterator[Diagnostic]:
    """Notes that the module has one history, so that one machine has to see it all (EP502)."""
    if module.partition is None and module.rules:
        message = f"the module `{module.name.name}` runs unpartitioned: all its events make one history"
        attribute = label_text(_common_attribute(module) or "Attribute")
        hint = f"where rules relate events with the same value of an attribute only: `partition by {attribute};`"
        yield Diagnostic("EP502", "note", message, module.name.span, hint)


def _common_attribute(module: Module) -> str | None:
    """Returns the first attribute that all monitored events have, where their relations are declared."""
    declared = [module.relations.get(each.name) for each in module.monitored]
    attributes = [() if relation is None else relation.attributes for relation in declared]
    return next((name for name in attributes[0] if all(name in others for others in attributes)), None)


def check_conditions(module: Module) -> Iterator[Diagnostic]:
    for rule in module.rules:
        for basic in basics(rule.event):
            for condition in basic.conditions:
                yield from _compares(condition)


def _compares(condition: Expression) -> Iterator[Diagnostic]:
    match condition:
        case And(operands=operands) | Or(operands=operands):
            for operand in operands:
                yield from _compares(operand)
        case Not(operand=operand):
            yield from _compares(operand)
        case Comparison() | Literal(value=bool()):
            pass
        case Call(function=function) if FUNCTIONS[function].result in ("boolean", "any"):
            pass
        case Variable():
            text = print_condition(condition)
            message = f"`{text}` is compared with nothing: it holds only where its value is `true`"
            yield Diagnostic("EP503", "warning", message, condition.span, f"write `{text} = true` if that is meant")
        case _:
            message = f"`{print_condition(condition)}` is no truth value, so this never holds"
            yield Diagnostic("EP503", "warning", message, condition.span, "compare it with something")


def check_head(rule: Rule) -> Iterator[Diagnostic]:
    """Reports two children with one name (EP402): other rules see a child by its name only."""
    first: dict[str, Field] = {}
    for field in () if rule.head is None else rule.head.fields:
        before = first.setdefault(field.name, field)
        if before is not field:
            note = Note("here is the first", before.span)
            message = f"two children are called `{field.name}`"
            yield Diagnostic("EP402", "error", message, field.span, _other_names(before, field), (note,))


def _other_names(one: Field, other: Field) -> str:
    if one.expression == other.expression:
        return "leave one of them out"
    match one.expression, other.expression:
        case Variable(name=first), Variable(name=second) if _owner(first) != _owner(second):
            names = (f"{_owner(name)}_{one.name}" for name in (first, second))
            values = map(print_condition, (one.expression, other.expression))
            fields = (f"{name_text(name)}: {value}" for name, value in zip(names, values, strict=True))
            return f"give each a name of its own: `{', '.join(fields)}`"
        case _:
            return "give one of them another name"


def _owner(name: str) -> str:
    return name.partition(".")[0]
