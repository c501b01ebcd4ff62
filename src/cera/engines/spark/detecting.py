"""`program.detect`: derived events from a DataFrame of events, recorded or streaming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.functions import from_json
from pyspark.sql.types import StructType

from cera.connectors.records.layout import Layout
from cera.engines.spark.derived_states import as_tables_show, derives_states
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.reading.schema_check import check_schema
from cera.engines.spark.reading.table_layout import table_layout
from cera.engines.spark.session.session import check_state_store
from cera.engines.spark.streaming.engine import detect as detect_stream
from cera.engines.spark.streaming.messages.left_out import log_left_out
from cera.engines.spark.tables.queries import analyzed
from cera.engines.spark.tables.relations import column
from cera.engines.spark.typed_answers import CHILDREN, labelled
from cera.engines.spark.values import sql_functions as F
from cera.errors import UsageError
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.model.events.states import OPENING
from cera.model.matching.patterns import variables
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layers
from cera.modules.rules.module import rules_of
from cera.rules.rule import Rule


def detect(
    program: Layers,
    events: DataFrame,
    *,
    max_delay: int,
    max_duration: int | None,
    timezone: str,
    left_out: bool = False,
    label: str | None = None,
    recursion_limit: int = RECURSION_LIMIT,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
    changes: bool = False,
    announcements: Path | None = None,
) -> DataFrame:
    """Returns the derived events: id, begin, end (timestamps), label, term (JSON), rule, causes, recipient, transport.

    A program that derives states has a column `state`, and states that have not ended an end of null. With `changes`
    there is a row for the opening of each state, and one for its closing.

    With `left_out`, also the rows that were late or are not events, with the columns `left_out` (why) and `record`.
    With a `label`, only events with this one, with the column `children`: a struct with a field for each child.
    `announcements` is the folder for the versions of relations that a stream reads again.
    """
    _check(program, events)
    if events.isStreaming:
        check_state_store(events.sparkSession)
    check_schema(program, events, table_layout(events.schema, Layout(times=TimeFormat(timezone=timezone))))
    if events.isStreaming:
        log_left_out(events.sparkSession)
        found = detect_stream(
            program,
            events,
            max_delay=max_delay,
            max_duration=max_duration,
            timezone=timezone,
            left_out=left_out,
            recursion_limit=recursion_limit,
            relations=relations,
            announcements=announcements,
        )
        if label is None and derives_states(program):
            opened = F.coalesce(column("label").startswith(OPENING), F.lit(False))
            found = as_tables_show(found if changes else found.where(~opened))
        if label is not None:
            found = _with_children(found, label, _children(program, events, label, max_duration, timezone, relations))
    else:
        reading = from_frame(events, Layout(times=TimeFormat(timezone=timezone)))
        reading = reading if max_duration is None else reading.reject_longer(max_duration)
        made = answers(
            program,
            reading.tables,
            events.sparkSession,
            timezone=timezone,
            max_duration=max_duration,
            recursion_limit=recursion_limit,
            relations=relations,
            divides=label is None,  # what workers derive has no typed columns
        )
        found = made.events(changes=changes) if label is None else labelled(made, label)
        if label is None and made.derives_states:
            found = as_tables_show(found)
        if left_out:
            found = found.unionByName(reading.left_out(), allowMissingColumns=True)
    return analyzed(found.withColumns({name: F.timestamp_micros(F.col(name)) for name in ("begin", "end")}))


def _check(program: Layers, events: DataFrame) -> None:
    """Raises UsageError if it is not a DataFrame, or names differ only in case and Spark ignores case."""
    if not isinstance(events, DataFrame):
        raise UsageError(f"`detect` takes a DataFrame of Spark, and {type(events).__name__} is none")
    if events.sparkSession.conf.get("spark.sql.caseSensitive") == "true":
        return
    for where, names in [("the table", events.columns), *(part for rule in rules_of(program) for part in _names(rule))]:
        known: dict[str, str] = {}
        for name in names:
            other = known.setdefault(name.lower(), name)
            if other != name:
                raise UsageError(
                    f"{where} has both `{other}` and `{name}`, which Spark takes for the same; set "
                    "spark.sql.caseSensitive to true, as `cera.spark.session` does, or rename one"
                )


def _names(rule: Rule) -> Iterator[tuple[str, Iterable[str]]]:
    """Yields the identifiers of a rule, then its variables, which are another kind of columns."""
    where = f"the rule {rule.name}"
    yield where, sorted({identifier for branch in rule.branches for identifier in branch.identifiers})
    patterns = [pattern for branch in rule.branches for pattern in branch.positive_patterns()]
    yield where, sorted({name for pattern in patterns for name in variables(pattern)})


def _children(
    program: Layers,
    events: DataFrame,
    label: str,
    max_duration: int | None,
    timezone: str,
    relations: Mapping[str, RelationRows],
) -> StructType:
    """Returns the type of the column `children` over recorded events with these columns."""
    none = events.sparkSession.createDataFrame([], events.schema)
    recorded = detect(
        program,
        none,
        max_delay=0,
        max_duration=max_duration,
        timezone=timezone,
        label=label,
        relations=relations,
    )
    kind = recorded.schema[CHILDREN].dataType
    assert isinstance(kind, StructType)
    return kind


def _with_children(found: DataFrame, label: str, children: StructType) -> DataFrame:
    """Returns the rows of a stream with a label, and those left out, with their children read from the JSON."""
    term = from_json(column("term"), StructType().add(label, children))
    kept = found.where((column("label") == label) | column("label").isNull())
    return kept.withColumn(CHILDREN, term[label])
