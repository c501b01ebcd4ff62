"""The dialect of a CSV file: separator, quotes, decimal sign, encoding and header.

Settings that are missing are found in the file where that is safe: the separator is the one that makes the header have
the columns that the layout needs, and the decimal sign is a comma where numbers cannot be read otherwise.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cera.errors import UsageError
from cera.model.message_text import did_you_mean
from cera.wording import Setting

#: The separators of cells, the usual one first.
SEPARATORS = (",", ";", "\t", "|")
_NAMES = {"\t": "a tab", ",": "','", ";": "';'", "|": "'|'", " ": "a blank"}
_SPELLED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}

#: A number with a decimal comma that cannot be one with a comma between thousands.
_DECIMAL_COMMA = re.compile(r"[+-]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))", re.ASCII)
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+", re.ASCII)
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)


@dataclass(frozen=True)
class CsvDialect:
    """The known properties of how CSV files are written. None: found in each file."""

    delimiter: str | None = None
    quote: str = '"'
    decimal: str | None = None
    encoding: str | None = None
    #: The names of the columns, of a file without a header (or, with `header`, instead of it).
    names: tuple[str, ...] = ()
    header: bool = True
    #: Texts of cells that count as empty.
    empty: frozenset[str] = frozenset()

    def is_empty(self, cell: str) -> bool:
        return not cell or cell in self.empty

    def is_other_number(self, cell: str) -> bool:
        """Returns whether the cell seems to be a number that is written with the other decimal sign."""
        if self.decimal == ",":
            return _DECIMAL_POINT.fullmatch(cell) is not None
        return self.delimiter != "," and _DECIMAL_COMMA.fullmatch(cell) is not None

    def number_text(self, cell: str) -> str | None:
        """Returns the cell as numbers are written elsewhere; None where it is not a number in this dialect."""
        if self.decimal != ",":
            return cell
        if _DECIMAL_POINT.fullmatch(cell):  # thousands, perhaps, or a date
            return None
        return cell.replace(",", ".") if _WITH_COMMA.fullmatch(cell) else cell


def csv_dialect(settings: Iterable[str]) -> CsvDialect:
    """Returns the dialect that settings like `delimiter=;` describe. Raises UsageError where one makes no sense."""
    found = CsvDialect()
    header: bool | None = None
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key not in SETTINGS:
            guess = did_you_mean(key, SETTINGS) if equals else ""
            raise UsageError(f"{Setting.CSV} takes KEY=VALUE with one of {', '.join(SETTINGS)}, not '{setting}'{guess}")
        if key == "header":
            header = _truth(value)
        else:
            found = SETTINGS[key](found, value)
    if header is False and not found.names:
        raise UsageError(
            f"{Setting.CSV.of('header=no')}: name the columns, in their order, like "
            f"{Setting.CSV.of('names=ts,type,value')}"
        )
    return replace(found, header=not found.names if header is None else header)


def _truth(value: str) -> bool:
    if value.lower() not in _TRUTH:
        raise UsageError(f"{Setting.CSV} header is yes or no, not '{value}'")
    return _TRUTH[value.lower()]


def _with_delimiter(dialect: CsvDialect, value: str) -> CsvDialect:
    sign = _SPELLED.get(value, value)
    if len(sign) != 1 or sign in '"\r\n':
        raise UsageError(f"{Setting.CSV} delimiter is one character, or tab, not '{value}'")
    return replace(dialect, delimiter=sign)


def _with_quote(dialect: CsvDialect, value: str) -> CsvDialect:
    if len(value) > 1 or (value in "\r\n,;\t" and value):
        raise UsageError(f"{Setting.CSV} quote is one character, or nothing where cells have no quotes, not '{value}'")
    return replace(dialect, quote=value)


def _with_decimal(dialect: CsvDialect, value: str) -> CsvDialect:
    if value not in (",", "."):
        raise UsageError(f"{Setting.CSV} decimal is ',' or '.', not '{value}'")
    return replace(dialect, decimal=value)


def _with_encoding(dialect: CsvDialect, value: str) -> CsvDialect:
    try:
        codecs.lookup(value)
        "a".encode(value)
    except (LookupError, ValueError, TypeError):
        raise UsageError(
            f"{Setting.CSV} encoding: there is no encoding '{value}'; known ones are utf-8, latin-1, cp1252"
        ) from None
    return replace(dialect, encoding=value)


def _with_names(dialect: CsvDialect, value: str) -> CsvDialect:
    names = tuple(name.strip() for name in value.split(","))
    if "" in names or len(set(names)) < len(names):
        raise UsageError(f"{Setting.CSV} names are different names with commas between, not '{value}'")
    return replace(dialect, names=names)


def _with_empty(dialect: CsvDialect, value: str) -> CsvDialect:
    return replace(dialect, empty=dialect.empty | {value})


#: The settings of a dialect.
SETTINGS: dict[str, Callable[[CsvDialect, str], CsvDialect]] = {
    "delimiter": _with_delimiter,
    "quote": _with_quote,
    "decimal": _with_decimal,
    "encoding": _with_encoding,
    "names": _with_names,
    "empty": _with_empty,
    "header": lambda dialect, value: dialect,
}


def sniffed(dialect: CsvDialect, lines: Sequence[str], missing: Callable[[Collection[str]], str | None]) -> CsvDialect:
    """Returns the dialect of a file that begins with these lines. `missing` says what a header with some columns lacks.

    Raises nothing: where no choice is safe, cells are separated by commas and the decimal sign is a point.
    """
    if dialect.delimiter is None:
        dialect = replace(dialect, delimiter=_separator(dialect, lines, missing) or ",")
    if dialect.decimal is None:
        is_comma = dialect.delimiter != "," and _has_decimal_commas(dialect, lines)
        dialect = replace(dialect, decimal="," if is_comma else ".")
    return dialect


def likely_separator(dialect: CsvDialect, header: str) -> str | None:
    """Returns the name of the sign that probably separates the cells of a header that has one column without it."""
    several = [sign for sign in SEPARATORS if sign != dialect.delimiter and len(_cells(dialect, header, sign)) > 1]
    return _NAMES[max(several, key=header.count)] if several else None


def described(dialect: CsvDialect, given: CsvDialect) -> str | None:
    """Returns what was found in a file and not given, in words; None where nothing unusual was."""
    found = []
    if given.delimiter is None and dialect.delimiter not in (None, ","):
        found.append(f"{_NAMES[dialect.delimiter or ',']} between cells")
    if given.decimal is None and dialect.decimal == ",":
        found.append("decimal commas")
    return " and ".join(found) or None


def _separator(
    dialect: CsvDialect, lines: Sequence[str], missing: Callable[[Collection[str]], str | None]
) -> str | None:
    """Returns the only sign under which the file has the columns that are needed, in all of its first rows."""
    fitting = []
    for sign in SEPARATORS:
        rows = [_cells(dialect, line, sign) for line in lines if line.strip()]
        columns = list(dialect.names) or ([name.strip() for name in rows[0]] if rows else [])
        if missing(columns) is None and len(columns) > 1 and all(len(row) == len(columns) for row in rows[:2]):
            fitting.append(sign)
    return fitting[0] if "," in fitting or len(fitting) == 1 else None


def _has_decimal_commas(dialect: CsvDialect, lines: Sequence[str]) -> bool:
    cells = [cell.strip() for line in lines for cell in _cells(dialect, line, dialect.delimiter or ",")]
    return any(map(_DECIMAL_COMMA.fullmatch, cells)) and not any(map(_DECIMAL_POINT.fullmatch, cells))


def _cells(dialect: CsvDialect, line: str, sign: str) -> list[str]:
    try:
        return next(iter(csv.reader([line], delimiter=sign, **quoting(dialect))), [])
    except csv.Error:
        return []


def quoting(dialect: CsvDialect) -> dict[str, Any]:
    """Returns the arguments of `csv.reader` for the quotes of a dialect."""
    return {"quotechar": dialect.quote} if dialect.quote else {"quoting": csv.QUOTE_NONE}
