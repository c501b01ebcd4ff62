"""What every language compiles its sources to."""

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
    """What is given besides the sources: the zone of times without one, calendars, and a semantics that wins over what
    the sources ask for."""

    timezone: str = "UTC"
    calendars: tuple[Calendar, ...] = ()
    semantics: Semantics | None = None


@dataclass(frozen=True)
class RuleAction:
    """What a rule does for each of its events: the action, its arguments, and how these are written."""

    rule: str
    action: Action
    arguments: tuple[Expression, ...]
    spelled: tuple[str, ...]
    span: Span | None


@dataclass(frozen=True)
class CompiledModule(Generic[T_co]):
    """A module that can run, what it is made of, and what its rules do."""

    module: Module
    syntax: T_co = field(repr=False)
    actions: tuple[RuleAction, ...] = ()


@dataclass(frozen=True)
class Compiled:
    """The modules without errors, and what there is to say about the sources.

    Nothing is said again that `Parsed` has said.
    """

    modules: tuple[CompiledModule[object], ...] = ()
    #: Errors, warnings about what the sources say, and notes on how they will run.
    diagnostics: tuple[Diagnostic, ...] = ()
    #: Warnings where what must be remembered grows with the stream; of no interest on a recorded one.
    state_warnings: tuple[Diagnostic, ...] = ()
