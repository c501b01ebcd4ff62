"""Reading the readable form of terms: `order[orderId{4711}, customer{"John"}, flag{true}, "odd label"{-2.5}, b]`.

    value    = string | number | "true" | "false" | term
    term     = name | (name | string) ("{" children "}" | "[" children "]")
    children = [value {"," value}]

Strings and numbers are those of JSON. A bare name is the term without children. It is written by
`cera.model.terms.term.format_value`, and parse_term(format_value(v)) = v for every value.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cera.model.terms.json_terms import JsonError, loads
from cera.model.terms.term import MAX_DEPTH, Term, Value
from cera.model.terms.values import Scalar

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
      | (?P<name>@?[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)
      | (?P<mark>[][{},])
      | (?P<end>\Z)
      | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"{": "}", "[": "]"}
_TRUTH_VALUES = {"true": True, "false": False}


class TermSyntaxError(ValueError):
    """A text is not a term; `position` is the offset of the character where reading stopped."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.position = position
        self.line = text.count("\n", 0, position) + 1
        self.column = position - text.rfind("\n", 0, position)
        super().__init__(f"line {self.line}, column {self.column}: {message}")


class _Token(NamedTuple):
    kind: str
    text: str
    position: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the text"
        return "a string that is not closed" if self.text == '"' else f"`{self.text}`"


def parse_term(text: str) -> Value:
    """Returns the value that the text stands for: a term or a single scalar."""
    reader = _Reader(text)
    value = reader.value(0)
    if reader.token.kind != "end":
        raise reader.error(f"expected the end of the text, found {reader.token}")
    return value


class _Reader:
    """A parser by recursive descent with one token of look-ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.token = self._token_at(0)

    def value(self, depth: int) -> Value:
        """Reads one value; `depth` is the number of terms around it."""
        token = self._advance()
        has_children = self.token.text in _CLOSING
        if token.kind == "name" and token.text not in _TRUTH_VALUES:
            return self._term(token.text, token, depth + 1)
        if token.kind == "name" and has_children:
            raise self.error(f'`{token.text}` is a truth value; as a label it is written "{token.text}"', token)
        if token.kind == "name":
            return _TRUTH_VALUES[token.text]
        if token.kind == "string" and has_children:
            return self._term(str(self._scalar(token)), token, depth + 1)
        if token.kind in ("string", "number"):
            return self._scalar(token)
        raise self.error(f"expected a term, a string, a number or a truth value, found {token}", token)

    def _term(self, label: str, start: _Token, depth: int) -> Term:
        if depth > MAX_DEPTH:
            raise self.error(f"terms are nested deeper than {MAX_DEPTH} levels", start)
        if self.token.text not in _CLOSING:
            return Term(label)
        opening = self._advance()
        closing = _CLOSING[opening.text]
        children: list[Value] = []
        if self.token.text != closing:
            children.append(self.value(depth))
            while self.token.text == ",":
                self._advance()
                children.append(self.value(depth))
            if self.token.text != closing:
                raise self.error(f"expected `,` or `{closing}`, found {self.token}")
        self._advance()
        return Term(label, children, ordered=opening.text == "[")

    def _scalar(self, token: _Token) -> Scalar:
        try:
            scalar: Scalar = loads(token.text)
        except JsonError as error:
            raise self.error(f"bad {token.kind}: {error}", token) from None
        return scalar

    def _advance(self) -> _Token:
        token = self.token
        self.token = self._token_at(token.position + len(token.text))
        return token

    def _token_at(self, position: int) -> _Token:
        found = _TOKEN.match(self.text, position)
        assert found is not None, "the last alternative of the expression takes any character"
        kind = found.lastgroup or "end"
        return _Token(kind, found[kind], found.start(kind))

    def error(self, message: str, token: _Token | None = None) -> TermSyntaxError:
        return TermSyntaxError(message, self.text, (token or self.token).position)
