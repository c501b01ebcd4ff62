"""Datalog_1S as a language: the sections of a file are modules."""

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

if TYPE_CHECKING:
    from cera.datalog.sections import Section

#: The beginning of a text: a directive, or the head of a rule.
_BEGINNING = re.compile(
    r"""(\s|%[^\n]*\n)*((module|monitor|relation|granularity|partition|detect)\s+["\w]
      |("[^"\n]*"|[A-Za-z_]\w*)\s*\([^{}]*?\)\s*(<-|:-|←|\.))""",
    re.VERBOSE,
)


def as_datalog(compiled: CompiledModule[Section]) -> str:
    """Returns the module as it stands in a .dl1s file, with directives for all that its rules do not contain."""
    from cera.datalog.events.module import DatalogModule  # programs are mostly run, not printed
    from cera.datalog.printer import print_section
    from cera.datalog.sections import section_of

    assert isinstance(compiled.module, DatalogModule)
    return print_section(section_of(compiled.module, compiled.syntax.program))


class Datalog(Language["Section"]):
    name = "Datalog_1S"
    short_name = "Datalog"
    ending = ".dl1s"
    signs = ("<-", ":-")
    several_modules = True
    target = Target(
        "datalog",
        shown="the Datalog_1S rules",
        having="a translation to Datalog",
        refusal="{}: event types have no translation to Datalog",
    )
    forms = MappingProxyType({"datalog": Form(as_datalog)})

    def claims(self, text: str) -> float:
        return 0.4 if _BEGINNING.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Section]:
        from cera.languages.datalog.compilation import (
            parsed_source,  # the language is known before a program of it is read
        )

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.datalog.formatter import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Section]], options: CompileOptions) -> Compilation:
        from cera.languages.datalog.compilation import compiled

        return compiled(parsed, options)

    def explain(self, module: CompiledModule[Section]) -> Explanation:
        from cera.languages.datalog.compilation import explained

        return explained(module)


DATALOG = Datalog()
