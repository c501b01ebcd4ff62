"""Packed tables of events, read in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.engines.spark.streaming.messages.messages import LatePolicy
from cera.model.columns.column_hashes import event_hashes
from cera.model.columns.flat_events import BEGIN, END, HALVES, JSON, LABEL, QUALIFIER, REPORTED_IF_LATE, is_child
from cera.model.events.event import STATE_ID
from cera.model.events.occurrence import PLAIN, Identified, Occurrence
from cera.model.events.states import is_opening
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import Term
from cera.model.terms.values import number

Content = dict[str, Any]


def read_table(data: memoryview) -> tuple[list[Occurrence], list[LatePolicy]]:
    """Returns the events of a packed table, and how each is treated if it is late."""
    table = pa.ipc.open_stream(data).read_all()
    table.validate(full=True)  # it may come from a checkpoint: wrong offsets would crash Python
    return read_rows(table)


def read_rows(table: pa.Table) -> tuple[list[Occurrence], list[LatePolicy]]:
    """Returns the same for a table that is valid."""
    table = table.combine_chunks()
    known = {name: _only(table.column(name)) for name in table.column_names}
    ends, labels = _values(known[END]), _values(known[LABEL])
    begins = _values(known[BEGIN]) if BEGIN in known else ends
    nones: list[Any] = [None] * len(ends)
    qualifiers = _values(known[QUALIFIER]) if QUALIFIER in known else nones
    children = {name: array for name, array in known.items() if is_child(name)}
    contents, terms = _contents(children, labels)
    h1s, h2s = (half.tolist() for half in _halves(known, children))
    events: list[Occurrence] = list(
        map(Identified, begins, ends, labels, contents, terms or nones, qualifiers, h1s, h2s)
    )
    if f"string:{STATE_ID}" in children:
        events = [_opened(event) if is_opening(event.label) else event for event in events]
    if REPORTED_IF_LATE not in known:
        return events, [LatePolicy.REPORT] * len(ends)
    report, drop = LatePolicy.REPORT, LatePolicy.DROP
    return events, [report if is_reported else drop for is_reported in _values(known[REPORTED_IF_LATE])]


def _opened(event: Occurrence) -> Occurrence:
    """Returns the opening of a state, whose id is that of the state and not the hash of the whole record."""
    known = event.term if event.content is None else None
    return Occurrence(event.begin, event.end, event.label, event.content, known, qualifier=event.qualifier)


def _halves(known: Mapping[str, pa.Array], children: Mapping[str, pa.Array]) -> Iterator[npt.NDArray[np.int64]]:
    """Yields the halves of the ids, computed if they are not in the table."""
    if HALVES[0] in known:
        yield from (known[name].to_numpy() for name in HALVES)
        return
    by_name: dict[str, dict[str, pa.Array]] = {}
    for column, array in children.items():
        kind, name = column.split(":", 1)
        by_name.setdefault(name, {})[kind] = array
    ends = known[END].to_numpy()
    begins = known[BEGIN].to_numpy() if BEGIN in known else ends
    for half in event_hashes(known[LABEL], by_name, begins, ends):
        yield half.view(np.int64)


def _contents(
    children: Mapping[str, pa.Array], labels: list[str]
) -> tuple[list[Content] | list[Content | None], list[Term | None]]:
    """Returns the contents of the events, and the terms of those that are not flat; no terms at all if all are flat."""
    names = tuple(name.split(":", 1)[1] for name in children)
    columns = [_child_values(name, array) for name, array in children.items()]
    contents: list[Content]
    if not children:
        contents = [{} for _ in labels]
    elif any(array.null_count for array in children.values()):
        rows = zip(*columns, strict=True)
        contents = [{n: v for n, v in zip(names, row, strict=True) if v is not None} for row in rows]
    else:
        contents = _dictionaries(names)(columns)
    if not any(name.startswith(f"{JSON}:") for name in children):
        return contents, []
    flat: list[Content | None] = [*contents]
    terms: list[Term | None] = [None] * len(labels)
    for row, content in enumerate(contents):
        if not PLAIN.issuperset(map(type, content.values())):
            flat[row], terms[row] = None, term_from_json({labels[row]: content})
    return flat, terms


@lru_cache(maxsize=1_000)
def _dictionaries(names: tuple[str, ...]) -> Callable[[Sequence[list[Any]]], list[Content]]:
    """Returns a function from the columns of children with these names to a dictionary for each row."""
    values = [f"value_{number}" for number in range(len(names))]
    members = ", ".join(f"{name!r}: {value}" for name, value in zip(names, values, strict=True))
    source = f"lambda columns: [{{{members}}} for {', '.join(values)}, in zip(*columns)]"
    made: Callable[[Sequence[list[Any]]], list[Content]] = eval(source)  # the source is made here, with names quoted
    return made


def _child_values(name: str, array: pa.Array) -> list[Any]:
    values = _values(array)
    if name.startswith("double:"):
        return [number(v) if v is not None and v.is_integer() else v for v in values]
    if name.startswith(f"{JSON}:"):
        return [None if v is None else loads(v) for v in values]
    return values


def _values(array: pa.Array) -> list[Any]:
    values: list[Any]
    if pa.types.is_dictionary(array.type):  # rows with the same value share one object
        known = np.array([*array.dictionary.to_pylist(), None], dtype=object)
        indices = array.indices.fill_null(len(known) - 1) if array.null_count else array.indices
        values = known[indices.to_numpy()].tolist()
    elif array.null_count:
        values = array.to_pylist()
    else:
        values = array.to_numpy(zero_copy_only=False).tolist()
    return values


def _only(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
