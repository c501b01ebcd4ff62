"""Compiled heads: from the finished rows of a rule to drafts of events.

Rows are grouped by their event trace, put into the order of their matches, and handed to the compiled head. An event
that is derived in several ways is one event with several derivations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from cera.algebra.layouts import Layout, Row
from cera.algebra.operators import Construction, Merging, Union
from cera.engines.local.construction import Builder, Fitting, Group, HeadCompiler, cell_key, fits
from cera.engines.local.head_source import compile_flat_head
from cera.engines.local.recursion import RecursiveRule
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.event import Derivation, Event
from cera.model.events.occurrence import Draft, Opening, draft_term
from cera.model.events.traces import with_causes
from cera.model.expressions.constructs import free_variables, has_grouping
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.rules.rule import Semantics

_FIRST = itemgetter(0)


class Head:
    """C[h] compiled over the layout of its rows."""

    def __init__(
        self,
        construction: Construction,
        layout: Layout,
        evaluator: Evaluator,
        semantics: Semantics,
        recursive: RecursiveRule | None = None,
    ) -> None:
        #: Set for a rule that depends on itself.
        self.recursive = recursive
        self.fits: Fitting = fits if recursive is None else recursive.fits
        compiler = HeadCompiler(layout, evaluator, self.fits)
        self.construction = construction
        self.layout = layout
        self.evaluator = evaluator
        self.formal = semantics == "formal"
        self.qualifier = construction.recipient.qualifier if construction.recipient else None
        #: The names of the causes, and where a row has them.
        self.causes = [(name, layout.event(reference)) for name, reference in construction.causes]
        self.build = self._builder(compiler)
        self.group_by = compiler.grouping(free_variables(construction.head))
        self._events = [layout.event(identifier) for identifier in layout.identifiers]
        #: Whether some events are openings of states, which do not count for the begin.
        self.has_openings = any(body.openings for body in bodies_of(construction))
        self._trace = Trace(layout)
        self._matches = [layout.match(identifier) for identifier in layout.matches]
        #: Whether several rows may make one event.
        self.gathers = has_grouping(construction.head) or bool(self._matches)
        self._data = [layout.data(name) for name in layout.variables]

    def _builder(self, compiler: HeadCompiler) -> Builder:
        head = self.construction.head
        if not self.construction.traced:
            return compile_flat_head(head, self.layout, self.evaluator, self.fits) or compiler.bounded(head)
        built = compiler.bounded(head)

        def build(group: Group) -> tuple[Any, ...] | None:
            terms = (draft if isinstance(draft, Term) else draft_term(draft) for draft in built(group) or ())
            return tuple(with_causes(term, self._causes(group[0])) for term in terms)

        return build

    def _causes(self, row: Row) -> dict[str, Event]:
        return {name: row[slot].event for name, slot in self.causes if row[slot] is not None}

    def events(self, rows: list[Row]) -> Iterator[tuple[int, Draft | Term, Sequence[Row]]]:
        """Yields the drafts of the events that the rows of a step derive, each with its begin and its rows."""
        if not self.gathers:
            groups: Iterator[list[Row]] = ([row] for row in rows)
        else:
            groups = self._groups(rows)
        for group in groups:
            for part in self.group_by(group):
                for draft in self.build(part) or ():
                    if isinstance(draft, tuple | Term):
                        yield self.begin(group[0]), draft, part
                    else:  # a scalar is not an event
                        self.evaluator.undefined += 1

    def begin(self, row: Row) -> int:
        if self.has_openings:
            return _begin_with_openings([row[slot] for slot in self._events if row[slot] is not None])
        begins: list[int] = [row[slot].begin for slot in self._events if row[slot] is not None]
        return min(begins)

    def in_order(self, rows: list[Row]) -> list[Row]:
        """Returns the rows of one window, which come by their ends, in the order of their matches."""
        if len(rows) == 1:
            return rows
        if len(self._matches) == 1 and not self.formal:
            [slot] = self._matches
            if len({row[slot].end for row in rows}) == len(rows):
                return rows
        return self._ordered(rows)

    def without_matches(self, row: Row) -> Row:
        """Returns a row without the events that were gathered."""
        return tuple([None if column in self._matches else cell for column, cell in enumerate(row)])

    def _groups(self, rows: list[Row]) -> Iterator[list[Row]]:
        """Yields the rows of each event trace in the order of their matches."""
        if len(rows) == 1:
            yield rows
            return
        traces: dict[Any, list[Row]] = {}
        for row in rows:
            traces.setdefault(self._trace(row), []).append(row)
        for trace in traces.values():
            yield self._ordered(trace)

    def _ordered(self, rows: list[Row]) -> list[Row]:
        if len(rows) > 1:
            if len(self._matches) == 1 and all(row[self._matches[0]] is not None for row in rows):
                rows = self._by_ends(rows, self._matches[0])
            else:
                rows = self._by_keys(rows)
        if self.formal:
            distinct: dict[Any, Row] = {}
            for row in rows:
                distinct.setdefault(tuple([row[slot] for slot in self._data]), row)
            rows = list(distinct.values())
        return rows

    def _by_ends(self, rows: list[Row], slot: int) -> list[Row]:
        """Returns rows by the ends of their matches, and by their keys only where several have one end."""
        ends = [row[slot].end for row in rows]
        times = sorted(set(ends))
        if len(times) == len(rows):
            return rows if ends == times else [row for _, row in sorted(zip(ends, rows, strict=True), key=_FIRST)]
        together: dict[Time, list[Row]] = {}
        for end, row in zip(ends, rows, strict=True):
            together.setdefault(end, []).append(row)
        found: list[Row] = []
        for end in times:
            several = together[end]
            found += several if len(several) == 1 else self._by_keys(several)
        return found

    def _by_keys(self, rows: list[Row]) -> list[Row]:
        """Returns one row for each event and substitution, also where two branches of an `or` find it."""
        first: dict[Any, Row] = {}
        for row in rows:
            first.setdefault(self._match_key(row), row)
        return [first[key] for key in sorted(first)]

    def _match_key(self, row: Row) -> tuple[Any, ...]:
        """Returns the collected events (end, begin, id), then the substitution, as the reference orders matches."""
        events = tuple(row[slot].event.order_key for slot in self._matches if row[slot] is not None)
        named = sorted(zip(self.layout.variables, self._data, strict=True))
        values = tuple((name, cell_key(row[slot])) for name, slot in named if row[slot] is not None)
        return (events, values)

    def derivations(self, rows: Sequence[Row], rank: int) -> Iterator[Derivation]:
        """Yields one derivation of a rank: all rows have the same event trace."""
        causes = self._causes(rows[0])
        collected = dict.fromkeys(row[slot].event for row in rows for slot in self._matches if row[slot] is not None)
        yield Derivation(self.construction.title, causes, tuple(collected), rank)


def bodies_of(construction: Construction) -> list[Merging]:
    """Returns the bodies whose rows a construction takes."""
    parts = construction.input.inputs if isinstance(construction.input, Union) else (construction.input,)
    return [part for part in parts if isinstance(part, Merging)]


def _begin_with_openings(events: Sequence[Any]) -> int:
    """Returns the first begin of the events; of openings of states alone, the last one."""
    begins: list[int] = [event.begin for event in events if not isinstance(event, Opening)]
    return min(begins) if begins else max(event.begin for event in events)


class Trace:
    """The event trace of a row. Timers follow from their anchors; what counts is whether they are there."""

    def __init__(self, layout: Layout) -> None:
        self._events = [layout.event(identifier) for identifier in layout.identifiers]

    def __call__(self, row: Row) -> tuple[int | None, ...]:
        return tuple([None if row[slot] is None else getattr(row[slot], "number", 0) for slot in self._events])
