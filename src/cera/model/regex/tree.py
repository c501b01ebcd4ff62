"""Regular expressions as trees, which can be printed for an engine and reasoned about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from cera.model.regex.notation import RegexError, check_notation, misplaced_end

LAST_CHARACTER = 0x10FFFF

#: Code points from the first to the second, both included; disjoint and in order.
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Characters:
    """One character out of a set."""

    ranges: Ranges


@dataclass(frozen=True)
class Start:
    """The empty text at the start."""


@dataclass(frozen=True)
class End:
    """The empty text at the end."""

    position: int


@dataclass(frozen=True)
class Sequence:
    """One after the other."""

    items: tuple[Regex, ...]


@dataclass(frozen=True)
class Choice:
    alternatives: tuple[Regex, ...]


@dataclass(frozen=True)
class Repeat:
    """At least `least` and at most `most` times; any number of times where `most` is None."""

    body: Regex
    least: int
    most: int | None


Regex = Characters | Start | End | Sequence | Choice | Repeat

_DIGITS: Ranges = ((0x30, 0x39),)
_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACE: Ranges = ((0x09, 0x0D), (0x20, 0x20))
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "a": "\a"}
_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d+)(,(\d*))?\})\??", re.ASCII)


@lru_cache(maxsize=256)
def parse_regex(expression: str) -> Regex:
    """Returns the tree of an expression; raises RegexError with the reason."""
    try:
        check_notation(expression)
        tree = _Reader(expression).choice()
        _check_ends(tree, is_last=True)
    except (OverflowError, RecursionError):
        raise RegexError("it is too large") from None
    return tree


def union(sets: Iterable[Ranges]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(part for ranges in sets for part in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    edges = [-1, *(edge for part in union([ranges]) for edge in part), LAST_CHARACTER + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((before + 1, after - 1) for before, after in gaps if before + 1 < after)


def overlap(one: Ranges, other: Ranges) -> bool:
    return any(a <= last and first <= b for a, b in one for first, last in other)


class _Reader:
    """A parser of an expression whose notation has been checked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def choice(self) -> Regex:
        alternatives = [self._sequence()]
        while self._takes("|"):
            alternatives.append(self._sequence())
        return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))

    def _sequence(self) -> Regex:
        items: list[Regex] = []
        while self._position < len(self._text) and self._text[self._position] not in "|)":
            items.append(self._quantified(self._atom()))
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _quantified(self, atom: Regex) -> Regex:
        quantifier = _QUANTIFIER.match(self._text, self._position)
        if quantifier is None:
            return atom
        self._position = quantifier.end()
        sign, least, several, most = quantifier.groups()
        if sign:
            return Repeat(atom, int(sign == "+"), 1 if sign == "?" else None)
        return Repeat(atom, int(least), (int(most) if most else None) if several else int(least))

    def _atom(self) -> Regex:
        start = self._position
        self._position += 1
        match self._text[start]:
            case "(":
                self._takes("?:")
                inside = self.choice()
                self._position += 1
                return inside
            case "[":
                return Characters(self._class())
            case "\\":
                return Characters(self._escaped())
            case ".":
                return Characters(complement(_only("\n")))
            case "^":
                return Start()
            case "$":
                return End(start)
            case character:
                return Characters(_only(character))

    def _class(self) -> Ranges:
        negated = self._takes("^")
        parts: list[Ranges] = []
        while not self._takes("]"):
            part = self._member()
            if self._text[self._position] == "-" and self._text[self._position + 1] != "]":
                self._position += 1
                part = ((part[0][0], self._member()[0][1]),)
            parts.append(part)
        ranges = union(parts)
        return complement(ranges) if negated else ranges

    def _member(self) -> Ranges:
        self._position += 1
        character = self._text[self._position - 1]
        return self._escaped() if character == "\\" else _only(character)

    def _escaped(self) -> Ranges:
        """Reads what follows a backslash."""
        letter = self._text[self._position]
        self._position += 1
        if letter in "xu":
            start, self._position = self._position, self._position + (2 if letter == "x" else 4)
            return _only(chr(int(self._text[start : self._position], 16)))
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter.lower() in _CLASSES:
            return complement(_CLASSES[letter.lower()])
        return _only(_CHARACTERS.get(letter, letter))

    def _takes(self, text: str) -> bool:
        found = self._text.startswith(text, self._position)
        self._position += len(text) if found else 0
        return found


def _only(character: str) -> Ranges:
    return ((ord(character), ord(character)),)


def _check_ends(tree: Regex, *, is_last: bool) -> None:
    """Refuses `$` where more may follow: there Python and Java let it stand before a last line end, RE2 does not."""
    match tree:
        case End() if not is_last:
            raise misplaced_end(tree.position)
        case Sequence(items):
            for index, item in enumerate(items):
                rest = items[index + 1 :]
                _check_ends(item, is_last=is_last and all(isinstance(other, End | Start) for other in rest))
        case Choice(alternatives):
            for alternative in alternatives:
                _check_ends(alternative, is_last=is_last)
        case Repeat(body, _, most):
            _check_ends(body, is_last=is_last and most is not None and most <= 1)
        case _:
            pass
