"""`cera fmt` for Snoop."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.snoop.parser import parse
from cera.languages.snoop.printer import Printer
from cera.languages.text.formatting import formatted


def format_source(source: Source) -> str:
    """The source as `cera fmt` writes it; formatting that again changes nothing. Refuses what does not parse."""
    parsed = parse(source)
    program = parsed.program
    printed = (lambda decorate: Printer(decorate).snoop_program(program)) if program.items else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
