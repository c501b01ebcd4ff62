"""Places in a source text, and diagnostics about them.

A diagnostic is data: a stable code, a severity, a message, the place, a hint and further places. The command
line draws it with a caret, `check` prints it as JSON too, and every code has a page in `docs/diagnostics`.
"""

from __future__ import annotations

import bisect
import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from cera.html_table import SHOWN, html_table, html_text
from cera.wording import in_python

#: A note is about a program that is right: how it will run.
Severity = Literal["error", "warning", "note"]

#: Longer lines are shown in part.
WIDEST = 160


@dataclass(frozen=True)
class Notation:
    """The way in which the language of a source writes the parts of rules that messages speak of.

    In the texts NAME is a name, and VARIABLE a variable.
    """

    _variable: str = "var NAME"
    _queried: str = "NAME{{ var VARIABLE }}"
    _derived: str = "NAME{ var VARIABLE }"
    _rows: str = "`relation NAME{{ … }}`"
    _outside: str = " If `NAME` comes from outside, say so: SOURCE NAME"
    _in_state: str = "EVENT in STATE"
    #: What a body can wait for.
    start: str = "an event query or an absolute timer"
    #: The function that gives the begin of an interval.
    begin: str = "begin"

    def variable(self, name: str) -> str:
        """Returns a variable; one that lowering has named is shown as it was written."""
        written = _LOWERED.fullmatch(name)
        return self._variable.replace("NAME", name if written is None else written[1] or "_")

    def queried(self, label: str, variable: str) -> str:
        """Returns an attribute with a variable, in a query."""
        return self._queried.replace("NAME", label).replace("VARIABLE", variable)

    def derived(self, label: str, variable: str) -> str:
        """Returns an attribute with a variable, in a head."""
        return self._derived.replace("NAME", label).replace("VARIABLE", variable)

    def rows(self, relation: str) -> str:
        """Returns how rows of a relation are asked for."""
        return self._rows.replace("NAME", relation)

    def in_state(self, event: str, state: str) -> str:
        """Returns how it is said that an event is in a state, both by their identifiers."""
        return self._in_state.replace("EVENT", event).replace("STATE", state)

    def outside(self, label: str) -> str:
        """Returns how it is said that events come from outside; nothing if that cannot be said."""
        return self._outside.replace("NAME", label)


#: A variable that stands at one place only, and one without a name.
_LOWERED = re.compile(r"_(?:(.+)#|#[0-9]+)")
_TERMS = Notation()


@dataclass(frozen=True)
class Source:
    """A named program text."""

    name: str
    text: str = field(repr=False)
    notation: Notation = field(default=_TERMS, compare=False, repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def line_of(self, offset: int) -> int:
        return bisect.bisect_right(self._line_starts, offset)

    def column_of(self, offset: int) -> int:
        return offset - self._line_starts[self.line_of(offset) - 1] + 1

    def line_text(self, line: int) -> str:
        starts = self._line_starts
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")


@dataclass(frozen=True)
class Span:
    """The characters start to end (excluded) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        return self.source.column_of(self.start)

    @property
    def end_line(self) -> int:
        return self.source.line_of(max(self.start, self.end - 1))

    @property
    def end_column(self) -> int:
        return self.source.column_of(max(self.start, self.end - 1)) + 1

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


def notation(span: Span | None) -> Notation:
    """Returns the notation of the source that a place is in."""
    return _TERMS if span is None else span.source.notation


@dataclass(frozen=True)
class Note:
    """A further place that belongs to a diagnostic: the other rule on a cycle, the opening bracket."""

    message: str
    span: Span | None = None


@dataclass(frozen=True)
class Diagnostic:
    code: str
    severity: Severity
    message: str
    span: Span | None = None
    hint: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def page(self) -> str:
        """The command that shows the page about the code, which every installation has."""
        return f"cera explain {self.code}"

    def worded(self, words: Callable[[str], str]) -> Diagnostic:
        """Returns the diagnostic with the settings that it mentions in other words: `worded(in_python)`."""
        notes = tuple(replace(note, message=words(note.message)) for note in self.notes)
        hint = None if self.hint is None else words(self.hint)
        return replace(self, message=words(self.message), hint=hint, notes=notes)

    def as_json(self) -> dict[str, object]:
        record: dict[str, object] = {"code": self.code, "severity": self.severity, "message": self.message}
        record.update(_place(self.span))
        if self.hint is not None:
            record["hint"] = self.hint
        record["notes"] = [{"message": note.message, **_place(note.span)} for note in self.notes]
        record["page"] = self.page
        return record

    def __str__(self) -> str:
        return in_python(render(self))

    def _repr_html_(self) -> str:
        return html_text(str(self))


class Diagnostics(tuple[Diagnostic, ...]):
    """Diagnostics that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [(each.severity, each.code, each.span or "", each.message, each.hint or "") for each in self[:SHOWN]]
        caption = "1 finding" if len(self) == 1 else f"{len(self)} findings" if self else "no errors and no warnings"
        return html_table(caption, ("severity", "code", "place", "message", "hint"), rows, len(self) - len(rows))


def _place(span: Span | None) -> dict[str, object]:
    if span is None:
        return {}
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def in_source_order(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Returns errors and warnings in source order, from top to bottom."""

    def place(diagnostic: Diagnostic) -> tuple[str, int, str]:
        span = diagnostic.span
        return (span.source.name, span.start, diagnostic.code) if span else ("", -1, diagnostic.code)

    return sorted(dict.fromkeys(diagnostics), key=place)


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Returns the hint for an unknown name that looks like a known one."""
    meant = closest(name, candidates)
    return None if meant is None else f"did you mean `{meant}`?"


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """Returns the candidate that looks most like the name, whatever the case of its letters."""
    by_lower_case = {candidate.lower(): candidate for candidate in sorted(set(candidates) - {name}, reverse=True)}
    close = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
    return by_lower_case[close[0]] if close else None


def render(diagnostic: Diagnostic) -> str:
    """Returns the diagnostic as a person reads it: message, place, the line with a caret, notes, hint."""
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    lines += _excerpt(diagnostic.span)
    for note in diagnostic.notes:
        lines.append(f"  note: {note.message}")
        lines += _excerpt(note.span)
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)


def _excerpt(span: Span | None) -> list[str]:
    if span is None:
        return []
    before, marked, after = _around(span)
    number = str(span.line)
    gutter = " " * len(number)
    return [
        f"  --> {span}",
        f"  {gutter} |",
        f"  {number} | {''.join(map(_shown, before + marked + after))}",
        f"  {gutter} | {' ' * _cells(before)}{'^' * max(1, _cells(marked))}",
    ]


def _around(span: Span) -> tuple[str, str, str]:
    """Returns the first line of the place in three parts, before it, itself, and after it; a long line is cut around
    it.
    """
    line = span.source.line_text(span.line)
    first, last = span.column - 1, span.end_column - 1 if span.end_line == span.line else len(line)
    before, marked, after = line[:first], line[first:last], line[last:]
    if len(line) <= WIDEST:
        return before, marked, after
    if len(marked) > WIDEST // 2:
        marked, after = marked[: WIDEST // 2], "…"
    room = WIDEST - len(marked)
    if len(after) > room // 2:
        after = after[: max(room // 2, room - len(before)) - 1] + "…"
    kept = max(0, room - len(after))
    return before if len(before) <= kept else "…" + before[len(before) - kept + 1 :], marked, after


def _shown(character: str) -> str:
    """Returns the character, or one of the same width for a character that would move the caret or control the
    terminal.
    """
    return character if character.isprintable() else " " if character == "\t" else "\N{REPLACEMENT CHARACTER}"


def _cells(text: str) -> int:
    """Returns how many columns of a terminal the text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
