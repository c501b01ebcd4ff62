"""The modules of a program explained: the events that each monitors and derives, its layer, and its rules or types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from cera.languages.programs import ProgramModule
from cera.model.events.states import ENDING, OPENING
from cera.modules.layering import Layers


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
        "monitors": [str(monitored) for monitored in module.monitored],
        "granularity": module.granularity,
        "partition": module.partition,
        "rules": [
            {
                "name": output.rule,
                "place": None if output.span is None else str(output.span),
                "predicate": output.predicate,
                "variables": list(output.variables),
                "derives": output.label,
            }
            for output in module.outputs
        ],
        "language": explanation.form,
        "text": explanation.text,
        "remembers": None if explanation.remembers is None else list(explanation.remembers),
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
            f"  monitors: {', '.join(module['monitors'])}",
            f"  a stage is: {_STAGES[module['granularity']]}",
            f"  partitioned: {histories}",
        ]
        whole = [rule for rule in module["rules"] if rule["name"] == module["name"] and not rule["variables"]]
        if len(whole) > 1:  # a module that is not made of rules derives all that it derives as a whole
            lines += _derived([rule["derives"] for rule in whole])
        for rule in module["rules"]:
            if len(whole) > 1 and rule in whole:
                continue
            place = f" at {rule['place']}" if rule["place"] else ""
            found = ", ".join(rule["variables"]) or "no variables"
            lines.append(f"  rule {rule['name']}{place}: {rule['predicate']} with {found} derives {rule['derives']}")
        lines += [f"  {module['language']}:", *(f"    {line}" for line in module["text"].splitlines())]
        lines += [] if module["remembers"] is None else ["  remembers:", *(f"    {one}" for one in module["remembers"])]
    return lines


def _derived(labels: Sequence[str]) -> list[str]:
    """Returns the labels of events, and of states, each once."""
    events = [label for label in labels if not label.startswith((OPENING, ENDING))]
    states = [label.removeprefix(OPENING) for label in labels if label.startswith(OPENING)]
    lines = [f"  derives: {', '.join(events)}"] if events else []
    return [*lines, f"  derives the states: {', '.join(states)}"] if states else lines
