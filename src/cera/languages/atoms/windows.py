"""Windows that languages warn of alike."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.model.expressions.atoms import Sliding


def check_gaps(window: Sliding, code: str) -> Iterator[Diagnostic]:
    """Reports windows that move by more than they last, under a code."""
    if window.slide is not None and window.slide.microseconds > window.range.microseconds:
        message = f"between these windows there are gaps: they move by {window.slide} and last {window.range}"
        hint = "what happens in a gap is in no window; is the longer duration the range?"
        yield Diagnostic(code, "warning", message, window.span, hint)
