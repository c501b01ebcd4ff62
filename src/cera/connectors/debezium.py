"""Change events in Debezium's JSON layout: the envelope `{"op": …, "before": …, "after": …, "source": {…}, …}`.

The envelope may stand in the field `payload` beside its schema. A tombstone, the null that follows a deletion so that
Kafka forgets the key, tells nothing new and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cera.connectors.changes import Change
from cera.connectors.layout import RecordError
from cera.model.events import Event
from cera.model.interval import Time
from cera.model.json_terms import describe
from cera.model.time_text import TimeError, TimeFormat, TimeUnit
from cera.model.values import MAX_INTEGER

#: What the letters stand for; a row that a snapshot finds is one that is new to us.
_OPERATIONS = {"c": "insert", "r": "insert", "u": "update", "d": "delete", "t": "truncate"}

#: The fields of a time, the finest first, with their units; nanoseconds are cut.
_TIMES: Mapping[str, TimeUnit] = {"ts_us": "us", "ts_ms": "ms"}
_NANOSECONDS = "ts_ns"

#: Stands for a large value that an update did not change and that the log of PostgreSQL does not have.
_UNAVAILABLE = "__debezium_unavailable_value"

_EXPECTED = "expected Debezium's envelope with op, before, after and source"
_TOMBSTONE = re.compile(r'null|\{(?:\s*"(?:schema|payload)"\s*:\s*null\s*,?){1,2}\s*\}')
_BINARY_LOG = re.compile(r".*\.(\d+)")
#: Bits of a place in a log of MySQL: the number of the file, the place in it, the row in an entry.
_PLACE_BITS, _ROW_BITS = 32, 12


def is_tombstone(text: str) -> bool:
    return _TOMBSTONE.fullmatch(text.strip()) is not None


def event_from_envelope(record: object) -> Event:
    """The event of a JSON value; raises an error of the record where it is no change of a row."""
    envelope = _envelope(record)
    letter, source = envelope["op"], envelope.get("source")
    if letter == "m":
        raise RecordError("a message that a program wrote into the log, and no change of a table")
    operation = _OPERATIONS.get(letter) if isinstance(letter, str) else None
    if operation is None:
        raise RecordError(f"the field `op` is one of {', '.join(_OPERATIONS)}, found {describe(letter)}")
    if not isinstance(source, Mapping) or not isinstance(table := source.get("table"), str):
        raise RecordError("the field `source` does not name the table of the change")
    return Change(
        operation,
        table,
        _time(source, envelope),
        _row(envelope.get("before")),
        _row(envelope.get("after")),
        _position(source, envelope),
        _transaction(source, envelope),
    ).event()


def _envelope(record: object) -> Mapping[str, object]:
    payload = record.get("payload", record) if isinstance(record, Mapping) and "op" not in record else record
    if isinstance(payload, Mapping) and "op" in payload:
        return payload
    raise RecordError(f"no change event: found {describe(payload)}; {_EXPECTED}")


def _row(row: object) -> object:
    return {k: v for k, v in row.items() if v != _UNAVAILABLE} if isinstance(row, Mapping) else row


def _time(source: Mapping[str, object], envelope: Mapping[str, object]) -> Time:
    """When the database made the change or, if that is not told, when the connector saw it."""
    for place, fields in (("source.", source), ("", envelope)):
        for name, unit in _TIMES.items():
            if fields.get(name) is not None:
                try:
                    return TimeFormat(unit).parse(fields[name])
                except TimeError as error:
                    raise RecordError(f"in the field `{place}{name}`: {error}") from None
        if (nanoseconds := _integer(fields.get(_NANOSECONDS))) is not None:
            return TimeFormat("us").parse(nanoseconds // 1000)
    raise RecordError("the time is missing: expected ts_ms, ts_us or ts_ns in `source` or beside it")


def _position(source: Mapping[str, object], envelope: Mapping[str, object]) -> int | None:
    """The place in the database's log, as a number that grows along it; else the place in the transaction."""
    for name in ("lsn", "scn"):  # PostgreSQL, Oracle
        if (place := _integer(source.get(name))) is not None:
            return place
    place, file = _integer(source.get("pos")), source.get("file")
    if place is not None:  # MySQL: places begin anew in each file, and one entry may have several rows
        number = _BINARY_LOG.fullmatch(file) if isinstance(file, str) else None
        row = min(_integer(source.get("row")) or 0, (1 << _ROW_BITS) - 1)
        whole = (((int(number[1]) if number else 0) << _PLACE_BITS) + place << _ROW_BITS) + row
        return whole if whole <= MAX_INTEGER else None
    transaction = envelope.get("transaction")
    return _integer(transaction.get("total_order")) if isinstance(transaction, Mapping) else None


def _transaction(source: Mapping[str, object], envelope: Mapping[str, object]) -> str | None:
    """The transaction. The id that connectors for PostgreSQL give has the place of the change after a colon."""
    transaction = envelope.get("transaction")
    found = transaction.get("id") if isinstance(transaction, Mapping) else None
    for name in (source.get("txId"), found, source.get("gtid")):
        if isinstance(name, str | int) and not isinstance(name, bool):
            return str(name)
    return None


def _integer(value: object) -> int | None:
    """An integer, which Debezium also writes as a text."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value, re.ASCII):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
