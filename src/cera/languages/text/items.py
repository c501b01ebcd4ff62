"""Reading a text item by item, so that one that is broken does not take the others with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.text.scanner import Lexeme, scan


class MismatchError(Exception):
    """A text is not an item: `position` is where reading stopped, `accepted` the terminals that could have followed."""

    def __init__(self, position: int, accepted: frozenset[str]) -> None:
        super().__init__(f"at {position}: expected one of {', '.join(sorted(accepted))}")
        self.position = position
        self.accepted = accepted


def parse_item(parser: Lark, text: str, start: str) -> Tree[Token]:
    """Returns Lark's tree of one item. Raises MismatchError if the text is not an item."""
    try:
        return parser.parse(text, start=start)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        position = len(text) if at_end else error.pos_in_stream
        accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
        raise MismatchError(position or 0, frozenset(accepted)) from None


#: From two offsets in the text of an item to the place between them.
Place = Callable[[int, int], Span]


@dataclass(frozen=True)
class Comment:
    """`# …`, `% …` or `/* … */`, with its marks."""

    text: str
    span: Span = field(compare=False, repr=False)


class Extent(Protocol):
    """The text that is to be read as one item."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


Kind = TypeVar("Kind", bound=str)


@dataclass(frozen=True)
class Piece(Generic[Kind]):
    """The lexemes that are to be read as one item of a kind."""

    kind: Kind
    lexemes: tuple[Lexeme, ...]

    @property
    def start(self) -> int:
        return self.lexemes[0].start

    @property
    def end(self) -> int:
        return self.lexemes[-1].end


Cut = TypeVar("Cut", bound=Extent)
Item = TypeVar("Item")
Program = TypeVar("Program")


@dataclass(frozen=True)
class ParsedProgram(Generic[Program]):
    """The program of the items that could be read, what is wrong with the others, and the comments."""

    program: Program
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


@dataclass(frozen=True)
class ItemReader(Generic[Cut, Item]):
    """Reader of single items of a language: to a tree, to a node of its syntax, or to the reasons why it has none."""

    parse_tree: Callable[[str, Cut], Tree[Token]]
    transform: Callable[[Tree[Token], Place], tuple[Item | None, list[Diagnostic]]]
    explained: Callable[[Source, Cut, MismatchError], list[Diagnostic]]

    def read(self, source: Source, piece: Cut) -> tuple[Item | None, list[Diagnostic]]:
        """Returns the item of a piece, or None and what is wrong with it."""
        try:
            tree = self.parse_tree(source.text[piece.start : piece.end], piece)
        except MismatchError as mismatch:
            return None, self.explained(source, piece, mismatch)
        begin = piece.start
        return self.transform(tree, lambda first, last: Span(source, begin + first, begin + last))


def read_program(
    source: Source,
    program: Callable[[tuple[Item, ...]], Program],
    cut: Callable[[str, Sequence[Lexeme]], Sequence[Cut]],
    reader: ItemReader[Cut, Item],
) -> ParsedProgram[Program]:
    """Returns the program of the items that `cut` finds among the lexemes of a source."""
    lexemes, comments = scanned(source)
    items: list[Item] = []
    diagnostics: list[Diagnostic] = []
    for piece in cut(source.text, lexemes):
        item, problems = reader.read(source, piece)
        items += [] if item is None else [item]
        diagnostics += problems
    return ParsedProgram(program(tuple(items)), tuple(in_source_order(diagnostics)), comments)


def scanned(source: Source) -> tuple[list[Lexeme], tuple[Comment, ...]]:
    """Returns the lexemes of a source without its comments, and the comments."""
    lexemes = list(scan(source.text))
    comments = tuple(
        Comment(lexeme.text, Span(source, lexeme.start, lexeme.end)) for lexeme in lexemes if lexeme.kind == "comment"
    )
    return [lexeme for lexeme in lexemes if lexeme.kind != "comment"], comments


def pieces(lexemes: Sequence[Lexeme], beginnings: Sequence[tuple[int, Kind]]) -> list[Piece[Kind]]:
    """Returns the lexemes cut at the beginnings of items, which are given with the kinds of these."""
    ends = [*(index for index, _ in beginnings[1:]), len(lexemes)]
    return [Piece(kind, tuple(lexemes[first:end])) for (first, kind), end in zip(beginnings, ends, strict=False)]
