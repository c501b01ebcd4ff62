"""What `cera verify` and `cera stream --verify` share: how automata are followed, and what becomes of instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import click

from cera.automata.module import OVERDUE, PAST, POSSIBLE, VIOLATION, AutomatonModule
from cera.cli import report
from cera.cli.config_file import is_from_file
from cera.cli.options import time_of
from cera.constraints.completeness import check_complete_since, complete_since
from cera.constraints.module import ConstraintModule
from cera.model.events.states import ENDING, OPENING
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layers
from cera.modules.module import Module

#: The exit status where there are violations.
VIOLATED = 6

F = TypeVar("F", bound=Callable[..., Any])


def possible_option(command: F) -> F:
    """--possible."""
    return click.option(
        "--possible",
        is_flag=True,
        help="Write the states that automata may have been in, too, as `possible`: where there are choices, those of "
        "each run that is followed.",
    )(command)


def strict_verify_option(command: F) -> F:
    """--strict-verify."""
    return click.option(
        "--strict-verify",
        "expects_all",
        is_flag=True,
        help="An event that an automaton knows, and that no instance of it waits for, is a violation too.",
    )(command)


def automata_of(layers: Layers) -> list[AutomatonModule]:
    return [module for module in layers.modules if isinstance(module, AutomatonModule)]


def with_possible(layers: Layers, *, possible: bool) -> Layers:
    """Returns a program whose automata derive what is possible too, if that is asked for."""
    if not possible:
        return layers
    return layers.changed(lambda each: replace(each, possible=True) if isinstance(each, AutomatonModule) else each)


def traced(layers: Layers) -> Layers:
    """Returns a program in whose automata violations have all the transitions of their runs as causes."""
    return layers.changed(lambda each: replace(each, traced=True) if isinstance(each, AutomatonModule) else each)


def verified(layers: Layers, *, expects_all: bool, possible: bool) -> Layers:
    """Returns a program whose automata report and count the instances of their roots, and no other states unless these
    are needed."""

    def prepared(module: Module) -> Module:
        if not isinstance(module, AutomatonModule):
            return module
        needed = {label for each in layers.modules if each is not module for label in each.reads}
        own = {label for label in module.derives if label.startswith((OPENING, ENDING))}
        return replace(
            module,
            expects_all=expects_all,
            states="all" if possible or own & needed else "root",
            possible=possible,
            marks_violated=True,
        )

    return layers.changed(prepared)


def written_labels(*, possible: bool) -> frozenset[str]:
    """Returns the labels of what a verification writes."""
    return frozenset({VIOLATION, OVERDUE, *((POSSIBLE, PAST) if possible else ())})


@dataclass(frozen=True)
class InstanceCounts:
    """What has become of the instances of an automaton."""

    automaton: str
    instances: int
    finished: int
    violated: int
    running: int

    def __str__(self) -> str:
        return (
            f"{self.automaton}: {report.count(self.instances, 'instance')}, {self.finished:,} finished, "
            f"{self.violated:,} violated, {self.running:,} still running"
        )


def instances(layers: Layers, opened: Mapping[str, int], ended: Mapping[str, int]) -> Iterator[InstanceCounts]:
    """Yields for each automaton what has become of its instances. Opened ones are counted by the labels of what is
    derived, those that have ended by the labels of states."""
    for module in automata_of(layers):
        label = module.structure.labels[module.structure.root]
        seen, over = opened.get(OPENING + label, 0), ended.get(label, 0)
        violated = opened.get(module.violated_label, 0)
        yield InstanceCounts(module.name, seen, over - violated, violated, seen - over)


def constraints_of(layers: Layers) -> list[ConstraintModule]:
    return [module for module in layers.modules if isinstance(module, ConstraintModule)]


def complete_from(layers: Layers, since: str | None, times: TimeFormat, until: Time | None = None) -> Layers:
    """Returns a program whose constraints take the events as complete from the time of --from on, if it is given.

    Raises UsageError if that is after --until, or if it was asked for and the program verifies no constraints; a file
    of settings is for other programs, too.
    """
    if is_from_file(click.get_current_context(), "since") and not constraints_of(layers):
        return layers
    found = time_of("--from", since, times)
    check_complete_since(layers, found, until, times)
    return complete_since(layers, found)


def from_option(command: F) -> F:
    """--from; the value is for `complete_from`."""
    return click.option(
        "--from",
        "since",
        metavar="TIME",
        help="From when on the events are complete, for constraints that miss something; the first event if not given. "
        "An error if the program has no constraints.",
    )(command)


def violations_text(number: int) -> str:
    return report.count(number, "violation") if number else "no violations"
