"""Complex event types as a language: a file is a module."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import TypeVar

from cera.diagnostics import Diagnostic, Source, Span
from cera.instances.events.module import EventTypeModule
from cera.languages.cet.lowering import instance_module
from cera.languages.cet.parser import parse
from cera.languages.cet.printer import print_program
from cera.languages.cet.run_warnings import remembered
from cera.languages.cet.syntax import Program
from cera.languages.protocol.language import Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
    module_of_file,
)
from cera.languages.text.scanner import scan

T = TypeVar("T")

#: The comments of other languages, in which a definition may stand.
_COMMENT = re.compile(r"%[^\n]*")
CLASH = "a file of event types is a module with its name"
#: The warning that instances are kept without a limit.
_UNBOUNDED = "CE501"


class EventTypes(Language[Program]):
    name = "complex event types"
    short_name = "event types"
    ending = ".cet"
    signs = (":=",)
    event_type = "an event type"
    target = Target(
        "cet",
        shown="the event types",
        having="event types",
        refusal="{} is a module of Datalog, which has no event types",
        one_only="a file of event types is one module; translate one file at a time",
    )
    forms = MappingProxyType({"cet": Form(lambda compiled: print_program(compiled.syntax))})

    def claims(self, text: str) -> float:
        return claims_of_types(text)

    def parse(self, source: Source) -> ParsedSource[Program]:
        parsed = parse(source)
        names = tuple(each.name.name for each in parsed.program.definitions)
        return ParsedSource(source, (module_of_file(source, parsed.program, names, CLASH),), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.cet.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        return compiled_types(parsed, instance_module)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        return explained_types(module, print_program(module.syntax))


def claims_of_types(text: str) -> float:
    """Returns how well a text fits a language of definitions, `Name := …`."""
    return 0.5 if any(lexeme.text == ":=" for lexeme in scan(_COMMENT.sub("", text))) else 0.0


def compiled_types(
    parsed: Sequence[ParsedSource[T]],
    hosted: Callable[[T, str, Span | None], tuple[EventTypeModule | None, tuple[Diagnostic, ...]]],
) -> Compilation:
    """Returns the modules of the files that can be read and are right."""
    modules: list[CompiledModule[object]] = []
    found: list[Diagnostic] = []
    for written in (each for file in parsed if not file.diagnostics for each in file.modules):
        module, problems = hosted(written.syntax, written.name, written.span)
        found += problems
        if module is not None:
            modules.append(CompiledModule(module, written.syntax))
    return Compilation(
        tuple(modules),
        tuple(each for each in found if each.code != _UNBOUNDED),
        tuple(each for each in found if each.code == _UNBOUNDED),
    )


def explained_types(module: CompiledModule[T], text: str) -> Explanation:
    """Returns event types in their own language, with what they remember."""
    assert isinstance(module.module, EventTypeModule)
    return Explanation("event types", text, tuple(remembered(module.module)))


EVENT_TYPES = EventTypes()
