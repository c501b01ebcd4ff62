"""Which events of a label the readings of a plan take: what its scans and the conditions on these alone let through.

An event that no reading takes is in no relation of the plan, and need not be kept, however long its label matters. That
holds for labels that rules derive too: what a reading takes depends on the times and the children of an event, so that
a derived event that equals a dropped one is not taken either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cera.engines.columns import physical
from cera.engines.columns.evaluation import Evaluation
from cera.engines.columns.event_tables import EventStore, EventTable
from cera.engines.columns.physical import Node, PhysicalPlan, Results, Scan
from cera.engines.columns.rows import InputEvents, Truths

#: From so many events on it is looked which of them are taken; fewer are cheap to keep, and to look at again.
LOOKED_AT_FROM = 1_000


@dataclass(frozen=True)
class Reading:
    """A scan with the conditions on its events alone, to be evaluated over the events of the stream."""

    scan: Scan
    node: Node
    #: Whether it may leave out an event that has the children.
    chooses: bool


class Readings:
    """The readings of each label in a plan."""

    def __init__(self, plan: PhysicalPlan) -> None:
        self._plan = plan
        by_label: dict[str, list[Reading]] = {}
        for reading in _readings(plan):
            by_label.setdefault(reading.scan.label, []).append(reading)
        self._choosing = {
            label: readings for label, readings in by_label.items() if all(reading.chooses for reading in readings)
        }

    def forget(self, store: EventStore) -> None:
        """Drops the events that no reading takes, where there are many. They must have been evaluated already."""
        for label, readings in self._choosing.items():
            table = store.tables.get(label)
            if table is not None and len(table) >= LOOKED_AT_FROM:
                store.keep(label, self._taken(table, readings))

    def _taken(self, table: EventTable, readings: list[Reading]) -> Truths:
        taken = np.zeros(len(table), np.bool_)
        evaluation = Evaluation(self._plan, EventStore(self._plan.labels, table.strings, {table.label: table}))
        for reading in readings:
            source = evaluation.rows(reading.node).events[reading.scan.identifier].source
            assert isinstance(source, InputEvents)
            taken[source.places] = True
        return taken


def _readings(plan: PhysicalPlan) -> Iterator[Reading]:
    # points that are a reading themselves, which others may narrow further
    named: dict[str, Reading] = {}
    for name, point in plan.points:
        if isinstance(point, Results):
            for answers in point.answers:
                yield from _read(answers.input, named)
                if answers.window is not None:
                    yield from _read(answers.window.right, named)
            continue
        found = _reading(point, named)
        if found is None:
            yield from _read(point, named)
        else:
            named[name] = found


def _read(node: Node, named: Mapping[str, Reading]) -> Iterator[Reading]:
    found = _reading(node, named)
    if found is not None:
        yield found
        return
    match node:
        case physical.Filter() | physical.Projected() | physical.Renamed() | physical.Timed():
            yield from _read(node.input, named)
        case physical.Pairs():
            yield from _read(node.left, named)
            yield from _read(node.right, named)
        case physical.Absence():
            yield from _read(node.left, named)
            yield from _read(node.window.right, named)
        case physical.Scan() | physical.Shared():
            pass  # a scan is a reading, and the point has readings of its own


def _reading(node: Node, named: Mapping[str, Reading]) -> Reading | None:
    """Returns the reading that a node is, if it is one."""
    match node:
        case physical.Scan():
            scan = replace(node, derived=())
            return Reading(scan, scan, bool(scan.constants))
        case physical.Shared():
            return named.get(node.name)
        case physical.Filter():
            below = _reading(node.input, named)
            return None if below is None else Reading(below.scan, replace(node, input=below.node), True)
        case physical.Projected():
            below = _reading(node.input, named)
            return None if below is None else replace(below, node=replace(node, input=below.node))
        case physical.Renamed():
            below = _reading(node.input, named)
            if below is None:
                return None
            new_names = {old: new for new, old in node.identifiers}
            scan = replace(below.scan, identifier=new_names.get(below.scan.identifier, below.scan.identifier))
            return Reading(scan, replace(node, input=below.node), below.chooses)
        case _:
            return None
