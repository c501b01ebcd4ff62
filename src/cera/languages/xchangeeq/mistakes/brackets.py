"""Which brackets of an item belong together, and which one is to blame when they do not."""

from __future__ import annotations

from collections.abc import Sequence

from cera.languages.text.scanner import Lexeme

CLOSING = {"{": "}", "[": "]", "(": ")"}
OPENING = {closing: opening for opening, closing in CLOSING.items()}


class Brackets:
    """Lexemes are named by their index. `partner` maps both brackets of a pair to the other one.

    A closing bracket of the wrong kind closes the innermost open bracket all the same, and is listed in `mismatched`.
    """

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self._lexemes = lexemes
        self.partner: dict[int, int] = {}
        self.mismatched: list[int] = []
        self.surplus: list[int] = []
        self.unclosed: list[int] = []
        for index, lexeme in enumerate(lexemes):
            if lexeme.kind != "bracket":
                continue
            if lexeme.text in CLOSING:
                self.unclosed.append(index)
            elif not self.unclosed:
                self.surplus.append(index)
            else:
                opening = self.unclosed.pop()
                self.partner[opening], self.partner[index] = index, opening
                if CLOSING[lexemes[opening].text] != lexeme.text:
                    self.mismatched.append(index)

    @property
    def balanced(self) -> bool:
        return not (self.mismatched or self.surplus or self.unclosed)

    def open_at(self, index: int) -> list[int]:
        """The brackets that are open before the lexeme, outermost first."""
        return [
            opening
            for opening in range(min(index, len(self._lexemes)))
            if self._lexemes[opening].text in CLOSING
            and self._lexemes[opening].kind == "bracket"
            and self.partner.get(opening, index) >= index
        ]

    def is_second(self, opening: int) -> bool:
        """Whether the bracket is the second one of `{{` or `[[`."""
        return (
            opening > 0
            and self._lexemes[opening - 1].text == self._lexemes[opening].text
            and self._lexemes[opening - 1].end == self._lexemes[opening].start
        )

    def torn(self) -> int | None:
        """The innermost `{{` whose closing brackets do not stand side by side: they were probably not meant for it.

        The index is that of its second bracket.
        """
        candidates = [opening for opening in self.partner if self._is_torn(opening)]
        return min(candidates, key=self.partner.__getitem__, default=None)

    def _is_torn(self, opening: int) -> bool:
        if self._lexemes[opening].text not in ("{", "[") or not self.is_second(opening):
            return False
        if self.label(opening) == "where":  # where {{s, t} within 1 min}
            return False
        inner, outer = self.partner[opening], self.partner.get(opening - 1)
        return outer is None or self._lexemes[inner].end != self._lexemes[outer].start

    def label(self, opening: int) -> str:
        """The word before an opening bracket, or before the pair that it belongs to."""
        first = opening - 1 if self.is_second(opening) else opening
        before = self._lexemes[first - 1] if first > 0 else None
        return before.text if before is not None and before.kind == "word" else ""
