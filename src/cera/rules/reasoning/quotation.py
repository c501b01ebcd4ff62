"""Pieces of the program text inside messages."""

from __future__ import annotations

from collections.abc import Sequence

from cera.diagnostics import Span

#: Longer pieces are cut; the excerpt below the message shows them in full.
_LONGEST = 60


def quoted(span: Span | None, otherwise: str) -> str:
    """Returns the text at the span on one line and in quotes; `otherwise` if there is no span."""
    if span is None:
        return otherwise
    text = " ".join(span.text.split())
    return f"`{text}`" if len(text) <= _LONGEST else f"`{text[: _LONGEST - 1]}…`"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Returns `a`, `a and b`, `a, b and c`."""
    *front, end = items
    return f"{', '.join(front)} {last} {end}" if front else end
