"""The notation of regular expressions: the part that means the same in Python, in Java and in RE2.

Java reads it with `UNIX_LINES` (or `(?d)` in front), so that `.` knows one line end, `\\n`, as in Python.
"""

from __future__ import annotations

import re

_CLASS_ESCAPES = frozenset("dDwWsS")
_CHARACTER_ESCAPES = frozenset("nrtfa")
_HEX_ESCAPES = {"x": 2, "u": 4}
_REFUSED_ESCAPES = {
    "b": "Java and Python do not agree on word boundaries",
    "B": "Java and Python do not agree on word boundaries",
    "A": "the expression matches the whole text anyway",
    "Z": "the expression matches the whole text anyway",
    "z": "the expression matches the whole text anyway",
    "v": "it is one character in Python and a class in Java; write \\x0b",
}
_REFUSED_GROUPS = (
    ("?=", "lookahead"),
    ("?!", "lookahead"),
    ("?<=", "lookbehind"),
    ("?<!", "lookbehind"),
    ("?P=", "a backreference"),
    ("?P", "a named group"),
    ("?<", "a named group"),
    ("?>", "an atomic group"),
    ("?#", "a comment"),
    ("?(", "a conditional group"),
)
_REPETITION = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_MOST_REPETITIONS = 1_000


class RegexError(ValueError):
    """A regular expression is malformed, or uses a construct that does not mean the same everywhere."""


def misplaced_end(position: int) -> RegexError:
    return _refuse("$", position, "nothing can follow the end of the text; write \\$ for a dollar sign")


def check_notation(expression: str) -> None:
    """Refuses every construct outside of the shared part, and malformed expressions; the reason has the place.

    Constructs are looked at here, brackets and the order of quantifiers by Python's own compiler.
    """
    if half := re.search("[\ud800-\udfff]", expression):
        raise _refuse(f"U+{ord(half[0]):04X}", half.start(), "it is half of a character")
    position = 0
    while position < len(expression):
        match expression[position]:
            case "\\":
                position = _after_escape(expression, position)
            case "[":
                position = _after_class(expression, position)
            case "(":
                position = _after_group_start(expression, position)
            case "*" | "+" | "?" | "{":
                position = _after_quantifier(expression, position)
            case _:
                position += 1
    try:
        re.compile(expression, re.ASCII)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise RegexError(f"{error.msg}{place}") from None


def _refuse(what: str, position: int, reason: str) -> RegexError:
    return RegexError(f"{what} at character {position + 1} is not supported: {reason}")


def _after_escape(expression: str, position: int) -> int:
    character = expression[position + 1 : position + 2]
    if not character:
        raise RegexError("it ends with a backslash; write \\\\ for a backslash")
    if character in _HEX_ESCAPES:
        return _after_hexadecimal(expression, position, _HEX_ESCAPES[character])
    if character.isdigit():
        raise _refuse(f"\\{character}", position, "there are no backreferences and no octal characters")
    if character.isalpha() and character not in _CLASS_ESCAPES | _CHARACTER_ESCAPES:
        reason = _REFUSED_ESCAPES.get(character, "it is not an escape that Java and Python share")
        raise _refuse(f"\\{character}", position, reason)
    return position + 2


def _after_hexadecimal(expression: str, position: int, length: int) -> int:
    start = position + 2
    digits = expression[start : start + length]
    if not re.fullmatch(f"[0-9A-Fa-f]{{{length}}}", digits):
        letter = expression[position + 1]
        raise RegexError(f"\\{letter} at character {position + 1} must be followed by {length} hexadecimal digits")
    if 0xD800 <= int(digits, 16) <= 0xDFFF:
        raise _refuse(f"\\u{digits}", position, "it is half of a character; write the character itself")
    return start + length


def _after_class(expression: str, start: int) -> int:
    """Returns the position after a class such as `[^a-z_]`; inside, `[`, `]`, `&&` and most `-` must be escaped."""
    position = start + 1
    if expression.startswith("^", position):
        position += 1
    first = position
    single = False  # whether the item before is one character, so that a range can begin with it
    while position < len(expression):
        character = expression[position]
        if character == "]" and position > first:
            return position + 1
        if character in "[]":
            raise _refuse(f"{character} inside a class", position, f"write \\{character}")
        if expression[position : position + 2] in ("&&", "||", "~~", "--"):
            raise _refuse(
                expression[position : position + 2] + " inside a class", position, "write it with backslashes"
            )
        if character == "-" and position > first and expression[position + 1 : position + 2] != "]":
            position = _after_range_end(expression, position, single)
            single = False
            continue
        single = not (character == "\\" and expression[position + 1 : position + 2] in _CLASS_ESCAPES)
        position = _after_escape(expression, position) if character == "\\" else position + 1
    raise RegexError(f"the class that opens at character {start + 1} is not closed with ]")


def _after_range_end(expression: str, dash: int, single: bool) -> int:
    end = expression[dash + 1 : dash + 2]
    if not single or end in ("[", "") or expression[dash + 1 : dash + 3] in {f"\\{c}" for c in _CLASS_ESCAPES}:
        raise _refuse("- inside a class", dash, "write \\- unless it stands between two characters")
    return _after_escape(expression, dash + 1) if end == "\\" else dash + 2


def _after_group_start(expression: str, position: int) -> int:
    rest = expression[position + 1 : position + 4]
    if not rest.startswith("?"):
        return position + 1
    if rest.startswith("?:"):
        return position + 3
    for start, name in _REFUSED_GROUPS:
        if rest.startswith(start):
            raise _refuse(f"({start}", position, f"{name} is not in what Python, Java and RE2 share")
    raise _refuse("(?", position, "flags cannot be set inside an expression")


def _after_quantifier(expression: str, position: int) -> int:
    end = position + 1
    if expression[position] == "{":
        repetition = _REPETITION.match(expression, position)
        if repetition is None:
            raise _refuse("{", position, "write \\{ for a brace, {n}, {n,} or {n,m} for a repetition")
        if any(len(count) > 4 or int(count) > _MOST_REPETITIONS for count in repetition.group(1, 3) if count):
            raise RegexError(
                f"{repetition.group()} at character {position + 1} repeats more than {_MOST_REPETITIONS} times"
            )
        end = repetition.end()
    if expression.startswith("+", end):
        raise _refuse(expression[position : end + 1], position, "there are no possessive quantifiers")
    return end + 1 if expression.startswith("?", end) else end
