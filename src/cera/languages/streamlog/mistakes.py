"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from cera.diagnostics import Diagnostic, Source, did_you_mean
from cera.languages.expressions import grammar as expressions
from cera.languages.streamlog.cutting import arrows_joined
from cera.languages.streamlog.syntax import Start
from cera.languages.text.items import MismatchError, Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary
from cera.model.time.timers import SYNONYMS

_LABEL = frozenset({"NAME", "VARIABLE", "STRING"})
_VALUE = expressions.LITERAL | {"NAME", "VARIABLE", "DOTTED", "_DATETIME", "MINUS", "LPAR"}
_TIME = frozenset({"UNBOUNDED", "NOW", "_RANGE", "LSQB", "TIMER"})
_COMPARED = frozenset({"COMPARATOR", "ALLEN_RELATION", "_WITHIN"})

#: Terminals that together are one thing to a reader; the first groups are the larger ones.
GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_VALUE | _TIME | {"_NOT", "KIND", "_WHILE", "_EXISTS", "LBRACE"}, "an atom or a condition"),
    (_VALUE | _TIME | {"KIND", "LBRACE"}, "a condition"),
    (_VALUE | _TIME | {"KIND"}, "an atom or an evaluation time"),
    (_VALUE | _TIME | {"DISTINCT"}, "a value"),
    (_VALUE | _TIME | {"LBRACE"}, "a condition"),
    (_VALUE | _TIME, "a value"),
    (_COMPARED | expressions.ARITHMETIC, "an operator"),
    (expressions.ARITHMETIC, "an operator"),
    (_COMPARED, "a comparison"),
    (_LABEL, "a name"),
)

NAMES: Mapping[str, str] = MappingProxyType(
    {
        **expressions.NAMES,
        "VARIABLE": "a variable",
        "_ARROW": "'<-'",
        "_STOP": "'.'",
        "_SLIDE": "'Slide'",
        "_COMMA_BEFORE_SLIDE": "'Slide'",
        "ALLEN_RELATION": "a relation such as before",
        "TIMER": "a timer",
    }
)

_FIRST = ("','", "')'", "']'", "'}'", "'<-'", "':'", "'('", "'and'", "'or'", "'.'")

#: The words of the language by their terminals, for suggestions.
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "_ORIGIN": ("ORIGIN",),
        "_RELATION": ("relation",),
        "_FROM": ("from",),
        "_REFRESH": ("refresh",),
        "_VALID_FROM": ("valid from",),
        "_BY": ("by",),
        "_UNTIL": ("until",),
        "_AND": ("and",),
        "_OR": ("or",),
        "_NOT": ("not",),
        "_SLIDE": ("Slide",),
        "_WITHIN": ("within",),
        "_GROUP_BY": ("group-by",),
        "MODULO": ("mod",),
        "ALLEN_RELATION": (
            *("before", "after", "meets", "met-by", "overlaps", "overlapped-by", "starts", "started-by", "during"),
            *("contains", "finishes", "finished-by", "equals"),
        ),
    }
)

VOCABULARY = Vocabulary(GROUPS, NAMES, WORDS, _FIRST)
CODES = Codes("SL001", "SL002", "SL003")

#: The signs and words of other languages, with hints for this one.
_HABITS = {
    "&&": "the connective is `and`",
    "&": "the connective is `and`",
    "||": "the connective is `or`",
    "|": "the connective is `or`",
    "!": "a negation is `not p(X)`",
    "->": "a rule is `head <- body`",
    "=>": "a rule is `head <- body`",
    ":-": "a rule is `head <- body`",
    ":=": "a rule is `head <- body`",
    "if": "a rule is `head <- body`",
    "AND": "connectives are written small: `and`",
    "OR": "connectives are written small: `or`",
    "NOT": "connectives are written small: `not`",
    "where": "conditions are joined to the atoms by `and`: p(X) and X > 3",
    "having": "conditions are joined to the atoms by `and`: p(X) and X > 3",
    "range": "a window is written `Range 1h Slide 30min`",
    "slide": "a window is written `Range 1h Slide 30min`",
    "RANGE": "a window is written `Range 1h Slide 30min`",
    "SLIDE": "a window is written `Range 1h Slide 30min`",
    "var": "a variable is a word that begins with a capital letter, without `var`",
    "%": "a comment begins with `#`, and the rest of a division is `mod`",
    "'": 'strings stand in double quotes: "…"',
    "=<": "write `<=`",
    "<-": "a rule has one `<-`; before the next rule stands a full stop",
    ";": "parts of a body are joined by `and`, and a rule ends with a full stop",
    "no": "a negation is `not p(X)`",
    "DETECT": "this looks like XChangeEQ, whose files end in .xceq; a rule is `head <- body` here",
    "RAISE": "this looks like XChangeEQ, whose files end in .xceq; a rule is `head <- body` here",
}
#: Words of other languages that are read as names, so that the mistake is behind them.
_BEFORE = frozenset({"range", "slide", "RANGE", "SLIDE", "var", "no", "DETECT", "RAISE"})
_ARROWS = frozenset({"<-", "←"})
#: The words that stand between two parts of a body.
_BETWEEN = tuple(word for terminal in ("_AND", "_OR", "_WITHIN", "ALLEN_RELATION") for word in WORDS[terminal])


def _hint(piece: Piece[Start], index: int) -> str | None:
    """Returns what to write, by the lexeme that did not fit and those around it."""
    texts = ["", "", *(lexeme.text for lexeme in piece.lexemes), "", ""]
    before, found, following = texts[index + 1], texts[index + 2], texts[index + 3]
    lexeme = piece.lexemes[index]
    in_body = not _ARROWS.isdisjoint(texts[: index + 2])
    if found in ("=>", "=<") and in_body:
        return f"write `{'>=' if found == '=>' else '<='}`"
    if found == "<=" and not in_body:
        return "a rule is `head <- body`"
    if (found, following) == ("<", "-"):
        return "`<-` is written without a space"
    if before in ("and", "or", "mod", "not"):
        return f"an atom or a condition is missing before or after `{before}`"
    if texts[index] == "while":
        return f"a colon is missing before `{found}`: `while i: p(X)`"
    if before == "while":
        return "after `while` stands an evaluation time: `while i: p(X)`"
    if found == "<-" and "<-" not in texts[: index + 2]:
        return "a rule is `head <- body`"
    if found in _HABITS or before in _BEFORE:
        return _HABITS.get(found) or _HABITS[before]
    if lexeme.text[0].isalpha() and not lexeme.text.isascii():
        return f'names are plain letters; other labels and strings are quoted: "{lexeme.text}"'
    if before in ("Range", "Slide"):
        return f"after `{before}` stands a duration: `{before} 30min`"
    if before == "exists":
        return "after `exists` stands how many there are: `exists = 1 p(X)`"
    if found == "[" and before.replace("-", "").isalpha():
        return did_you_mean(before, SYNONYMS) or f"there is no timer `{before}`; one is `extend[i, 1h]`"
    if found == "{" and lexeme.kind == "bracket" and before[-1:].isalnum():
        return "attributes and values stand in parentheses: `p(x(X))`"
    if found == "," and texts[index + 4 : index + 5] == ["within"]:
        return "what lies within a time stands in braces: `{i, j} within 1 min`"
    if found == "," and following:
        return "atoms and conditions are joined by `and`"
    if piece.kind == "declaration":
        relation = 'relation name(attributes) from "…" refresh 1h valid from column by attribute'
        return f'a declaration is `ORIGIN "…"` or `{relation}`'
    if found == "." and not any(each in ("<-", "←") for each in texts[: index + 2]):
        return "a rule is `head <- body`"
    if lexeme.kind in ("word", "string") and before not in ("", ":") and (before[-1:].isalnum() or before in ")]}"):
        if _inside_of_atom(piece, index):
            return f"a comma is missing before `{found}`"
        if lexeme.kind == "word" and (meant := did_you_mean(found, _BETWEEN)) is not None:
            return meant
        if not in_body and piece.kind == "rule":
            return f"`<-` is missing before `{found}`: a rule is `head <- body`"
        return f"`and`, `or` or the full stop of a rule is missing before `{found}`"
    return None


def _inside_of_atom(piece: Piece[Start], index: int) -> bool:
    """Returns whether the innermost bracket that is open here is that of an atom."""
    opened: list[int] = []
    for place, lexeme in enumerate(piece.lexemes[:index]):
        if lexeme.kind == "bracket" and lexeme.text in "([{":
            opened.append(place)
        elif lexeme.kind == "bracket" and opened:
            opened.pop()
    return bool(opened and opened[-1] and piece.lexemes[opened[-1] - 1].kind in ("word", "string"))


_EXPLAINER = Explainer(CODES, VOCABULARY, _hint)


def explained(source: Source, piece: Piece[Start], mismatch: MismatchError) -> list[Diagnostic]:
    """Reports the mistake in a piece. Where a rule may end, it may also go on, which the parser does not list.

    `head :- body` is read as an evaluation time and a negative value; the mistake is the arrow.
    """
    if _ARROWS.isdisjoint(each.text for each in piece.lexemes):
        joined = tuple(arrows_joined(piece.lexemes, ":-"))
        arrow = next((each for each in joined if each.text == ":-"), None)
        if arrow is not None:
            piece = replace(piece, lexemes=joined)
            mismatch = MismatchError(arrow.start - piece.start, frozenset({"_ARROW"}))
    if piece.kind == "rule" and mismatch.accepted <= {"_STOP", "$END"}:
        mismatch = MismatchError(mismatch.position, frozenset({"_AND", "_OR", "_STOP"}))
    return _EXPLAINER(source, piece, mismatch)
