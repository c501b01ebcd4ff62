"""What flows between the stages of a stream: packed events on their way to an operator, and packed results.

A message is a row of three columns: the identity of the operator it is for (empty: it is a result), the bucket, and
the payload. Rows are what Spark's Python workers are slow at, so a message carries many events.

Payloads of events wait in the state of operators, and so in checkpoints: they are read as plain data, or as columns of
Arrow. Results pass from stage to stage of one micro-batch only and are never kept: `marshal` is for them.
"""

from __future__ import annotations

import marshal
import pickle
import struct
from typing import Any

from cera.engines.local.state_bytes import restore_plain
from cera.model.events.occurrence import Occurrence, json_occurrence
from cera.model.terms.json_terms import term_to_json

#: Whether this copy of an event is told of if it is late; None for what an operator derived, which is never late.
Told = bool | None

#: begin, end, label, the JSON of the content, the source's id, and `Told`.
Packed = tuple[int, int, str, Any, str | None, Told]

#: What a stage has to tell, as plain data: the kind first, then the fields of one of
#:   derived   id, begin, end, label, term as JSON, rule, causes as JSON, recipient, transport, key of the derivation
#:   late      the packed event
#:   rejected  place, reason, text
#:   action    id, begin, end, label, term as JSON, rule, the packed causes by variable, key of the derivation
#:   state     operator, bucket, number of remembered tuples, results without a value, events without a history
Result = tuple[Any, ...]

#: For whom results are.
OUTPUT = ""

SCHEMA = "operator string, bucket int, payload binary"

_EVENTS, _TABLE, _RESULTS, _COLUMNS = b"P", b"T", b"R", b"C"
#: What `marshal` wrote, in older checkpoints.
_MARSHALLED = b"E"
_HEADER = struct.Struct("<qq")
_SHAPE = struct.Struct("<i")
#: What results begin with, after their mark: numbers that Spark adds up.
RESULT_COUNTS = struct.Struct(">QQQQ")
RESULTS_MARK = _RESULTS


def packed(occurrence: Occurrence, told: Told) -> Packed:
    body = occurrence.nested if occurrence.content is None else occurrence.content
    if body is None:
        body = term_to_json(occurrence.term)[occurrence.label]
    return (occurrence.begin, occurrence.end, occurrence.label, body, occurrence.qualifier, told)


def pack_events(events: list[Packed]) -> bytes:
    header = _HEADER.pack(min(event[1] for event in events), len(events))
    return _EVENTS + header + pickle.dumps(events, protocol=5)


def pack_table(first_end: int, count: int, data: bytes) -> bytes:
    """Events as an Arrow stream of the columns that `flat_events` writes."""
    return _TABLE + _HEADER.pack(first_end, count) + data


def first_end(payload: bytes) -> int:
    """The first end of the events of a payload."""
    end: int = _HEADER.unpack_from(payload, 1)[0]
    return end


def event_count(payload: bytes) -> int:
    count: int = _HEADER.unpack_from(payload, 1)[1]
    return count


def unpack_events(payload: bytes) -> tuple[list[Occurrence], list[Told]]:
    """The events of a payload, and for each whether it is told of if late."""
    data = memoryview(payload)[1 + _HEADER.size :]
    if payload[:1] == _TABLE:
        from cera.engines.spark.streaming.messages.flat_reading import (
            read_table,  # only where tables flow: it needs Arrow
        )

        return read_table(data)
    packed = _marshalled(data) if payload[:1] == _MARSHALLED else restore_plain(data)
    return [json_occurrence(*fields[:5]) for fields in packed], [fields[5] for fields in packed]


def _marshalled(data: memoryview) -> Any:
    from cera.engines.spark.streaming.messages.marshalled import read_marshalled  # only for what was written long ago

    return read_marshalled(bytes(data))


def pack_results(results: list[Result]) -> bytes:
    """Results, behind the numbers of late events, of rejected ones, of expressions without a value, and of events
    without the attribute by which a module divides them."""
    late = sum(result[0] == "late" for result in results)
    rejected = sum(result[0] == "rejected" for result in results)
    states = [result for result in results if result[0] == "state"]
    undefined, without_key = (sum(result[place] for result in states) for place in (4, 5))
    return _RESULTS + RESULT_COUNTS.pack(late, rejected, undefined, without_key) + marshal.dumps(results)


def unpack_results(payload: bytes) -> list[Result]:
    results: list[Result] = marshal.loads(memoryview(payload)[1 + RESULT_COUNTS.size :])
    return results


def pack_columns(shape: int, data: bytes) -> bytes:
    """Derived events of a shape, as an Arrow stream."""
    return _COLUMNS + _SHAPE.pack(shape) + data


def is_columns(payload: bytes) -> bool:
    return payload[:1] == _COLUMNS


def unpack_columns(payload: bytes) -> tuple[int, memoryview]:
    shape: int = _SHAPE.unpack_from(payload, 1)[0]
    return shape, memoryview(payload)[1 + _SHAPE.size :]
