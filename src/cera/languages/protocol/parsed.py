"""What every language reads a source as: the modules in it, and what is wrong with the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Generic, Literal, TypeVar

from cera.diagnostics import Diagnostic, Source, Span

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: Where the name of a module comes from: it says one, it has that of its file, or it has none and always runs.
Naming = Literal["own", "file", "none"]
#: The name of a module that is neither a file nor says one.
TEXT = "Text"


@dataclass(frozen=True)
class ModuleText(Generic[T_co]):
    """A module as it is written: its syntax tree, its name, and the names of the rules or types that could be read."""

    syntax: T_co = field(repr=False)
    name: str
    span: Span | None
    definitions: tuple[str, ...] = ()
    naming: Naming = "own"
    #: Why another module may not have its name, as the message says it; None of a language that looks at that itself.
    clash: str | None = None


@dataclass(frozen=True)
class Parsed(Generic[T_co]):
    """A source as its language reads it. A wrong text is a value too."""

    source: Source
    modules: tuple[ModuleText[T_co], ...]
    diagnostics: tuple[Diagnostic, ...]


def is_file(source: Source) -> bool:
    """Returns whether a source is a file, and not a text from somewhere else."""
    return not source.name.startswith("<")


def file_name(source: Source) -> str:
    """Returns the name of a file without its ending; a text that is not a file is called as all of them are."""
    return PurePath(source.name).stem if is_file(source) else TEXT


def module_of_file(source: Source, syntax: T, definitions: tuple[str, ...], clash: str) -> ModuleText[T]:
    """Returns a module that has the name of its file."""
    return ModuleText(syntax, file_name(source), Span(source, 0, 0), definitions, "file", clash)
