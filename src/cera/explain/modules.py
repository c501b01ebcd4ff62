"""The modules of a program explained: what each monitors and derives, its layer, and its rules or types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from cera.datalog.modules import EventModule
from cera.datalog.printer import print_program
from cera.engines.layers.layering import Layers
from cera.languages.cet import syntax as cet
from cera.languages.cet.printer import print_program as print_types
from cera.languages.cet.unbounded import remembered
from cera.languages.modules import ProgramModule
from cera.languages.snoop import syntax as snoop
from cera.languages.snoop.writing import to_cet


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
    #: The Datalog_1S program, or the event types.
    language: str
    text: str
    #: What its types remember, a line for each; None of a module of rules.
    remembers: list[str] | None


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
            "language": "datalog" if isinstance(each.module, EventModule) else "event types",
            "text": _text(each),
            "remembers": None if isinstance(each.module, EventModule) else list(remembered(each.module)),
        }
        for each in modules
    ]


def _text(module: ProgramModule) -> str:
    match module.types:
        case snoop.Program() as program:
            return to_cet(program)
        case cet.Program() as program:
            return print_types(program)
        case None:
            assert isinstance(module.module, EventModule)
            return print_program(module.module.program)


_STAGES = {
    "operation": "a change that has a position, or all other events of one time",
    "transaction": "all changes of a transaction, or all other events of one time",
    "time": "all events of one time",
}


def module_lines(modules: Sequence[ExplainedModule]) -> list[str]:
    """The same for a person to read."""
    lines: list[str] = []
    for module in modules:
        histories = f"by {module['partition']}" if module["partition"] else "no, it has one history"
        lines += [
            *([""] if lines else []),
            f"module {module['name']}: layer {module['layer']}",
            f"  monitors: {', '.join(module['monitors'])}",
            f"  a stage is: {_STAGES[module['granularity']]}",
            f"  partitioned: {histories}",
        ]
        for rule in module["rules"]:
            place = f" at {rule['place']}" if rule["place"] else ""
            found = ", ".join(rule["variables"]) or "no variables"
            lines.append(f"  rule {rule['name']}{place}: {rule['predicate']} with {found} derives {rule['derives']}")
        lines += [f"  {module['language']}:", *(f"    {line}" for line in module["text"].splitlines())]
        lines += [] if module["remembers"] is None else ["  remembers:", *(f"    {one}" for one in module["remembers"])]
    return lines
