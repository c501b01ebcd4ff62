"""A compiled module as what runs over events."""

from __future__ import annotations

from cera.datalog.events.module import DatalogModule
from cera.languages.epl.compiler import CompiledModule
from cera.languages.epl.syntax import Module
from cera.modules.monitoring import Monitored, Output


def event_module(module: Module, compiled: CompiledModule) -> DatalogModule:
    """`compiled` is the module itself, compiled."""
    relations = module.relations
    monitored = tuple(
        Monitored(
            each.predicate,
            each.name,
            each.kind,
            relations[each.name].attributes if each.name in relations else (),
            each.span,
        )
        for each in compiled.monitored
    )
    outputs = tuple(
        Output(
            rule.name,
            rule.predicate,
            rule.variables,
            rule.label,
            rule.fields,
            (written.head.span if written.head is not None else None) or written.name.span,
        )
        for written, rule in zip(module.rules, compiled.rules, strict=True)
    )
    return DatalogModule(
        compiled.name,
        compiled.datalog,
        monitored,
        outputs,
        compiled.granularity,
        compiled.partition,
        module.name.span,
    )
