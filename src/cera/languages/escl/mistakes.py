"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import get_args

from cera.constraints.queries import COMBINATIONS, Direction
from cera.diagnostics import Diagnostic, Note, Source, Span
from cera.languages.escl.hints import hint
from cera.languages.escl.syntax import Start
from cera.languages.expressions import grammar
from cera.languages.text.items import MismatchError, Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary
from cera.languages.text.scanner import Lexeme
from cera.model.time.allen import RELATIONS

_VALUE = grammar.LITERAL | {"NAME", "VARIABLE", "DOTTED", "_DATETIME", "MINUS", "LPAR"}
_TIME = frozenset({"UNBOUNDED", "NOW", "_RANGE", "LSQB", "TIMER", "COMBINATION"})
_QUERY = _VALUE | _TIME | {"_NOT", "KIND", "_WHILE", "_EXISTS", "LBRACE"}
_COMPARED = frozenset({"COMPARATOR", "ALLEN_RELATION", "DIRECTION"})
_SET = frozenset({"_MODULE", "_LET", "_IN_ANY_CASE", "_IF", "_CONSTRAINT", "LPAR"})
_AMOUNT = frozenset({"BOUND", "_NO", "NUMBER", "VARIABLE", "DURATION", "LENGTH", "LPAR"})

#: Terminals that together are one thing to a reader; the first groups are the larger ones.
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_QUERY, "an atom or a condition"),
    (_VALUE | _TIME | {"KIND"}, "an event, a state, a timer or a window"),
    (_VALUE | _TIME | {"DISTINCT"}, "a value"),
    (_VALUE | _TIME, "a value"),
    (_SET, "a module or a constraint"),
    (_AMOUNT, "a duration, a length or a number of events"),
    (frozenset({"BOUND", "DURATION", "LENGTH", "LPAR"}), "a duration such as max 10 min"),
    (_COMPARED | grammar.ARITHMETIC, "an operator"),
    (grammar.ARITHMETIC, "an operator"),
    (_COMPARED, "a comparison"),
    (frozenset({"_WITHIN", "_APART_BY", "_SENT_FROM"}), "'within', 'apart-by' or 'sent from'"),
    (frozenset({"STRING", "SAME", "NEIGHBOUR"}), "a place such as the same room"),
    (frozenset({"NAME", "VARIABLE", "STRING"}), "a name"),
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **grammar.NAMES,
        "VARIABLE": "a variable",
        "HYPHENED": "a name",
        "_IN_ANY_CASE": "'IN ANY CASE'",
        "_MODULE": "'WHILE'",
        "_STOP": "'.'",
        "_SLIDE": "'Slide'",
        "_COMMA_BEFORE_SLIDE": "'Slide'",
        "_AND_BOUND": "'and'",
        "_OR_BOUND": "'or'",
        "ALLEN_RELATION": "a relation such as before",
        "DIRECTION": "a direction such as south of",
        "TIMER": "a timer",
        "BOUND": "'min' or 'max'",
        "LENGTH": "a length such as 100 m",
        "COMBINATION": "'each'",
        "KIND": "'event:' or 'state:'",
    }
)

#: The words of the language by their terminals, for suggestions.
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "_MODULE": ("WHILE",),
        "_LET": ("LET",),
        "_IN": ("IN",),
        "_END": ("END",),
        "_DETECT": ("DETECT",),
        "_ON": ("ON",),
        "_IF": ("IF",),
        "_THEN": ("THEN",),
        "_IN_ANY_CASE": ("IN ANY CASE",),
        "_CONSTRAINT": ("CONSTRAINT",),
        "_ORIGIN": ("ORIGIN",),
        "_RELATION": ("relation",),
        "_FROM": ("from",),
        "_REFRESH": ("refresh",),
        "_VALID_FROM": ("valid from",),
        "_BY": ("by",),
        "_AND": ("and",),
        "_OR": ("or",),
        "_NOT": ("not",),
        "_WHILE": ("while",),
        "_EXISTS": ("exists",),
        "_WITHIN": ("within",),
        "_APART_BY": ("apart-by",),
        "_SENT_FROM": ("sent from",),
        "_GROUP_BY": ("group-by",),
        "_SLIDE": ("Slide",),
        "_NO": ("no",),
        "BOUND": ("min", "max", "exact"),
        "COMBINATION": COMBINATIONS,
        "SAME": ("the same room", "the same area"),
        "NEIGHBOUR": ("neighbour rooms", "neighbour areas"),
        "MODULO": ("mod",),
        "ALLEN_RELATION": tuple(RELATIONS),
        "DIRECTION": tuple(f"{each} of" for each in get_args(Direction)),
        "TRUE": ("true",),
        "FALSE": ("false",),
    }
)

_FIRST = ("'END'", "','", "')'", "']'", "'}'", "':'", "'LET'", "'THEN'", "'IN'", "'and'", "'or'")

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)
CODES = Codes("EC001", "EC002", "EC003")


def explained(source: Source, piece: Piece[Start], mismatch: MismatchError) -> list[Diagnostic]:
    """Reports the mistake in a piece; one that goes on to the end lacks the `END` of something."""
    words = VOCABULARY.keywords(mismatch.accepted)

    def hinted(each: Piece[Start], index: int) -> str | None:
        return hint(each, index, words)

    found = Explainer(CODES, VOCABULARY, hinted)(source, piece, mismatch)
    at_end = mismatch.position >= piece.end - piece.start
    if at_end and "_END" in mismatch.accepted and found[0].code == CODES.unexpected:
        opened = _not_closed(piece)
        if opened is not None:
            word = piece.lexemes[opened].text
            place = Span(source, piece.lexemes[opened].start, piece.lexemes[opened].end)
            note = Note(f"`{word}` begins here", place)
            last = Span(source, piece.lexemes[-1].start, piece.lexemes[-1].end)
            return [Diagnostic(CODES.not_closed, "error", f"`{word}` has no `END`", last, "write `END`", (note,))]
    return found


#: Words that begin something that `END` closes.
OPENING = frozenset({"WHILE", "IF", "DETECT"})


def _not_closed(piece: Piece[Start]) -> int | None:
    """Returns the last word that begins something without an `END`."""
    opened: list[int] = []
    for index in range(len(piece.lexemes)):
        step = nesting(piece.lexemes, index)
        if step > 0:
            opened.append(index)
        elif step < 0 and opened:
            opened.pop()
    return opened[-1] if opened else None


def nesting(lexemes: Sequence[Lexeme], index: int) -> int:
    """Returns 1 where something begins that `END` closes, -1 at an `END`, else 0."""
    text, *following = (lexeme.text for lexeme in lexemes[index : index + 3])
    if text == "END":
        return -1
    if text in OPENING or (text == "IN" and following == ["ANY", "CASE"]):
        return 1
    return 1 if text == "LET" and following[:1] == ["DETECT"] else 0
