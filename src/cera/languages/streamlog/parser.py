"""Reading StreamLog. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from lark import Lark, Token, Tree

from cera.diagnostics import Notation, Source
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.streamlog.cutting import cut
from cera.languages.streamlog.mistakes import explained
from cera.languages.streamlog.syntax import STARTS, Item, Program, Start, program_of
from cera.languages.streamlog.transformer import transform
from cera.languages.text import items
from cera.languages.text.items import parse_item

ParsedProgram = items.ParsedProgram[Program]

_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)


#: How messages about rules speak of them.
NOTATION = Notation(
    _variable="NAME",
    _queried="NAME(VARIABLE)",
    _derived="NAME(VARIABLE)",
    _rows="`NAME(…)` in a file of the language that declares it",
    _outside="",
    _in_state="while STATE: EVENT(…)",
    start="an event or a state",
    begin="b",
)


def parse(source: Source) -> ParsedProgram:
    return items.read_program(replace(source, notation=NOTATION), program_of, cut, _READER)


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, read_grammar("cera.languages.atoms", "atoms.lark"), read_grammar(__package__))
