"""Reading `.dl1s` files. Whatever the text is, what comes out is a program and diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lark import Lark

from cera.datalog.sections import Item, Section, sections
from cera.datalog.syntax import Program, Rule
from cera.diagnostics import Diagnostic, Source, Span
from cera.languages.datalog.directive_transformer import transform
from cera.languages.datalog.transformer import ClauseError, with_stages
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.text.items import Comment, MismatchError, parse_item

_LEXEME = re.compile(
    r"""
      (?P<blank>[\s\ufeff]+)
    | (?P<comment>%[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
    | (?P<number>[0-9]+(?:\.[0-9]+)?)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.(?:[A-Za-z_][A-Za-z0-9_]*|"(?:[^"\\\n]|\\[^\n])*"))?)
    | (?P<stop>\.)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """The characters start to end of a text. `closed` says whether it ends with its full stop."""

    start: int
    end: int
    closed: bool


def clauses(text: str) -> Iterator[Piece]:
    """Yields the rules of a text, from the first character of each to behind its full stop."""
    start: int | None = None
    end = 0
    for lexeme in _LEXEME.finditer(text):
        if lexeme.lastgroup in ("blank", "comment"):
            continue
        start = lexeme.start() if start is None else start
        end = lexeme.end()
        if lexeme.lastgroup == "stop":
            yield Piece(start, end, closed=True)
            start = None
    if start is not None:
        yield Piece(start, end, closed=False)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Returns the begin and end of each comment of a text."""
    return (found.span() for found in _LEXEME.finditer(text) if found.lastgroup == "comment")


_WRITTEN = {
    "_ARROW": "'<-'",
    "_STOP": "'.'",
    "_OR": "'or'",
    "_AND": "'and'",
    "_NOT": "'not'",
    "MODULO": "'mod'",
    "COMPARATOR": "a comparison",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "TIMES": "'*'",
    "DIVIDED_BY": "'/'",
    "NUMBER": "a number",
    "STRING": "a string",
    "TRUE": "'true'",
    "FALSE": "'false'",
    "ATTRIBUTE": "an attribute",
    "ANONYMOUS": "'_'",
    "NAME": "a name",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "COLON": "':'",
    "HYPHENATED": "a function",
    "_MODULE": "'module'",
    "_MONITOR": "'monitor'",
    "_RELATION": "'relation'",
    "_GRANULARITY": "'granularity'",
    "_PARTITION": "'partition by'",
    "_BY": "'by'",
    "_DETECT": "'detect'",
    "_AS": "'as'",
}
#: Where any of these may stand, an atom or a condition begins.
_BEGINNINGS = {"NUMBER", "STRING", "TRUE", "FALSE", "ATTRIBUTE", "ANONYMOUS", "NAME", "LPAR", "MINUS", "_NOT"}
_DIRECTIVES = {"_MODULE", "_MONITOR", "_RELATION", "_GRANULARITY", "_PARTITION", "_DETECT"}
_OPERATORS = {"_OR", "_AND", "MODULO", "COMPARATOR", "PLUS", "MINUS", "TIMES", "DIVIDED_BY"}


@dataclass(frozen=True)
class ParsedModules:
    """The modules with what could be read, what is wrong with the rest, and the comments."""

    modules: tuple[Section, ...]
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """The rules and directives in their order."""
        return tuple(item for module in self.modules for item in module.items)

    @property
    def program(self) -> Program:
        """The rules of all modules; of a file that is one module, its program."""
        return Program(tuple(rule for module in self.modules for rule in module.program.rules))


def parse(source: Source) -> ParsedModules:
    items: list[Item] = []
    diagnostics: list[Diagnostic] = []
    for piece in clauses(source.text):
        try:
            items.append(_parse_item(source, piece))
        except ClauseError as error:
            diagnostics.append(error.diagnostic)
    found = tuple(Comment(source.text[start:end], Span(source, start, end)) for start, end in comments(source.text))
    modules = tuple(_with_stages(section) for section in sections(tuple(items)))
    return ParsedModules(modules, tuple(diagnostics), found)


def _with_stages(section: Section) -> Section:
    """Returns the section with numbers in the place of stages as stages; predicates are those of their module."""
    rules = iter(with_stages(section.program.rules))
    return Section(tuple(next(rules) if isinstance(item, Rule) else item for item in section.items))


def _parse_item(source: Source, piece: Piece) -> Item:
    text = source.text[piece.start : piece.end]
    try:
        tree = parse_item(lark(), text, "item")
    except MismatchError as mismatch:
        raise ClauseError(_unexpected(source, piece, text, mismatch)) from None
    return transform(tree, lambda start, end: Span(source, piece.start + start, piece.start + end))


def _unexpected(source: Source, piece: Piece, text: str, mismatch: MismatchError) -> Diagnostic:
    position = mismatch.position
    at_end = position == len(text)
    found = "the end of the text" if at_end else f"'{_word(text, position)}'"
    length = 1 if at_end else len(_word(text, position))
    start = piece.start + position
    span = Span(source, start, min(start + length, len(source.text)))
    hint = _hint(text, position, at_end)
    expected = _expected(mismatch.accepted)
    message = f"expected {expected}, found {found}" if expected else f"{found} cannot stand here"
    return Diagnostic("DL001", "error", message, span, hint)


def _word(text: str, position: int) -> str:
    end = position + 1
    while end < len(text) and text[position].isalnum() and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[position:end]


def _expected(accepted: frozenset[str]) -> str:
    rest = set(accepted) - {"$END"}
    names = []
    rest -= {"HYPHENATED"}
    if rest >= _DIRECTIVES:
        names.append("a directive")
        rest -= _DIRECTIVES
    if rest >= _BEGINNINGS - {"_NOT"}:
        names.append("a value" if "RPAR" in rest or "_NOT" not in rest else "an atom or a condition")
        rest -= _BEGINNINGS
    if len(rest & _OPERATORS) > 3:
        names.append("an operator")
        rest -= _OPERATORS
    names += sorted(_WRITTEN.get(name, name) for name in rest)
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _hint(text: str, position: int, at_end: bool) -> str | None:
    if at_end:
        return "a rule ends with a full stop"
    here = text[position:]
    if here.startswith(("->", "-->", "=>")):
        return "a rule is written `head <- body.`"
    if here.startswith(("!", "~", "\\+")):
        return "a negation is written `not atom`"
    if here.startswith(("&", ";", "&&")):
        return "the parts of a body are separated by commas"
    if here.startswith("'"):
        return 'a string is written "…"'
    if here.startswith("<-"):
        return "is the full stop of the rule before missing? `X < -1` needs the blank"
    if here.startswith(("#", "//", "/*")):
        return "a comment begins with %"
    return None


@cache
def lark() -> Lark:
    return item_parser(["item"], read_grammar(__package__))
