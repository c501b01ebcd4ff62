"""Roles of a table's columns, by their names: label, times, id, mark of states; the others are children."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cera.connectors.records.layout import TIME_FIELDS, Layout
from cera.connectors.records.record_times import STATE
from cera.connectors.records.records import OUTPUT_FIELDS
from cera.errors import UsageError
from cera.model.message_text import did_you_mean

#: The columns that our own output has beside the terms of events, so that it can be input.
_BESIDE_TERMS = frozenset({*OUTPUT_FIELDS, "id", "label", "recipient", "transport"})


@dataclass(frozen=True)
class TableLayout:
    """The columns by their roles. `label` is None if all events have the one of the layout, or it is in the terms.

    `term` is a column of whole terms, which stands in the place of label and children.
    """

    label: str | None
    begin: str
    end: str
    id: str | None
    term: str | None
    children: tuple[str, ...]
    #: Says which rows are states; None: none is.
    state: str | None = None


def column_roles(names: Sequence[str], layout: Layout, truths: Collection[str]) -> TableLayout:
    """Returns the roles of the columns with these names, of which `truths` hold truth values.

    Raises UsageError if one is missing.
    """
    is_output = "rule" in names
    term = "term" if "term" in names and not layout.is_flat and (is_output or "label" not in names) else None
    label = None if term is not None else layout.label_source
    begin, end = _times(names, layout)
    own_id = None if layout.is_flat else "source_id" if is_output and term is not None else "id"
    name = layout.id_field or (own_id if own_id in names else None)
    state = layout.state_field or (_own_mark(names, begin, end, truths, term) if not layout.is_flat else None)
    for role, wanted in (("label", label), ("begin", begin), ("end", end), ("id", name), ("mark of states", state)):
        if wanted is not None and wanted not in names:
            raise _missing(role, wanted, names)
    used = {label, name, term, state, *((begin, end) if layout.time_source else TIME_FIELDS)}
    children = tuple(other for other in names if other not in used)
    if term is not None and (unknown := [other for other in children if other not in _BESIDE_TERMS]):
        raise UsageError(f"beside `term` the table has the columns {', '.join(unknown)}; a term has all of an event")
    return TableLayout(label, begin, end, name, term, () if term is not None else children, state)


def _own_mark(names: Collection[str], begin: str, end: str, truths: Collection[str], term: str | None) -> str | None:
    """Returns the column `state` where it marks states: beside terms, or with truth values beside begin and end."""
    marks = STATE in names if term is not None else STATE in truths and begin != end
    return STATE if marks else None


def _times(names: Sequence[str], layout: Layout) -> tuple[str, str]:
    if layout.time_source is not None:
        return layout.time_source
    found = [name for name in TIME_FIELDS if name in names]
    if "at" in found and len(found) > 1:
        raise UsageError(f"too many times: the columns {', '.join(found)}; expected `at`, or `begin` and `end`")
    if not found:
        raise _missing("time", "at", names, ", nor `begin` and `end`")
    return ("at", "at") if "at" in found else ("begin", "end")


def _missing(role: str, wanted: str, names: Sequence[str], more: str = "") -> UsageError:
    guess = did_you_mean(wanted, names)
    known = f"{' The' if guess else '; the'} columns are {', '.join(names)}"
    return UsageError(f"there is no column `{wanted}` for the {role}{more}{guess}{known}")
