"""Change events in Debezium's JSON layout: the envelope `{"op": …, "before": …, "after": …, "source": {…}, …}`.

The envelope may stand in the field `payload` beside its schema. A tombstone, the null that follows a deletion so that
Kafka forgets the key, is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cera.connectors.records.changes import Change
from cera.connectors.records.layout import RecordError
from cera.model.events.event import Event
from cera.model.terms.json_terms import describe
from cera.model.terms.values import MAX_INTEGER
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit

#: The operations of the letters; a row that a snapshot finds is new to us.
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


def looks_like_envelope(record: Mapping[str, object]) -> bool:
    """Returns whether a record has fields that only an envelope has, bare or in `payload`."""
    inner = record.get("payload", record)
    return isinstance(inner, Mapping) and "op" in inner and not inner.keys().isdisjoint(("before", "after"))


def event_from_envelope(record: object) -> Event:
    """Returns the event of a JSON value; raises an error of the record where it is not a change of a row."""
    envelope = _envelope(record)
    letter, source = envelope["op"], envelope.get("source")
    if letter == "m":
        raise RecordError("a message that a program wrote into the log, and no change of a table")
    operation = _OPERATIONS.get(letter) if isinstance(letter, str) else None
    if operation is None:
        raise RecordError(f"the field `op` is one of {', '.join(_OPERATIONS)}, found {describe(letter)}")
    if not isinstance(source, Mapping) or not isinstance(table := source.get("table"), str) or not table.strip():
        raise RecordError("the field `source` does not name the table of the change")
    after = envelope.get("after")
    if after is None and operation in ("insert", "update"):
        raise RecordError(f"the new row is missing: `op` is {describe(letter)}, and `after` is null or not there")
    return Change(
        operation,
        table,
        _time(source, envelope),
        _row(envelope.get("before")),
        _row(after),
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
    """Returns when the database made the change or, if that is missing, when the connector saw it."""
    for place, fields in (("source.", source), ("", envelope)):
        for name, unit in _TIMES.items():
            if fields.get(name) is not None:
                try:
                    return TimeFormat(unit).parse(fields[name])
                except TimeError as error:
                    raise RecordError(f"in the field `{place}{name}`: {error}") from None
        if (nanoseconds := _integer(fields, _NANOSECONDS, place)) is not None:
            return TimeFormat("us").parse(nanoseconds // 1000)
    raise RecordError("the time is missing: expected ts_ms, ts_us or ts_ns in `source` or beside it")


def _position(source: Mapping[str, object], envelope: Mapping[str, object]) -> int | None:
    """Returns the position in the database's log, as a number that grows along it; else the position in the
    transaction.
    """
    for name in ("lsn", "scn"):  # PostgreSQL, Oracle
        if (place := _integer(source, name)) is not None:
            return place
    place, file = _integer(source, "pos"), source.get("file")
    if place is not None:  # MySQL: positions start again in each file, and one entry may have several rows
        number = _BINARY_LOG.fullmatch(file) if isinstance(file, str) else None
        row = min(_integer(source, "row") or 0, (1 << _ROW_BITS) - 1)
        whole = (((int(number[1]) if number else 0) << _PLACE_BITS) + place << _ROW_BITS) + row
        return whole if whole <= MAX_INTEGER else None
    return _integer(_transaction_block(envelope), "total_order", "transaction.")


def _transaction(source: Mapping[str, object], envelope: Mapping[str, object]) -> str | None:
    """Returns the transaction. The id that connectors for PostgreSQL give has the place of the change after a colon."""
    block = _transaction_block(envelope)
    for fields, name, place in (
        (source, "txId", "source."),
        (block, "id", "transaction."),
        (source, "gtid", "source."),
    ):
        found = fields.get(name)
        if isinstance(found, str | int) and not isinstance(found, bool) and found != "":
            return str(found)
        if found not in (None, ""):
            raise RecordError(f"the field `{place}{name}` names a transaction, found {describe(found)}")
    return None


def _transaction_block(envelope: Mapping[str, object]) -> Mapping[str, object]:
    found = envelope.get("transaction")
    if found is None or isinstance(found, Mapping):
        return found or {}
    raise RecordError(f"the field `transaction` is an object with the field id, found {describe(found)}")


def _integer(fields: Mapping[str, object], name: str, place: str = "source.") -> int | None:
    """Returns a field that is an integer, which Debezium also writes as a text; None where it is absent."""
    value = fields.get(name)
    if value is None or value == "":
        return None
    number = int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,19}", value, re.ASCII) else value
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MAX_INTEGER:
        raise RecordError(f"the field `{place}{name}` is a whole number of 64 bits, found {describe(value)}")
    return number
