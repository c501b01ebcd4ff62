"""The modules of a program explained: what each monitors and derives, its layer, and its Datalog_1S program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from cera.datalog.printer import print_program
from cera.engines.layers.layering import Layers
from cera.languages.modules import ProgramModule


class ExplainedOutput(TypedDict):
    """A rule of a module: a fact of the predicate is an event with the label."""

    name: str
    place: str | None
    predicate: str
    variables: list[str]
    derives: str


class ExplainedModule(TypedDict):
    name: str
    layer: int
    monitors: list[str]
    granularity: str
    partition: str | None
    rules: list[ExplainedOutput]
    datalog: str


def explain_modules(modules: Sequence[ProgramModule], layers: Layers) -> list[ExplainedModule]:
    layer_of = {module.name: number for number, layer in enumerate(layers.layers, 1) for module in layer.modules}
    return [
        {
            "name": each.module.name,
            "layer": layer_of[each.module.name],
            "monitors": [str(monitored) for monitored in each.module.monitored],
            "granularity": each.module.granularity,
            "partition": each.module.partition,
            "rules": [
                {
                    "name": output.rule,
                    "place": None if output.span is None else str(output.span),
                    "predicate": output.predicate,
                    "variables": list(output.variables),
                    "derives": output.label,
                }
                for output in each.module.outputs
            ],
            "datalog": print_program(each.module.program),
        }
        for each in modules
    ]


def module_lines(modules: Sequence[ExplainedModule]) -> list[str]:
    """The same for a person to read."""
    lines: list[str] = []
    for module in modules:
        histories = f"by {module['partition']}" if module["partition"] else "no, it has one history"
        lines += [
            *([""] if lines else []),
            f"module {module['name']}: layer {module['layer']}",
            f"  monitors: {', '.join(module['monitors'])}",
            f"  a stage is: {module['granularity']}",
            f"  partitioned: {histories}",
        ]
        for rule in module["rules"]:
            place = f" at {rule['place']}" if rule["place"] else ""
            found = ", ".join(rule["variables"]) or "no variables"
            lines.append(f"  rule {rule['name']}{place}: {rule['predicate']} with {found} derives {rule['derives']}")
        lines += ["  datalog:", *(f"    {line}" for line in module["datalog"].splitlines())]
    return lines
