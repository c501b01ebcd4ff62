"""A source in the canonical layout of its language, with every comment kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cera.diagnostics import Diagnostic, Source
from cera.errors import ProgramError
from cera.languages.text.comments import Comments, Decorate, Place, blank_line_follows
from cera.languages.text.items import Comment
from cera.languages.text.layout import Document, render


def formatted(
    source: Source,
    diagnostics: Sequence[Diagnostic],
    comments: Sequence[Comment],
    printed: Callable[[Decorate], Document] | None,
) -> str:
    """`printed` is the program by the printer of its language, None where there is nothing but comments.

    Refuses what does not parse.
    """
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    if errors:
        raise ProgramError(errors)
    spans = [comment.span for comment in comments]
    if printed is None:
        gaps = [blank_line_follows(source.text, span.end) and span is not spans[-1] for span in spans]
        return "".join(span.text.rstrip() + ("\n\n" if gap else "\n") for span, gap in zip(spans, gaps, strict=True))
    places: list[Place] = []

    def note(place: Place, document: Document) -> Document:
        places.append(place)
        return document

    printed(note)
    return render(printed(Comments(source, spans, places).around))
