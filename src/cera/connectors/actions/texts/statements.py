"""SQL commands with parameters, as each database writes them.

A parameter is `:1`, `:2` …; where there is none of these, the conversions of printf (`%s`, `%d`) are parameters in
their order. What stands in quotes or comments is left as it is, so a value can never become a part of the command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cera.connectors.actions.texts.printf import FormatError

#: Comments of PostgreSQL may be nested; where they are not balanced, the first end counts.
_COMMENT = r"--[^\n]* | /\*(?:[^*/]|\*(?!/)|/(?!\*)|/\*.*?\*/)*\*/ | /\*.*?\*/"
#: Parameters in other notations: nothing would be bound to them. `?` is an operator of PostgreSQL too, which has
#: something on both sides; there a colon may stand in a slice `a[:n]`, `@` in other operators and `$` in names.
_FOREIGN = r"""(?<![\w\]\[]):[^\W\d]\w* | \?\d+ | (?:(?<=[=(,<>])|(?<=[=(,<>]\s))\?(?![|&?]) | \?(?=\s*(?:[,);]|$))
      | (?<![\w$])\$\w+ | (?<![\w@<~!*&|\#^%+/?-])@[^\W\d]\w*"""
_TOKEN = re.compile(
    rf"""(?P<left>\b[eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*`
      | (?<!\w)(?P<dollars>\$(?:[^\W\d]\w*)?\$).*?(?P=dollars) | {_COMMENT} | ::)
    | (?<![\w\]]):(?P<number>\d+) | (?P<printf>%[-+ \#0]*\d*(?:\.\d*)?[disufegx](?!\w))
    | (?P<foreign>{_FOREIGN}) | (?P<end>;) | (?P<open>['"`])""",
    re.VERBOSE | re.DOTALL,
)
_NOTHING = re.compile(rf"{_COMMENT} | [\s;]", re.VERBOSE | re.DOTALL)
#: These would end the transaction that records that the command is done.
_TRANSACTIONS = re.compile(
    rf"(?:{_COMMENT} | [\s;])* (?:begin|start|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_PARAMETER_IN_QUOTES = re.compile(r"'(?::\d+|%[disf])'")


@dataclass(frozen=True)
class Statement:
    """Pieces of a command, and numbers of parameters from 1 between them."""

    parts: tuple[str | int, ...]

    def for_sqlite(self) -> str:
        return "".join(f"?{part}" if isinstance(part, int) else part for part in self.parts)

    def for_postgres(self) -> str:
        """Returns the command as psycopg reads it; parameters are given by the names p1, p2 …"""
        return "".join(f"%(p{part})s" if isinstance(part, int) else part.replace("%", "%%") for part in self.parts)


def parse_statement(text: str) -> Statement:
    """Returns the command of a text. Raises FormatError."""
    found = list(_TOKEN.finditer(text))
    numbered = any(token["number"] for token in found)
    parts: list[str | int] = []
    start = 0
    count = 0
    for token in found:
        if token["open"]:
            raise FormatError(f"the SQL command has a quote that is not closed: {text[token.start() :][:40]}")
        if token["left"] and _PARAMETER_IN_QUOTES.fullmatch(token["left"]):
            raise FormatError(f"{token[0]} is a text and no parameter; leave the quotes out, values need none")
        if token["foreign"]:
            raise FormatError(f"'{token[0]}' is no parameter here; write :1, :2, … for the arguments in their order")
        if token["end"] and not _is_empty(text[token.end() :]):
            raise FormatError("an action runs one SQL command, and there is another one after ';'")
        if token["number"] or (token["printf"] and not numbered):
            count += 1
            parts += [text[start : token.start()], int(token["number"] or count)]
            start = token.end()
    parts.append(text[start:])
    if _TRANSACTIONS.match(text):
        raise FormatError("a command is a transaction of its own, and does not begin or end one")
    if _is_empty(text):
        raise FormatError("the SQL command is empty")
    return Statement(tuple(parts))


def statement_problems(text: str, arguments: Sequence[object]) -> list[str]:
    """Returns the problems of a command with these arguments; none if it is right."""
    try:
        used = {part for part in parse_statement(text).parts if isinstance(part, int)}
    except FormatError as error:
        return [str(error)]
    expected = set(range(1, len(arguments) + 1))
    if missing := sorted(used - expected):
        return [f"the SQL command has the parameter :{missing[-1]}, and there are {len(arguments)} arguments"]
    if unused := sorted(expected - used):
        return [f"argument {unused[0]} is not used: the SQL command has no parameter :{unused[0]}"]
    return []


def _is_empty(text: str) -> bool:
    return not _NOTHING.sub("", text)
