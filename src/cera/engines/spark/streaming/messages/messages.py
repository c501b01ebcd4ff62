"""The messages between the stages of a stream: packed events on their way to an operator, and packed results.

A message is a row of three columns: the identity of the operator it is for (empty: it is a result), the bucket, and
the payload. Rows are what Spark's Python workers are slow at, so a message carries many events.

Payloads of events wait in the state of operators, and so in checkpoints: they are read as plain data, or as columns of
Arrow. Results pass from stage to stage of one micro-batch only and are never kept: `marshal` is for them.
It knows plain tuples only.
"""

from __future__ import annotations

import json
import marshal
import pickle
import struct
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from cera.engines.local.state_bytes import restore_plain
from cera.engines.spark.streaming.messages.stage_results import (
    ActionRequest,
    DerivedResult,
    EventFields,
    LateEvent,
    RejectedRecord,
    Result,
    ResultsByKind,
    StateReport,
    VersionReport,
    by_kind,
    json_body,
)
from cera.model.events.occurrence import Occurrence, json_occurrence


class LatePolicy(Enum):
    """The treatment of an operator's copy of an event that is late. The values are those in payloads."""

    #: It is reported, and left out.
    REPORT = True
    #: It is left out: another operator has the copy that is reported.
    DROP = False
    #: It is taken: an operator derived it, and such an event is never late.
    TAKE = None


_POLICIES = {policy.value: policy for policy in LatePolicy}

#: An event on its way to one of the operators that query it.
EventCopy = tuple[Occurrence, LatePolicy]

#: The operator of messages that are results.
OUTPUT = ""

SCHEMA = "operator string, bucket int, payload binary"

_EVENTS, _TABLE, _RESULTS, _COLUMNS, _VERSIONS = b"P", b"T", b"R", b"C", b"V"
#: Payloads written by `marshal`, in older checkpoints.
_MARSHALLED = b"E"
_HEADER = struct.Struct("<qq")
_SHAPE = struct.Struct("<i")
#: The numbers at the beginning of results, after their mark, which Spark adds up.
RESULT_COUNTS = struct.Struct(">QQQQQ")
RESULTS_MARK = _RESULTS


def pack_events(copies: Sequence[EventCopy]) -> bytes:
    """Returns events as plain tuples, which checkpoints hold: the `EventFields` of each, then its `LatePolicy`."""
    header = _HEADER.pack(min(event.end for event, _ in copies), len(copies))
    plain = [
        (event.begin, event.end, event.label, json_body(event), event.qualifier, policy._value_)
        for event, policy in copies
    ]
    return _EVENTS + header + pickle.dumps(plain, protocol=5)


def pack_table(first_end: int, count: int, data: bytes) -> bytes:
    """Packs events as an Arrow stream of the columns that `flat_events` writes."""
    return _TABLE + _HEADER.pack(first_end, count) + data


def first_end(payload: bytes) -> int:
    """Returns the first end of the events of a payload."""
    end: int = _HEADER.unpack_from(payload, 1)[0]
    return end


def event_count(payload: bytes) -> int:
    count: int = _HEADER.unpack_from(payload, 1)[1]
    return count


def table_data(payload: bytes) -> memoryview | None:
    """Returns the Arrow stream of a packed table; None where events are packed one by one."""
    return memoryview(payload)[1 + _HEADER.size :] if payload[:1] == _TABLE else None


def unpack_events(payload: bytes) -> tuple[list[Occurrence], list[LatePolicy]]:
    """Returns the events of a payload, and how each is treated if it is late."""
    data = memoryview(payload)[1 + _HEADER.size :]
    if payload[:1] == _TABLE:
        from cera.engines.spark.streaming.messages.packed_tables import (
            read_table,  # only for tables: it needs Arrow
        )

        return read_table(data)
    plain = _marshalled(data) if payload[:1] == _MARSHALLED else restore_plain(data)
    events, policies = [], []
    for begin, end, label, body, qualifier, policy in plain:
        events.append(json_occurrence(begin, end, label, body, qualifier))
        policies.append(_POLICIES[policy])
    return events, policies


def _marshalled(data: memoryview) -> Any:
    from cera.engines.spark.streaming.messages.marshalled import read_marshalled  # only for old checkpoints

    return read_marshalled(bytes(data))


def pack_versions(numbers: Mapping[str, int]) -> bytes:
    """Packs the versions of relations that count from the next micro-batch on, by the names of the relations."""
    return _VERSIONS + json.dumps(dict(numbers)).encode()


def is_versions(payload: bytes) -> bool:
    return payload[:1] == _VERSIONS


def unpack_versions(payload: bytes) -> dict[str, int]:
    numbers: dict[str, int] = json.loads(payload[1:])
    return numbers


def pack_results(results: Iterable[Result]) -> bytes:
    """Packs results, behind the numbers of late events, of rejected ones, of expressions without a value, of events
    without the attribute by which a module divides them, and of ends of states that were moved on."""
    found = by_kind(results)
    undefined = sum(state.undefined for state in found.states)
    without_key = sum(state.without_key for state in found.states)
    repaired = sum(state.repaired for state in found.states)
    counts = RESULT_COUNTS.pack(len(found.late), len(found.rejected), undefined, without_key, repaired)
    return _RESULTS + counts + marshal.dumps(_plain(found))


def _plain(found: ResultsByKind) -> tuple[list[Any], ...]:
    """Returns the results of each kind as plain data; derived events, which are many, as columns."""
    return (
        list(zip(*found.derived, strict=True)),
        [tuple(one.event) for one in found.late],
        list(map(tuple, found.rejected)),
        [{**one._asdict(), "causes": {name: tuple(c) for name, c in one.causes.items()}} for one in found.actions],
        list(map(tuple, found.states)),
        list(map(tuple, found.versions)),
    )


def unpack_results(payload: bytes) -> list[Result]:
    derived, late, rejected, actions, states, versions = marshal.loads(memoryview(payload)[1 + RESULT_COUNTS.size :])
    results: list[Result] = list(map(DerivedResult._make, zip(*derived, strict=True)))
    results += [LateEvent(EventFields(*fields)) for fields in late]
    results += [RejectedRecord(*fields) for fields in rejected]
    for fields in actions:
        causes = {name: EventFields(*cause) for name, cause in fields["causes"].items()}
        results.append(ActionRequest(**{**fields, "causes": causes}))
    results += [StateReport(*fields) for fields in states]
    results += [VersionReport(*fields) for fields in versions]
    return results


def pack_columns(shape: int, data: bytes) -> bytes:
    """Packs derived events of a shape as an Arrow stream."""
    return _COLUMNS + _SHAPE.pack(shape) + data


def is_columns(payload: bytes) -> bool:
    return payload[:1] == _COLUMNS


def unpack_columns(payload: bytes) -> tuple[int, memoryview]:
    shape: int = _SHAPE.unpack_from(payload, 1)[0]
    return shape, memoryview(payload)[1 + _SHAPE.size :]
