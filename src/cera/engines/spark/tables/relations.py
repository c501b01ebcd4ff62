"""Relations of the algebra as DataFrames.

The columns of a relation: for each variable X its components (`X:integer`, `X:string`, …), for each identifier i the
times and the two halves of the id of its event (`i.begin`, `i.end`, `i.h1`, `i.h2`). A counted match of an event j of
a window has the same four under the name `j.match`. The event of a relative timer has its times only: its id follows
from its anchor, and is computed on demand. So does a periodic window, whose id follows from its times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pyspark.sql import Column, DataFrame

from cera.engines.spark.tables.unions import united
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import TYPES, Cell
from cera.engines.spark.values.hashing import event_hashes, hash_cell, hash_term, hex_id
from cera.engines.spark.values.sql_columns import SqlColumn, quoted_name
from cera.model.events.window_events import BOUNDED, WINDOW_LABEL, window_texts
from cera.model.time.durations import Duration
from cera.model.time.periodic_windows import Period

TIMES = ("begin", "end")
EVENT = (*TIMES, "h1", "h2")


def column(name: str) -> Column:
    """Returns a column by its name, whatever characters it has."""
    return SqlColumn(quoted_name(name), name)


def component(variable: str, kind: str) -> str:
    return f"{variable}:{kind}"


def attribute(identifier: str, part: str) -> str:
    return f"{identifier}.{part}"


#: The column of an opening with the end of its state.
UNTIL = "until"


def until_name(identifier: str) -> str:
    """Returns the name of the variable that has the end of the state whose opening has this identifier.

    As a variable it passes all joins.
    """
    return f"{identifier}#{UNTIL}"


def match_name(element: str) -> str:
    """Returns the name under which an event of a window is kept as a match."""
    return f"{element}.match"


@dataclass(frozen=True)
class Timer:
    """A relative timer of the event `anchor`."""

    kind: str
    duration: Duration
    anchor: str

    def renamed(self, new_name: Callable[[str], str]) -> Timer:
        return replace(self, anchor=new_name(self.anchor))


@dataclass(frozen=True)
class WindowTimer:
    """A periodic window."""

    period: Period

    def renamed(self, new_name: Callable[[str], str]) -> WindowTimer:
        return self


@dataclass(frozen=True)
class BoundedTimer:
    """A window between two bounds."""

    def renamed(self, new_name: Callable[[str], str]) -> BoundedTimer:
        return self


#: What follows from events, and has an id that does so, too.
Following = Timer | WindowTimer | BoundedTimer


@dataclass(frozen=True)
class Relation:
    """A DataFrame with the meaning of its columns: the components of each variable, and the identifiers of events.

    Columns that are `carried` are not attributes; computations on the rows may need them. `whole`: every row
    has an event for each identifier.
    """

    frame: DataFrame
    variables: Mapping[str, tuple[str, ...]]
    identifiers: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    timers: Mapping[str, Following] = field(default_factory=dict)
    carried: tuple[str, ...] = ()
    whole: bool = True

    @cached_property
    def columns(self) -> tuple[str, ...]:
        data = [component(name, kind) for name, kinds in self.variables.items() for kind in kinds]
        events = [attribute(name, part) for name in (*self.identifiers, *self.matches) for part in EVENT]
        times = [attribute(name, part) for name in self.timers for part in TIMES]
        return (*data, *events, *times, *self.carried)

    @property
    def literals(self) -> tuple[str, ...]:
        """The identifiers of all events of a row, timers included."""
        return (*self.identifiers, *self.timers)

    def cell(self, variable: str) -> Cell:
        return Cell(**{kind: column(component(variable, kind)) for kind in self.variables.get(variable, ())})

    def interval(self, identifier: str) -> tuple[Column, Column]:
        """Returns the times of an event; null if no row has it."""
        state = identifier.removesuffix(f".{UNTIL}")
        if state != identifier and until_name(state) in self.variables:
            return column(attribute(state, "begin")), column(component(until_name(state), "integer"))
        if identifier not in self.identifiers and identifier not in self.timers:
            return F.lit(None).cast("bigint"), F.lit(None).cast("bigint")
        return column(attribute(identifier, "begin")), column(attribute(identifier, "end"))

    def event_id(self, identifier: str) -> tuple[Column, Column]:
        """Returns the two halves of the id of an event."""
        if identifier not in self.timers:
            return column(attribute(identifier, "h1")), column(attribute(identifier, "h2"))
        timer = self.timers[identifier]
        if isinstance(timer, WindowTimer):
            label, parts = WINDOW_LABEL, [Cell(string=F.lit(text)) for text in window_texts(timer.period)]
        elif isinstance(timer, BoundedTimer):
            label, parts = WINDOW_LABEL, [Cell(string=F.lit(text)) for text in BOUNDED]
        else:
            anchor, duration = hex_id(*self.event_id(timer.anchor)), F.lit(str(timer.duration))
            label, parts = f"timer:{timer.kind}", [Cell(string=anchor), Cell(string=duration)]
        h1, h2 = (hash_term(label, [hash_cell(part, half) for part in parts], True, half) for half in (1, 2))
        return event_hashes(h1, h2, *self.interval(identifier))

    def differ(self, left: str, right: str) -> Column:
        """Returns whether two events are not the same."""
        one, other = self.event_id(left), self.event_id(right)
        return (one[0] != other[0]) | (one[1] != other[1])

    def with_timer(self, identifier: str, timer: Following, begin: Column, end: Column) -> Relation:
        """Adds the times of a timer or window to each row."""
        times = {attribute(identifier, "begin"): begin, attribute(identifier, "end"): end}
        return replace(self, frame=self.frame.withColumns(times), timers={**self.timers, identifier: timer})

    def with_timer_ids(self) -> Relation:
        """Returns the relation with the ids of timers as columns, like those of other events."""
        if not self.timers:
            return self
        name, *others = self.timers  # an anchor comes before its timers
        h1, h2 = self.event_id(name)
        frame = self.frame.withColumns({attribute(name, "h1"): h1, attribute(name, "h2"): h2})
        rest = {other: self.timers[other] for other in others}
        return replace(self, frame=frame, identifiers=(*self.identifiers, name), timers=rest).with_timer_ids()

    def where(self, condition: Column) -> Relation:
        return replace(self, frame=self.frame.where(condition))

    def prefixed(self, prefix: str) -> Relation:
        """Renames all columns, so that the relation can be joined to one with the same names."""
        renamed = [column(name).alias(prefix + name) for name in self.columns]
        return Relation(
            self.frame.select(*renamed),
            {prefix + name: kinds for name, kinds in self.variables.items()},
            tuple(prefix + name for name in self.identifiers),
            tuple(prefix + name for name in self.matches),
            {prefix + name: timer.renamed(lambda old: prefix + old) for name, timer in self.timers.items()},
            whole=self.whole,
        )

    def renamed(self, identifiers: Mapping[str, str], variables: Mapping[str, str]) -> Relation:
        """Returns ρ: other names for identifiers and variables, given by their old ones."""
        variables = {**variables, **{until_name(old): until_name(new) for old, new in identifiers.items()}}
        new = replace(
            self,
            variables={variables.get(name, name): kinds for name, kinds in self.variables.items()},
            identifiers=tuple(identifiers.get(name, name) for name in self.identifiers),
            timers={
                identifiers.get(name, name): timer.renamed(lambda old: identifiers.get(old, old))
                for name, timer in self.timers.items()
            },
        )
        pairs = zip(self.columns, new.columns, strict=True)
        return replace(new, frame=self.frame.select(*[column(old).alias(name) for old, name in pairs]))

    def gathered(self, pairs: Sequence[tuple[str, str]], dropped: Collection[str] = ()) -> Relation:
        """Returns Γ: the events of some identifiers as matches under other names, before those that there are.

        Rows that differ in what is dropped only are one.
        """
        if dropped:
            timers = {name: timer for name, timer in self.timers.items() if name not in dropped}
            events = tuple(name for name in self.identifiers if name not in dropped)
            left = replace(self, timers=timers, identifiers=events)
            frame = self.frame.select(*map(column, left.columns)).dropDuplicates()
            return replace(left, frame=frame).gathered(pairs) if pairs else replace(left, frame=frame)
        names = {identifier: match_name(match) for match, identifier in pairs}
        if not names.keys().isdisjoint(self.timers):
            return self.with_timer_ids().gathered(pairs)
        kept = replace(self, identifiers=tuple(name for name in self.identifiers if name not in names))
        parts = [column(name) for name in kept.columns]
        parts += [
            column(attribute(old, part)).alias(attribute(new, part)) for old, new in names.items() for part in EVENT
        ]
        return replace(kept, frame=self.frame.select(*parts), matches=(*names.values(), *self.matches))

    def projected(self, variables: Iterable[str]) -> Relation:
        """Returns π: the relation without some of the variables."""
        kept = {*variables, *map(until_name, self.identifiers)}
        smaller = replace(self, variables={name: kinds for name, kinds in self.variables.items() if name in kept})
        return replace(smaller, frame=self.frame.select(*[column(name) for name in smaller.columns]))


def union(relations: Sequence[Relation]) -> Relation:
    """Unites the rows of all; variables that one lacks are null in its rows."""
    if len(relations) == 1:
        return relations[0]
    relations = [relation.with_timer_ids() for relation in relations]  # different timers may have one name
    names = dict.fromkeys(name for relation in relations for name in relation.variables)
    kinds = {name: _common([relation.variables.get(name, ()) for relation in relations]) for name in names}
    identifiers = tuple(dict.fromkeys(name for relation in relations for name in relation.identifiers))
    matches = tuple(dict.fromkeys(name for relation in relations for name in relation.matches))
    frames = [_fitted(relation, kinds, (*identifiers, *matches)) for relation in relations]
    whole = all(relation.whole and len(relation.identifiers) == len(identifiers) for relation in relations)
    return Relation(united(frames), kinds, identifiers, matches, whole=whole)


def _common(components: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the components of a variable in a union of relations; doubles only where all have nothing else."""
    found = {kind for kinds in components for kind in kinds}
    if "double" in found and found & {"integer", "fraction"}:
        found = found - {"double"} | {"integer", "fraction"}
    return tuple(kind for kind in TYPES if kind in found)


def _fitted(relation: Relation, kinds: Mapping[str, tuple[str, ...]], identifiers: Sequence[str]) -> DataFrame:
    parts: list[Column] = []
    for name, wanted in kinds.items():
        cell = relation.cell(name)
        cell = cell if "double" in wanted else canonical(cell)
        own = dict(cell)
        parts += [own.get(kind, F.lit(None)).cast(TYPES[kind]).alias(component(name, kind)) for kind in wanted]
    present = {*relation.identifiers, *relation.matches}
    for name in identifiers:
        for part in EVENT:
            value = column(attribute(name, part)) if name in present else F.lit(None).cast("bigint")
            parts.append(value.alias(attribute(name, part)))
    return relation.frame.select(*parts)
