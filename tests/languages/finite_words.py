"""The words that a regular expression matches, where there are finitely many; what it looks ahead to is left out."""

from __future__ import annotations

from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any


def finite_words(pattern: str) -> set[str] | None:
    """None if there are infinitely many, or too many to list."""
    return _sequence(_parser.parse(pattern))


def _sequence(parts: Any) -> set[str] | None:
    words = {""}
    for operation, argument in parts:
        found = _words(operation, argument)
        if found is None:
            return None
        words = {one + other for one, other in product(words, found)}
        if len(words) > 500:
            return None
    return words


def _words(operation: Any, argument: Any) -> set[str] | None:
    match operation:
        case sre.LITERAL:
            return {chr(argument)}
        case sre.SUBPATTERN:
            return _sequence(argument[-1])
        case sre.BRANCH:
            found = [_sequence(branch) for branch in argument[1]]
            return None if any(each is None for each in found) else {word for each in found for word in each or ()}
        case sre.MAX_REPEAT:
            least, most, part = argument
            if _is_blank(part):
                return {" "} if least else {""}
            once = _sequence(part)
            if most != 1 or once is None:
                return None
            return once if least else {"", *once}
        case sre.ASSERT | sre.ASSERT_NOT | sre.AT:
            return {""}
        case _:
            return None


def _is_blank(part: Any) -> bool:
    return list(part) == [(sre.IN, [(sre.CATEGORY, sre.CATEGORY_SPACE)])]
