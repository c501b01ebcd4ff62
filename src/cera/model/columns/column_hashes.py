"""The hashes of `cera.model.terms.hashing` for columns of events, thousands at a time.

Hashes are an array of two rows, one for each chain, with a column for each event. Strings that many events share
(labels, most values) are hashed once; the rest is arithmetic on whole columns: xxh64 as arrays of unsigned 64-bit
integers. It is written only for what ids are made of, words of eight bytes and texts of 32 bytes. Seeds and values are
broadcast, so that one call can hash a column with several seeds.
"""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from xxhash import xxh64_intdigest

from cera.model.terms.hashing import BOOLEAN, FRACTION, INTEGER, ORDERED, STRING, UNORDERED, starts

Times = npt.NDArray[np.int64]
Digits = npt.NDArray[np.uint8]
Present = npt.NDArray[np.bool_]
#: The columns of a child, by the component of a cell; at most one of them has a value in a row.
Components = Mapping[str, pa.Array]


@dataclass(frozen=True)
class NestedChild:
    """A child that every event has, with children of its own."""

    children: Mapping[str, Components]


_KINDS = {"string": STRING, "integer": INTEGER, "fraction": FRACTION, "boolean": BOOLEAN}
#: How many digits an id has.
_ID_DIGITS = 32
#: More children than that are sorted by NumPy's own sort.
_MOST_SWAPPED = 5
_LAST = np.uint64(np.iinfo(np.int64).max)
_PAST_INTEGERS = 2.0**63


def event_hashes(labels: pa.Array | str, children: Mapping[str, Components], begins: Times, ends: Times) -> Hashes:
    """Returns the halves of the ids of flat events, which have no ids from their source."""
    return _events(_terms(labels, children, len(begins)), begins, ends)


def term_hashes(label: str, children: Mapping[str, Components | NestedChild], rows: int) -> Hashes:
    """Returns the hashes of the terms `label{…}`, whose children may have children."""
    return np.broadcast_to(_terms(label, children, rows), (2, rows))


def timer_hashes(label: str, anchors: Hashes, duration: str, begins: Times, ends: Times) -> Hashes:
    """Returns the halves of the ids of relative timers on events with known ids."""
    return hashed_timers(label, id_digits(anchors), duration, begins, ends)


def hashed_timers(label: str, anchors: Digits, duration: str, begins: Times, ends: Times) -> Hashes:
    """Returns the halves of the ids of relative timers on events, of whose ids the digits are known."""
    words = anchors.view(np.uint64).T
    anchor = linked(_starts(ORDERED, label, 2), hashed_texts(_starts(STRING), words))
    text = np.array([[xxh64_intdigest(duration.encode(), seed)] for seed in starts(STRING)], np.uint64)
    return _events(linked(anchor, text), begins, ends)


def hexadecimal(*ids: Hashes) -> bytes:
    """Returns the 32 digits of each id, event after event; of each event, one id after the other."""
    halves = ids[0] if len(ids) == 1 else np.concatenate(ids)
    return hexlify(halves.T.astype(">u8", order="C").data)


def id_digits(ids: Hashes) -> Digits:
    """Returns the digits of ids, each in a row."""
    return np.frombuffer(hexadecimal(ids), np.uint8).reshape(-1, _ID_DIGITS)


def _starts(*values: str | int) -> Hashes:
    """Returns the start of both chains."""
    return np.array([[start] for start in starts(*values)], np.uint64)


def _events(terms: Hashes, begins: Times, ends: Times) -> Hashes:
    return linked(linked(linked(_starts(), terms), begins.view(np.uint64)), ends.view(np.uint64))


def _terms(
    labels: pa.Array | str, children: Mapping[str, Components] | Mapping[str, Components | NestedChild], rows: int
) -> Hashes:
    """Returns the hashes of the terms `label{…}`."""
    return _terms_of(labels, [_child(name, components, rows) for name, components in children.items()], rows)


def hashed_events(label: str, children: Sequence[tuple[Hashes, Present | None]], begins: Times, ends: Times) -> Hashes:
    """Returns the halves of the ids of flat events. Of each child: its hashes, and in which events it is."""
    return _events(_terms_of(label, children, len(begins)), begins, ends)


def hashed_children(name: str, values: Hashes) -> Hashes:
    """Returns the hashes of the terms `name{value}`, of whose values the hashes are known."""
    return linked(_starts(UNORDERED, name, 1), values)


def hashed_truths(values: npt.NDArray[np.bool_]) -> Hashes:
    """Returns the hashes of truth values."""
    return linked(_starts(BOOLEAN), values.astype(np.int64).view(np.uint64))


def _terms_of(labels: pa.Array | str, hashed: Sequence[tuple[Hashes, Present | None]], rows: int) -> Hashes:
    """Returns the hashes of the terms `label{…}` with hashed children, and in which rows each is; None: in all."""
    # absent children come last
    parts = _sorted([found if present is None else np.where(present, found, _LAST) for found, present in hashed])
    always = sum(present is None for _, present in hashed)
    counts = np.full(1 if always == len(hashed) and isinstance(labels, str) else rows, always)
    for _, present in hashed:
        if present is not None:
            counts += present
    found = _term_starts(labels, counts)
    for number, part in enumerate(parts):
        longer = linked(found, part)
        found = longer if number < always else np.where(counts > number, longer, found)
    return found


def _sorted(parts: Sequence[Hashes]) -> Sequence[Hashes]:
    """Returns the hashes of each column in the order of their signed values."""
    if len(parts) > _MOST_SWAPPED:
        return list(np.sort(np.stack(np.broadcast_arrays(*parts)).view(np.int64), axis=0).view(np.uint64))
    found = [part.view(np.int64) for part in parts]
    for last in range(len(found) - 1, 0, -1):
        for place in range(last):
            one, other = found[place], found[place + 1]
            found[place], found[place + 1] = np.minimum(one, other), np.maximum(one, other)
    return [part.view(np.uint64) for part in found]


def _term_starts(labels: pa.Array | str, counts: Times) -> Hashes:
    """Returns the start of the chains of terms with these labels and numbers of children."""
    numbers = np.flatnonzero(np.bincount(counts))
    encoded = None if isinstance(labels, str) else labels.dictionary_encode()
    names = [labels] if encoded is None else encoded.dictionary.to_pylist()
    known = np.array([[starts(UNORDERED, name, n) for n in numbers.tolist()] for name in names], np.uint64)
    if len(names) == len(numbers) == 1:
        return known.reshape(2, 1)
    places = np.searchsorted(numbers, counts)
    indices = np.zeros(len(counts), np.int64) if encoded is None else encoded.indices.to_numpy(zero_copy_only=False)
    found: Hashes = known.reshape(len(names), len(numbers), 2)[indices, places].T
    return found


def _child(name: str, components: Components | NestedChild, rows: int) -> tuple[Hashes, Present | None]:
    """Returns the hashes of the terms `name{value}`, and in which rows there is a value; None: in all."""
    if isinstance(components, NestedChild):
        return term_hashes(name, components.children, rows), None
    found: Hashes | None = None
    present: Present | None = np.zeros(rows, bool)
    for kind, array in components.items():
        here = None if not array.null_count else array.is_valid().to_numpy(zero_copy_only=False)
        leaves = _leaves(kind, array)
        if found is None or here is None:
            found, present = leaves, here
        elif here.any():
            found = np.where(here, leaves, found)
            present = None if present is None else present | here
    if found is None:
        found = np.zeros((2, rows), np.uint64)
    return hashed_children(name, found), present


def _leaves(kind: str, array: pa.Array) -> Hashes:
    """Returns the hashes of values; arbitrary ones in rows without a value."""
    match kind:
        case "string":
            return _strings(array)
        case "double":
            return _doubles(array)
        case "boolean":
            values = array.fill_null(False).cast(pa.int64())
        case _:
            values = array.fill_null(0)
    return linked(_starts(_KINDS[kind]), values.to_numpy(zero_copy_only=False).view(np.uint64))


def _doubles(array: pa.Array) -> Hashes:
    """Returns the hashes of doubles; those that are whole numbers of 64 bits count as integers."""
    return hashed_numbers(array.fill_null(0.0).to_numpy(zero_copy_only=False))


def hashed_numbers(values: npt.NDArray[np.float64]) -> Hashes:
    """Returns the hashes of doubles; those that are whole numbers of 64 bits count as integers."""
    whole = np.floor(values) == values
    if len(values) and not max(-values.min(), values.max()) < _PAST_INTEGERS:  # nor is it if one is not a number
        whole &= (values >= -_PAST_INTEGERS) & (values < _PAST_INTEGERS)
    places = np.flatnonzero(whole)
    if len(places) == len(values):
        return linked(_starts(INTEGER), values.astype(np.int64).view(np.uint64))
    found = linked(_starts(FRACTION), values.view(np.uint64))
    if len(places):
        found[:, places] = linked(_starts(INTEGER), values[places].astype(np.int64).view(np.uint64))
    return found


def _strings(array: pa.Array) -> Hashes:
    encoded = array.dictionary_encode()
    texts = encoded.dictionary.cast(pa.binary()).to_pylist() or [b""]
    known = np.array([[xxh64_intdigest(text, seed) for text in texts] for seed in starts(STRING)], np.uint64)
    found: Hashes = known[:, encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    return found


Hashes = npt.NDArray[np.uint64]

_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_MASK = 2**64 - 1


def linked(seeds: Hashes, values: Hashes) -> Hashes:
    """Returns the hash of eight bytes."""
    words = (seeds + np.uint64((_P5 + 8) & _MASK)) ^ _round(values)
    words = _rotated(words, 27)
    words *= np.uint64(_P1)
    words += np.uint64(_P4)
    return _avalanched(words)


def hashed_texts(seeds: Hashes, words: Hashes) -> Hashes:
    """Returns the hash of 32 bytes, which are the four words along the first axis of `words`."""
    starts = (_P1 + _P2, _P2, 0, -_P1)
    lanes = [_round(words[lane], seeds + np.uint64(start & _MASK)) for lane, start in enumerate(starts)]
    found = _rotated(lanes[0], 1)
    for lane, bits in zip(lanes[1:], (7, 12, 18), strict=True):
        found += _rotated(lane, bits)
    for lane in lanes:
        found ^= _round(lane)
        found *= np.uint64(_P1)
        found += np.uint64(_P4)
    found += np.uint64(32)
    return _avalanched(found)


def _round(words: Hashes, start: Hashes | None = None) -> Hashes:
    found = words * np.uint64(_P2)
    if start is not None:
        found = found + start
    found = _rotated(found, 31)
    found *= np.uint64(_P1)
    return found


def _rotated(words: Hashes, bits: int) -> Hashes:
    found = words << np.uint64(bits)
    found |= words >> np.uint64(64 - bits)
    return found


def _avalanched(words: Hashes) -> Hashes:
    words ^= words >> np.uint64(33)
    words *= np.uint64(_P2)
    words ^= words >> np.uint64(29)
    words *= np.uint64(_P3)
    words ^= words >> np.uint64(32)
    return words
