"""Event types, read and compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from cera.diagnostics import Diagnostic, Source, Span
from cera.instances.events.module import EventTypeModule
from cera.languages.cet.lowering import instance_module
from cera.languages.cet.parser import parse
from cera.languages.cet.printer import print_program
from cera.languages.cet.run_warnings import remembered
from cera.languages.cet.syntax import Program
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import Compilation, CompiledModule, ParsedSource, module_of_file

T = TypeVar("T")

CLASH = "a file of event types is a module with its name"
#: The warning that instances are kept without a limit.
_UNBOUNDED = "CE501"


def parsed_source(source: Source) -> ParsedSource[Program]:
    """Reads a source."""
    parsed = parse(source)
    names = tuple(each.name.name for each in parsed.program.definitions)
    return ParsedSource(source, (module_of_file(source, parsed.program, names, CLASH),), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[Program]]) -> Compilation:
    """Compiles the event types of each file."""
    return compiled_types(parsed, instance_module)


def explained(module: CompiledModule[Program]) -> Explanation:
    """Returns the event types of a file, with what they remember."""
    return explained_types(module, print_program(module.syntax))


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
