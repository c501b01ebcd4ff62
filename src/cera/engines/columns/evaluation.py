"""A physical plan evaluated for a batch of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

import numpy as np

from cera.engines.columns import physical
from cera.engines.columns.conditions import constant, holds, hull, value
from cera.engines.columns.event_tables import Attribute, EventStore, EventTable, distinct_events, joined
from cera.engines.columns.folding import folded
from cera.engines.columns.physical import Answers, Node, PhysicalPlan, Results
from cera.engines.columns.rows import (
    Column,
    Events,
    InputEvents,
    OutsideColumnsError,
    Places,
    Rows,
    TimerEvents,
    Times,
    Truths,
    concatenated,
    taken,
)
from cera.engines.columns.stretches import Stretches, order_by, order_by_key, pieces, shared_keys
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.model.time.timers import TIMERS

#: More rows of one relation are left to the event-by-event engine, which needs not keep them all.
_MOST_ROWS = 2_000_000


@dataclass(frozen=True)
class AnswerBlock:
    """Derived events of one rule: their times, the values of their children by name, and their causes."""

    rule: str
    label: str
    begin: Times
    end: Times
    children: Mapping[str, Column]
    causes: Mapping[str, Events]

    def take(self, places: Places | slice) -> AnswerBlock:
        end = self.end[places]
        return AnswerBlock(
            self.rule,
            self.label,
            end if self.begin is self.end else self.begin[places],
            end,
            {name: column.take(places) for name, column in self.children.items()},
            taken(self.causes, places),
        )


@dataclass
class Evaluation:
    """The evaluation of a plan over the events of a store. Points are evaluated once."""

    plan: PhysicalPlan
    store: EventStore
    _points: dict[str, Rows] = field(default_factory=dict)
    #: What the rules that others read have derived, and for each label that with the events of the stream.
    _derived: dict[str, list[AnswerBlock]] = field(default_factory=dict)
    _tables: dict[str, EventTable] = field(default_factory=dict)

    def answers(self, after: int | None, until: int | None) -> list[AnswerBlock]:
        """Returns the answers that end after a time and not after another one. Raises OutsideColumnsError."""
        found: list[AnswerBlock] = []
        for name, node in self.plan.points:
            if not isinstance(node, Results):
                self._points[name] = self.rows(node)
            elif node.read:
                blocks = [self._block(each, None, until) for each in node.answers]
                self._derived[name] = blocks
                found += (
                    blocks if after is None else [block.take(np.flatnonzero(block.end > after)) for block in blocks]
                )
            else:
                found += [self._block(each, after, until) for each in node.answers]
        return found

    def rows(self, node: Node) -> Rows:
        match node:
            case physical.Scan():
                return self._scan(node)
            case physical.Shared():
                return self._points[node.name]
            case physical.Filter():
                rows = self.rows(node.input)
                return rows.where(holds(node.condition, rows, self.store.strings))
            case physical.Projected():
                rows = self.rows(node.input)
                return Rows(rows.count, rows.events, {n: c for n, c in rows.data.items() if n in node.variables})
            case physical.Renamed():
                return _renamed(node, self.rows(node.input))
            case physical.Pairs():
                return self._pairs(node)
            case physical.Timed():
                return _timed(node, self.rows(node.input))
            case physical.Absence():
                return self._without(node.window, self.rows(node.left))
            case _:
                assert_never(node)

    def _scan(self, scan: physical.Scan) -> Rows:
        table = self._table(scan)
        chosen = self._chosen(scan, table)
        places = np.arange(len(table)) if chosen is None else np.flatnonzero(chosen)
        rows = slice(None) if chosen is None else places
        data: dict[str, Column] = {}
        for variable, name in scan.variables:
            attribute = table.attributes.get(name)
            if attribute is None:
                data[variable] = Column("nothing", np.empty(0))
            else:
                values = attribute.values[rows]
                bound = float(np.abs(values).max(initial=0.0)) if attribute.kind == "number" else 0.0
                data[variable] = Column(attribute.kind, values, bound)
        end = table.end[rows]
        begin = end if table.begin is table.end else table.begin[rows]
        return Rows(len(places), {scan.identifier: Events(begin, end, InputEvents(table, places))}, data)

    def _chosen(self, scan: physical.Scan, table: EventTable) -> Truths | None:
        """Returns which events of a table a scan takes; None: all."""
        chosen = [_presence(table, name) for name in (*(name for _, name in scan.variables), *scan.present)]
        for name, scalar in scan.constants:
            chosen.append(_presence(table, name))
            attribute, wanted = table.attributes.get(name), constant(scalar, 1, self.store.strings)
            if attribute is not None:
                chosen.append((attribute.values == wanted.values) & (attribute.kind == wanted.kind))
        if scan.total is not None:
            counts = np.zeros(len(table), np.int64)
            for name in table.attributes:
                there = _presence(table, name)
                counts += 1 if there is None else there
            chosen.append(counts == scan.total)
        given = [each for each in chosen if each is not None]
        return np.logical_and.reduce(given) if given else None

    def _table(self, scan: physical.Scan) -> EventTable:
        """Returns the events of a label, those of the stream and those that rules derive, each once."""
        if scan.label not in self._tables:
            table = self.store.tables.get(scan.label) or _empty(scan, self.store)
            blocks = [block for name in scan.derived for block in self._derived[name] if block.label == scan.label]
            self._tables[scan.label] = table if not blocks else self._with_derived(table, blocks)
        return self._tables[scan.label]

    def _with_derived(self, table: EventTable, blocks: list[AnswerBlock]) -> EventTable:
        for block in blocks:
            if len(block.end):
                children = {name: Attribute(each.kind, each.values, None) for name, each in block.children.items()}
                table = joined(table, EventTable(block.label, block.begin, block.end, children, self.store.strings))
        table = distinct_events(table.take(np.argsort(table.end, kind="stable")))
        others = [*self.store.tables.values(), *self._tables.values()]
        return replace(table, first_number=max((each.first_number + len(each) for each in others), default=0))

    def _pairs(self, node: physical.Pairs) -> Rows:
        left, right = self.rows(node.left), self.rows(node.right)
        one, other, limit = shared_keys(left, right, node.shared, len(self.store.strings))
        span = node.span
        if span is None:
            times, first, last = np.zeros(right.count, np.int64), np.zeros(left.count, np.int64), None
        else:
            times, ends = right.events[span.right].end, left.events[span.left].end
            first, last = ends - span.before, ends + span.after
        stretches = Stretches(other, limit, times, order_by(other, limit, times))
        by_key = order_by_key(one, limit)
        low = stretches.since(one, first, by_key)
        high = stretches.since(one, first + 1 if last is None else last + 1, by_key)
        found: list[Rows] = []
        total = 0
        for rows, places in pieces(low, high):
            pairs = left.take(rows).beside(right.take(stretches.order[places]))
            for condition in node.conditions:
                pairs = pairs.where(holds(condition, pairs, self.store.strings))
            found.append(pairs)
            total += pairs.count
            if total > _MOST_ROWS or (node.limited and total > self.plan.answer_limit):
                raise OutsideColumnsError("a join has very many pairs")
        if not found:
            nothing = np.empty(0, np.int64)
            pairs = left.take(nothing).beside(right.take(nothing))
            for condition in node.conditions:
                holds(condition, pairs, self.store.strings)
            return pairs
        return concatenated(found)

    def _without(self, window: physical.Window, left: Rows) -> Rows:
        """Returns the rows whose window is empty."""
        found = _WindowSearch(window, left, self.rows(window.right), self.store)
        return left.where(~found.occupied())

    def _block(self, answers: Answers, after: int | None, until: int | None) -> AnswerBlock:
        rows = self.rows(answers.input)
        begin, end = hull([rows.events[name] for name in answers.merged])
        chosen = np.ones(rows.count, np.bool_)
        if after is not None:
            chosen &= end > after
        if until is not None:
            chosen &= end <= until
        if not chosen.all():
            places = np.flatnonzero(chosen)
            rows, begin, end = rows.take(places), begin[places], end[places]
        if answers.window is None:
            children = {
                name: value(each, rows, self.store.strings)
                for name, each in answers.children
                if not isinstance(each, physical.Folded)
            }
        else:
            search = _WindowSearch(answers.window, rows, self.rows(answers.window.right), self.store)
            there, values = search.collected(answers.children)
            if len(there) < rows.count:
                rows, begin, end = rows.take(there), begin[there], end[there]
            children = {
                name: values[name] if isinstance(each, physical.Folded) else value(each, rows, self.store.strings)
                for name, each in answers.children
            }
        causes = {name: rows.events[reference] for name, reference in answers.causes}
        return AnswerBlock(answers.rule, answers.label, end if answers.momentary else begin, end, children, causes)


class _WindowSearch:
    """The rows of the right side that lie in the windows of rows of the left side."""

    def __init__(self, window: physical.Window, left: Rows, right: Rows, store: EventStore) -> None:
        self._window = window
        self._left = left
        self._right = right
        self._strings = store.strings
        self._elements = right.events[window.element]
        keys, others, limit = shared_keys(left, right, window.shared, len(store.strings))
        stretches = Stretches(others, limit, self._elements.end, _match_order(others, limit, self._elements))
        self._order = stretches.order
        edges = left.events[window.window]
        by_key = order_by_key(keys, limit)
        self._low = stretches.since(keys, edges.begin, by_key)
        self._high = stretches.since(keys, edges.end + 1, by_key)
        points = self._elements.begin is self._elements.end
        self._points = points or bool((self._elements.begin == self._elements.end).all())

    def occupied(self) -> Truths:
        """Returns which windows hold something."""
        found = np.zeros(self._left.count, np.bool_)
        high = self._high
        if self._points and not self._window.conditions:
            # each event is there at most once: where there are more than can be excluded, one is left
            found = high - self._low > len(self._window.excluded)
            high = np.where(found, self._low, high)
        for rows, places in pieces(self._low, high):
            kept, _ = self._inside(rows, self._order[places])
            found[kept] = True
        return found

    def collected(self, children: tuple[tuple[str, physical.HeadValue], ...]) -> tuple[Places, dict[str, Column]]:
        """Returns the rows whose windows hold something, and for these the aggregates by the name of the child."""
        folds = {name: each for name, each in children if isinstance(each, physical.Folded)}
        there: list[Places] = []
        values: dict[str, list[Column]] = {name: [] for name in folds}
        low, high, left = self._stretches_inside(folds.values())
        if not left.all():
            rows = np.flatnonzero(high > low)
            there.append(rows)
            for name, each in folds.items():
                column = self._right.data[each.variable].take(self._order)
                values[name].append(folded(each.function, column, low[rows], (high - low)[rows]))
        nothing = np.empty(0, np.int64)
        rest = pieces(np.where(left, self._low, 0), np.where(left, self._high, 0)) if left.any() else ()
        for rows, places in [*rest] or [(nothing, nothing)]:
            kept, others = self._inside(rows, self._order[places])
            starts = np.flatnonzero(np.diff(kept, prepend=-1))
            counts = np.diff(np.append(starts, len(kept)))
            there.append(kept[starts])
            for name, each in folds.items():
                own = self._left.data.get(each.variable)
                column = self._right.data[each.variable].take(others) if own is None else own.take(kept)
                values[name].append(folded(each.function, column, starts, counts))
        found, columns = np.concatenate(there), {name: _joined(parts) for name, parts in values.items()}
        if left.all() or not left.any():
            return found, columns
        order = np.argsort(found)
        return found[order], {name: column.take(order) for name, column in columns.items()}

    def _stretches_inside(self, folds: Iterable[physical.Folded]) -> tuple[Places, Places, Truths]:
        """Returns for each row a stretch, in the order, with what is in its window, and the rows that have none.

        These have windows of which something inside must be left out; in a stretch that is at its edges only.
        """
        low, high = self._low, self._high
        if not self._points or self._window.conditions or any(each.variable in self._left.data for each in folds):
            return low, low, np.ones(self._left.count, np.bool_)
        left = np.zeros(self._left.count, np.bool_)
        if self._window.excluded and len(self._order):
            numbers = self._elements.numbers
            first = int(numbers.min())
            places = np.full(int(numbers.max()) - first + 2, -1)
            places[numbers[self._order] - first] = np.arange(len(self._order))
            for name in self._window.excluded:
                own = self._left.events[name].numbers - first
                place = places[np.where((own >= 0) & (own < len(places)), own, -1)]
                at_end, at_start = place == high - 1, place == low
                left |= (place > low) & (place < high - 1)
                low, high = low + (at_start & ~at_end), high - at_end
        return low, np.where(left, low, high), left

    def _inside(self, rows: Places, others: Places) -> tuple[Places, Places]:
        """Returns the pairs whose element lies in the window, is not excluded, and meets the conditions."""
        window = self._window
        if not self._points:
            inside = self._elements.begin[others] >= self._left.events[window.window].begin[rows]
            rows, others = rows[inside], others[inside]
        numbers = self._elements.numbers
        for name in window.excluded:
            different = numbers[others] != self._left.events[name].numbers[rows]
            rows, others = rows[different], others[different]
        for condition in window.conditions:
            pairs = self._left.take(rows).beside(self._right.take(others))
            true = holds(condition, pairs, self._strings)
            rows, others = rows[true], others[true]
        return rows, others


def _match_order(keys: Places, limit: int, events: Events) -> Places:
    """Returns the order of matches: by key, end, begin, id. Ids are made only where they decide."""
    order = order_by(keys, limit, events.end)
    ends, sorted_keys = events.end[order], keys[order]
    same = (ends[1:] == ends[:-1]) & (sorted_keys[1:] == sorted_keys[:-1])
    if not same.any():
        return order
    tied = np.zeros(len(order), np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    places = order[tied]
    first, second = events.take(places).ids
    by_id = np.lexsort((second, first, events.begin[places], events.end[places], keys[places]))
    order[tied] = places[by_id]
    return order


def _joined(parts: list[Column]) -> Column:
    bound = max(part.bound for part in parts)
    return Column(parts[0].kind, np.concatenate([part.values for part in parts]), bound)


def _presence(table: EventTable, name: str) -> Truths | None:
    """Returns in which events there is a child; None: in all."""
    attribute = table.attributes.get(name)
    return np.zeros(len(table), np.bool_) if attribute is None else attribute.present


def _empty(scan: physical.Scan, store: EventStore) -> EventTable:
    nothing = np.empty(0, np.int64)
    attributes: dict[str, Attribute] = {}
    return EventTable(scan.label, nothing, nothing, attributes, store.strings)


def _renamed(node: physical.Renamed, rows: Rows) -> Rows:
    identifiers = {old: new for new, old in node.identifiers}
    variables = {old: new for new, old in node.variables}
    events = {identifiers.get(name, name): column for name, column in rows.events.items()}
    return Rows(rows.count, events, {variables.get(name, name): column for name, column in rows.data.items()})


def _timed(node: physical.Timed, rows: Rows) -> Rows:
    anchors = rows.events[node.anchor]
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[node.kind]
    length = node.duration.microseconds
    begin: Times = getattr(anchors, begin_edge) + begin_sign * length
    end: Times = getattr(anchors, end_edge) + end_sign * length
    happens = begin <= end
    if begin_sign:
        happens &= (begin >= MIN_TIME) & (begin <= MAX_TIME)
    if end_sign:
        happens &= (end >= MIN_TIME) & (end <= MAX_TIME)
    timers = Events(begin, end, TimerEvents(node.kind, str(node.duration), anchors))
    return Rows(rows.count, {**rows.events, node.identifier: timers}, rows.data).where(happens)
