"""Names, lists of names and guesses at what was meant, as messages show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cera.diagnostics import closest

#: The number of items of a long list that are shown before "… and n more".
SHOWN = 10


def listed(items: Sequence[str], shown: int = SHOWN) -> str:
    """Returns the items with commas between, cut if there are many."""
    more = len(items) - shown
    return ", ".join(items[:shown]) + (f" … and {more:,} more" if more > 0 else "")


def printable(text: str) -> str:
    """Returns the text with every character escaped that could control a terminal or is not shown."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns `; did you mean 'weekdays'?` for a word close to a known one, else nothing: to be put after a message."""
    meant = closest(word, known)
    return "" if meant is None else f"; did you mean '{meant}'?"


def count(number: int, thing: str, things: str | None = None) -> str:
    """Returns `1 event`, `1,200 events`, `no events`."""
    several = things or f"{thing}s"
    return f"no {several}" if number == 0 else f"{number:,} {thing if number == 1 else several}"
