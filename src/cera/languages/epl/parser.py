"""Reading EPL programs. Whatever the text is, what comes out are modules and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of its module and handed to `mistakes`, which says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.epl.cutting import cut
from cera.languages.epl.grammar import parse_tree
from cera.languages.epl.mistakes import explained, not_closed, outside_of_modules
from cera.languages.epl.syntax import Declaration, ItemKind, Module, Rule
from cera.languages.epl.transformer import Item, transform
from cera.languages.text.items import Comment, ItemReader, Piece, scanned
from cera.languages.text.nodes import Identifier


@dataclass(frozen=True)
class Parsed:
    """The modules with the items that could be read, what is wrong with the others, and the comments."""

    modules: tuple[Module, ...]
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


@dataclass
class _Open:
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


def parse(source: Source) -> Parsed:
    lexemes, comments = scanned(source)
    reading = _Reading(source)
    for piece in cut(source.text, lexemes):
        reading.piece(piece)
    reading.close(len(source.text), missing=True)
    return Parsed(tuple(reading.modules), tuple(in_source_order(reading.diagnostics)), comments)


class _Reading:
    def __init__(self, source: Source) -> None:
        self.modules: list[Module] = []
        self.diagnostics: list[Diagnostic] = []
        self._source = source
        self._open: _Open | None = None

    def piece(self, piece: Piece[ItemKind]) -> None:
        match piece.kind:
            case "beginning":
                self.close(piece.start, missing=True)
                name = self._item(piece)
                known = name if isinstance(name, Identifier) else Identifier("", self._span(piece))
                self._open = _Open(known, piece.start)
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
