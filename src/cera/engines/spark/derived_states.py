"""Derived states in DataFrames of answers: which rows are shown, and how states look in tables.

Openings and endings of states are rows of answers like those of events, and have the id of their state.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame, Window

from cera.engines.spark.tables.relations import column
from cera.engines.spark.values import sql_functions as F
from cera.model.events.event import STATE_ID, STATES
from cera.model.events.states import ENDING, OPEN, OPENING
from cera.modules.layering import Layers

_ENDED = "has ended"
_ID = f'"{STATE_ID}": ?"[0-9a-f]{{32}}"'


def derives_states(layers: Layers) -> bool:
    """Returns whether some module derives states."""
    return any(label is not None and label.startswith(STATES) for module in layers.modules for label in module.derives)


def with_prefixes(labels: Iterable[str]) -> list[str]:
    """Returns labels that are chosen, and those of the openings and endings of states with them."""
    return [prefix + label for label in labels for prefix in ("", OPENING, ENDING)]


def shown(answers: DataFrame, *, changes: bool) -> DataFrame:
    """Returns openings and endings of states; without `changes` only the endings, and the openings of states that have
    not ended, with an end later than every time, so that they come last.
    """
    if changes:
        return answers
    label = column("label")
    has_ended = F.max(label.startswith(ENDING)).over(Window.partitionBy("id"))
    kept = answers.withColumn(_ENDED, has_ended).where(label.startswith(ENDING) | ~column(_ENDED)).drop(_ENDED)
    return kept.withColumn("end", F.when(label.startswith(OPENING), F.lit(OPEN)).otherwise(column("end")))


def as_tables_show(answers: DataFrame) -> DataFrame:
    """Returns the rows with states as people see them: their own label and term, an end of null if they are open, and a
    column `state`."""
    label = column("label")
    is_open, is_ended = label.startswith(OPENING), label.startswith(ENDING)
    is_state = is_open | is_ended
    plain = F.regexp_replace(label, f"^({OPENING}|{ENDING})", "")
    changed = {
        "end": F.when(~is_open, column("end")),
        "label": F.when(is_state, plain).otherwise(label),
        "term": F.when(is_state, _plain_term(column("term"))).otherwise(column("term")),
        "state": F.coalesce(is_state, F.lit(False)),
    }
    return answers.withColumns(changed)


def _plain_term(term: Column) -> Column:
    """Returns the JSON of the term of a state, from that of its opening or ending."""
    without_prefix = F.regexp_replace(term, f'^\\{{"({OPENING}|{ENDING})', '{"')
    without_id = F.regexp_replace(without_prefix, rf"(, ?\{{{_ID}\}}|\{{{_ID}\}}, ?|, ?{_ID}|{_ID}, ?)", "")
    return F.regexp_replace(without_id, _ID, "")
