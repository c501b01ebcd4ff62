"""Reading a text item by item, so that one that is broken does not take the others with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.text.item_grammar import MismatchError
from cera.languages.text.scanner import Lexeme, scan

Item = TypeVar("Item")

#: From two offsets in the text of an item to the place between them.
Place = Callable[[int, int], Span]


@dataclass(frozen=True)
class Comment:
    """`# …` or `/* … */`, with its marks."""

    text: str
    span: Span = field(compare=False, repr=False)


class Piece(Protocol):
    """The text that is to be read as one item."""

    @property
    def lexemes(self) -> Sequence[Lexeme]: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


Cut = TypeVar("Cut", bound=Piece)


@dataclass(frozen=True)
class Read(Generic[Item]):
    """The items that could be read, what is wrong with the others, and the comments."""

    items: tuple[Item, ...]
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


def read_items(
    source: Source,
    cut: Callable[[str, Sequence[Lexeme]], Sequence[Cut]],
    parse_tree: Callable[[str, Cut], Tree[Token]],
    transform: Callable[[Tree[Token], Place], tuple[Item | None, list[Diagnostic]]],
    explained: Callable[[Source, Cut, MismatchError], Diagnostic],
) -> Read[Item]:
    """`cut` finds the items among the lexemes without comments; what has no tree is `explained`."""
    lexemes, comments = scanned(source)
    items: list[Item] = []
    diagnostics: list[Diagnostic] = []
    for piece in cut(source.text, lexemes):
        try:
            tree = parse_tree(source.text[piece.start : piece.end], piece)
        except MismatchError as mismatch:
            diagnostics.append(explained(source, piece, mismatch))
            continue
        item, problems = transform(tree, places(source, piece.start))
        items += [] if item is None else [item]
        diagnostics += problems
    return Read(tuple(items), tuple(in_source_order(diagnostics)), comments)


def scanned(source: Source) -> tuple[list[Lexeme], tuple[Comment, ...]]:
    """Returns the lexemes of a source without its comments, and the comments."""
    lexemes = list(scan(source.text))
    comments = tuple(
        Comment(lexeme.text, Span(source, lexeme.start, lexeme.end)) for lexeme in lexemes if lexeme.kind == "comment"
    )
    return [lexeme for lexeme in lexemes if lexeme.kind != "comment"], comments


def places(source: Source, begin: int) -> Place:
    """Returns where something is that stands from `first` to `last` in the text of an item."""
    return lambda first, last: Span(source, begin + first, begin + last)
