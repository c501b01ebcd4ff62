"""C[h]: derived events as a table, each row with one derivation.

An event that is derived in several ways has several rows here; readers of the table take rows with equal ids for one
event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column

from cera.algebra.operators import Construction
from cera.engines.spark.plan.grouping import GroupedRelation, group_matches
from cera.engines.spark.plan.head_udf import terms_of
from cera.engines.spark.plan.head_values import fold_aggregate, replace_aggregates, replace_expressions
from cera.engines.spark.plan.heads import flat_head, instantiate
from cera.engines.spark.plan.moving import moving
from cera.engines.spark.plan.scopes import Environment, RowScope
from cera.engines.spark.plan.sliding import NO_WINDOW, SlidingWindow, collected, first_of_ties
from cera.engines.spark.plan.timers import timed
from cera.engines.spark.plan.undefined_counts import counted_heads
from cera.engines.spark.tables.event_tables import FIELDS, EventTable, Flat, Terms
from cera.engines.spark.tables.relations import Relation, attribute, column, component, until_name
from cera.engines.spark.tables.term_columns import flat_hashes
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import TERM, Cell
from cera.engines.spark.values.expressions import compile_value
from cera.engines.spark.values.hashing import event_hashes, hex_id
from cera.engines.spark.values.json_text import rewritten
from cera.model.events.traces import cause_label
from cera.model.expressions.constructs import (
    All,
    Construct,
    ConstructTerm,
    ConstructValue,
    free_variables,
    has_grouping,
    variables,
)
from cera.model.expressions.constructs import walk as walk_construct
from cera.model.expressions.expression import Variable

#: The columns of derived events beside those of every event table: how an event came about, and where it is sent.
DERIVATION, CAUSES, RECIPIENT, TRANSPORT = "derivation", "causes", "recipient", "transport"
SENT = (RECIPIENT, TRANSPORT)
LINEAGE = (DERIVATION, *SENT)


def derive(
    construction: Construction,
    relation: Relation,
    environment: Environment,
    certain: frozenset[str],
    reason: str | None = None,
) -> EventTable:
    """Returns the events of a rule from the rows of its body, in which `certain` variables have values.

    With a `reason` why columns cannot build the head, Python does.
    """
    head = construction.head
    if construction.traced:
        head, relation = _traced(construction, relation)
        certain |= {cause_label(name) for name, _ in construction.causes}
    if reason is None and not has_grouping(head):
        return _built(construction, head, relation, environment, certain)
    counted = bool(construction.input.schema.matches)  # in the formal semantics there are none
    group = group_matches(relation, free_variables(head), counted=counted)
    if reason is None:
        plain, rows, known = _aggregated(head, group, environment)
        return _built(construction, plain, rows, environment, certain | known)
    environment.fallback(f"head of {construction.rule}: {reason}")
    terms = group.relation.frame.withColumn("terms", terms_of(head, group, environment))
    if environment.tally is not None:
        terms = environment.tally.watch(terms, F.size("terms") == 0)
    terms = terms.withColumn("term", F.explode("terms"))
    return _terms(construction, replace(group.relation, frame=terms))


def derive_sliding(
    construction: Construction,
    window: SlidingWindow,
    environment: Environment,
    certain: frozenset[str],
    *,
    moved: bool,
) -> EventTable:
    """Returns the events of a rule over the windows of its anchors: `moved` over them in NumPy, or made by Spark."""
    plain, aggregates = replace_aggregates(construction.head)
    taken = frozenset(replace_expressions(plain)[1].values())
    once = all(isinstance(value, Variable) for value in taken) and taken >= {Variable(name) for name in window.shared}
    [cause, *_] = [reference for _, reference in sorted(construction.causes)]
    if moved:
        own = variables(plain) - aggregates.keys()
        rows = timed(moving(window, aggregates, own, cause, once=once), window.window, window.timer)
        counts = frozenset(name for name, aggregate in aggregates.items() if aggregate.function == "count")
        return replace(_built(construction, plain, rows, environment, certain | counts), once=once)
    group = collected(window)
    group = replace(group, relation=timed(group.relation, window.window, window.timer))
    plain, relation, known = _aggregated(construction.head, group, environment)
    if once and not window.untied:  # equal events then have the same shared values
        relation = first_of_ties(window, relation, variables(plain), cause)
    return replace(_built(construction, plain, relation, environment, certain | known), once=once)


def why_not_sliding(construction: Construction, window: SlidingWindow, environment: Environment) -> str | None:
    """Returns why columns do not compute the aggregates of a rule over sorted events; None if they do."""
    if construction.momentary:
        return "an event at the end may be that of several anchors"
    if not has_grouping(construction.head):
        return NO_WINDOW
    cells = {**window.elements.cells, **window.anchors.cells}
    rows = Relation(window.anchors.table.frame, {name: cell.components for name, cell in cells.items()})
    return why_in_python(construction.head, rows, environment)


def _traced(construction: Construction, relation: Relation) -> tuple[Construct, Relation]:
    """Returns the head with a child for each cause, and the rows with the texts of these as variables."""
    relation = relation.with_timer_ids()
    cells: dict[str, Cell] = {}
    for name, reference in construction.causes:
        begin, end = relation.interval(reference)
        text = F.concat_ws(" ", hex_id(*relation.event_id(reference)), begin.cast("string"), end.cast("string"))
        cells[cause_label(name)] = Cell(string=text)
    carried = (ConstructTerm(label, (ConstructValue(Variable(label)),)) for label in cells)
    assert isinstance(construction.head, ConstructTerm)
    head = replace(construction.head, children=(*construction.head.children, *carried))
    return head, _computed(relation, cells)


def _aggregated(
    head: Construct, group: GroupedRelation, environment: Environment
) -> tuple[Construct, Relation, frozenset[str]]:
    """Returns the head without aggregates, a row per group with their values, and which of these always exist."""
    plain, aggregates = replace_aggregates(head)
    cells = {name: _kept(fold_aggregate(aggregate, group, environment)) for name, aggregate in aggregates.items()}
    defined = frozenset(name for name, aggregate in aggregates.items() if aggregate.function == "count")
    return plain, _computed(group.relation, cells), defined


def _kept(cell: Cell) -> Cell:
    """Stops Spark from duplicating the expression below a pushed-down filter.

    Spark moves nothing over an expression that is not deterministic.
    """
    always = F.monotonically_increasing_id() >= 0
    return Cell(**{kind: F.when(always, part) for kind, part in cell})


def why_in_python(head: Construct, relation: Relation, environment: Environment) -> str | None:
    """Returns why columns cannot build a head; None if they can."""
    if any(isinstance(part, All) for part in walk_construct(head)):
        return "it has `all`"
    if any("term" in relation.variables.get(name, ()) for name in variables(head)):
        return "it takes over whole terms, which may become too deep"
    probe = replace(environment, fallbacks={})
    for _, aggregate in sorted(replace_aggregates(head)[1].items()):
        compile_value(aggregate.operand, RowScope(relation, probe))
    return f"inside of an aggregate, {', '.join(probe.fallbacks)}" if probe.fallbacks else None


def _computed(relation: Relation, cells: Mapping[str, Cell]) -> Relation:
    """Returns the relation with these variables added or replaced."""
    relation = replace(relation, variables={n: kinds for n, kinds in relation.variables.items() if n not in cells})
    kept = [column(name) for name in relation.columns]
    values = [part.alias(component(name, kind)) for name, cell in cells.items() for kind, part in cell]
    kinds = {name: tuple(kind for kind, _ in cell) for name, cell in cells.items()}
    return replace(relation, frame=relation.frame.select(*kept, *values), variables={**relation.variables, **kinds})


def _built(
    construction: Construction, head: Construct, relation: Relation, environment: Environment, certain: frozenset[str]
) -> EventTable:
    """Returns the events of a head without aggregates and `all`, one for each row."""
    head, expressions = replace_expressions(head)
    scope = RowScope(relation, environment)
    found = {name: compile_value(expression, scope) for name, expression in expressions.items()}
    cells = {name: value if isinstance(value, Cell) else Cell() for name, value in found.items()}
    relation = _computed(relation, cells)
    mixed = [name for name, cell in cells.items() if cell.double is not None and len(cell.components) > 1]
    if mixed:
        relation = _computed(relation, {name: canonical(relation.cell(name)) for name in mixed})
    relation = relation.with_timer_ids()
    scope = RowScope(relation, environment)
    flat = flat_head(head, scope)
    if flat is None:
        instance = instantiate(head, scope)
        [item] = instance.items
        text = item.json if item.plain else rewritten(item.json)
        term = F.struct(text.alias("json"), item.h1.alias("h1"), item.h2.alias("h2"))
        if item.cell is not None:  # a scalar is not an event
            term = F.lit(None).cast(TERM) if item.cell.term is None else item.cell.term
        frame = counted_heads(relation.frame, instance.defined, expressions.values(), certain, environment.tally)
        frame = frame if instance.defined is None else frame.where(instance.defined)
        return _terms(construction, replace(relation, frame=frame.withColumn("term", term)))
    begin, end = _interval(construction, relation)
    h1, h2 = _identity(construction, *flat_hashes(flat.label, Flat(flat.children)), begin, end)
    children = [part.alias(component(name, kind)) for name, cell in flat.children.items() for kind, part in cell]
    frame = counted_heads(relation.frame, flat.defined, expressions.values(), certain, environment.tally)
    frame = frame if flat.defined is None else frame.where(flat.defined)
    frame = frame.select(
        begin.alias("begin"),
        end.alias("end"),
        h1.alias("h1"),
        h2.alias("h2"),
        F.lit(flat.label).alias("label"),
        *children,
        *_lineage(construction, relation),
        *map(column, relation.carried),
    )
    cells = {
        name: Cell(**{kind: column(component(name, kind)) for kind in cell.components})
        for name, cell in flat.children.items()
    }
    return EventTable(frame, Flat(cells), flat.label)


def _terms(construction: Construction, relation: Relation) -> EventTable:
    """Returns the events of a column of terms."""
    relation = relation.with_timer_ids()
    begin, end = _interval(construction, relation)
    h1, h2 = _identity(construction, column("term")["h1"], column("term")["h2"], begin, end)
    label = F.json_object_keys(column("term")["json"])[0]
    frame = relation.frame.where(column("term").isNotNull()).select(
        begin.alias("begin"),
        end.alias("end"),
        h1.alias("h1"),
        h2.alias("h2"),
        label.alias("label"),
        column("term"),
        F.lit(None).cast(FIELDS).alias("fields"),
        *_lineage(construction, relation),
        *map(column, relation.carried),
    )
    return EventTable(frame, Terms(flat=False))


def _interval(construction: Construction, relation: Relation) -> tuple[Column, Column]:
    """Returns μ, the hull of the events of a row, or its end."""
    begin, end = _hull(relation)
    return (end if construction.momentary else begin), end


def _hull(relation: Relation) -> tuple[Column, Column]:
    begins = [column(attribute(name, "begin")) for name in relation.literals]
    ends = [column(attribute(name, "end")) for name in relation.literals]
    if len(begins) == 1:
        return begins[0], ends[0]
    openings = [name for name in relation.literals if until_name(name) in relation.variables]
    if not openings:
        return F.least(*begins), F.greatest(*ends)
    return _begin_with_openings(relation, openings), F.greatest(*ends)


def _begin_with_openings(relation: Relation, openings: Sequence[str]) -> Column:
    """Returns the first begin of the events of a row; of openings of states alone, the last one."""
    begins: list[Column] = []
    for name in relation.literals:
        begin = column(attribute(name, "begin"))
        if name in openings:  # in another branch of an `or` it may be an event
            begin = F.when(column(component(until_name(name), "integer")).isNull(), begin)
        begins.append(begin)
    lasts = [column(attribute(name, "begin")) for name in openings]
    last = F.greatest(*lasts) if len(lasts) > 1 else lasts[0]
    return F.coalesce(F.least(*begins), last)


def _identity(construction: Construction, h1: Column, h2: Column, begin: Column, end: Column) -> tuple[Column, Column]:
    qualifier = None if construction.recipient is None else F.lit(construction.recipient.qualifier)
    return event_hashes(h1, h2, begin, end, qualifier)


def _lineage(construction: Construction, relation: Relation) -> list[Column]:
    """Returns the derivation of each row: its rank, the rule, and the events by the names of their identifiers. These
    are sorted by name where derivations are compared, and in the order of the rule in the output. Ranks are 0 here:
    those of a recursion are known when it has ended."""
    causes: dict[str, Column] = {}
    ids: list[Column] = []
    for name, reference in construction.causes:
        begin, end = relation.interval(reference)
        identity = hex_id(*relation.event_id(reference))
        ids += [F.lit(name), identity]
        cause = F.struct(F.lit(name).alias("name"), end.alias("end"), begin.alias("begin"), identity.alias("id"))
        causes[name] = cause if relation.whole else F.when(begin.isNotNull(), cause)
    array = F.array(*(causes[name] for name in sorted(causes)))
    compared = array if relation.whole else F.array_compact(array)
    by_name = F.create_map(*ids) if relation.whole else _by_name(F.array_compact(F.array(*causes.values())))
    recipient = construction.recipient
    return [
        F.struct(F.lit(0).alias("rank"), F.lit(construction.title).alias("rule"), compared.alias("causes")).alias(
            DERIVATION
        ),
        by_name.alias(CAUSES),
        F.lit(recipient.address if recipient else None).cast("string").alias(RECIPIENT),
        F.lit(recipient.transport if recipient else None).cast("string").alias(TRANSPORT),
    ]


def nothing_derived(events: EventTable) -> EventTable:
    """Returns an empty table with the columns of derived events, for a program that can derive none."""
    causes = "array<struct<name: string, end: bigint, begin: bigint, id: string>>"
    kinds = {
        **dict.fromkeys(("h1", "h2"), "bigint"),
        DERIVATION: f"struct<rank: int, rule: string, causes: {causes}>",
        CAUSES: "map<string, string>",
        **dict.fromkeys(SENT, "string"),
    }
    empty = {name: F.lit(None).cast(kind) for name, kind in kinds.items()}
    return replace(events, frame=events.frame.where(F.lit(False)).withColumns(empty))


def first_derivation() -> list[Column]:
    """Aggregates rows of one event to its first derivation, with the causes of that one."""
    first = F.min(column(DERIVATION)).alias(DERIVATION)
    return [first, F.min_by(column(CAUSES), column(DERIVATION)).alias(CAUSES)]


def _by_name(causes: Column) -> Column:
    """Returns the ids of the causes of a derivation, by the names of their identifiers."""

    def entry(cause: Column) -> Column:
        return F.struct(cause["name"].alias("name"), cause["id"].alias("id"))

    return F.map_from_entries(F.transform(causes, entry))
