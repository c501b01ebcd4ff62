"""Stored relations as stages: rows are stored, and new ones meet those of the other side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.algebra.layouts import Layout
from cera.algebra.physical import Store
from cera.algebra.reach import Limit, Reach
from cera.codegen.functions import indented
from cera.engines.local.python_source import Cells, SourceWriter, is_ordinary, key_of
from cera.engines.local.row_stages import Stage, named_row
from cera.errors import MatchLimitError
from cera.model.events.answer_limits import too_many_combinations
from cera.model.time.periodic_windows import Period
from cera.model.time.timers import Edge


@dataclass(frozen=True)
class PairColumns:
    """The columns of a pair: those of the left side, then the new ones of the right side; and how many events each side
    consists of.
    """

    new: Sequence[int]
    other_width: int
    own_events: int
    other_events: int
    from_left: bool

    def cells(self, cells: Cells, found: str) -> Cells:
        """Returns the pair of a row of this side and a row of the other side under a name."""
        other = Cells.of(found, self.other_width)
        left, right = (cells, other) if self.from_left else (other, cells)
        return left.and_(right, self.new)


@dataclass(frozen=True)
class EndRange:
    """The ends that rows of the other side may have to meet a row with this layout."""

    reach: Reach
    layout: Layout

    def rows(self, horizon: int | None, cells: Cells) -> str:
        """Returns the call on a bucket that gives these rows."""
        first = [] if horizon is None else [f"now - {horizon}"]
        first += [self._source(limit, cells) for limit in self.reach.first]
        last = [self._source(limit, cells) for limit in self.reach.last]
        if last:
            return f"between({_tightest('max', first)}, {_tightest('min', last)})"
        return f"since({_tightest('max', first)})" if first else "all()"

    def _source(self, limit: Limit, cells: Cells) -> str:
        position = self.layout.event(limit.point.identifier)
        edge = cells.begin(position) if limit.point.edge == "begin" else cells.end(position)
        return f"{edge} + {limit.offset}"


def _tightest(function: str, limits: Sequence[str]) -> str:
    return f"{function}({', '.join(limits)})" if len(limits) > 1 else limits[0] if limits else "None"


@dataclass(frozen=True)
class Combinations:
    """The limit of combinations with others that one event may make in the joins of a rule. Meeting single events does
    not count: it takes no more than has been read.
    """

    rule: str
    most: int
    joined: tuple[str, ...]

    def passed(self) -> MatchLimitError:
        return too_many_combinations(self.rule, self.most, self.joined)

    def counted(self, rows: str, pairing: PairColumns, writer: SourceWriter) -> list[str]:
        """Returns lines that count the rows that a row meets; a row that is the event itself restarts the count."""
        if pairing.own_events == pairing.other_events == 1:
            return ["state.combined = 0"]
        return [
            f"state.combined {'=' if pairing.own_events == 1 else '+='} len({rows})",
            f"if state.combined > {self.most}: raise {writer.name(self)}.passed()",
        ]


class Meet(Stage):
    """Δ(R ⋈ S) for a new row of one side: it is stored for later rows of the other side, and meets the rows known so
    far. A side whose rows could never be used later has no store.

    What has met the only event that it can meet is taken out of the store: another one would lie in one window with it
    and with the event, which came in between. What ends with the event may still have to meet it, so the event must be
    alone in its step; one that lasts may lie in no window, and not be counted.
    """

    #: Whether a row is the only event that those of the other side can meet.
    is_only_partner = False

    def __init__(
        self,
        own: Store | None,
        other: Store | None,
        key: Sequence[int],
        pairing: PairColumns,
        within: EndRange,
        limit: Combinations,
        then: Stage,
    ) -> None:
        self.own = own
        self.other = other
        self.key = key
        self.pairing = pairing
        self.within = within
        self.limit = limit
        self.then = then

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        made, cells = named_row(cells, writer) if self.own is not None else ([], cells)
        key = key_of([cells[position] for position in self.key])
        lines = list(made)
        if self.own is not None:
            lines.append(f"add(stores[{self.own.number}], {key}, now, {cells.row}, {self.own.horizon})")
        if self.other is not None:
            lines += self._meet(self.other, key, cells, writer)
        return lines or ["pass"]

    def _meet(self, store: Store, key: str, cells: Cells, writer: SourceWriter) -> list[str]:
        bucket, found = writer.fresh("bucket"), writer.fresh("found")
        met = writer.fresh("met")
        rows = f"{bucket}.{self.within.rows(store.horizon, cells)}"
        look_up = [f"{bucket} = stores[{store.number}].get({key})"]
        if self.is_only_partner and writer.alone:
            look_up = [
                f"if begin == now: {bucket} = stores[{store.number}].pop({key}, None)",
                f"else: {look_up[0]}",
            ]
        counted = self.limit.counted(met, self.pairing, writer)
        writer.depth += 1
        inner = self.then.write(self.pairing.cells(cells, found), writer)
        writer.depth -= 1
        return [
            *look_up,
            f"if {bucket} is not None:",
            f"    {met} = {rows}",
            *indented(counted),
            f"    for {found} in {met}:",
            *indented(indented(inner)),
        ]


class FirstOf(Stage):
    """The rows whose event at a position is the first one of its group, or ends with that: others go nowhere.

    A group has the same values, and the same other events; with a period, the event lies in the same windows. The first
    row of each is stored, unless the join does that.
    """

    def __init__(
        self,
        store: Store,
        data: Sequence[int],
        others: Sequence[int] | None,
        event: int,
        edge: Edge,
        period: Period | None,
        then: Meet,
    ) -> None:
        self.store = store
        self.data = data
        #: The other events; None if the join stores the rows.
        self.others = others
        self.event = event
        self.edge = edge
        self.period = period
        self.then = then
        self.gate = then.gate

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        made, cells = named_row(cells, writer)
        key = key_of(self._group(cells))
        first, number = writer.fresh("first"), self.store.number
        time = cells.end(self.event) if self.edge == "end" else cells.begin(self.event)
        is_first = f"{first} is None or {first}.rows[{first}.start][{self.event}].{self.edge} >= {time}"
        keep = f"    if {first} is None: add(stores[{number}], {key}, now, {cells.row}, {self.store.horizon})"
        return [
            *made,
            f"{first} = stores[{number}].get({key})",
            f"if {is_first}:",
            *([keep] if self.others is not None else []),
            *indented(self.then.write(cells, writer)),
        ]

    def _group(self, cells: Cells) -> list[str]:
        group = [*(cells[at] for at in self.data), *(f"{cells[at]}.number" for at in self.others or ())]
        if self.period is not None:
            length, slide, origin = self.period
            group.append(f"({cells.begin(self.event)} - {origin}) // {slide}")
            group.append(f"({cells.end(self.event)} - {length + origin}) // {slide}")
        return group


class Remember(Stage):
    """The stage that adds the row of an event, which stands at its end, to a store for windows, as `add_event` does.

    An event that refutes what waits, and is of no use later, is not added: what ends with it may still need it, so it
    must be alone in its step; one that lasts may lie in no window of what waits.
    """

    def __init__(self, store: Store, key: Sequence[int], refuting: Stage | None = None) -> None:
        self.store = store
        self.key = key
        self.refuting = refuting

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        if self.refuting is None or not writer.alone:
            return self._stored(cells, writer)
        at_once = [f"if {cells.begin(len(cells.columns) - 1)} == now:", *indented(self.refuting.lines(cells, writer))]
        stored = self._stored(cells, writer)
        return [*at_once, "else:", *indented(stored)] if self.store.windows == 1 else [*at_once, *stored]

    def _stored(self, cells: Cells, writer: SourceWriter) -> list[str]:
        made, cells = named_row(cells, writer)
        key = key_of([cells[position] for position in self.key])
        number, horizon = self.store.number, self.store.horizon
        bucket = writer.bucket(number, key)
        ordinary = " and ".join(is_ordinary(cells[position]) for position in sorted(self.store.summed)) or "True"
        event = len(cells.columns) - 1
        doubts = [f"{bucket} is None", f"not {bucket}.plain", f"(ends := {bucket}.ends)[-1] == now"]
        doubts.append(f"{cells.begin(event)} != now")
        if self.store.summed:
            doubts.append(f"not ({ordinary})")
        cut = [
            f"    if ends[{bucket}.start] < now - {horizon}:",
            f"        if not {bucket}.start and ends[1] >= now - {horizon} and len(ends) < COMPACT:",  # one in, one out
            f"            del ends[0], {bucket}.rows[0]",
            "        else:",
            f"            {bucket}.cut(now - {horizon})",
        ]
        return [
            *made,
            f"{bucket} = stores[{number}].get({key})",
            f"if {' or '.join(doubts)}:",
            f"    {bucket} = add_event(stores[{number}], {key}, now, {cells.row}, {horizon}, {ordinary})",
            "else:",
            "    ends.append(now)",
            f"    {bucket}.rows.append({cells.row})",
            *(cut if horizon is not None else []),
        ]
