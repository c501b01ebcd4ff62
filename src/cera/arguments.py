"""The words of messages in Python: arguments, where the command line has options.

Messages are written once, with the options of the command line in them. What leaves a function that Python users call
passes `in_python`, which puts the argument in the place of each option; a command switches that off for as long as it
runs.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from types import MappingProxyType
from typing import ParamSpec, TypeVar

from cera.diagnostics import Diagnostic
from cera.errors import CeraError, CeraWarning, ProgramError, UsageError

P = ParamSpec("P")
R = TypeVar("R")

_AS_OPTIONS: ContextVar[bool] = ContextVar("options are named as the command line has them", default=False)

#: What an option is called in Python; what is not in here has the same name, with underscores.
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "--label-field": "`label`",
        "--label": "`label_value`",
        "--time-field": "`time`",
        "--end-field": "`end`",
        "--id-field": "`id`",
        "--format": "`layout=cera.Layout(format=…)`",
        "--layout": "`layout=cera.Layout(envelope=…)`",
        "--string-field": "`layout=cera.Layout(string_fields=…)`",
        "--xml-types": "`layout=cera.Layout(xml_types=…)`",
        "--actions-ledger": "`ledger`",
        "--all": "`every`",
    }
)
#: Options that are arguments of the same name.
_SAME = (
    *("allow-exec", "allow-sql", "allow-write", "calendars", "count", "enable", "labels", "late", "max-delay"),
    *("max-duration", "max-events", "recursion-limit", "retry-failed", "semantics", "simultaneous", "tick-limit"),
    *("answer-limit", "csv", "time-format", "time-unit", "timezone", "until", "values"),
)
#: An option with a value that a message writes out; quoted values and upper-case place holders are left out.
_OPTION = re.compile(
    r"(?<![\w-])(?P<name>--[a-z]+(?:-[a-z]+)*)(?![\w-])(?:(?P<value> [a-z]\w*(?=[,;.:)]|$))|(?: (?:URL|PATH|'[^']*')))?"
)
_WITH_VALUE = ("--engine", "--layout", "--xml-types", "--format")


def in_python(text: str) -> str:
    """Returns a message with the arguments of Python in the place of options, unless a command is running."""
    return text if _AS_OPTIONS.get() else _OPTION.sub(_argument, text)


def _argument(option: re.Match[str]) -> str:
    name, value = option["name"], (option["value"] or "").strip()
    if name == "--engine":
        return f'engine="{value}"' if value else "`engine`"
    if name in _NAMES:
        known = _NAMES[name].replace("…", f'"{value}"') if value and name in _WITH_VALUE else _NAMES[name]
        return known if not value or name in _WITH_VALUE else f"{known} {value}"
    if name.removeprefix("--") in _SAME:
        return f"`{name.removeprefix('--').replace('-', '_')}`" + (f" {value}" if value else "")
    return option[0]


def speaks_python(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a function that Python users call: what it raises speaks of arguments."""

    @functools.wraps(function)
    def speaking(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except CeraError as error:
            if not _AS_OPTIONS.get():
                _reword(error)
            raise

    return speaking


def warn_python(messages: Iterable[str]) -> None:
    """Warns whoever called the function that `speaks_python` and calls this. A command reports for itself."""
    if not _AS_OPTIONS.get():
        for message in messages:
            warnings.warn(message, CeraWarning, stacklevel=4)


@contextmanager
def options_named() -> Iterator[None]:
    """Leaves the options in messages as they are, for a command."""
    token = _AS_OPTIONS.set(True)
    try:
        yield
    finally:
        _AS_OPTIONS.reset(token)


def in_words_of_python(diagnostic: Diagnostic) -> Diagnostic:
    """Returns the diagnostic with arguments in its hint."""
    return diagnostic if diagnostic.hint is None else replace(diagnostic, hint=in_python(diagnostic.hint))


def _reword(error: CeraError) -> None:
    """Puts arguments into the message of an error, which stays the one that was raised."""
    if isinstance(error, ProgramError):
        error.diagnostics = tuple(map(in_words_of_python, error.diagnostics))
    if isinstance(error, UsageError):
        error.messages = tuple(in_python(message) for message in error.messages)
    error.args = tuple(in_python(each) if isinstance(each, str) else each for each in error.args)
