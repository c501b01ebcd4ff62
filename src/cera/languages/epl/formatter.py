"""`cera fmt` for EPL: a source in the canonical layout, with every comment kept."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.epl.parser import parse
from cera.languages.epl.printer import Printer
from cera.languages.layout import Document, render
from cera.languages.xchangeeq.comments import Comments, blank_line_follows
from cera.languages.xchangeeq.term_printer import Place


def format_source(source: Source) -> str:
    """The source as `cera fmt` writes it; formatting that again changes nothing. Refuses what does not parse."""
    parsed = parse(source)
    errors = [diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity == "error"]
    if errors:
        raise ProgramError(errors)
    spans = [comment.span for comment in parsed.comments]
    if not parsed.modules:
        gaps = ["\n" if span is not spans[-1] and blank_line_follows(source.text, span.end) else "" for span in spans]
        return "".join(f"{span.text.rstrip()}\n{gap}" for span, gap in zip(spans, gaps, strict=True))
    places: list[Place] = []

    def note(place: Place, document: Document) -> Document:
        places.append(place)
        return document

    Printer(note).modules(parsed.modules)
    comments = Comments(source, spans, places)
    return render(Printer(comments.around).modules(parsed.modules))
