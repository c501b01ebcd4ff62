"""Names and lists of names as messages show them."""

from __future__ import annotations

from collections.abc import Sequence

#: How many of a long list are shown before "… and n more".
SHOWN = 10


def listed(items: Sequence[str], shown: int = SHOWN) -> str:
    """Returns the items with commas between, cut where they are many."""
    more = len(items) - shown
    return ", ".join(items[:shown]) + (f" … and {more:,} more" if more > 0 else "")


def printable(text: str) -> str:
    """Returns the text with every character escaped that could steer a terminal or does not show."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
