"""The 128-bit identity of terms and events.

A hash is taken over values, not over printed text, and is built only from what Spark's `xxhash64` does natively:
a chain of 64-bit xxHash over strings (their UTF-8) and 64-bit integers (8 bytes, little-endian), each step seeded
with the result of the step before, starting from Spark's seed 42. The children of an unordered term enter in the
order of their hashes. Two chains that start with different first values make 128 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache

from xxhash import xxh64_intdigest

from cera.model.terms.term import Term, Value
from cera.model.terms.values import Scalar, number
from cera.model.time.interval import Interval, Time

_SPARK_SEED = 42
_CHAINS = (1, 2)
#: The kind of a value, as it enters its hash.
STRING, INTEGER, FRACTION, BOOLEAN, ORDERED, UNORDERED = range(1, 7)


_integer = struct.Struct("<q").pack
_unsigned = struct.Struct("<Q").pack
_fraction = struct.Struct("<d").pack
_TOP_BIT = 2**63


def chain(*values: str | int) -> int:
    """Returns xxhash64(v1, …, vn) as Spark computes it for string and bigint columns; a signed 64-bit integer."""
    return _signed(_links(*values))


def _links(*values: str | int) -> int:
    seed = _SPARK_SEED
    for value in values:
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else _integer(value)
        seed = xxh64_intdigest(data, seed)
    return seed


def _signed(hashed: int) -> int:
    return hashed - 2**64 if hashed >= _TOP_BIT else hashed


def hash_value(value: Value, first: int) -> int:
    """Returns the hash of a value in the chain that starts with `first`, which is 1 or 2."""
    return _signed(_hashes(value)[_CHAINS.index(first)])


def _hashes(value: Value) -> tuple[int, int]:
    """Returns the hashes of a value in both chains, unsigned. The start of most chains is cached."""
    if isinstance(value, Term):
        children = value.children
        one, two = starts(ORDERED if value.ordered else UNORDERED, value.label, len(children))
        if len(children) == 1:
            first, second = _hashes(children[0])
            return xxh64_intdigest(_unsigned(first), one), xxh64_intdigest(_unsigned(second), two)
        return _linked([_hashes(child) for child in children], one, two, ordered=value.ordered)
    if isinstance(value, str):
        data, (one, two) = value.encode("utf-8", "surrogatepass"), _STRINGS
    elif isinstance(value, float):
        data, (one, two) = _fraction(value), _FRACTIONS
    else:
        data, (one, two) = _integer(value), _BOOLEANS if isinstance(value, bool) else _INTEGERS
    return xxh64_intdigest(data, one), xxh64_intdigest(data, two)


@lru_cache(maxsize=10_000)  # labels are few
def starts(*values: str | int) -> tuple[int, int]:
    """Returns both chains after some values."""
    one, two = (_links(first, *values) for first in _CHAINS)
    return one, two


_STRINGS, _INTEGERS, _FRACTIONS, _BOOLEANS = (starts(kind) for kind in (STRING, INTEGER, FRACTION, BOOLEAN))
_EVENTS = starts()


def event_id(term: Term, interval: Interval, qualifier: str | None = None) -> str:
    """Returns 32 hexadecimal digits that stand for (term, interval), and for the source's own id if it has one."""
    return _identity(_hashes(term), interval.begin, interval.end, qualifier)


def flat_event_id(
    label: str, children: Iterable[tuple[str, Scalar]], begin: Time, end: Time, qualifier: str | None = None
) -> str:
    """Returns `event_id` of `label{name{value}, …}` without making its term."""
    pairs = [_child_hashes(name, value) for name, value in children]
    one, two = starts(UNORDERED, label, len(pairs))
    return _identity(_linked(pairs, one, two, ordered=False), begin, end, qualifier)


def texts_event_id(label: str, texts: Sequence[str], begin: Time, end: Time) -> str:
    """Returns `event_id` of `label["text", …]` without making its term."""
    one, two = starts(ORDERED, label, len(texts))
    return _identity(_linked([_hashes(text) for text in texts], one, two, ordered=True), begin, end, None)


@lru_cache(maxsize=10_000, typed=True)  # the same values come again
def _child_hashes(label: str, value: Scalar) -> tuple[int, int]:
    """Returns the hashes of `label{value}`; a number is taken in its one representation, if it has one."""
    if isinstance(value, float) and (found := number(value)) is not None:
        value = found
    one, two = starts(UNORDERED, label, 1)
    return _linked([_hashes(value)], one, two, ordered=True)


def _linked(pairs: Sequence[tuple[int, int]], one: int, two: int, *, ordered: bool) -> tuple[int, int]:
    """Returns both chains after the hashes of children."""
    firsts, seconds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if not ordered and len(pairs) > 1:
        firsts.sort(key=_TOP_BIT.__xor__)  # by their signed values
        seconds.sort(key=_TOP_BIT.__xor__)
    for first, second in zip(firsts, seconds, strict=True):
        one, two = xxh64_intdigest(_unsigned(first), one), xxh64_intdigest(_unsigned(second), two)
    return one, two


def _identity(hashes: tuple[int, int], begin: Time, end: Time, qualifier: str | None) -> str:
    first, last = _integer(begin), _integer(end)
    one, two = _EVENTS
    one = xxh64_intdigest(last, xxh64_intdigest(first, xxh64_intdigest(_unsigned(hashes[0]), one)))
    two = xxh64_intdigest(last, xxh64_intdigest(first, xxh64_intdigest(_unsigned(hashes[1]), two)))
    if qualifier is not None:
        data = qualifier.encode("utf-8", "surrogatepass")
        one, two = xxh64_intdigest(data, one), xxh64_intdigest(data, two)
    return f"{one:016x}{two:016x}"
