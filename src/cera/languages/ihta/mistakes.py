"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from cera.diagnostics import Diagnostic, Source, did_you_mean
from cera.languages.expressions import grammar
from cera.languages.ihta.syntax import Start
from cera.languages.text.items import MismatchError, Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary, without_unit
from cera.languages.text.scanner import Lexeme

_VALUE = grammar.LITERAL | {"NAME", "CAPITAL", "DECLARED", "MINUS", "LPAR"}
#: The labels of patterns, which stand where a value does as well.
_LABEL = frozenset({"NAME", "CAPITAL", "STRING", "ANY_LABEL", "REGEX"})
_PATTERN = _LABEL | {"VARIABLE", "_DESC", "SIGNED_NUMBER", "TRUE", "FALSE"}
_MEMBER = frozenset({"ROLE", "_STATE", "_SCHEMA", "ENTER", "NAME", "CAPITAL", "DOTTED"})

_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_MEMBER, "a state or a transition"),
    (_VALUE | _LABEL | {"_NOT"}, "an event or a constraint"),
    (_VALUE | _LABEL, "a value"),
    (_PATTERN | {"_WITHOUT", "_OPTIONAL"}, "a part of a pattern"),
    (_PATTERN, "a pattern"),
    (grammar.ARITHMETIC | {"COMPARATOR", "_AND", "_OR"}, "an operator"),
    (grammar.ARITHMETIC | {"COMPARATOR"}, "an operator"),
    (grammar.ARITHMETIC, "an operator"),
    (frozenset({"NAME", "CAPITAL", "DOTTED"}), "a state"),
    (frozenset({"NAME", "CAPITAL"}), "a name"),
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **grammar.NAMES,
        "CAPITAL": "a variable",
        "VARIABLE": "a variable such as var X",
        "DECLARED": "a variable with '*'",
        "_ARROW": "'->'",
        "_STOP": "';'",
        "_OPEN": "'...'",
        "ANY_LABEL": "'*'",
        "REGEX": "a regular expression",
        "SIGNED_NUMBER": "a number",
    }
)

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ROLE": ("start", "end"),
        "_STATE": ("state",),
        "_SCHEMA": ("schema",),
        "ENTER": ("enter",),
        "_AUTOMATON": ("automaton",),
        "STRICT": ("strict",),
        "_USE": ("use",),
        "_WHILE": ("while",),
        "_FOR": ("for",),
        "_DESC": ("desc",),
        "_WITHOUT": ("without",),
        "_OPTIONAL": ("optional",),
        "_AND": ("and",),
        "_OR": ("or",),
        "_NOT": ("not",),
        "MODULO": ("mod",),
        "TRUE": ("true",),
        "FALSE": ("false",),
    }
)

_FIRST = ("';'", "','", "')'", "'}'", "'->'", "':'", "'{'")

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)

CODES = Codes("IH001", "IH002", "IH003")


#: Words of other formalisms, and what they are here.
_MEANT = {
    "initial": "start",
    "begin": "start",
    "final": "end",
    "accepting": "end",
    "stop": "end",
    "substate": "state",
    "invariant": "S while now - e(last) <= 1h",
    "import": "use",
    "include": "use",
}
_DELAYS = ("after", "timeout", "delay", "within", "wait")
_TRANSITION = "a transition is `A -> B: label;`"


def _hint(piece: Piece[Start], index: int) -> str | None:
    """Returns what to try, by the lexeme that did not fit and those before it."""
    found = piece.lexemes[index].text
    before, earlier = (piece.lexemes[index - back].text if index >= back else "" for back in (1, 2))
    if piece.lexemes[0].text == "use":
        return 'the file is a string: use "parcel.ihta";'
    if index == 0 and piece.kind == "automaton":
        return "an automaton is `automaton Name(key(K)) { … }`"
    if before in _MEANT and found not in _PUNCTUATION:
        return f"write `{_MEANT[before]}`"
    return (
        _hint_for_variable(piece.lexemes[index], before, earlier)
        or _hint_for_label(piece, index, before)
        or _hint_for_member(found, before, earlier)
    )


_PUNCTUATION = frozenset(";,:(){}")


def _hint_for_variable(found: Lexeme, before: str, earlier: str) -> str | None:
    if before == "var" and found.kind == "word" and found.text[0].islower():
        return f"variables begin with a capital letter: var {found.text.capitalize()}"
    if before == "var" and found.kind == "word":
        return f"in attributes a variable stands alone: {found.text}"
    if found.text == "*" and before[:1].isupper():
        return f"in a pattern a variable has `var` before it: var {before}*"
    if before == "*" and found.text in (")", ",") and earlier[:1].islower():
        return f"variables begin with a capital letter: {earlier.capitalize()}*"
    return None


def _hint_for_label(piece: Piece[Start], index: int, before: str) -> str | None:
    found = piece.lexemes[index]
    if before in _DELAYS and (found.kind == "number" or found.text in ("(", ":")):
        return "a delay is a bound on `now`: now - e(last) >= 30s"
    if before == "event" and found.kind == "word":
        return "an event needs no word before it: `j: bid(itemID(I))`"
    if before[:1].isdigit() and found.kind == "word":
        return without_unit(f"{before} {found.text}")
    if found.text == ";" and before == ":":
        return "a label has an event, bid(itemID(I)), or a bound on time, now - e(last) >= 30s"
    if found.text in ("=", ":") and _depth(piece.lexemes[:index]) and before.isidentifier():
        return f"the values of attributes are in parentheses: {before}(X)"
    if found.text in (",", "&&", "&"):
        return "the parts of a label are joined by `and`"
    if found.text in ("||", "|"):
        return "what may happen in several ways is several transitions between the same states"
    if found.text == "!":
        return "write `not`"
    return None


def _depth(lexemes: Sequence[Lexeme]) -> int:
    return sum((each.text == "(") - (each.text == ")") for each in lexemes)


def _hint_for_member(found: str, before: str, earlier: str) -> str | None:
    if found == "->" and before in (";", "{", "}"):
        return "instances of the automaton are created by `enter -> A0: event(key(K*));`"
    if found in ("=>", "-", "-->", "=") or earlier in ("->", "→"):
        return _TRANSITION
    if found in ("}", "start", "end", "state", "enter", "schema") and before not in (";", "{", "}"):
        return "states and transitions end with ';'"
    known = ("start", "end", "state", "schema", "enter")
    return did_you_mean(before, known) if before.islower() and before not in known else None


_EXPLAINER = Explainer(CODES, VOCABULARY, _hint)
#: More mistakes than these in one automaton are not looked for.
_MOST = 20


def explained(
    source: Source, piece: Piece[Start], mismatch: MismatchError, again: Callable[[str], MismatchError | None]
) -> list[Diagnostic]:
    """Reports the mistakes in an automaton: after each, the state or transition that has it is left out, and the rest
    is read `again`."""
    found = _EXPLAINER(source, piece, mismatch)
    if found[0].code != CODES.unexpected or piece.kind != "automaton":
        return found
    text = source.text[piece.start : piece.end]
    members = list(_members(piece.lexemes))
    left_out: set[int] = set()
    while len(found) < _MOST:
        at = piece.start + mismatch.position
        number = max((n for n, (first, last) in enumerate(members) if first <= at <= last), default=None)
        if number is None or number in left_out:
            break
        left_out.add(number)
        first, last = (each - piece.start for each in members[number])
        text = text[:first] + " " * (last - first) + text[last:]
        following = again(text)
        if following is None or following.position >= len(text.rstrip()):
            break
        mismatch = following
        found += _EXPLAINER(source, piece, mismatch)
    return found


def _members(lexemes: Sequence[Lexeme]) -> Iterator[tuple[int, int]]:
    """Yields where states and transitions begin and end. A state with states of its own is not one, what is in its
    braces is; a missing semicolon joins two."""
    first: Lexeme | None = None
    opens_block = False
    inside = 0  # brackets that are open within the member
    for lexeme in lexemes:
        if first is None:
            if lexeme.text in ("}", ";"):
                continue
            first, opens_block, inside = lexeme, False, 0
        opens_block = opens_block or (lexeme.text in ("automaton", "state") and inside == 0)
        if lexeme.text == "{" and opens_block and inside == 0:
            first = None
        elif lexeme.text == "}" and inside == 0:
            yield first.start, lexeme.start  # it is not finished: the semicolon is missing
            first = None
        elif lexeme.text == ";" and inside == 0:
            yield first.start, lexeme.end
            first = None
        elif lexeme.kind == "bracket":
            inside = max(0, inside + (1 if lexeme.text in "({[" else -1))
