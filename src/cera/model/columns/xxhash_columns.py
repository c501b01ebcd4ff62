"""xxh64 of whole columns, as arrays of unsigned 64-bit integers.

Only what ids are made of: words of eight bytes, and texts of 32 bytes. Seeds and values are broadcast, so that one call
can hash a column with several seeds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
    """The hash of eight bytes."""
    words = (seeds + np.uint64((_P5 + 8) & _MASK)) ^ _round(values)
    words = _rotated(words, 27)
    words *= np.uint64(_P1)
    words += np.uint64(_P4)
    return _avalanched(words)


def hashed_texts(seeds: Hashes, words: Hashes) -> Hashes:
    """The hash of 32 bytes, which are the four words along the first axis of `words`."""
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
