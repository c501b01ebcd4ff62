"""The terms of nested events, such as changes of a database: their JSON and hashes, without making a term of each.

The events of a source mostly have few shapes: the same children with the same children inside. The hashes of those of
one shape are computed column by column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cera.engines.spark.values.json_text import NO_KEYS
from cera.model.columns.column_hashes import Components, NestedChild, term_hashes
from cera.model.terms.hashing import hash_value
from cera.model.terms.json_terms import term_from_json

#: Fewer events than this are hashed one by one.
_FEW = 50

_KINDS = {
    str: ("string", pa.string()),
    int: ("integer", pa.int64()),
    float: ("fraction", pa.float64()),
    bool: ("boolean", pa.bool_()),
}

#: As the JSON of terms is written: children are in the order of their labels.
_write = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

Body = dict[str, Any]


def nested_json(label: str, body: Body) -> str | None:
    """Returns the JSON of the term `label{…}` with these children; None if they are flat, or contain no object."""
    inner = [child for child in body.values() if child.__class__ is dict]
    if not inner or any(key in each for each in (body, *inner) for key in NO_KEYS):
        return None
    return _write({label: body})


def nested_hashes(events: Sequence[tuple[str, Body]]) -> tuple[list[int], list[int]]:
    """Returns the two hashes of the terms `label{…}`, as signed integers."""
    shapes: dict[tuple[Any, ...], list[int]] = {}
    for place, (label, body) in enumerate(events):
        inside = tuple((name, tuple(child)) if child.__class__ is dict else name for name, child in body.items())
        shapes.setdefault((label, inside), []).append(place)
    hashed = np.zeros((2, len(events)), np.int64)
    for (label, _), places in shapes.items():
        bodies = [events[place][1] for place in places]
        if len(places) < _FEW:
            terms = [term_from_json({label: body}) for body in bodies]
            hashed[:, places] = [[hash_value(term, first) for term in terms] for first in (1, 2)]
        else:
            hashed[:, places] = term_hashes(label, _columns(bodies), len(bodies)).view(np.int64)
    first, second = hashed.tolist()
    return first, second


def _columns(bodies: Sequence[Body]) -> dict[str, Components | NestedChild]:
    """Returns the children of some objects of one shape, column by column."""
    return {
        name: NestedChild({key: _typed(inner) for key, inner in _by_name(values)})
        if values[0].__class__ is dict
        else _typed(values)
        for name, values in _by_name(bodies)
    }


def _by_name(rows: Sequence[Body]) -> Iterable[tuple[str, Sequence[Any]]]:
    return zip(rows[0], zip(*(row.values() for row in rows), strict=True), strict=True) if rows[0] else ()


def _typed(values: Sequence[Any]) -> Components:
    """Returns scalars as a column for each of their types."""
    kinds = set(map(type, values))
    if len(kinds) == 1:
        [kind] = kinds
        return {_KINDS[kind][0]: pa.array(values, _KINDS[kind][1])}
    found = {}
    for kind in kinds:
        name, arrow = _KINDS[kind]
        found[name] = pa.array([value if value.__class__ is kind else None for value in values], arrow)
    return found
