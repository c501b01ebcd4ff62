"""The attributes that a program in any of the languages asks for, and those of the events that it derives."""

from __future__ import annotations

from collections.abc import Mapping

from cera.datalog.attributes import asked_by_module
from cera.datalog.modules import EventModule
from cera.engines.layers.layering import Layers
from cera.instances.attributes import asked_by_types
from cera.model.events.attributes import AskedAttribute, Path
from cera.rules.analysis.labels_and_attributes import asked_attributes, derived_attributes


def asked_by(layers: Layers) -> tuple[AskedAttribute, ...]:
    """What all rules and modules ask for."""
    found = list(asked_attributes(layers.rules))
    for module in layers.modules:
        found += asked_by_module(module) if isinstance(module, EventModule) else asked_by_types(module)
    return tuple(dict.fromkeys(found))


def derived_by(layers: Layers) -> Mapping[str, frozenset[Path] | None]:
    """The attributes of derived events by label; None where they are not known before the run."""
    found = dict(derived_attributes(layers.rules))
    for module in layers.modules:
        for output in module.outputs:
            fields = None if not output.fields else frozenset((name,) for name, _ in output.fields)
            known = found.get(output.label, frozenset())
            found[output.label] = None if fields is None or known is None else fields | known
    return found
