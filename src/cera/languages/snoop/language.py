"""Snoop as a language: a file is a module of the event types that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from cera.diagnostics import Source
from cera.languages.cet.language import CLASH, claims_of_types, compiled_types, explained_types
from cera.languages.protocol.language import Example, Explanation, Form, Language
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
    module_of_file,
)
from cera.languages.snoop.compiler import instance_module
from cera.languages.snoop.parser import parse
from cera.languages.snoop.syntax import Program


def as_event_types(compiled: CompiledModule[Program]) -> str:
    """Returns the event types of the program as they stand in a .cet file."""
    from cera.languages.snoop.compiler import to_cet  # programs are mostly run, not printed

    return to_cet(compiled.syntax)


def as_datalog(compiled: CompiledModule[Program]) -> str:
    """Returns the rules of a program of sequences as they stand in a .dl1s file."""
    from cera.languages.snoop.epl_translation import to_datalog  # programs are mostly run, not printed

    return to_datalog(compiled.syntax, compiled.module.name)


class Snoop(Language[Program]):
    name = "Snoop"
    short_name = "Snoop"
    ending = ".snoop"
    signs = (":=",)
    event_type = "a Snoop expression"
    forms = MappingProxyType(
        {
            "datalog": Form(as_datalog, subject="Snoop", parts="Snoop's sequences"),
            "cet": Form(
                as_event_types,
                subject="Snoop",
                parts="Snoop",
                about="The event types of a Snoop program can be kept as a .cet file in the same way.",
                examples=(Example("logins.snoop"),),
            ),
        }
    )

    def claims(self, text: str) -> float:
        return claims_of_types(text)

    def parse(self, source: Source) -> ParsedSource[Program]:
        parsed = parse(source)
        names = tuple(each.name.name for each in parsed.program.definitions)
        return ParsedSource(source, (module_of_file(source, parsed.program, names, CLASH),), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.snoop.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        return compiled_types(parsed, instance_module)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        return explained_types(module, as_event_types(module))


SNOOP = Snoop()
