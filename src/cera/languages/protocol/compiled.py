"""The result of compiling sources of any language."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cera.connectors.actions.action import Action
from cera.diagnostics import Diagnostic, Span
from cera.model.calendars.calendar_files import Calendar
from cera.model.expressions.expression import Expression
from cera.modules.module import Module
from cera.rules.rule import Semantics

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class CompileOptions:
    """Options besides the sources: the zone of times without one, calendars, and a semantics that overrides that of the
    sources.
    """

    timezone: str = "UTC"
    calendars: tuple[Calendar, ...] = ()
    semantics: Semantics | None = None


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
class Compiled:
    """The modules without errors, and the diagnostics of the sources.

    Diagnostics of `Parsed` are not repeated.
    """

    modules: tuple[CompiledModule[object], ...] = ()
    #: Errors, warnings about what the sources say, and notes on how they will run.
    diagnostics: tuple[Diagnostic, ...] = ()
    #: Warnings about state that grows with the stream; of no interest on a recorded one.
    state_warnings: tuple[Diagnostic, ...] = ()
