"""The limits of terms, for drafts: a term that would be nested too deep or too large is not built; it is undefined."""

from __future__ import annotations

from typing import Any

from cera.model.terms.term import MAX_DEPTH, MAX_SIZE, Term, value_size

#: A head of strings that are shorter than this fits, whatever its shape.
LONG_STRING = 1_000


def fits(child: Any) -> bool:
    """Returns whether the term that a draft stands for can be built; other values always fit."""
    if not isinstance(child, tuple):
        return True
    depth, size = _extent(child)
    return depth <= MAX_DEPTH and size <= MAX_SIZE


def _extent(child: Any) -> tuple[int, int]:
    """Returns depth and size, as a term has them."""
    if isinstance(child, tuple):
        extents = [_extent(part) for part in child[2]]
        return 1 + max((depth for depth, _ in extents), default=0), 1 + sum(size for _, size in extents)
    return child.depth if isinstance(child, Term) else 0, value_size(child)
