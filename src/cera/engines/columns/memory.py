"""Memory for arrays that are made and dropped all the time."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

#: The parameters of glibc's `mallopt`, and what they are while arrays come and go: what is freed stays here.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
_KEPT = ((_MMAP_THRESHOLD, 32 << 20), (_TRIM_THRESHOLD, 256 << 20), (_TOP_PAD, 64 << 20))
#: What glibc begins with.
_USUAL = ((_TOP_PAD, 0), (_TRIM_THRESHOLD, 128 << 10))


@contextmanager
def kept_memory() -> Iterator[None]:
    """Lets Arrow take memory where NumPy does, and keeps what is freed.

    Arrow's own pools give blocks back and take them again, and so does glibc with large arrays, whose pages the kernel
    then clears each time: a fifth of a run.
    """
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    allocator = _allocator()
    _set(allocator, _KEPT)
    try:
        yield
    finally:
        pa.set_memory_pool(before)
        _set(allocator, _USUAL)
        if allocator is not None:
            allocator.malloc_trim(0)


def _allocator() -> ctypes.CDLL | None:
    """Returns the C library, if it is one whose allocator has these parameters."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # as on Windows
        return None
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


def _set(allocator: ctypes.CDLL | None, values: tuple[tuple[int, int], ...]) -> None:
    if allocator is not None:
        for parameter, value in values:
            allocator.mallopt(parameter, value)
