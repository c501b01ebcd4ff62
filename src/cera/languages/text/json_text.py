"""JSON with the places of its values, so that what is wrong with one can be shown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from cera.diagnostics import Source, Span
from cera.model.terms.values import Scalar

_SPACE = re.compile(r"[ \t\r\n\ufeff]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}

#: Deeper values are not read.
MAX_DEPTH = 100


class JsonTextError(Exception):
    """A text is not JSON."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True)
class JsonValue:
    """A value with its place; an object has the places of its keys besides."""

    value: dict[str, JsonValue] | list[JsonValue] | Scalar | None
    span: Span
    keys: dict[str, Span] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The type of the value, for messages."""
        match self.value:
            case dict():
                return "an object"
            case list():
                return "a list"
            case str():
                return "a string"
            case bool():
                return "true or false"
            case None:
                return "null"
            case _:
                return "a number"


def read_json(source: Source) -> JsonValue:
    """Returns the value of a text. Raises JsonTextError with a place if it is not JSON."""
    reader = _Reader(source)
    found = reader.value(1)
    reader.skip()
    if reader.at < len(source.text):
        raise reader.error("expected nothing more")
    return found


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self.at = 0

    def skip(self) -> None:
        found = _SPACE.match(self._text, self.at)
        self.at = self.at if found is None else found.end()

    def error(self, expected: str) -> JsonTextError:
        if self.at >= len(self._text):
            return JsonTextError(f"{expected} at the end", Span(self._source, max(0, self.at - 1), self.at))
        word = _WORD.match(self._text, self.at)
        end = self.at + 1 if word is None else word.end()
        return JsonTextError(f"{expected}, found '{self._text[self.at : end]}'", Span(self._source, self.at, end))

    def value(self, depth: int) -> JsonValue:
        self.skip()
        start = self.at
        if depth > MAX_DEPTH:
            raise JsonTextError("this is nested too deeply", Span(self._source, start, start + 1))
        match self._text[start : start + 1]:
            case "{":
                return self._object(depth)
            case "[":
                return self._list(depth)
            case '"':
                return self._string()
            case _:
                return self._plain()

    def _plain(self) -> JsonValue:
        start = self.at
        if found := _NUMBER.match(self._text, start):
            self.at = found.end()
            digits = found[0]
            number = float(digits) if any(sign in digits for sign in ".eE") else _integer(digits)
            span = Span(self._source, start, self.at)
            if number is None or abs(number) == float("inf"):
                raise JsonTextError(f"the number {digits[:30]} is too large", span)
            return JsonValue(number, span)
        word = _WORD.match(self._text, start)
        if word is None or word[0] not in _WORDS:
            raise self.error("expected a value")
        self.at = word.end()
        return JsonValue(_WORDS[word[0]], Span(self._source, start, self.at))

    def _string(self) -> JsonValue:
        found = _STRING.match(self._text, self.at)
        line = self._text.find("\n", self.at)
        span = Span(self._source, self.at, found.end() if found else line if line >= 0 else len(self._text))
        if found is None:
            raise JsonTextError("the string is not closed", span)
        try:
            text = json.loads(found[0])
            text.encode()
        except (json.JSONDecodeError, UnicodeEncodeError):
            raise JsonTextError("the string has a bad escape", span) from None
        self.at = found.end()
        return JsonValue(text, span)

    def _list(self, depth: int) -> JsonValue:
        start = self.at
        self.at += 1
        values: list[JsonValue] = []
        while not self._closes("]", first=not values):
            values.append(self.value(depth + 1))
        return JsonValue(values, Span(self._source, start, self.at))

    def _object(self, depth: int) -> JsonValue:
        start = self.at
        self.at += 1
        values: dict[str, JsonValue] = {}
        keys: dict[str, Span] = {}
        while not self._closes("}", first=not values):
            self.skip()
            if self._text[self.at : self.at + 1] != '"':
                raise self.error("expected a string, the name of what follows")
            key = self._string()
            name = str(key.value)
            if name in values:
                raise JsonTextError(f'"{name}" stands here twice', key.span)
            self.skip()
            if self._text[self.at : self.at + 1] != ":":
                raise self.error("expected ':'")
            self.at += 1
            values[name], keys[name] = self.value(depth + 1), key.span
        return JsonValue(values, Span(self._source, start, self.at), keys)

    def _closes(self, bracket: str, *, first: bool) -> bool:
        """Reads a closing bracket, or the comma before the next value."""
        self.skip()
        found = self._text[self.at : self.at + 1]
        if found == bracket:
            self.at += 1
            return True
        if first:
            return False
        if found != ",":
            raise self.error(f"expected ',' or '{bracket}'")
        self.at += 1
        return False


def _integer(digits: str) -> int | None:
    """Returns an integer of 64 bits."""
    number = int(digits) if len(digits) <= 20 else None
    return number if number is not None and -(2**63) <= number < 2**63 else None
