"""The languages, and the recognition of the language of a source."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import PurePath
from typing import Any

from cera.diagnostics import Source
from cera.languages.cet.language import EVENT_TYPES
from cera.languages.datalog.language import DATALOG
from cera.languages.epl.language import EPL
from cera.languages.escl.language import ESCL
from cera.languages.ihta.language import IHTA
from cera.languages.protocol.language import Language
from cera.languages.protocol.results import ParsedSource, is_file
from cera.languages.snoop.language import SNOOP
from cera.languages.streamlog.language import STREAMLOG
from cera.languages.xchangeeq.language import XCHANGEEQ

#: The first is that of files with another ending. A text that several can read belongs to the first of them.
LANGUAGES: tuple[Language[Any], ...] = (XCHANGEEQ, EPL, DATALOG, STREAMLOG, EVENT_TYPES, SNOOP, IHTA, ESCL)


@dataclass(frozen=True)
class Recognition:
    """A source, as read by its language."""

    language: Language[Any]
    parsed: ParsedSource[Any]


def recognize(source: Source) -> Recognition:
    """Reads a source in its language, which the ending of a file gives, and of other texts their content.

    If several languages claim a text alike, each reads it, and it belongs to the one whose first error comes last.
    """
    found = [Recognition(language, language.parse(source)) for language in _candidates(source)]
    return max(found, key=lambda each: understood(each.parsed))


def language_of(source: Source) -> Language[Any]:
    """Returns the language of a source, which is read only if it looks like several."""
    candidates = _candidates(source)
    return candidates[0] if len(candidates) == 1 else recognize(source).language


def _candidates(source: Source) -> list[Language[Any]]:
    if is_file(source):
        return [by_ending(source.name) or LANGUAGES[0]]
    claims = [language.claims(source.text) for language in LANGUAGES]
    return [language for language, claim in zip(LANGUAGES, claims, strict=True) if claim == max(claims)]


def understood(parsed: ParsedSource[Any]) -> float:
    """Returns how far a source can be read: to its first error."""
    return min((each.span.start for each in parsed.diagnostics if each.span is not None), default=inf)


def by_ending(path: str) -> Language[Any] | None:
    """Returns the language of a file, None if the ending is unknown."""
    ending = PurePath(path).suffix
    return next((language for language in LANGUAGES if language.ending == ending), None)


def is_text(program: str) -> bool:
    """Returns whether this is the text of a program, and not the path of a file."""
    signs = ("\n", *(sign for language in LANGUAGES for sign in language.signs))
    return not program.strip() or any(sign in program for sign in signs)
