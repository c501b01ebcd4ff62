"""The 128-bit identity of terms and events.

A hash is taken over values, not over printed text, and is built only from what Spark's `xxhash64` does natively:
a chain of 64-bit xxHash over strings (their UTF-8) and 64-bit integers (8 bytes, little-endian), each step seeded
with the result of the step before, starting from Spark's seed 42. The children of an unordered term enter in the
order of their hashes. Two chains that start with different first values make 128 bits.
"""

from __future__ import annotations

import struct

from xxhash import xxh64_intdigest

from cera.model.interval import Interval
from cera.model.terms import Term, Value

_SPARK_SEED = 42
_CHAINS = (1, 2)
_STRING, _INTEGER, _FRACTION, _BOOLEAN, _ORDERED, _UNORDERED = range(1, 7)


def chain(*values: str | int) -> int:
    """xxhash64(v1, …, vn) as Spark computes it for string and bigint columns; a signed 64-bit integer."""
    seed = _SPARK_SEED
    for value in values:
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else struct.pack("<q", value)
        seed = xxh64_intdigest(data, seed)
    return seed - 2**64 if seed >= 2**63 else seed


def hash_value(value: Value, first: int) -> int:
    """The hash of a value in the chain that starts with `first`."""
    match value:
        case Term():
            children = [hash_value(child, first) for child in value.children]
            if not value.ordered:
                children.sort()
            kind = _ORDERED if value.ordered else _UNORDERED
            return chain(first, kind, value.label, len(children), *children)
        case bool():
            return chain(first, _BOOLEAN, int(value))
        case int():
            return chain(first, _INTEGER, value)
        case float():
            return chain(first, _FRACTION, struct.unpack("<q", struct.pack("<d", value))[0])
        case str():
            return chain(first, _STRING, value)


def event_id(term: Term, interval: Interval, qualifier: str | None = None) -> str:
    """32 hexadecimal digits that stand for (term, interval), and for the source's own id where it names one."""
    tail = () if qualifier is None else (qualifier,)
    return "".join(
        f"{chain(first, hash_value(term, first), interval.begin, interval.end, *tail) % 2**64:016x}"
        for first in _CHAINS
    )
