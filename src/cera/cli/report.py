"""Messages on standard error: diagnostics, warnings, counts. Settings are named as options."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

import click

from cera.diagnostics import Diagnostic, render
from cera.model.message_text import SHOWN as SHOWN
from cera.model.message_text import count as count
from cera.model.message_text import listed as listed
from cera.model.message_text import printable as printable
from cera.wording import on_command_line

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


Level = Literal["quiet", "normal", "verbose"]

_level: Level = "normal"
#: The warnings of the running command, in the order in which they were written, whether it is quiet or not.
_warnings: list[str] = []


def set_level(level: Level) -> None:
    """Sets how much the running command says; `quiet` is nothing but errors."""
    global _level
    _level = level
    _warnings.clear()


def is_quiet() -> bool:
    return _level == "quiet"


def say(text: str) -> None:
    """Writes a line unless the command is quiet."""
    if not is_quiet():
        click.echo(on_command_line(text), err=True)


def say_more(text: str) -> None:
    """Writes a line if --verbose was given."""
    if _level == "verbose":
        say(printable(text))


def warn(text: str) -> None:
    """Writes a warning unless the command is quiet."""
    shown = _printable_lines(text)
    _warnings.append(shown)
    say(f"{_styled('warning', 'yellow')}: {shown}")


def warnings() -> list[str]:
    """Returns the warnings that the running command has written so far, each once."""
    return list(dict.fromkeys(_warnings))


def fail(text: str) -> None:
    """Writes an error."""
    click.echo(f"{_styled('error', 'red')}: {_printable_lines(text)}", err=True)


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Writes the diagnostics as a person reads them, an empty line after each; a quiet command only the errors."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "error" or not is_quiet():
            click.echo(coloured(diagnostic) + "\n", err=True)


def coloured(diagnostic: Diagnostic) -> str:
    """Returns the rendered diagnostic with its title and carets in colour, which click drops off a terminal."""
    colour = _COLOURS[diagnostic.severity]
    title, *rest = _printable_lines(render(diagnostic)).split("\n")
    head, colon, message = title.partition(":")
    lines = [_styled(head, colour) + colon + _styled(message)]
    for line in rest:
        bar, caret, marks = line.partition(" | ")
        is_caret_line = bool(caret) and not bar.strip() and not marks.strip().strip("^")
        lines.append(bar + caret + _styled(marks, colour) if is_caret_line else line)
    return "\n".join(lines)


def _styled(text: str, colour: str | None = None) -> str:
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=colour, bold=True)


def _printable_lines(text: str) -> str:
    return "\n".join(printable(line) for line in on_command_line(text).split("\n"))
