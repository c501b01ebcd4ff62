"""The results of a language: a source that it has parsed, and the modules that it has compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Generic, Literal, TypeVar

from cera.connectors.actions.action import Action
from cera.constraints.locations import NO_LOCATIONS, Locations
from cera.diagnostics import Diagnostic, Source, Span
from cera.model.calendars.calendar_files import Calendar
from cera.model.expressions.expression import Expression
from cera.modules.module import Module
from cera.rules.rule import Semantics

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
class ParsedSource(Generic[T_co]):
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


@dataclass(frozen=True)
class CompileOptions:
    """Options besides the sources: the zone of times without one, calendars, a semantics that overrides that of the
    sources, and where events come from.
    """

    timezone: str = "UTC"
    calendars: tuple[Calendar, ...] = ()
    semantics: Semantics | None = None
    locations: Locations = NO_LOCATIONS


@dataclass(frozen=True)
class RuleAction:
    """An action of a rule for each of its events, with its arguments and their source."""

    rule: str
    action: Action
    arguments: tuple[Expression, ...]
    spelled: tuple[str, ...]
    span: Span | None


@dataclass(frozen=True)
class CompiledModule(Generic[T_co]):
    """A module that can run, its syntax, and the actions of its rules."""

    module: Module
    syntax: T_co = field(repr=False)
    actions: tuple[RuleAction, ...] = ()


@dataclass(frozen=True)
class Compilation:
    """The modules without errors, and the diagnostics of the sources.

    Diagnostics of `ParsedSource` are not repeated.
    """

    modules: tuple[CompiledModule[object], ...] = ()
    #: Errors, warnings about what the sources say, and notes on how they will run.
    diagnostics: tuple[Diagnostic, ...] = ()
    #: Warnings about state that grows with the stream; of no interest on a recorded one.
    state_warnings: tuple[Diagnostic, ...] = ()
