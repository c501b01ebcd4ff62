"""Derived states in DataFrames of answers: which rows are shown, and how states look in tables.

Openings and endings of states are rows of answers like those of events, and have the id of their state.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cera.engines.spark.tables.relations import column
from cera.model.events.event import STATE_ID, STATES
from cera.model.events.states import ENDING, OPEN, OPENING
from cera.modules.layering import Layers

_ID = f'"{STATE_ID}": ?"[0-9a-f]{{32}}"'


def derives_states(layers: Layers) -> bool:
    """Returns whether some module derives states."""
    return any(label is not None and label.startswith(STATES) for module in layers.modules for label in module.derives)


def with_prefixes(labels: Iterable[str]) -> list[str]:
    """Returns labels that are chosen, and those of the openings and endings of states with them."""
    return [prefix + label for label in labels for prefix in ("", OPENING, ENDING)]


def shown(answers: DataFrame, *, changes: bool) -> DataFrame:
    """Drops what only serves to compose states, and without `changes` the openings of states that have ended.

    The other openings then have an end later than every time, so that they come last.
    """
    label = column("label")
    is_state = label.startswith(OPENING) | label.startswith(ENDING)
    found = answers.where(~label.startswith(STATES) | is_state)
    if changes:
        return found
    ended = found.where(label.startswith(ENDING)).select("id")
    still_open = found.where(label.startswith(OPENING)).join(ended, "id", "left_anti").withColumn("end", F.lit(OPEN))
    return found.where(~label.startswith(OPENING)).unionByName(still_open)


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
