"""Snoop as a language: a file is a module of the event types that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.cet.language import claims_of_types
from cera.languages.protocol.language import Example, Explanation, Form, Language
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
)

if TYPE_CHECKING:
    from cera.languages.snoop.syntax import Program


def as_event_types(compiled: CompiledModule[Program]) -> str:
    """Returns the event types of the program as they stand in a .cet file."""
    from cera.languages.snoop.compiler import to_cet  # programs are mostly run, not printed

    return to_cet(compiled.syntax)


def as_datalog(compiled: CompiledModule[Program]) -> str:
    """Returns the rules of a program of sequences as they stand in a .dl1s file."""
    from cera.languages.snoop.epl_translation import to_datalog  # programs are mostly run, not printed

    return to_datalog(compiled.syntax, compiled.module.name)


class Snoop(Language["Program"]):
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
        from cera.languages.snoop.compilation import (
            parsed_source,  # the language is known before a program of it is read
        )

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.snoop.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        from cera.languages.snoop.compilation import compiled

        return compiled(parsed)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        from cera.languages.snoop.compilation import explained

        return explained(module)


SNOOP = Snoop()
