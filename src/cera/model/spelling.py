"""Guesses at the word that was meant."""

from __future__ import annotations

from collections.abc import Iterable

from cera.diagnostics import closest


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'weekdays'?` for a word close to a known one, else nothing: to be put after a message."""
    meant = closest(word, known)
    return "" if meant is None else f"; did you mean '{meant}'?"
