"""StreamLog as a language: the rules of all its files are one program, together with those of XChangeEQ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.protocol.language import Example, Explanation, Language, RuleText, Target
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ParsedSource
from cera.rules.rule import RuleProgram

if TYPE_CHECKING:
    from cera.languages.streamlog.syntax import Program

#: The end of a head and its arrow, and the beginnings that no other language has.
_ARROW = re.compile(r"[\w)\"]\s*(?:<-(?![0-9])|←)")
_OPENING = re.compile(
    r"\s*(?:ORIGIN\s*\"|relation\s[^.\n]*\bfrom\s*\"|Range\s*[0-9]|\[|(?:unbounded|now|event|state)\s*:|(?:event|state)\s+\w+\s*:)"
)
#: Directives of Datalog, which has the same arrow.
_DIRECTIVE = re.compile(r"(\s|%[^\n]*\n)*(?:module|monitor|granularity|partition|detect)\s+[\"\w]")
_COMMENT = re.compile(r"#[^\n]*|/\*.*?\*/", re.DOTALL)


def _rule_text(program: RuleProgram) -> RuleText:
    from cera.languages.streamlog.rule_text import rule_text  # programs are mostly run, not printed

    return rule_text(program)


class StreamLog(Language["Program"]):
    name = "StreamLog"
    short_name = "StreamLog"
    ending = ".slog"
    signs = ("<-", "←")
    one_program = True
    target = Target(
        "slog",
        shown="the rules of XChangeEQ in StreamLog",
        having="a form in StreamLog",
        refusal="{} is not a program of rules",
        rules=_rule_text,
        about=(
            "Rules of XChangeEQ and StreamLog can be written in either language as far as both can say what they do: "
            "the translation derives the same events. What the other language cannot say is an error with its place."
        ),
        examples=(Example("fire.xceq", kept="fire.slog"),),
    )

    def claims(self, text: str) -> float:
        """Returns how well a text fits. Rules of Datalog look alike: then the one has it that understands more."""
        code = _COMMENT.sub(" ", text)
        opening = _OPENING.match(code) is not None
        if _ARROW.search(code) is None or _DIRECTIVE.match(code):
            return 0.3 if opening else 0.0
        return 0.6 if opening else 0.4

    def parse(self, source: Source) -> ParsedSource[Program]:
        from cera.languages.streamlog.compilation import (
            parsed_source,  # the language is known before a program of it is read
        )

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.streamlog.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        from cera.languages.streamlog.compilation import compiled

        return compiled(parsed, options)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        from cera.languages.streamlog.compilation import explained

        return explained(module)


STREAMLOG = StreamLog()
