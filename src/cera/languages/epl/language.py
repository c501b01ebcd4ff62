"""EPL as a language: modules that become Datalog_1S programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.protocol.language import Example, Explanation, Form, Language
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
)

if TYPE_CHECKING:
    from cera.languages.epl.syntax import Module

#: The beginning of a text.
_BEGINNING = re.compile(r"(\s|#[^\n]*\n|/\*.*?\*/)*begin\s+[A-Za-z_]", re.DOTALL)


def as_datalog(compiled: CompiledModule[Module]) -> str:
    """Returns the translation of the paper as it stands in a .dl1s file, without the actions of rules."""
    from cera.datalog.events.module import DatalogModule  # programs are mostly run, not printed
    from cera.datalog.printer import print_section
    from cera.datalog.sections import section_of
    from cera.languages.epl.compiler import translated

    actions = [f"% {one.rule}: its action is left out\n" for one in compiled.actions]
    assert isinstance(compiled.module, DatalogModule)
    return "".join(actions) + print_section(section_of(compiled.module, translated(compiled.syntax)))


class Epl(Language["Module"]):
    name = "EPL"
    short_name = "EPL"
    ending = ".epl"
    signs = ("begin ",)
    several_modules = True
    forms = MappingProxyType(
        {
            "datalog": Form(
                as_datalog,
                subject="modules of EPL",
                parts="EPL modules",
                about="The Datalog_1S program of EPL modules can be kept as a .dl1s file, read, changed and run by "
                "itself: it detects the same events. Actions are not a part of it.",
                examples=(Example("bank.epl"), Example("bank.epl", enabled="Alerts", kept="alerts.dl1s")),
            )
        }
    )

    def claims(self, text: str) -> float:
        return 1.0 if _BEGINNING.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Module]:
        from cera.languages.epl.compilation import parsed_source  # the language is known before a program of it is read

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.epl.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Module]], options: CompileOptions) -> Compilation:
        from cera.languages.epl.compilation import compiled

        return compiled(parsed, options)

    def explain(self, module: CompiledModule[Module]) -> Explanation:
        from cera.languages.epl.compilation import explained

        return explained(module)


EPL = Epl()
