"""Reading XChangeEQ programs. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `recovery`, which says why.
"""

from __future__ import annotations

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Source
from cera.languages.text import items
from cera.languages.xchangeeq.cutting import Piece, cut
from cera.languages.xchangeeq.grammar import parse_tree
from cera.languages.xchangeeq.misreadings import misread
from cera.languages.xchangeeq.recovery import diagnose
from cera.languages.xchangeeq.syntax import Item, ProgramSyntax
from cera.languages.xchangeeq.transformer import transform

Parsed = items.Parsed[ProgramSyntax]


def parse(source: Source) -> Parsed:
    return items.read_program(source, ProgramSyntax, cut, _READER)


def _transform(tree: Tree[Token], place: items.Place) -> tuple[Item | None, list[Diagnostic]]:
    item, problems = transform(tree, place)
    return item, problems if item is None else [*problems, *misread(item)]


_READER: items.ItemReader[Piece, Item] = items.ItemReader(
    lambda text, _: parse_tree(text), _transform, lambda source, piece, _: diagnose(source, piece)
)
