"""Pieces of the program text inside messages."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from cera.diagnostics import Span

#: Longer pieces are cut; the excerpt below the message shows them in full.
_LONGEST = 60


def quoted(span: Span | None, otherwise: str) -> str:
    """The text at the span on one line and in quotes; `otherwise` for what was not read from a text."""
    text = " ".join((span.text if span is not None else otherwise).split())
    return f"'{text}'" if len(text) <= _LONGEST else f"'{text[: _LONGEST - 1]}…'"


def listed(items: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *front, end = items
    return f"{', '.join(front)} {last} {end}" if front else end


def did_you_mean(name: str, names: Sequence[str]) -> str | None:
    """The hint that names the nearest of the names, if one is near."""
    nearest = get_close_matches(name, names, n=1)
    return f"did you mean '{nearest[0]}'?" if nearest else None
