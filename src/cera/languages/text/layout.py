"""Documents and how they are laid out on lines (Wadler, "A prettier printer").

A document is text with places where a line may end. A group is written on one line if it fits and nothing in it
forces a break, else every line of the group that is not inside a smaller group ends where it may. The printers of the
languages make documents; `render` makes text of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WIDTH = 100
INDENTATION = 2


@dataclass(frozen=True)
class Line:
    """A place where a line may end; `flat` is what stands there when it does not. None: it always ends."""

    flat: str | None


@dataclass(frozen=True)
class Suffix:
    """Text that stands at the end of the line it falls on, after whatever else comes there; the line must end soon."""

    text: str


@dataclass(frozen=True)
class Remark:
    """Text after which nothing may stand on its line: what follows goes to the next one."""

    text: str


# Groups that must break are found from the inside out, so that documents may be deep.


@dataclass(frozen=True)
class Concat:
    parts: tuple[Document, ...]
    forced: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "forced", any(map(forced, self.parts)))


@dataclass(frozen=True)
class Indent:
    content: Document
    forced: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "forced", forced(self.content))


@dataclass(frozen=True)
class Group:
    content: Document
    forced: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "forced", forced(self.content))


Document = str | Line | Suffix | Remark | Concat | Indent | Group

SPACE = Line(" ")
SOFT = Line("")
HARD = Line(None)


def forced(document: Document) -> bool:
    """Returns whether the document cannot stand on one line."""
    match document:
        case str():
            return False
        case Line():
            return document.flat is None
        case Suffix() | Remark():
            return True
        case Concat() | Indent() | Group():
            return document.forced


def concat(*parts: Document) -> Document:
    return Concat(parts)


def join(separator: Document, parts: Iterable[Document]) -> Document:
    joined: list[Document] = []
    for part in parts:
        joined += [separator, part] if joined else [part]
    return Concat(tuple(joined))


def bracket(opening: str, items: Sequence[Document], closing: str, edge: Line = SOFT) -> Document:
    """Returns `opening item, item closing`, or one item a line; `edge` stands inside of the brackets."""
    if not items:
        return opening + closing
    listed = join(Concat((",", SPACE)), items)
    return Group(Concat((opening, Indent(Concat((edge, listed))), edge, closing)))


def render(document: Document, width: int | None = WIDTH) -> str:
    """Renders the document as text with lines of at most `width` characters where that is possible; None: no limit."""
    written: list[str] = []
    suffixes: list[str] = []
    column, margin = 0, 0
    remarked = False
    todo: list[tuple[int, bool, Document]] = [(0, True, document)]
    while todo:
        indentation, broken, current = todo.pop()
        match current:
            case "":
                pass
            case str() | Remark():
                text = current if isinstance(current, str) else current.text
                if remarked:
                    written += [*suffixes, "\n"]
                    suffixes.clear()
                    column, margin = 0, indentation
                if column == 0:
                    written.append(" " * margin)
                    column = margin
                written.append(text)
                column += len(text)
                remarked = isinstance(current, Remark)
            case Suffix():
                suffixes.append(current.text)
            case Line():
                if broken or current.flat is None:
                    written += [*suffixes, "\n"]
                    suffixes.clear()
                    column, margin = 0, indentation
                    remarked = False
                else:
                    todo.append((indentation, broken, current.flat))
            case Concat():
                todo += [(indentation, broken, part) for part in reversed(current.parts)]
            case Indent():
                todo.append((indentation + INDENTATION, broken, current.content))
            case Group():
                room = None if width is None else width - (column or margin)
                fits = not current.forced and _fits(current.content, room, todo)
                todo.append((indentation, not fits, current.content))
    return "".join([*written, *suffixes])


def _fits(document: Document, room: int | None, rest: Sequence[tuple[int, bool, Document]]) -> bool:
    """Returns whether the document on one line, and all up to the next end of a line, needs at most `room`."""
    if room is None:
        return True
    todo = [(False, document)]
    following = len(rest)
    while room >= 0:
        if not todo:
            if following == 0:
                return True
            following -= 1
            todo.append(rest[following][1:])
        broken, current = todo.pop()
        match current:
            case str():
                room -= len(current)
            case Suffix():
                pass
            case Remark():
                return True
            case Line():
                if broken or current.flat is None:
                    return True
                room -= len(current.flat)
            case Concat():
                todo += [(broken, part) for part in reversed(current.parts)]
            case Indent():
                todo.append((broken, current.content))
            case Group():
                todo.append((broken or current.forced, current.content))
    return False
