"""Directives and modules as text; `parse` reads the same back."""

from __future__ import annotations

from typing import assert_never

from cera.datalog.directives import (
    DetectDirective,
    GranularityDirective,
    Item,
    ModuleDirective,
    MonitorDirective,
    PartitionDirective,
    RelationDirective,
    Section,
)
from cera.datalog.printer import print_argument, print_expression, print_name, print_rule
from cera.datalog.syntax import Rule, StageTerm
from cera.model.expressions.expression import Variable
from cera.modules.monitoring import Monitored


def print_section(section: Section) -> str:
    """The directives, an empty line, the rules."""
    rules = [print_item(item) for item in section.items if isinstance(item, Rule)]
    directives = [print_item(item) for item in section.items if not isinstance(item, Rule)]
    gap = [""] if rules and directives else []
    return "".join(f"{line}\n" for line in (*directives, *gap, *rules))


def print_item(item: Item) -> str:
    match item:
        case Rule():
            return print_rule(item)
        case ModuleDirective():
            return f"module {print_name(item.name)}."
        case MonitorDirective():
            return f"monitor {', '.join(map(_event, item.events))}."
        case RelationDirective():
            return f"relation {print_name(item.name)}({', '.join(map(print_name, item.attributes))})."
        case GranularityDirective():
            return f"granularity {item.unit}."
        case PartitionDirective():
            return f"partition by {print_name(item.attribute)}."
        case DetectDirective():
            return f"detect {print_name(item.rule)}: {_told(item)}{_head(item)}."
        case _:
            assert_never(item)


def _event(event: Monitored) -> str:
    name = print_name(event.name)
    return name if event.operation is None else f"{event.operation}({name})"


def _told(item: DetectDirective) -> str:
    """The atom with what its arguments are called, where that is not their own name."""
    named = (
        print_argument(each) if each == Variable(name) else f"{print_name(name)}: {print_argument(each)}"
        for name, each in zip(item.causes, item.atom.arguments, strict=True)
    )
    stage = item.atom.stage
    arguments = [*named, *([] if stage is None else [stage.value if isinstance(stage, StageTerm) else str(stage)])]
    return f"{print_name(item.atom.predicate)}({', '.join(arguments)})"


def _head(item: DetectDirective) -> str:
    if item.label is None:
        return ""
    fields = (f"{print_name(name)}: {print_expression(value)}" for name, value in item.fields or ())
    return f" as {print_name(item.label)}({', '.join(fields)})"
