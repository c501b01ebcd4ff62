"""The matches of each event trace as an array, in the order in which aggregates fold them.

An element has the times and the id of each collected event, by which the array is sorted, and the components of the
variables that the head does not group by. A match that is found twice counts once; in the formal semantics so does
a substitution, in the place of its first match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame

from cera.engines.spark.tables.relations import Relation, attribute, column, component, until_name
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.hashing import unsigned

MATCHES = "matches of the group"
_EVENTS = "events of the match"

#: The order of values of different types, as `terms.value_key` has it.
_RANKS: Mapping[str, int] = {"boolean": 0, "integer": 1, "fraction": 1, "double": 1, "string": 2, "term": 3}


@dataclass(frozen=True)
class GroupedRelation:
    """A relation with one row for each event trace and group; its column `matches` has the rows of the group.

    `bare`: elements are the only component of the only variable, not structs.
    """

    relation: Relation
    collected: Mapping[str, tuple[str, ...]]
    bare: bool = False

    def cell(self, variable: str) -> Cell:
        return self.relation.cell(variable)

    def interval(self, identifier: str) -> tuple[Column, Column]:
        return self.relation.interval(identifier)

    def element(self, match: Column, variable: str) -> Cell:
        """Returns the value of a variable in one match."""
        if variable not in self.collected:
            return self.relation.cell(variable)
        kinds = self.collected[variable]
        return Cell(**{kind: match if self.bare else match[component(variable, kind)] for kind in kinds})


def group_matches(relation: Relation, variables: frozenset[str], *, counted: bool = True) -> GroupedRelation:
    """Groups the rows by their event trace and by their values of some variables.

    Unless they are `counted`, matches of one substitution are one.
    """
    variables |= frozenset(map(until_name, relation.identifiers))  # which belong to the trace
    if relation.matches and not counted:
        relation = _first_matches(relation)
    collected = {name: kinds for name, kinds in relation.variables.items() if name not in variables}
    kept = {name: kinds for name, kinds in relation.variables.items() if name in variables}
    keys = Relation(relation.frame, kept, relation.identifiers, timers=relation.timers, whole=relation.whole)
    texts = [component(name, "term") for name, kinds in kept.items() if "term" in kinds]
    by = [column(name) for name in keys.columns if name not in texts]
    by += [column(name)[half].alias(f"{name} {half}") for name in texts for half in ("h1", "h2")]
    once = _once(relation, collected)
    match = F.struct(*(_order(relation, collected) or [F.lit(0).alias("one")]))
    matches = F.sort_array(F.collect_list(match))
    firsts = [F.first(column(name)).alias(name) for name in texts]
    frame = once.groupBy(*by).agg(matches.alias(MATCHES), *firsts)
    frame = frame.withColumn(MATCHES, _without_repetitions(column(MATCHES)))
    return GroupedRelation(replace(keys, frame=frame), collected)


def _without_repetitions(matches: Column) -> Column:
    """Drops matches of a sorted array that are there again: `array_distinct` compares each struct with each other."""

    def is_new(match: Column, place: Column) -> Column:
        return (place == 0) | ~match.eqNullSafe(F.get(matches, place - 1))

    return F.filter(matches, is_new)


def _first_matches(relation: Relation) -> Relation:
    """Returns one row for each event trace and substitution, with the events of its first match in a column."""
    rest = replace(relation, matches=(), carried=())
    texts = [component(name, "term") for name, kinds in relation.variables.items() if "term" in kinds]
    by = [column(name) for name in rest.columns if name not in texts]
    by += [column(name)[half].alias(f"{name} {half}") for name in texts for half in ("h1", "h2")]
    first = F.min(_events(relation)).alias(_EVENTS)
    frame = relation.frame.groupBy(*by).agg(first, *(F.first(column(name)).alias(name) for name in texts))
    return replace(rest, frame=frame, carried=(_EVENTS,))


def _events(relation: Relation) -> Column:
    """Returns the events of a match as an array: the branch of an `or` that found one does not matter."""
    events = [
        F.when(column(attribute(name, "end")).isNotNull(), F.struct(*_event(name, short=True)))
        for name in relation.matches
    ]
    return F.array_compact(F.array(*events))


def _once(relation: Relation, collected: Mapping[str, tuple[str, ...]]) -> DataFrame:
    """Drops rows that differ only in the JSON spelling of a term."""
    texts = [component(name, "term") for name, kinds in relation.variables.items() if "term" in kinds]
    if not any("term" in kinds for kinds in collected.values()):
        return relation.frame
    halves = {f"{name} {half}": column(name)[half] for name in texts for half in ("h1", "h2")}
    others = [name for name in relation.columns if name not in texts]
    return relation.frame.withColumns(halves).dropDuplicates([*others, *halves])


def _order(relation: Relation, collected: Mapping[str, tuple[str, ...]]) -> list[Column]:
    """Returns the fields by which elements are sorted: end, begin and id of events, then values."""
    fields: list[Column] = []
    if len(relation.matches) == 1:
        fields += _event(relation.matches[0])
    elif relation.matches:
        fields.append(_events(relation).alias(_EVENTS))
    elif _EVENTS in relation.carried:
        fields.append(column(_EVENTS))
    for name in sorted(collected):
        kinds = collected[name]
        if len(kinds) > 1:
            fields += _value_order(name, relation.cell(name))
        fields += [column(component(name, kind)) for kind in kinds]
    return fields


def _event(name: str, *, short: bool = False) -> list[Column]:
    """Returns times and id of a match, in the order in which matches are compared."""
    parts = {part: column(attribute(name, part)) for part in ("end", "begin")}
    parts |= {half: unsigned(column(attribute(name, half))) for half in ("h1", "h2")}
    return [value.alias(part if short else attribute(name, part)) for part, value in parts.items()]


def _value_order(name: str, cell: Cell) -> list[Column]:
    """Returns the sort key of a value: truth values, then numbers, then strings, then terms."""
    ranks = [F.when(part.isNotNull(), F.lit(_RANKS[kind])) for kind, part in cell]
    numbers = [part.cast("double") for kind, part in canonical(cell) if _RANKS[kind] == 1]
    order = [F.coalesce(*ranks).alias(f"{name}:rank")]
    return [*order, F.coalesce(*numbers).alias(f"{name}:number")] if numbers else order
