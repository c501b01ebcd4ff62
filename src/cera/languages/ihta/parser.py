"""Reading IHTA. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, each of which begins with `automaton`, `strict automaton` or `use`, and each is
parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from lark import Lark, Token, Tree

from cera.diagnostics import Diagnostic, Source, Span
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.ihta.json_reader import is_json, read_automata
from cera.languages.ihta.mistakes import CODES, explained
from cera.languages.ihta.syntax import STARTS, Item, LabelText, Program, Start
from cera.languages.ihta.transformer import transform, transform_label
from cera.languages.patterns.grammar import pattern_grammar
from cera.languages.text import items
from cera.languages.text.items import MismatchError, Piece, parse_item, pieces
from cera.languages.text.scanner import Lexeme, scan

ParsedProgram = items.ParsedProgram[Program]


def _explained(source: Source, piece: Piece[Start], mismatch: MismatchError) -> list[Diagnostic]:
    def again(text: str) -> MismatchError | None:
        try:
            parse_tree(text, piece.kind)
        except MismatchError as error:
            return error
        return None

    return explained(source, piece, mismatch, again)


_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, _explained
)


def parse(source: Source) -> ParsedProgram:
    if is_json(source.text):
        program, diagnostics = read_automata(source, _label_in_json)
        return ParsedProgram(program, diagnostics, ())
    return items.read_program(source, Program, cut, _READER)


def _label_in_json(text: str, place: Span) -> tuple[LabelText | None, list[Diagnostic]]:
    """Reads the label that is the value of a JSON string; places are in the string, unless that has escapes."""
    is_plain = place.text[1:-1] == text

    def inside(first: int, last: int) -> Span:
        begin = place.start + 1
        return Span(place.source, begin + first, begin + last) if is_plain else place

    try:
        return transform_label(parse_tree(text, "label"), inside)
    except MismatchError as mismatch:
        label = Source(place.source.name, text)
        piece: Piece[Start] = Piece("label", tuple(each for each in scan(text) if each.kind != "comment"))
        if not piece.lexemes:
            return None, [Diagnostic(CODES.unexpected, "error", "the label is empty", place)]
        return None, [
            replace(each, span=place if each.span is None else inside(each.span.start, each.span.end), notes=())
            for each in explained(label, piece, mismatch, lambda _: None)
        ]


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[Start]]:
    """Returns the items among the lexemes (without comments) of a text."""
    bounds: list[tuple[int, Start]] = []
    depth = 0
    for index, lexeme in enumerate(lexemes):
        if _begins_automaton(lexemes, index):
            bounds.append((index, "automaton"))
            depth = 0
        elif lexeme.text == "use" and depth == 0 and (not bounds or _ends(lexemes[index - 1])):
            bounds.append((index, "use"))
        elif not bounds:
            bounds.append((index, "automaton"))
        depth += (lexeme.text == "{") - (lexeme.text == "}")
    return pieces(lexemes, bounds)


def _ends(lexeme: Lexeme) -> bool:
    """Returns whether an item may end with a lexeme."""
    return lexeme.text in ("}", ";") or lexeme.kind == "string"


def _begins_automaton(lexemes: Sequence[Lexeme], index: int) -> bool:
    """Returns whether an automaton begins here: with `strict`, or without it."""
    following = lexemes[index + 1] if index + 1 < len(lexemes) else None
    if following is None:
        return False
    if lexemes[index].text == "strict":
        return following.text == "automaton"
    before = lexemes[index - 1].text if index else ""
    return lexemes[index].text == "automaton" and following.kind == "word" and before != "strict"


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, pattern_grammar(), read_grammar(__package__))
