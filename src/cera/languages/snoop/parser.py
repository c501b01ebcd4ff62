"""Reading Snoop. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.
"""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.cet.syntax import Start
from cera.languages.snoop.cutting import cut
from cera.languages.snoop.grammar import parse_tree
from cera.languages.snoop.mistakes import explained
from cera.languages.snoop.syntax import Item, Program
from cera.languages.snoop.transformer import transform
from cera.languages.text import items

Parsed = items.Parsed[Program]

_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)


def parse(source: Source) -> Parsed:
    return items.read_program(source, Program, cut, _READER)
