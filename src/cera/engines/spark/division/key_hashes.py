"""The buckets of keys, from hashes that are `xxhash64` as Spark computes it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from xxhash import xxh64_intdigest

from cera.model.terms.hashing import chain, hash_value
from cera.model.terms.term import Term, Value

_SPARK_SEED = 42


def key_hash(value: Value) -> int:
    """Returns the hash of a value of a key: xxhash64 of the string, or of the 64-bit integer."""
    match value:
        case str():
            return xxh64_intdigest(value.encode("utf-8", "surrogatepass"), _SPARK_SEED)
        case bool():
            return xxh64_intdigest(struct.pack("<q", int(value)), _SPARK_SEED)
        case int():
            return xxh64_intdigest(struct.pack("<q", value), _SPARK_SEED)
        case float():
            return xxh64_intdigest(struct.pack("<d", value), _SPARK_SEED)
        case Term():
            return hash_value(value, 1) % 2**64


def bucket(hashes: Sequence[int], buckets: int) -> int:
    """Returns the bucket of a key, given the hashes of its parts."""
    if len(hashes) == 1:
        signed = hashes[0] - 2**64 if hashes[0] >= 2**63 else hashes[0]
    else:
        signed = chain(*(part - 2**64 if part >= 2**63 else part for part in hashes))
    return signed % buckets
