"""`cera fmt`: a source in the canonical layout, with every comment kept."""

from __future__ import annotations

from collections.abc import Sequence

from cera.diagnostics import Source, Span
from cera.errors import ProgramError
from cera.languages.text.comments import Comments, Place, blank_line_follows
from cera.languages.text.layout import Document, render
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import Printer
from cera.languages.xchangeeq.syntax import ProgramSyntax


def format_source(source: Source) -> str:
    """The source as `cera fmt` writes it; formatting that again changes nothing. Refuses what does not parse."""
    parsed = parse(source)
    errors = [diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity == "error"]
    if errors:
        raise ProgramError(errors)
    spans = [comment.span for comment in parsed.comments]
    if not parsed.program.items:
        return _only_comments(source, spans)
    comments = Comments(source, spans, _places(parsed.program))
    return render(Printer(comments.around).program(parsed.program))


def _only_comments(source: Source, comments: Sequence[Span]) -> str:
    lines: list[str] = []
    for comment in comments:
        lines.append(comment.text.rstrip())
        if comment is not comments[-1] and blank_line_follows(source.text, comment.end):
            lines.append("")
    return "".join(f"{line}\n" for line in lines)


def _places(program: ProgramSyntax) -> list[Place]:
    """Everything that a printer can put a comment beside."""
    places: list[Place] = []

    def note(place: Place, document: Document) -> Document:
        places.append(place)
        return document

    Printer(note).program(program)
    return places
