"""Regular expressions on labels and strings. An expression matches the whole label or string, in linear time.

RE2 does the work, which never goes back in the text. It gets the expression from its tree, with every class spelled
out, so that it means what it means to Python's `re` with `re.ASCII` and to Java with `UNIX_LINES`. See
docs/decisions/0009-regular-expressions.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

import re2

from cera.model.regex.backtracking import is_backtracking_safe
from cera.model.regex.notation import RegexError
from cera.model.regex.tree import Characters, Choice, End, Ranges, Regex, Repeat, Sequence, Start, parse_regex

__all__ = ["CompiledRegex", "RegexError", "compile_regex", "is_backtracking_safe"]


class CompiledRegex:
    """An expression that is ready to be matched."""

    __slots__ = ("_fullmatch", "expression")

    def __init__(self, expression: str) -> None:
        self.expression = expression
        self._fullmatch = _compiled(_written(parse_regex(expression))).fullmatch

    def matches(self, text: str) -> bool:
        """Returns whether the expression matches all of the text."""
        # A half of a surrogate pair is a character to Python and Java; RE2 takes its three bytes for one as well.
        return self._fullmatch(text.encode("utf-8", "surrogatepass")) is not None


@lru_cache(maxsize=256)
def compile_regex(expression: str) -> CompiledRegex:
    """Returns the compiled expression; raises RegexError with the reason."""
    return CompiledRegex(expression)


def _compiled(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False  # on standard error, which is ours
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        [reason] = error.args
        if b"repetition size" in reason:
            raise RegexError("its repetitions inside of repetitions come to more than 1000 together") from None
        raise RegexError("it is too large") from None


def _written(tree: Regex) -> str:
    """Returns the expression in the notation of RE2."""
    match tree:
        case Characters(ranges):
            return _class(ranges)
        case Start():
            return r"\A"
        case End():
            return r"\z"
        case Sequence(items):
            return "".join(_written(item) for item in items)
        case Choice(alternatives):
            return f"(?:{'|'.join(_written(alternative) for alternative in alternatives)})"
        case Repeat(body, least, most):
            return f"(?:{_written(body)}){_quantifier(least, most)}"
        case _:
            assert_never(tree)


def _quantifier(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _:
            return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _class(ranges: Ranges) -> str:
    if not ranges:
        return r"[^\x{0}-\x{10ffff}]"
    return "[" + "".join(rf"\x{{{first:x}}}-\x{{{last:x}}}" for first, last in ranges) + "]"
