"""What `cera verify` says about constraints: which held, which were violated, how often, and the first violations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path

from cera.cli import report
from cera.constraints.locations import read_locations
from cera.constraints.module import UNKNOWN_PLACE, VIOLATION, ConstraintModule, parts_of_clause
from cera.constraints.queries import Apart, Directed, SentFrom
from cera.errors import UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layer, Layers
from cera.modules.module import Module
from cera.running.choice import AUTO, Engine
from cera.running.listener import Output
from cera.running.request import Request

#: How many violations of a constraint are shown.
_SHOWN = 3


def with_reference(request: Request) -> Request:
    """Returns the request with the engine that verifies constraints; another one that was named is refused."""
    if request.engine == AUTO:
        report.say("engine: reference (constraints are verified by their definition, over the whole recording)")
        engine: Engine = "reference"
        return replace(request, engine=engine)
    if request.engine != "reference":
        raise UsageError(
            f"constraints are verified by the reference engine only so far, and --engine is {request.engine}; "
            "give --engine reference"
        )
    return request


def with_locations(layers: Layers, path: Path | None) -> Layers:
    """Returns a program whose constraints know the places of a file. Raises UsageError where they need one."""
    modules = [module for module in layers.modules if isinstance(module, ConstraintModule)]
    if path is None:
        asking = next(filter(None, map(_spatial, modules)), None)
        if asking is not None:
            raise UsageError(f"{asking} asks where events come from: give --locations FILE")
        return layers
    locations = read_locations(path)

    def located(module: Module) -> Module:
        return replace(module, locations=locations) if isinstance(module, ConstraintModule) else module

    return Layers(tuple(Layer(tuple(map(located, layer.modules))) for layer in layers.layers))


def _spatial(module: ConstraintModule) -> str | None:
    """Returns the place of the first condition about places."""
    for clause in module.clauses:
        for part in parts_of_clause(clause, [body for each in clause.definitions for body in each.bodies]):
            if isinstance(part, Directed | SentFrom | Apart):
                return str(part.span or module.name)
    return None


class Tally:
    """Violations by constraint, counted on their way to the output."""

    def __init__(self, times: TimeFormat) -> None:
        self._times = times
        self.violations: dict[str, list[DerivedEvent]] = {}
        self.numbers: dict[str, int] = {}
        self.places: list[str] = []

    def counting(
        self, opened: Callable[[], AbstractContextManager[Output]]
    ) -> Callable[[], AbstractContextManager[Output]]:
        """Returns the same output, which counts what is written."""

        @contextmanager
        def output() -> Iterator[Output]:
            with opened() as inner:
                yield _Counting(inner, self)

        return output

    def take(self, item: DerivedEvent) -> None:
        rule = item.derivations[0].rule
        if item.event.label == VIOLATION:
            self.numbers[rule] = self.numbers.get(rule, 0) + 1
            first = self.violations.setdefault(rule, [])
            if len(first) < _SHOWN:
                first.append(item)
        elif item.event.label == UNKNOWN_PLACE:
            self.places.append(_child(item.event.term, "name") or "no place at all")

    def show(self, modules: Sequence[ConstraintModule]) -> None:
        """Says for each constraint whether it held, and shows the first violations."""
        for module in modules:
            by_constraint: dict[str, list[str]] = {}
            for clause in module.clauses:
                by_constraint.setdefault(clause.constraint, []).append(f"{module.name}.{clause.name}")
            held = [name for name, rules in by_constraint.items() if not any(rule in self.numbers for rule in rules)]
            report.say(f"{module.name}: {report.count(len(by_constraint), 'constraint')}, {len(held)} held")
            for name, rules in by_constraint.items():
                number = sum(self.numbers.get(rule, 0) for rule in rules)
                if number:
                    report.say(report.printable(f"  {name}: violated {_often(number)}"))
                    found = sorted(
                        (each for rule in rules for each in self.violations.get(rule, [])),
                        key=lambda each: each.event.output_key,
                    )
                    for each in found[:_SHOWN]:
                        report.say(report.printable(f"    {self._line(each)}"))
        if self.places:
            listed = report.listed(sorted(self.places), 5)
            report.warn(report.printable(f"places that the file of locations does not know: {listed}"))

    def _line(self, item: DerivedEvent) -> str:
        term = item.event.term
        binding = next((each for each in term.children if isinstance(each, Term) and each.label == "binding"), None)
        values = [] if binding is None else [_value(each) for each in binding.children if isinstance(each, Term)]
        found = _child(term, "found")
        where = f" for {', '.join(values)}" if values else ""
        said = f"expected {_child(term, 'expected')}" + (f", {found}" if found else "")
        return f"{self._times.format(item.event.end)}{where}: {said}"


class _Counting:
    def __init__(self, inner: Output, tally: Tally) -> None:
        self._inner = inner
        self._tally = tally

    def write(self, item: Event | DerivedEvent) -> None:
        if isinstance(item, DerivedEvent):
            self._tally.take(item)
        self._inner.write(item)

    def finish(self) -> None:
        self._inner.finish()


def _child(term: Term, label: str) -> str | None:
    for each in term.children:
        if isinstance(each, Term) and each.label == label and each.children:
            return str(each.children[0])
    return None


def _value(term: Term) -> str:
    value = term.children[0]
    return f'{term.label} = "{value}"' if isinstance(value, str) else f"{term.label} = {value}"


def _often(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
