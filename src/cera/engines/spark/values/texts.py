"""The functions on strings. Spark counts and cuts strings by code point, like Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from cera.engines.spark.values import python_functions
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical, literal
from cera.engines.spark.values.cells import Cell
from cera.model.regex.regular_expressions import RegexError, is_backtracking_safe

#: The characters that Python's `str.strip` removes; there are none after these.
WHITESPACE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
_NUMBER = r"\A[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\z"
_LONGEST = 2**31 - 1


def call(function: str, cells: Sequence[Cell], arguments: Sequence[object]) -> Cell:
    """Applies the function to cells of the kinds that it takes."""
    strings = [cell.string for cell in cells if cell.string is not None]
    match function:
        case "concat":
            return Cell(string=strings[0] if len(strings) == 1 else F.concat(*strings))
        case "string-length":
            return Cell(integer=F.char_length(strings[0]).cast("bigint"))
        case "substring":
            return _substring(strings[0], *cells[1:])
        case "upper-case":
            return Cell(string=F.upper(strings[0]))
        case "lower-case":
            return Cell(string=F.lower(strings[0]))
        case "trim":
            return Cell(string=F.btrim(strings[0], F.lit(" \t\r\n")))
        case "replace":
            text, old, new = strings
            return Cell(string=_replace(text, old, new, arguments[1]))
        case "contains":
            return Cell(boolean=F.contains(*strings))
        case "starts-with":
            return Cell(boolean=F.startswith(*strings))
        case "ends-with":
            return Cell(boolean=F.endswith(*strings))
        case _:
            raise AssertionError(f"there is no function '{function}'; the checks let it pass")


def _substring(text: Column, start: Cell, length: Cell | None = None) -> Cell:
    """Returns the characters from the start-th on (the first is 1), at most `length` of them."""
    begin = canonical(start).integer
    if begin is None:
        return Cell()
    first = F.when(begin >= 1, F.least(begin, F.lit(_LONGEST)).try_cast("int"))
    if length is None:
        return Cell(string=F.substring(text, first, F.lit(_LONGEST)))
    count = canonical(length).integer
    if count is None:
        return Cell()
    return Cell(string=F.substring(text, first, F.when(count >= 0, F.least(count, F.lit(_LONGEST)).try_cast("int"))))


def _replace(text: Column, old: Column, new: Column, constant: object) -> Column:
    replaced = F.replace(text, old, new)
    if isinstance(constant, str) and constant:
        return F.when(new.isNotNull(), replaced)
    between = F.when(text == "", new).otherwise(
        F.concat(new, F.call_function("array_join", F.split(text, ""), new), new)
    )
    return F.when(old == "", between).otherwise(replaced)


def matches(text: Cell, expression: object, fallback: Callable[[str], None]) -> Cell:
    """Matches in Java where the expression cannot backtrack too often, else by RE2 in Python."""
    assert text.string is not None
    if isinstance(expression, str):
        try:
            safe = is_backtracking_safe(expression)
        except RegexError:
            return Cell()
        if safe:
            return Cell(boolean=text.string.rlike(rf"(?d)\A(?:{expression})\z"))
        fallback(f'matches(…, "{expression}")')
        pattern = literal(expression).string
    else:
        assert isinstance(expression, Cell)
        fallback("matches(…) with a computed expression")
        pattern = expression.string
    assert pattern is not None
    return Cell(boolean=python_functions.matches(text.string, pattern))


def read_number(text: Column) -> tuple[Column, Column]:
    """Returns the bigint or the double that the text spells; null where it spells none or one that does not fit."""
    stripped = F.btrim(text, F.lit(WHITESPACE))
    written = stripped.rlike(_NUMBER)
    has_point = F.contains(stripped, F.lit("."))
    double = stripped.try_cast("double")
    return (
        F.when(written & ~has_point, stripped.try_cast("bigint")),
        F.when(written & has_point & (F.abs(double) < float("inf")), double),
    )
