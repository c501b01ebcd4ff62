"""From a physical plan to its network: each node becomes the stage, or the finisher of a slot, that it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from cera.algebra import physical
from cera.algebra.physical import Node, PhysicalPlan, Wait
from cera.engines.local.collecting import WindowCollector
from cera.engines.local.deriving import EventDeriver
from cera.engines.local.feeds import Query, compile_alone, compile_feeds, compile_forgetting
from cera.engines.local.forgetting import EndedGroups, EndingStage
from cera.engines.local.heads import Head
from cera.engines.local.joins import Combinations, EndRange, FirstOf, Meet, PairColumns, Remember
from cera.engines.local.lookups import Lookup, LookupFinisher, index_of
from cera.engines.local.network import Network
from cera.engines.local.pattern_rows import compile_pattern
from cera.engines.local.probes import RowProbe, SlotProbe
from cera.engines.local.recursion import RecursiveRule
from cera.engines.local.row_stages import (
    BoundedWindowStage,
    Broadcast,
    Fit,
    Select,
    SlotStage,
    Stage,
    TimerStage,
    WindowStage,
)
from cera.engines.local.settling import SettledSlot
from cera.engines.local.settling_stages import ClosingStage, OpenStateStage, RefutingStage, SettlingStage
from cera.engines.local.windows import Window
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.relation_rows import RelationRows, named_rows
from cera.model.matching.patterns import Pattern
from cera.rules.analysis.unification import query_label
from cera.rules.settlements import ClosingEvent


class Emission:
    """The network of a plan under construction."""

    def __init__(
        self, plan: PhysicalPlan, evaluator: Evaluator, recursion_limit: int, relations: Mapping[str, RelationRows]
    ) -> None:
        self.plan = plan
        self.evaluator = evaluator
        self.recursion_limit = recursion_limit
        self.relations = relations
        self.network = Network(plan)
        self.consumers: dict[str, list[Stage]] = {}
        self.queries: dict[str | None, list[Query]] = {}

    def emit(self) -> Network:
        """Returns the network: all points are connected, then the patterns of each label become functions."""
        for name, point in self.plan.points:
            if isinstance(point, physical.Rule):
                for part in point.parts:
                    self._part(part)
            else:
                self.consumers[name] = []
                self.connect(point, Broadcast(self.consumers[name]))
        feeds = {feed.label: feed for feed in self.plan.feeds}
        for label, queries in self.queries.items():
            self._feed(feeds[label], queries)
        return self.network

    def _feed(self, feed: physical.Feed, queries: Sequence[Query]) -> None:
        function = compile_feeds(queries)
        if feed.label is None:
            self.network.any_label.append(function)
            return
        self.network.by_label[feed.label] = function
        if feed.alone is not None:
            self.network.alone[feed.label] = compile_alone(queries, feed.alone, self.network, function)
        if feed.only_forgets:
            self.network.forgetting[feed.label] = compile_forgetting(queries, self.network)

    def _part(self, part: physical.Derive | physical.Collect | physical.Forgetting) -> None:
        match part:
            case physical.Derive():
                self.network.finishers[part.slot] = self._deriver(part)
                for body in part.bodies:
                    self._wait(body, one_body=len(part.bodies) == 1)
            case physical.Collect():
                deriver = self._deriver(part)
                window = self._window(part.window)
                self.network.finishers[part.slot] = WindowCollector(window, deriver)
                self._wait(part.input)
            case physical.Forgetting():
                stores = [(self.plan.stores[number], names) for number, names in part.stores]
                groups = EndedGroups(part.number, part.closing.by, stores)
                self.network.ended_groups.append(groups)
                self._ask(part.closing.pattern, EndingStage(groups, part.closing, self.network))
            case _:
                assert_never(part)

    def _deriver(self, part: physical.Derive | physical.Collect) -> EventDeriver:
        deriver = EventDeriver(self._head(part.head), part, self.network)
        self.network.derivers[part.head.construction.rule] = deriver.complete
        return deriver

    def _head(self, head: physical.Head) -> Head:
        construction, recursive = head.construction, None
        if head.recursion is not None:
            cycle, spanning = head.recursion.cycle, head.recursion.spanning
            place = construction.head.span
            recursive = RecursiveRule(construction.rule, place, cycle, spanning, self.recursion_limit)
        return Head(construction, head.layout, self.evaluator, self.plan.semantics, recursive)

    def _wait(self, wait: Wait, *, one_body: bool = False) -> None:
        """Connects rows to the slot that they wait in, and then the events that settle them."""
        if not wait.settlements:
            self.connect(wait.input, SlotStage(wait.slot, wait.timers))
            return
        slot = _settled(wait)
        self.network.settled_slots.append(slot)
        self.connect(wait.input, SettlingStage(slot, wait.timers, self.network, one_body=one_body))
        for number, settlement in enumerate(wait.settlements):
            if isinstance(settlement, ClosingEvent):
                self._ask(settlement.pattern, ClosingStage(slot, number, settlement, self.network))

    def _ask(self, pattern: Pattern, stage: Stage) -> None:
        self.queries.setdefault(query_label(pattern), []).append((pattern, stage))

    def connect(self, node: Node, then: Stage) -> None:
        """Connects a node to a stage, which is called with each of its new rows."""
        match node:
            case physical.Match():
                self._ask(node.pattern, then)
            case physical.Ticks():
                self.network.timers.append((node.timer, compile_pattern(node.timer.pattern), then))
            case physical.Shared():
                self.consumers[node.point].append(then)
            case physical.Pick():
                self.connect(node.input, Fit(node.positions, then))
            case physical.Filter():
                self.connect(node.input, Select(node.conditions, node.layout, self.evaluator, then))
            case physical.Timer():
                in_time = TimerStage(node.kind, node.duration, node.anchor, then)
                self.connect(node.input, OpenStateStage(node.anchor, then) if node.of_state else in_time)
            case physical.ClockWindows():
                self.connect(node.input, WindowStage(node.period, node.over, then))
            case physical.BoundedWindow():
                self.connect(node.input, BoundedWindowStage(node.bounds, dict(node.positions), then))
            case physical.Lookup():
                self._lookup(node, then)
            case physical.Pairs():
                self._pairs(node, then)
            case physical.Probe():
                self._probe(node, then)
            case _:
                assert_never(node)

    def _lookup(self, node: physical.Lookup, then: Stage) -> None:
        rows = named_rows(self.relations, node.relation.name)
        index = index_of(node.relation, rows, node.variables, node.shared)
        lookup = Lookup(index, node.key, node.at, node.new, then)
        if isinstance(node.input, Wait):
            self.network.finishers[node.input.slot] = LookupFinisher(lookup)
            self._wait(node.input)
        else:
            self.connect(node.input, lookup)

    def _pairs(self, node: physical.Pairs, then: Stage) -> None:
        joined = (*node.left.layout.identifiers, *node.right.layout.identifiers)
        limit = Combinations(node.rule, self.plan.answer_limit, joined)
        for side, other in ((node.left, node.right), (node.right, node.left)):
            from_left = side is node.left
            pairing = PairColumns(node.new, len(other.layout.columns), side.events, other.events, from_left)
            within = EndRange(side.reach, side.layout)
            meet = Meet(self._store(side.store), self._store(other.store), side.key, pairing, within, limit, then)
            meet.gate = side.gate
            meet.is_only_partner = side.is_only_partner and not self.plan.queries_what_it_derives
            self.connect(side.input, meet if side.first is None else self._first(side.first, meet))

    def _first(self, first: physical.First, then: Meet) -> FirstOf:
        store = self.plan.stores[first.store]
        return FirstOf(store, first.data, first.others, first.event, first.edge, first.period, then)

    def _store(self, number: int | None) -> physical.Store | None:
        return None if number is None else self.plan.stores[number]

    def _probe(self, node: physical.Probe, then: Stage) -> None:
        refuting = None if self.plan.queries_what_it_derives else self._refuting(node)
        probe = RowProbe(self._window(node.window, refuting), self.evaluator, then)
        if isinstance(node.input, Wait):
            self.network.finishers[node.input.slot] = SlotProbe(probe)
            self._wait(node.input)
        else:
            self.connect(node.input, probe)

    def _window(self, window: physical.Window, refuting: RefutingStage | None = None) -> Window:
        store = self.plan.stores[window.store]
        if window.input is not None:
            self.connect(window.input, Remember(store, window.key, refuting))
        return Window(window.operator, window.left, window.right, store)

    def _refuting(self, node: physical.Probe) -> RefutingStage | None:
        """Returns the stage of the events that refute the rows of a probe, which wait in a slot below."""
        wait: Node | Wait = node.input
        while isinstance(wait, physical.Probe):
            wait = wait.input
        if node.refuting is None or not isinstance(wait, Wait):
            return None
        slot = _settled(wait)
        return RefutingStage(slot, node.window.right, self.network) if slot.refuting == node.refuting else None


def _settled(wait: Wait) -> SettledSlot:
    return SettledSlot(wait.slot, wait.layout, wait.settlements, wait.of_one_window, wait.state)
