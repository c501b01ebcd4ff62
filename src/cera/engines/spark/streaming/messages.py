"""What flows between the stages of a stream: packed events on their way to an operator, and packed results.

A message is a row of three columns: the identity of the operator it is for (empty: it is a result), the bucket, and
the payload. Rows are what Spark's Python workers are slow at, so a message carries many events.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator
from typing import Any

from cera.model.json_terms import term_to_json
from cera.model.occurrence import Occurrence, json_occurrence

#: Whether this copy of an event is told of if it is late; None for what an operator derived, which is never late.
Told = bool | None

#: begin, end, label, the JSON of the content, the source's id, and `Told`.
Packed = tuple[int, int, str, Any, str | None, Told]

#: What a stage has to tell, as plain data: the kind first, then the fields of one of
#:   derived   id, begin, end, label, term as JSON, rule, causes as JSON, recipient, transport, key of the derivation
#:   late      the packed event
#:   rejected  place, reason, text
#:   state     operator, bucket, number of remembered tuples, results without a value
Result = tuple[Any, ...]

#: For whom results are.
OUTPUT = ""

SCHEMA = "operator string, bucket int, payload binary"

_EVENTS, _TABLE, _RESULTS = b"E", b"T", b"R"


def packed(occurrence: Occurrence, told: Told) -> Packed:
    body = occurrence.content
    if body is None:
        body = term_to_json(occurrence.term)[occurrence.label]
    return (occurrence.begin, occurrence.end, occurrence.label, body, occurrence.qualifier, told)


def pack_events(events: Iterable[Packed]) -> bytes:
    return _EVENTS + marshal.dumps(list(events))


def pack_table(data: bytes) -> bytes:
    """Events as an Arrow stream of the columns that `tables_of` knows."""
    return _TABLE + data


def pack_results(results: Iterable[Result]) -> bytes:
    return _RESULTS + marshal.dumps(list(results))


def unpack_results(payload: bytes) -> list[Result]:
    results: list[Result] = marshal.loads(memoryview(payload)[1:])
    return results


def unpack_events(payload: bytes) -> Iterator[tuple[Occurrence, Told]]:
    """The events of a message."""
    if payload[:1] == _TABLE:
        from cera.engines.spark.streaming.flat_events import read_table  # only where tables flow: it needs Arrow

        yield from read_table(payload[1:])
        return
    for begin, end, label, body, qualifier, told in marshal.loads(memoryview(payload)[1:]):
        yield json_occurrence(begin, end, label, body, qualifier), told
