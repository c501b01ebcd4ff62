"""`cera fmt` for EPL."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.epl.parser import parse
from cera.languages.epl.printer import Printer
from cera.languages.text.formatting import formatted


def format_source(source: Source) -> str:
    """The source as `cera fmt` writes it; formatting that again changes nothing. Refuses what does not parse."""
    parsed = parse(source)
    modules = parsed.modules
    printed = (lambda decorate: Printer(decorate).modules(modules)) if modules else None
    return formatted(source, parsed.diagnostics, parsed.comments, printed)
