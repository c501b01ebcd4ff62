"""The modules of a program explained: the events that each monitors and derives, its layer, and its rules or types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from cera.languages.programs import ProgramModule
from cera.model.events.states import is_internal, shown_label
from cera.modules.layering import Layers
from cera.modules.monitoring import Output


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
    #: The events and states that it derives without rules, if it does.
    derives: NotRequired[list[str]]
    #: The form in which its language explains a module, and the text.
    language: str
    text: str
    #: The state of its types, a line for each; None for a module of rules.
    remembers: list[str] | None


def explain_modules(modules: Sequence[ProgramModule], layers: Layers) -> list[ExplainedModule]:
    layer_of = {module.name: number for number, layer in enumerate(layers.layers, 1) for module in layer.modules}
    return [_explained(each, layer_of[each.module.name]) for each in modules]


def _explained(one: ProgramModule, layer: int) -> ExplainedModule:
    module, explanation = one.module, one.explanation()
    return {
        "name": module.name,
        "layer": layer,
        "monitors": [str(monitored) for monitored in module.monitored if not is_internal(monitored.name)],
        "granularity": module.granularity,
        "partition": module.partition,
        "rules": [_output(output) for output in module.outputs if not output.is_fact],
        **_derived(module.outputs),
        "language": explanation.form,
        "text": explanation.text,
        "remembers": None if explanation.remembers is None else list(explanation.remembers),
    }


class _Derived(TypedDict):
    derives: NotRequired[list[str]]


def _derived(outputs: Sequence[Output]) -> _Derived:
    found = [shown_label(each.label) for each in outputs if each.is_fact and not is_internal(each.label)]
    return {"derives": list(dict.fromkeys(found))} if found else {}


def _output(output: Output) -> ExplainedOutput:
    return {
        "name": output.rule,
        "place": None if output.span is None else str(output.span),
        "predicate": output.predicate,
        "variables": list(output.variables),
        "derives": output.label,
    }


_STAGES = {
    "operation": "a change that has a position, or all other events of one time",
    "transaction": "all changes of a transaction, or all other events of one time",
    "time": "all events of one time",
}


def module_lines(modules: Sequence[ExplainedModule]) -> list[str]:
    """Returns the explanation of modules for a person to read."""
    lines: list[str] = []
    for module in modules:
        histories = f"by {module['partition']}" if module["partition"] else "no, it has one history"
        lines += [
            *([""] if lines else []),
            f"module {module['name']}: layer {module['layer']}",
            f"  monitors: {', '.join(module['monitors']) or 'what another module has seen'}",
            f"  a stage is: {_STAGES[module['granularity']]}",
            f"  partitioned: {histories}",
        ]
        lines += [f"  derives: {', '.join(module['derives'])}"] if "derives" in module else []
        for rule in module["rules"]:
            place = f" at {rule['place']}" if rule["place"] else ""
            found = ", ".join(rule["variables"]) or "no variables"
            lines.append(f"  rule {rule['name']}{place}: {rule['predicate']} with {found} derives {rule['derives']}")
        lines += [f"  {module['language']}:", *(f"    {line}" for line in module["text"].splitlines())]
        lines += [] if module["remembers"] is None else ["  remembers:", *(f"    {one}" for one in module["remembers"])]
    return lines
