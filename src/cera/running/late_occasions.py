"""What constraints need to be judged, looked for by rules: a run on the same engine over the same recording."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from cera.constraints.module import ConstraintModule
from cera.constraints.reports import VIOLATION
from cera.constraints.translation.clause_rules import clause_of
from cera.model.events.event import DerivedEvent, Event
from cera.modules.layering import Layers
from cera.running.listener import Output, Unattended
from cera.running.outcome import Outcome
from cera.running.run import Run

#: When so many occasions of one clause were found, the others are looked for without it.
MOST_OF_ONE = 10_000


class _EnoughError(Exception):
    """Raised when all was found that was looked for, or enough of something."""


class _Found:
    """An output that counts the occasions of clauses without a head, and ends the run when all have some."""

    def __init__(self, names: Collection[str]) -> None:
        self._missing = set(names)
        self.numbers: Counter[str] = Counter()

    @contextmanager
    def opened(self) -> Iterator[Output]:
        """Returns itself for a run."""
        yield self

    def write(self, item: Event | DerivedEvent) -> None:
        if isinstance(item, DerivedEvent):
            for each in item.derivations:
                self._take(each.rule)

    def write_line(self, line: str) -> None:
        self._take(json.loads(line)["rule"])

    def write_lines(self, data: bytes | memoryview) -> None:
        for line in bytes(data).splitlines():
            self.write_line(line.decode())

    def finish(self) -> None:
        """Does nothing: nothing is written."""

    def _take(self, rule: str) -> None:
        name = clause_of(rule)
        self._missing.discard(name)
        self.numbers[name] += 1
        if not self._missing or self.numbers[name] >= MOST_OF_ONE:
            raise _EnoughError


def look_by_rules(run: Run, answer: Callable[[Run], Outcome]) -> None:
    """Looks for the occasions that are left to rules, in as many runs as it takes."""
    occasions = run.occasions
    assert occasions is not None
    quiet = replace(run.request, labels=frozenset({VIOLATION}), rejected=None, late=None, strict=False)
    quiet = replace(quiet, counts_open=False, changes=False)
    while (left := occasions.left()) is not None:
        found = _Found(_names(left))
        looking = replace(run, layers=left, request=quiet, output=found.opened, listener=Unattended(), occasions=None)
        try:
            answer(looking)
        except _EnoughError:
            occasions.found |= found.numbers.keys()
        else:
            occasions.found |= found.numbers.keys()
            return


def _names(layers: Layers) -> set[str]:
    modules = (each for each in layers.modules if isinstance(each, ConstraintModule))
    return {f"{module.name}.{clause.name}" for module in modules for clause in module.clauses}
