"""Guesses at the word that was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'weekdays'?` for a word close to a known one, else nothing: to be put after a message."""
    by_lower_case = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return f"; did you mean '{by_lower_case[close[0]]}'?" if close else ""
