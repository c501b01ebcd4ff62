"""A source in the canonical layout of its language, with every comment kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cera.diagnostics import Diagnostic, Source, Span
from cera.errors import ProgramError
from cera.languages.text.comments import Comments, Decorate, Place, blank_line_follows
from cera.languages.text.layout import Document, render


def formatted(
    source: Source,
    diagnostics: Sequence[Diagnostic],
    comments: Sequence[Span],
    printed: Callable[[Decorate], Document] | None,
) -> str:
    """`printed` is the program by the printer of its language, None where there is nothing but comments.

    Refuses what does not parse.
    """
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    if errors:
        raise ProgramError(errors)
    if printed is None:
        gaps = [blank_line_follows(source.text, span.end) and span is not comments[-1] for span in comments]
        return "".join(span.text.rstrip() + ("\n\n" if gap else "\n") for span, gap in zip(comments, gaps, strict=True))
    places: list[Place] = []

    def note(place: Place, document: Document) -> Document:
        places.append(place)
        return document

    printed(note)
    return render(printed(Comments(source, comments, places).around))
