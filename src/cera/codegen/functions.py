"""Python functions that are written for a program: lines, names, constants, and the one place that compiles them.

Tracebacks show the lines: each source is known to `linecache` as long as its code is.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from threading import Lock
from types import CodeType
from typing import Any, Literal

#: So many sources are kept with their code. Programs that differ in constants only have the same sources.
_MOST_SOURCES = 4_096

_COMPILED: dict[tuple[str, str], CodeType] = {}
_NUMBERS = count(1)
_LOCK = Lock()


class FunctionWriter:
    """A writer of functions, with the values that their lines refer to."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.values: dict[str, Any] = dict(names)
        self._fresh = 0
        self._constants: dict[object, str] = {}
        self._functions: dict[tuple[str, ...], Any] = {}
        self._made: dict[str, Any] = {}

    def name(self, value: Any) -> str:
        """Returns the name of a value that is known before the function runs; one for equal texts, equal integers, and
        the same object.
        """
        kind = value.__class__
        key = (kind, value) if kind is str or kind is int else id(value)
        known = self._constants.get(key)
        if known is None:
            known = self._constants[key] = f"k{len(self.values)}"
            self.values[known] = value  # kept alive here, so that its id stays its own
        return known

    def fresh(self, prefix: str) -> str:
        """Returns a new local variable."""
        self._fresh += 1
        return f"{prefix}{self._fresh}"

    def once(self, make: Callable[[], Any], *what: object) -> Any:
        """Returns the result of `make`, which is called once for everything with the same representation."""
        key = repr(what)
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def lambda_(self, parameters: Sequence[str], result: str) -> Any:
        """Returns a small function beside those that are being written."""
        code = _code("value", f"lambda {', '.join(parameters)}: {result}", "eval")
        return eval(code, self.values)  # written here for a program that was checked

    def function(self, name: str, parameters: str, body: Sequence[str]) -> Any:
        """Returns a function with these lines, and its `source`; the known one if there is one with the same lines."""
        known = self._functions.get((parameters, *body))
        if known is not None:
            return known
        source = "\n".join([f"def {name}({parameters}):", *indented(body or ["pass"])])
        exec(_code(name, source, "exec"), self.values)  # written here for a program that was checked
        function = self._functions[parameters, *body] = self.values[name]
        function.source = source
        return function


def _code(name: str, source: str, mode: Literal["exec", "eval"]) -> CodeType:
    """Returns the source as code, compiled once."""
    with _LOCK:
        known = _COMPILED.get((name, source))
        if known is None:
            if len(_COMPILED) >= _MOST_SOURCES:
                linecache.cache.pop(_COMPILED.pop(next(iter(_COMPILED))).co_filename, None)
            file = f"<{name} written for a program, {next(_NUMBERS)}>"
            known = _COMPILED[name, source] = compile(source, file, mode)
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        return known


def indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def tuple_of(sources: Sequence[str]) -> str:
    return f"({', '.join(sources)},)" if sources else "()"
