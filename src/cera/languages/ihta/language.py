"""IHTA as a language: each automaton of a file is a module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.protocol.language import Example, Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
)

if TYPE_CHECKING:
    from cera.languages.ihta.syntax import Program

_BEGIN = re.compile(r"(\s|#[^\n]*\n|/\*[^*]*\*+([^/*][^*]*\*+)*/)*(use\s+\"|(strict\s+)?automaton\s)")
_JSON = re.compile(r"\s*\[?\s*\{\s*\"(ihta|automaton)\"\s*:")


def _text(compiled: CompiledModule[Program]) -> str:
    """Returns the automaton of a module as a file of its own: automata that it uses are written out."""
    from cera.automata.module import AutomatonModule  # programs are mostly run, not printed
    from cera.languages.ihta.printer import print_automaton
    from cera.languages.ihta.raising import raised

    assert isinstance(compiled.module, AutomatonModule)
    return print_automaton(raised(compiled.module.automaton))


def _json(compiled: CompiledModule[Program]) -> str:
    from cera.automata.module import AutomatonModule  # programs are mostly run, not printed
    from cera.languages.ihta.json_writer import automaton_json

    assert isinstance(compiled.module, AutomatonModule)
    return automaton_json(compiled.module.automaton)


class Ihta(Language["Program"]):
    name = "IHTA"
    short_name = "IHTA"
    ending = ".ihta"
    defines = ("automaton", "automata")
    several_modules = True
    target = Target(
        "ihta",
        shown="the automata",
        having="an automaton",
        refusal="{} is not an automaton",
        about="Automata are written out in one text, with those that they use; as JSON they are for other tools.",
        examples=(Example("auction.json.ihta", kept="auction.ihta"),),
    )
    forms = MappingProxyType({"ihta": Form(_text), "json": Form(_json)})

    def claims(self, text: str) -> float:
        return 1.0 if _BEGIN.match(text) or _JSON.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Program]:
        from cera.languages.ihta.compilation import (
            parsed_source,  # the language is known before a program of it is read
        )

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.ihta.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        from cera.languages.ihta.compilation import compiled

        return compiled(parsed, options)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        from cera.languages.ihta.compilation import explained

        return explained(module)


IHTA = Ihta()
