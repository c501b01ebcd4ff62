"""What a parser could have accepted at a place, in a sentence for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

#: Terminals that together are one thing to a reader, and what it is called; the larger groups come first.
Groups = Sequence[tuple[frozenset[str], str]]


def expected_phrase(
    accepted: frozenset[str], groups: Groups, name: Callable[[str], str], first: Sequence[str], most: int
) -> str:
    """`expected ',' or '}'`: the accepted terminals, grouped and by their everyday names, those of `first` in front."""
    phrases: list[str] = []
    rest = set(accepted)
    for terminals, phrase in groups:
        if terminals <= rest:
            phrases.append(phrase)
            rest -= terminals
    phrases += sorted({name(terminal) for terminal in rest if terminal != "$END"})
    phrases = sorted(dict.fromkeys(phrases), key=lambda phrase: first.index(phrase) if phrase in first else len(first))
    if not phrases:
        return "expected nothing more"
    if len(phrases) > most:
        return f"expected {', '.join(phrases[:most])}, …"
    *others, last = phrases
    return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"
