"""Errors and warnings of the checks."""

from __future__ import annotations

from cera.diagnostics import Diagnostic, Note, Span


def error(code: str, message: str, span: Span | None, hint: str | None = None, *notes: Note) -> Diagnostic:
    return Diagnostic(code, "error", message, span, hint, notes)


def warning(code: str, message: str, span: Span | None, hint: str | None = None, *notes: Note) -> Diagnostic:
    return Diagnostic(code, "warning", message, span, hint, notes)
