"""A source in the canonical layout of its language, with every comment kept.

A comment is attached to a place: a rule, a directive, a head, a query, a condition, a child of a term. It belongs to

    the place before it, at the end of its line      temp{{}},  # like this
    the place after it, on a line before it
    the place before it, on a line after it          when a closing bracket comes next

The places contain one another, and a comment is never moved out of the innermost one that contains it, except to the
line before that one when it stands in the middle of something that is printed in one piece.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cera.diagnostics import Diagnostic, Source, Span
from cera.errors import ProgramError
from cera.languages.text.items import Comment
from cera.languages.text.layout import HARD, Document, Remark, Suffix, concat, render

_BETWEEN_ITEMS = frozenset(" \t\r\n\f,;")
_BLANK_LINE = re.compile(r"[^\S\n]*\n[^\S\n]*\n")


class Place(Protocol):
    """A node of the syntax tree that can have a line of its own."""

    @property
    def span(self) -> Span | None: ...


Decorate = Callable[[Place, Document], Document]


def undecorated(_: Place, document: Document) -> Document:
    return document


@dataclass(frozen=True)
class _AttachedComments:
    """The comments of one place, in the order of the text; those on lines of their own with their blank lines."""

    before: list[Document] = field(default_factory=list)
    beside: list[Document] = field(default_factory=list)
    after: list[Document] = field(default_factory=list)

    def around(self, document: Document) -> Document:
        return concat(*self.before, document, *self.beside, *self.after)


@dataclass(frozen=True)
class _Node:
    """A place and the places directly inside it, in the order of the text; the root stands for the program."""

    place: Place | None
    start: int
    end: int
    inside: list[_Node] = field(default_factory=list)

    def contains(self, start: int, end: int) -> bool:
        return self.start <= start and end <= self.end


class Comments:
    """The comments of a source, attached to places. `around` is the `decorate` of a printer."""

    def __init__(
        self, source: Source, comments: Sequence[Span], places: Iterable[Place], *, keeps_gaps: bool = False
    ) -> None:
        self._keeps_gaps = keeps_gaps
        self._text = source.text
        self._code = _without_comments(source.text, comments)
        self._attached: dict[int, _AttachedComments] = {}
        root = _tree(places, len(source.text))
        for comment in comments:
            self._attach(comment, root)

    def around(self, place: Place, document: Document) -> Document:
        attached = self._attached.get(id(place))
        return document if attached is None else attached.around(document)

    def _attach(self, comment: Span, root: _Node) -> None:
        container, previous, following = _surroundings(comment, root)
        text = comment.text.rstrip()
        next_to_previous = previous is not None and self._only_separators(previous.end, comment.start)
        next_to_following = following is not None and self._only_separators(comment.end, following.start)
        if previous and next_to_previous and "\n" not in self._code[previous.end : comment.start]:
            self._of(previous).beside.append(Suffix(f"  {text}"))
        elif following and (next_to_following or (previous and not next_to_previous)):
            gap = (self._keeps_gaps or container is root) and blank_line_follows(self._text, comment.end)
            self._of(following).before.append(concat(text, HARD, HARD if gap else ""))
        elif previous and (next_to_previous or following is None):
            gap = (self._keeps_gaps or container is root) and _blank_line_precedes(self._text, comment.start)
            self._of(previous).after.append(concat(HARD, HARD if gap else "", Remark(text)))
        else:
            self._of(container).before.append(concat(text, HARD))

    def _of(self, node: _Node) -> _AttachedComments:
        return self._attached.setdefault(id(node.place), _AttachedComments())

    def _only_separators(self, start: int, end: int) -> bool:
        return _BETWEEN_ITEMS.issuperset(self._code[start:end])


def blank_line_follows(text: str, at: int) -> bool:
    """Returns whether the rest of this line and the next line are empty."""
    return _BLANK_LINE.match(text, at) is not None


def blank_line_between(text: str, first: int, last: int) -> bool:
    """Returns whether there is an empty line in a text between two places, before the first comment that has a line of
    its own."""
    line = text.find("\n", first, last)
    return line >= 0 and _BLANK_LINE.match(text, line, last) is not None


def _blank_line_precedes(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at)
    line_before = text.rfind("\n", 0, max(line, 0))
    return line > 0 and not text[line:at].strip() and not text[line_before + 1 : line].strip()


def _tree(places: Iterable[Place], end: int) -> _Node:
    root = _Node(None, 0, end)
    open_nodes = [root]
    nodes = [_Node(place, place.span.start, place.span.end) for place in places if place.span is not None]
    nodes.reverse()  # printers visit the inner place first; of two with the same text the outer one contains the other
    for node in sorted(nodes, key=lambda node: (node.start, -node.end)):
        while not open_nodes[-1].contains(node.start, node.end):
            open_nodes.pop()
        open_nodes[-1].inside.append(node)
        open_nodes.append(node)
    return root


def _surroundings(comment: Span, root: _Node) -> tuple[_Node, _Node | None, _Node | None]:
    """Returns the innermost place that contains the comment, and in it the place before and the place after."""
    container = root
    while True:
        index = bisect.bisect_right(container.inside, comment.start, key=lambda node: node.start)
        previous = container.inside[index - 1] if index else None
        if previous is None or not previous.contains(comment.start, comment.end):
            following = container.inside[index] if index < len(container.inside) else None
            return container, previous, following
        container = previous


def _without_comments(text: str, comments: Iterable[Span]) -> str:
    """Replaces comments by spaces, so that everything else stays in its place."""
    pieces, at = [], 0
    for comment in comments:
        pieces += [text[at : comment.start], " " * (comment.end - comment.start)]
        at = comment.end
    return "".join([*pieces, text[at:]])


def formatted(
    source: Source,
    diagnostics: Sequence[Diagnostic],
    comments: Sequence[Comment],
    printed: Callable[[Decorate], Document] | None,
    *,
    keeps_gaps: bool = False,
) -> str:
    """Formats a source. `printed` is the program by the printer of its language, None if there are only comments.

    With `keeps_gaps`, blank lines beside comments are kept inside of items too. Refuses what does not parse.
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
    return render(printed(Comments(source, spans, places, keeps_gaps=keeps_gaps).around))
