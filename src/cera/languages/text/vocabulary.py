"""What a parser could have accepted at a place, in a sentence for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

#: Terminals that together are one thing to a reader, and what it is called; the larger groups come first.
Groups = Sequence[tuple[frozenset[str], str]]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The terminals of a language as its readers know them."""

    groups: Groups
    names: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]
    #: What is most often forgotten, separators and brackets, so it is named first.
    first: Sequence[str]
    #: More alternatives than these are no help.
    most: int = 5

    def expected(self, accepted: Iterable[str]) -> str:
        """`expected ',' or '}'`: the accepted terminals, grouped and by their everyday names."""
        phrases = self._phrases(set(accepted))
        if not phrases:
            return "expected nothing more"
        if len(phrases) > self.most:
            return f"expected {', '.join(phrases[: self.most])}, …"
        *others, last = phrases
        return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"

    def keywords(self, accepted: Iterable[str]) -> list[str]:
        """The words of the language among the accepted terminals."""
        return [word for terminal in sorted(accepted) for word in self.words.get(terminal, ())]

    def _phrases(self, rest: set[str]) -> list[str]:
        phrases: list[str] = []
        for terminals, phrase in self.groups:
            if terminals <= rest:
                phrases.append(phrase)
                rest -= terminals
        phrases += sorted({self._name(terminal) for terminal in rest if terminal != "$END"})
        first = self.first
        return sorted(dict.fromkeys(phrases), key=lambda phrase: first.index(phrase) if phrase in first else len(first))

    def _name(self, terminal: str) -> str:
        return self.names.get(terminal) or f"'{self.words.get(terminal, (terminal.strip('_').lower(),))[0]}'"
