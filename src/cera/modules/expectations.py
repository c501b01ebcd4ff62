"""The expectations of a program about its input, and those that a run did not meet: mostly misspelt names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from cera.diagnostics import closest, did_you_mean
from cera.model.events.attributes import AskedAttribute, AskedValue, ObservedAttributes, Path
from cera.model.events.states import is_ending, shown_label
from cera.model.message_text import listed, printable
from cera.modules.layering import Layers
from cera.modules.module import AsksForValues, Module, Port
from cera.modules.monitoring import CHANGE, MonitoredEvents

#: As many missing labels have a warning of their own.
_GUESSED = 20


@dataclass(frozen=True)
class Expectations:
    """The labels and attributes that a program asks for, the changes that it monitors, and what it derives itself."""

    labels: frozenset[str]
    attributes: tuple[AskedAttribute, ...]
    changes: tuple[MonitoredEvents, ...]
    derived_labels: frozenset[str]
    derived_attributes: Mapping[str, frozenset[Path] | None]
    #: Values of attributes of events that the program does not derive itself.
    values: tuple[AskedValue, ...] = ()

    def observer(self) -> ObservedAttributes:
        """Returns an observer of the events of a run; attributes that the program derives itself are known already."""
        observed = ObservedAttributes(self.attributes, self.values)
        for label, paths in self.derived_attributes.items():
            observed.see(label, _open(observed.missing.get(label, set()), paths))
        return observed

    def missing_labels(self, seen: Collection[str]) -> Iterator[str]:
        """Yields a warning for each label that is asked for and that neither an event has nor a rule derives.

        Of very many, the last are in one warning: to guess what each was meant to be takes longer than a short run.
        """
        known = self.derived_labels.union(seen)
        missing = sorted(label for label in self.labels - known if not is_ending(label))  # its opening is missing, too
        if CHANGE in missing and self.changes:
            missing.remove(CHANGE)
            monitored = printable(str(self.changes[0]))
            yield f"the program monitors {monitored}, and no event is a change (label `{CHANGE}`)"
        shown = {shown_label(each) for each in known}
        for label in missing[:_GUESSED]:
            hint = did_you_mean(shown_label(label), shown)
            guess = f"; {printable(hint)}" if hint else ""
            yield f"the program asks for `{printable(shown_label(label))}`, and no event has this label{guess}"
        if others := [f"`{printable(shown_label(label))}`" for label in missing[_GUESSED:]]:
            yield f"the program asks for {listed(others)}, and no event has one of these labels"

    def missing_attributes(self, observed: ObservedAttributes, seen: Collection[str]) -> Iterator[str]:
        """Yields a warning for each attribute that no event of its label had, if there were any.

        For an attribute that a match can do without, only if one that they have is similar.
        """
        for asked in self.attributes:
            occurs = asked.label in seen or asked.label in self.derived_attributes
            if not occurs or asked.path not in observed.missing.get(asked.label, ()):
                continue
            parent = asked.path[:-1]
            if parent in observed.missing[asked.label]:
                continue  # the attribute around it is missing, too
            known = observed.seen(asked.label, parent)
            meant = closest(asked.path[-1], known)
            if asked.any_case and meant is not None and meant.lower() == asked.path[-1].lower():
                continue
            if asked.needed or meant is not None:
                yield _text(asked, meant, known)

    def unmet(self, observed: ObservedAttributes, seen: Collection[str], derived: Collection[str]) -> list[str]:
        """Returns all these warnings; none if there was no event. `seen` and `derived` are labels of a run."""
        if not seen:
            return []
        labels = self.missing_labels({*seen, *derived})
        return list(dict.fromkeys([*labels, *self.missing_attributes(observed, seen)]))


def expectations_of(layers: Layers) -> Expectations:
    """Returns the expectations of all modules of a program."""
    modules = _in_order(layers)
    units = [unit for module in modules for unit in module.units]
    return Expectations(
        labels=_labels(port for unit in units for port in unit.inputs),
        attributes=asked_by(layers),
        changes=tuple(each for module in modules for each in module.monitored if each.operation is not None),
        derived_labels=_labels(port for unit in units for port in unit.outputs),
        derived_attributes=(derived := derived_by(layers)),
        values=tuple(each for each in _values(modules) if each.label not in derived),
    )


def _values(modules: Iterable[Module]) -> Iterator[AskedValue]:
    for module in modules:
        if isinstance(module, AsksForValues):
            yield from module.asked_values()


def asked_by(layers: Layers) -> tuple[AskedAttribute, ...]:
    """Returns the attributes that all modules ask for."""
    return tuple(dict.fromkeys(each for module in _in_order(layers) for each in module.asked_attributes()))


def derived_by(layers: Layers) -> Mapping[str, frozenset[Path] | None]:
    """Returns the attributes of derived events by label; None where they are not known before the run."""
    found: dict[str, frozenset[Path] | None] = {}
    for module in layers.modules:
        for label, paths in module.derived_attributes().items():
            known = found.get(label, frozenset())
            found[label] = None if paths is None or known is None else paths | known
    return found


def _in_order(layers: Layers) -> list[Module]:
    """Returns the modules, rules first."""
    return sorted(layers.modules, key=lambda module: not module.is_recursive)


def _labels(ports: Iterable[Port]) -> frozenset[str]:
    return frozenset(port.label for port in ports if port.label is not None)


def _open(asked: Iterable[Path], derived: frozenset[Path] | None) -> list[Path]:
    """Returns the derived attributes and asked ones inside them; all that are asked for if the former are unknown."""
    if derived is None:
        return list(asked)
    return [*derived, *(path for path in asked if len(path) > 1 and path[:1] in derived)]


def _text(asked: AskedAttribute, meant: str | None, known: Iterable[str]) -> str:
    place = "" if asked.span is None else f" ({asked.span})"
    has = listed([f"`{name}`" for name in sorted(known)])
    hint = f"did you mean `{meant}`?" if meant else f"they have {has}" if has else "they have no attributes"
    said = (
        f"the program asks for `{asked.name}` of `{shown_label(asked.label)}`{place}, and no such event has it; {hint}"
    )
    return printable(said)
