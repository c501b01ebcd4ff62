"""`cera fmt`: a source in the canonical layout, with every comment kept."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.text.formatting import formatted
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import Printer


def format_source(source: Source) -> str:
    """The source as `cera fmt` writes it; formatting that again changes nothing. Refuses what does not parse."""
    parsed = parse(source)
    program = parsed.program
    printed = (lambda decorate: Printer(decorate).program(program)) if program.items else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
