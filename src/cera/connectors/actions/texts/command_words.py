"""Calls of programs as text: split into words, each of which may have places for values."""

from __future__ import annotations

import re
import shlex

from cera.connectors.actions.texts.printf import Format, FormatError, parse_format

_QUOTED_OR_OPERATOR = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[|&;<>`]""", re.DOTALL)


def parse_command(text: str) -> list[Format]:
    """Returns the words of a call. Raises FormatError."""
    for found in _QUOTED_OR_OPERATOR.finditer(text):
        if found[0] in "|&;<>`":
            raise FormatError(f"'{found[0]}' is for a shell, and none is used; call a script, or put it into quotes")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise FormatError(f"the call cannot be cut into words: {error}") from None
    formats = [parse_format(word) for word in words]
    if not formats or not words[0]:
        raise FormatError("the call is empty; it begins with the name of a program")
    if formats[0].conversions:
        raise FormatError("the program itself must not come from data; write its name")
    return formats
