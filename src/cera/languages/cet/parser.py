"""Reading complex event types. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.
"""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.cet.cutting import cut
from cera.languages.cet.grammar import parse_tree
from cera.languages.cet.mistakes import explained
from cera.languages.cet.syntax import Item, Program, Start
from cera.languages.cet.transformer import transform
from cera.languages.text import items

Parsed = items.Parsed[Program]

_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)


def parse(source: Source) -> Parsed:
    return items.read_program(source, Program, cut, _READER)
