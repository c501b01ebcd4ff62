"""Reading complex event types. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.diagnostics import Diagnostic, Source
from cera.languages.cet.cutting import cut
from cera.languages.cet.grammar import parse_tree
from cera.languages.cet.mistakes import explained
from cera.languages.cet.syntax import Item, Program
from cera.languages.cet.transformer import transform
from cera.languages.text.items import Comment, Read, read_items


@dataclass(frozen=True)
class Parsed:
    """The items that could be read, what is wrong with the others, and the comments."""

    program: Program
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


def parse(source: Source) -> Parsed:
    read: Read[Item] = read_items(source, cut, lambda text, piece: parse_tree(text, piece.kind), transform, explained)
    return Parsed(Program(read.items), read.diagnostics, read.comments)
