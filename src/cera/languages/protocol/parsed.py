"""The result of parsing a source in any language: its modules, and the errors of the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Generic, Literal, TypeVar

from cera.diagnostics import Diagnostic, Source, Span

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: The origin of a module's name: it gives itself one, it has that of its file, or it has none and always runs.
Naming = Literal["own", "file", "none"]
#: The name of a module that is not a file and gives itself none.
TEXT = "Text"


@dataclass(frozen=True)
class ModuleText(Generic[T_co]):
    """A module as it is written: its syntax tree, its name, and the names of the rules or types that could be read."""

    syntax: T_co = field(repr=False)
    name: str
    span: Span | None
    definitions: tuple[str, ...] = ()
    naming: Naming = "own"
    #: Why another module may not have its name, for the message; None if the language checks this itself.
    clash: str | None = None


@dataclass(frozen=True)
class Parsed(Generic[T_co]):
    """A source as its language reads it. A text with errors is a value too."""

    source: Source
    modules: tuple[ModuleText[T_co], ...]
    diagnostics: tuple[Diagnostic, ...]


def is_file(source: Source) -> bool:
    """Returns whether a source is a file, and not a text from somewhere else."""
    return not source.name.startswith("<")


def file_name(source: Source) -> str:
    """Returns the name of a file without its ending; a text that is not a file gets the common name."""
    return PurePath(source.name).stem if is_file(source) else TEXT


def module_of_file(source: Source, syntax: T, definitions: tuple[str, ...], clash: str) -> ModuleText[T]:
    """Returns a module that has the name of its file."""
    return ModuleText(syntax, file_name(source), Span(source, 0, 0), definitions, "file", clash)
