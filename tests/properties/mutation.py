"""Small damage to texts: what slips, broken transfers and hostile senders do to programs and event files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

#: Words, numbers, strings, regular expressions, blanks, single characters.
_TOKEN = re.compile(r'\w+|"(?:[^"\\\n]|\\.)*"|/(?:[^/\\\n]|\\.)+/|\s+|.', re.DOTALL)

PROGRAM_PIECES = (
    *("DETECT", "RAISE", "ON", "END", "SEMANTICS", "formal", "SOURCE", "CALENDARS", "to", "recipient", "transport"),
    *(
        "and",
        "or",
        "not",
        "event",
        "while",
        "where",
        "collect",
        "desc",
        "without",
        "optional",
        "all",
        "distinct",
        "var",
    ),
    *(
        "group-by",
        "order-by",
        "with default",
        "within",
        "before",
        "mod",
        "timer:datetime",
        "timer:x",
        "from-end",
        "extend",
    ),
    *(
        "datetime",
        "avg",
        "seconds",
        "true",
        "DETEC",
        "evnt",
        "wher",
        "12 sec",
        "1 month 5 fortnights",
        "1e999",
        "0x1",
        "1.",
        "-",
    ),
    *(
        "99999999999999999999",
        "9999999999999 years",
        '"',
        '"\\x"',
        '"\\u0000"',
        "/(/",
        "/(?<n>a)/",
        "/",
        "/*",
        "*/",
        "#",
        "->",
        "=",
    ),
    *(
        "{",
        "}",
        "{{",
        "}}",
        "[",
        "]",
        "[[",
        "]]",
        "(",
        ")",
        ",",
        ";",
        ":",
        ".",
        "\n",
        "\t",
        "\r\n",
        "\ufeff",
        "\x00",
        "ü",
        "→",
        "😀",
    ),
    *("{" * 150, "[" * 3000, "(" * 150, "desc " * 150, "not " * 400, "- " * 200, "a{" * 120 + "}" * 120),
)
EVENT_PIECES = (
    *(
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ",",
        ":",
        "\n",
        "\r\n",
        "\t",
        "\x00",
        "\ufeff",
        "ü",
        "😀",
        "null",
        "true",
        "NaN",
        "Infinity",
    ),
    *(
        "1e999",
        "-1",
        "99999999999999999999",
        "0.1",
        '"1970-01-01T00:00:61Z"',
        '"2006-13-45"',
        '"9999-12-31T23:59:59.9999999Z"',
    ),
    *(
        '"term"',
        '"at"',
        '"begin"',
        '"end"',
        '"id"',
        '"{}"',
        '""',
        "{}",
        "[]",
        '{"a":',
        '{"a":{"a":1,"a":2}}',
        "[" * 2000,
        '{"a":' * 150,
    ),
    *(
        "<event",
        "</event>",
        "<",
        ">",
        "/>",
        "&amp;",
        "&x;",
        "<!DOCTYPE a [<!ENTITY x 'y'>]>",
        "<?xml version='1.0'?>",
        "<![CDATA[",
    ),
    *("at=", "xmlns='u'", "x:", "<a>" * 150, ";", '"a\nb"', "\udc80"),
)


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def damaged(text: str, pieces: Sequence[str], chance: random.Random) -> str:
    """The text after one to four slips, on characters or on tokens."""
    for _ in range(chance.randint(1, 4)):
        if chance.random() < 0.5:
            text = "".join(chance.choice(_SLIPS)(list(text), pieces, chance))
        else:
            text = "".join(chance.choice(_SLIPS)(tokens(text), pieces, chance))
    return text


def _delete(parts: list[str], _: Sequence[str], chance: random.Random) -> list[str]:
    at = chance.randint(0, len(parts))
    return parts[:at] + parts[at + chance.randint(1, 3) :]


def _duplicate(parts: list[str], _: Sequence[str], chance: random.Random) -> list[str]:
    at = chance.randint(0, len(parts))
    size = chance.choice((1, 2, 10))
    return parts[: at + size] + parts[at : at + size] + parts[at + size :]


def _swap(parts: list[str], _: Sequence[str], chance: random.Random) -> list[str]:
    if len(parts) > 1:
        one, other = chance.sample(range(len(parts)), 2)
        parts[one], parts[other] = parts[other], parts[one]
    return parts


def _insert(parts: list[str], pieces: Sequence[str], chance: random.Random) -> list[str]:
    at = chance.randint(0, len(parts))
    return [*parts[:at], chance.choice((chance.choice(pieces), chr(chance.randint(1, 0x2FF)))), *parts[at:]]


def _replace(parts: list[str], pieces: Sequence[str], chance: random.Random) -> list[str]:
    if parts:
        parts[chance.randrange(len(parts))] = chance.choice(pieces)
    return parts


def _cut(parts: list[str], _: Sequence[str], chance: random.Random) -> list[str]:
    at = chance.randint(0, len(parts))
    return parts[:at] if chance.random() < 0.5 else parts[at:]


_Slip = Callable[[list[str], Sequence[str], random.Random], list[str]]
_SLIPS: tuple[_Slip, ...] = (_delete, _delete, _duplicate, _swap, _swap, _insert, _insert, _replace, _replace, _cut)
