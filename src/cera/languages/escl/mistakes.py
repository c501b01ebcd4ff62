"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cera.constraints.queries import COMBINATIONS
from cera.diagnostics import Diagnostic, Note, Source, Span, did_you_mean
from cera.languages.escl.syntax import Start
from cera.languages.expressions import grammar
from cera.languages.text.items import MismatchError, Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary
from cera.languages.text.scanner import Lexeme
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import SYNONYMS

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
        "TRUE": ("true",),
        "FALSE": ("false",),
    }
)

_FIRST = ("'END'", "','", "')'", "']'", "'}'", "':'", "'LET'", "'THEN'", "'IN'", "'and'", "'or'")

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)
CODES = Codes("EC001", "EC002", "EC003")

_AND = "the connective is `and`"
_OR = "the connective is `or`"
#: The signs and words of other languages, with hints for this one.
_HABITS = {
    **dict.fromkeys(("&&", "&", "AND", "^"), _AND),
    **dict.fromkeys(("||", "|", "OR"), _OR),
    "!": "a negation is `not p(X)`",
    "NOT": "a negation is `not p(X)`",
    "=>": "a rule is `IF … THEN … END`",
    "->": "a rule is `IF … THEN … END`",
    "<-": "a rule is `IF … THEN … END`",
    "if": "keywords of constraints are written large: `IF`",
    "then": "keywords of constraints are written large: `THEN`",
    "end": "keywords of constraints are written large: `END`",
    "let": "keywords of constraints are written large: `LET`",
    "where": "conditions are joined to the atoms by `and`: p(X) and X > 3",
    "var": "a variable is a word that begins with a capital letter, without `var`",
    "'": 'strings stand in double quotes: "…"',
    "=<": "write `<=`",
    "range": "a window is written `Range 1h Slide 30min`",
    "RANGE": "a window is written `Range 1h Slide 30min`",
    "ELSE": "a rule has no other case: write a second one",
}
_BEFORE = frozenset({"range", "RANGE", "var", "NOT", "if"})
#: Words that begin something that `END` closes.
OPENING = frozenset({"WHILE", "IF", "DETECT"})
#: Words that are not misspelt ones.
_KEYWORDS = OPENING | {"event", "state", "exists", "while", "not", "no", "THEN", "END", "LET", "IN", "ON", "CONSTRAINT"}
_BETWEEN = ("and", "or", "within", "apart-by", "group-by", "THEN", "END", "LET", *RELATIONS)


def _hint(piece: Piece[Start], index: int) -> str | None:
    """Returns what to write, by the lexeme that did not fit and those around it."""
    texts = ["", "", *(lexeme.text for lexeme in piece.lexemes), "", ""]
    before, found = texts[index + 1], texts[index + 2]
    lexeme = piece.lexemes[index]
    if piece.kind == "declaration":
        relation = 'relation name(attributes) from "…" refresh 1h valid from column by attribute'
        return f'a declaration is `ORIGIN "…"` or `{relation}`'
    if found in _HABITS or before in _BEFORE:
        return _HABITS.get(found) or _HABITS[before]
    if found == "THEN" and "CASE" in texts[: index + 2]:
        return "a fact is `IN ANY CASE … END`, and a rule `IF … THEN … END`"
    if found == "END" and "IF" in texts and "THEN" not in texts[: index + 2]:
        return "a rule is `IF … THEN … END`"
    if before == "CONSTRAINT" and found in _KEYWORDS and texts[index + 3] == ":":
        return f"the name of a constraint is missing; one that is called `{found}` stands in quotes"
    if found in ("WHILE", "LET") and before == ":" and texts[index - 1] == "CONSTRAINT":
        return f"constraints are named inside of a module: `WHILE … LET CONSTRAINT {texts[index]}: IF … END END`"
    if texts[index] == "CONSTRAINT" or before == "CONSTRAINT":
        return "a constraint is named before a colon: `CONSTRAINT fair: IF …`"
    if found in ("IF", "IN", "WHILE", "CONSTRAINT") and "DETECT" in texts and "IN" not in texts[: index + 2]:
        return "`IN` is missing: `LET DETECT … END IN … END`"
    if texts[index] == "while":
        return f"after `while` stands an identifier, or one of {', '.join(COMBINATIONS)} before braces"
    if found == "." and texts[index + 3 : index + 5] == [".", "."]:
        return "what is left out cannot be read: write it, or a comment"
    if before in ("and", "or", "not"):
        return f"an atom or a condition is missing after `{before}`"
    if before == "exists":
        return "after `exists` stands how many there are: `exists >= 1 p(X)`, `exists (= 0 or >= 3) p(X)`"
    if before == "while":
        return "after `while` stands an identifier: `while i: p(X)`, `while each{i, j}: p(X)`"
    if before == "WHILE":
        return "after `WHILE` stands the time of a module: `WHILE state: p(X) LET … END`"
    if before in ("Range", "Slide"):
        return f"after `{before}` stands a duration: `{before} 30min`"
    if found in ("IF", "IN", "WHILE", "CONSTRAINT", "LET") and before in ("END", ")"):
        return "constraints are joined by `and` or `or`; a module ends with `END`"
    if found in ("THEN", "END", "LET") and before in ("IF", "CASE", "THEN", "LET"):
        return f"something is missing after `{before}`"
    if found == "[" and before.replace("-", "").isalpha():
        return did_you_mean(before, SYNONYMS) or f"there is no timer `{before}`; one is `extend[i, 1h]`"
    if found == "{" and before[-1:].isalnum():
        return did_you_mean(before, COMBINATIONS) or "attributes and values stand in parentheses: `p(x(X))`"
    if found == ",":
        return "atoms and conditions are joined by `and`"
    if lexeme.kind in ("word", "string") and before not in ("", ":") and (before[-1:].isalnum() or before in ")]}"):
        meant = None if found in _KEYWORDS else did_you_mean(found, _BETWEEN)
        return meant or f"`and`, `or` or `END` is missing before `{found}`"
    return None


_EXPLAINER = Explainer(CODES, VOCABULARY, _hint)


def explained(source: Source, piece: Piece[Start], mismatch: MismatchError) -> list[Diagnostic]:
    """Reports the mistake in a piece; one that goes on to the end lacks the `END` of something."""
    found = _EXPLAINER(source, piece, mismatch)
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
