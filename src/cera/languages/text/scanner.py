"""A first look at a program text: its lexemes, whatever they mean.

This works on any text. The parser proper needs a context to distinguish labels from keywords; here a word is a word. It
serves to cut a file into items, so that each is parsed on its own, and to describe mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["comment", "string", "regex", "word", "number", "bracket", "symbol", "open string", "open comment"]

_LEXEME = re.compile(
    r"""[\s\ufeff]*+(?:
        (?P<comment>\#[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)
      | (?P<open_comment>/\*[\s\S]*)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
      | (?P<open_string>"[^\n]*)
      | (?P<word>@?[^\W\d][\w]*(?:-\w+)*)
      | (?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+(?![A-Za-z_]))?)
      | (?P<bracket>[{}\[\]()])
      | (?P<symbol>->|==|!=|<>|<=|>=|&&|\|\||:=|=>|=<|\S)
    )""",
    re.VERBOSE,
)
_REGEX = re.compile(r"/(?!\*)(?:[^/\\\n]|\\[^\n])+/")

#: After one of these a slash begins a regular expression, anywhere else it divides.
_BEFORE_REGEX = frozenset(
    {"{", "[", ",", ";", "->", ":", "desc", "without", "optional", "not", "collect", "event", "ON"}
)


class Lexeme(NamedTuple):
    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def scan(text: str) -> Iterator[Lexeme]:
    """Yields the lexemes of the text in order, comments included."""
    position = 0
    before = ""
    while found := _LEXEME.match(text, position):
        name = str(found.lastgroup)
        start, position = found.span(name)
        if name == "symbol" and found[name] == "/" and before in _BEFORE_REGEX and (regex := _REGEX.match(text, start)):
            name, position = "regex", regex.end()
        lexeme = Lexeme(name.replace("_", " "), text[start:position], start)  # type: ignore[arg-type]
        if name != "comment":
            before = lexeme.text
        yield lexeme
