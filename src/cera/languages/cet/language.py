"""Complex event types as a language: a file is a module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.protocol.language import Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
)
from cera.languages.text.scanner import scan

if TYPE_CHECKING:
    from cera.languages.cet.syntax import Program

#: The comments of other languages, in which a definition may stand.
_COMMENT = re.compile(r"%[^\n]*")


def _text(compiled: CompiledModule[Program]) -> str:
    from cera.languages.cet.printer import print_program  # programs are mostly run, not printed

    return print_program(compiled.syntax)


class EventTypes(Language["Program"]):
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
    forms = MappingProxyType({"cet": Form(_text)})

    def claims(self, text: str) -> float:
        return claims_of_types(text)

    def parse(self, source: Source) -> ParsedSource[Program]:
        from cera.languages.cet.compilation import parsed_source  # the language is known before a program of it is read

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.cet.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        from cera.languages.cet.compilation import compiled

        return compiled(parsed)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        from cera.languages.cet.compilation import explained

        return explained(module)


def claims_of_types(text: str) -> float:
    """Returns how well a text fits a language of definitions, `Name := …`."""
    return 0.5 if any(lexeme.text == ":=" for lexeme in scan(_COMMENT.sub("", text))) else 0.0


EVENT_TYPES = EventTypes()
