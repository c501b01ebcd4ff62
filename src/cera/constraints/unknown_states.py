"""States that constraints ask for, and no automaton or rule of the program derives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.constraints.module import ConstraintModule
from cera.diagnostics import Diagnostic, did_you_mean
from cera.model.events.states import is_opening, state_label
from cera.modules.module import Module, known


def unknown_states(modules: Sequence[Module]) -> Iterator[Diagnostic]:
    """Yields a warning for each label of states that is nearly one of those that the program derives (EC109).

    States may come with the events, too, so that nothing is said of labels that are not like others.
    """
    derived = {state_label(each) or each for one in modules for each in known(one.derives) if is_opening(each)}
    reported: set[tuple[str, str]] = set()
    for module in modules:
        for literal in module.literals if isinstance(module, ConstraintModule) else ():
            label = literal.atom.label
            if literal.kind != "state" or label in derived or (module.name, label) in reported:
                continue
            hint = did_you_mean(label, derived)
            if hint is not None:
                reported.add((module.name, label))
                message = f"nothing in the program derives states `{label}`"
                yield Diagnostic("EC109", "warning", message, literal.atom.span, hint)
