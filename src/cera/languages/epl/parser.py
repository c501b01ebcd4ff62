"""Reading EPL programs. Whatever the text is, what comes out are modules and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of its module and handed to `mistakes`, which says why.

A declaration begins with its keyword, a rule with its name and a colon, a module ends with `end`. What lies inside of
brackets does not count, unless it stands at the beginning of a line where it could not be a part of the rule before:
so a bracket that is not closed spoils one rule only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from lark import Lark, Token, Tree

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.epl.mistakes import explained, not_closed, outside_of_modules
from cera.languages.epl.syntax import Declaration, ItemKind, Module, Rule
from cera.languages.epl.transformer import Item, transform
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.text.items import Comment, ItemReader, Piece, parse_item, pieces, scanned
from cera.languages.text.nodes import Identifier
from cera.languages.text.scanner import Lexeme


@dataclass(frozen=True)
class ParsedModules:
    """The modules with the items that could be read, what is wrong with the others, and the comments."""

    modules: tuple[Module, ...]
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


@dataclass
class _OpenModule:
    """A module that is being read."""

    name: Identifier
    start: int
    declarations: list[Declaration] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    def closed(self, source: Source, end: int) -> Module:
        return Module(self.name, tuple(self.declarations), tuple(self.rules), Span(source, self.start, end))


_READER: ItemReader[Piece[ItemKind], Item] = ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)


def parse(source: Source) -> ParsedModules:
    lexemes, comments = scanned(source)
    reader = _ModuleReader(source)
    for piece in cut(source.text, lexemes):
        reader.piece(piece)
    reader.close(len(source.text), missing=True)
    return ParsedModules(tuple(reader.modules), tuple(in_source_order(reader.diagnostics)), comments)


class _ModuleReader:
    def __init__(self, source: Source) -> None:
        self.modules: list[Module] = []
        self.diagnostics: list[Diagnostic] = []
        self._source = source
        self._open: _OpenModule | None = None

    def piece(self, piece: Piece[ItemKind]) -> None:
        match piece.kind:
            case "beginning":
                self.close(piece.start, missing=True)
                name = self._item(piece)
                known = name if isinstance(name, Identifier) else Identifier("", self._span(piece))
                self._open = _OpenModule(known, piece.start)
            case "end":
                if self._open is None or len(piece.lexemes) > 2:
                    self.diagnostics.append(outside_of_modules(self._source, piece))
                self.close(piece.end, missing=False)
            case "declaration" | "rule" if self._open is not None:
                match self._item(piece):
                    case Rule() as rule:
                        self._open.rules.append(rule)
                    case None | Identifier():
                        pass
                    case declaration:
                        self._open.declarations.append(declaration)
            case _:
                self.diagnostics.append(outside_of_modules(self._source, piece))

    def close(self, end: int, *, missing: bool) -> None:
        if self._open is None:
            return
        module = self._open.closed(self._source, end)
        if missing:
            self.diagnostics.append(not_closed(module))
        self.modules.append(module)
        self._open = None

    def _item(self, piece: Piece[ItemKind]) -> Item | None:
        item, problems = _READER.read(self._source, piece)
        self.diagnostics += problems
        return item

    def _span(self, piece: Piece[ItemKind]) -> Span:
        return Span(self._source, piece.start, piece.end)


DECLARATIONS = ("monitor", "relation", "granularity", "partition")

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")

#: The signs that can follow a label, so that `relation & A` is an event.
_AFTER_LABELS = (":", "(", ")", ",", "]", "}", "&", ";", "")


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[ItemKind]]:
    """Returns the items among the lexemes (without comments) of a text."""
    bounds: list[tuple[int, ItemKind]] = []
    opened: list[int] = []
    inside, closed = False, False
    for index, lexeme in enumerate(lexemes):
        kind = _kind_of(text, lexemes, index, opened)
        if kind == "rule" and bounds and bounds[-1] == (index - 1, "rule"):
            kind = None  # the second word of a name
        if kind is None and (index == 0 or closed) and lexeme.text not in (".", ";"):
            kind = "stray" if not inside else _unmarked(lexemes, index)
        if kind is not None:
            bounds.append((index, kind))
            opened.clear()
            inside = kind != "end" and (inside or kind == "beginning")
        if lexeme.text in _OPENING:
            opened.append(index)
        elif lexeme.text in _CLOSING and opened:
            opened.pop()
        closed = _closes(bounds, lexemes, index, len(opened))
    return pieces(lexemes, bounds)


def _kind_of(text: str, lexemes: Sequence[Lexeme], index: int, opened: Sequence[int]) -> ItemKind | None:
    lexeme = lexemes[index]
    if lexeme.kind != "word":
        return None
    following = lexemes[index + 1].text if index + 1 < len(lexemes) else ""
    preceding = lexemes[index - 1].text if index else ""
    leads_line = not text[text.rfind("\n", 0, lexeme.start) + 1 : lexeme.start].strip()
    if opened and (not leads_line or _is_head(lexemes, opened[-1])):
        return None
    if lexeme.text == "begin" and following not in (":", "("):
        return "beginning"
    if lexeme.text == "end" and following in (".", "", "begin"):
        return "end"
    if lexeme.text in DECLARATIONS and not opened and following not in _AFTER_LABELS and preceding != ":":
        return "declaration"
    if following == ":" and preceding != "*":
        return "rule"
    two_words = index + 2 < len(lexemes) and lexemes[index + 1].kind == "word" and lexemes[index + 2].text == ":"
    return "rule" if two_words and leads_line and not opened else None


def _is_head(lexemes: Sequence[Lexeme], opening: int) -> bool:
    """Returns whether the bracket is the one of `as label(`, in which names stand before colons, too."""
    return opening >= 2 and lexemes[opening - 2].text == "as"


def _unmarked(lexemes: Sequence[Lexeme], index: int) -> ItemKind:
    """Returns the kind of an item that follows a closed one unmarked: most likely a rule with a wrong name."""
    rest = [lexeme.text for lexeme in lexemes[index : index + 4]]
    return "rule" if ":" in rest or "->" in [lexeme.text for lexeme in lexemes[index : index + 60]] else "declaration"


def _closes(bounds: Sequence[tuple[int, ItemKind]], lexemes: Sequence[Lexeme], index: int, depth: int) -> bool:
    """Returns whether the item ends with this lexeme."""
    if not bounds:
        return False
    first, kind = bounds[-1]
    following = lexemes[index + 1].text if index + 1 < len(lexemes) else ""
    match kind:
        case "beginning":
            return index == first + 1
        case "declaration":
            return depth == 0 and lexemes[index].text == ";"
        case "rule":
            at_line_end = lexemes[index].text == "." and lexemes[index + 1 : index + 2] != []
            after_attribute = index + 1 < len(lexemes) and lexemes[index + 1].start == lexemes[index].end
            return depth == 0 and at_line_end and not after_attribute
        case "end":
            return lexemes[index].text == "." or following != "."
        case "stray":
            return False


STARTS = ("beginning", "declaration", "rule")


def parse_tree(text: str, start: str) -> Tree[Token]:
    """Returns Lark's tree of one item; `start` is one of STARTS."""
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, read_grammar(__package__))
