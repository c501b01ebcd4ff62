"""Why a piece of text is not an item of an EPL program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.diagnostics import Diagnostic, Source, Span, did_you_mean
from cera.languages.epl.syntax import ItemKind, Module
from cera.languages.expressions import grammar as expressions
from cera.languages.text.items import Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary, open_ended
from cera.languages.text.scanner import Lexeme

_CALLED = frozenset({"_SEQUENCE", "_RELATIVE", "_PRIOR", "_FIRST"})
_EVENT = _CALLED | {"KIND", "NAME", "STRING", "_ANY", "LPAR", "LSQB", "LBRACE", "BANG", "TIMES"}

#: Terminals that together are one thing to a reader; the first groups are the larger ones.
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_EVENT, "an event"),
    *expressions.GROUPS,
    (frozenset({"_AND", "_OR"}), "AND or OR"),
    (frozenset({"KIND", "NAME", "STRING"}), "an event type"),
    (frozenset({"_WRITE", "_SQL", "_SYSTEM"}), "an action (write, sql or system)"),
    (frozenset({"OPERATION", "TRANSACTION", "TIME"}), "operation, transaction or time"),
    (frozenset({"UNRESTRICTED", "RECENT", "CHRONICLE"}), "unrestricted, recent or chronicle"),
    (frozenset({"NAME", "STRING"}), "a name"),
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **expressions.NAMES,
        "DOT": "'.'",
        "AMPERSAND": "'&'",
        "BANG": "'!'",
        "__ANON_0": "'->'",
        "ATTRIBUTE": "an attribute such as X.Balance",
        "KIND": "insert, delete or update",
        "_BEGIN": "'begin'",
    }
)

_FIRST = ("','", "')'", "']'", "'}'", "'->'", "'('")

#: The words of the language by their terminals, for suggestions.
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "KIND": ("insert", "delete", "update"),
        "_MONITOR": ("monitor",),
        "_RELATION": ("relation",),
        "_GRANULARITY": ("granularity",),
        "_PARTITION": ("partition",),
        "_BY": ("by",),
        "OPERATION": ("operation",),
        "TRANSACTION": ("transaction",),
        "TIME": ("time",),
        "_WITHIN": ("within",),
        "UNRESTRICTED": ("unrestricted",),
        "RECENT": ("recent",),
        "CHRONICLE": ("chronicle",),
        "_CONTEXT": ("context",),
        "_WRITE": ("write",),
        "_SQL": ("sql",),
        "_SYSTEM": ("system",),
        "_AND": ("AND",),
        "_OR": ("OR",),
        "_PRIOR": ("prior",),
        "_FIRST": ("first",),
        "_RELATIVE": ("relative",),
        "_SEQUENCE": ("sequence",),
    }
)

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)


CODES = Codes("EP001", "EP002", "EP003")

#: The signs of other languages, with hints for this one.
_HABITS = {
    "&&": "the connective of conditions is AND; events that end together are connected by `&`",
    "||": "the connective of conditions is OR; one of several events is written `{E1, E2}`",
    "|": "one of several events is written `{E1, E2}`",
    "=>": "the action stands after `->`",
    "when": "the event stands right after the name of the rule and its colon",
    "on": "the event stands right after the name of the rule and its colon",
}


def outside_of_modules(source: Source, piece: Piece[ItemKind]) -> Diagnostic:
    if not_ended := open_ended(source, piece.lexemes, "EP002", "EP003"):
        return not_ended
    first = piece.lexemes[0]
    message = f"expected 'begin' and the name of a module, found '{first.text}'"
    hint = did_you_mean(first.text, ("begin", "end")) or "rules stand in modules: `begin Name monitor …; rules end.`"
    return Diagnostic("EP001", "error", message, _span(source, first), hint)


def not_closed(module: Module) -> Diagnostic:
    message = f"the module `{module.name.name}` is not closed"
    return Diagnostic("EP005", "error", message, module.name.span, "write `end.` after its last rule")


def _hint(piece: Piece[ItemKind], index: int) -> str | None:
    found = piece.lexemes[index]
    return _HABITS.get(found.text) or _word_before(piece, index) or _condition_misplaced(piece, index)


def _word_before(piece: Piece[ItemKind], index: int) -> str | None:
    """Returns the hint for `updat(ACC(X))`, which reads as an event with the label `updat` up to its second bracket."""
    if piece.lexemes[index].text != "(":
        return None
    words = [lexeme for lexeme in piece.lexemes[max(0, index - 3) : index] if lexeme.kind == "word"]
    for word in words:
        meant = did_you_mean(word.text, ("insert", "delete", "update", "prior", "first", "relative", "sequence"))
        if meant is not None:
            return meant
    return None


def _condition_misplaced(piece: Piece[ItemKind], index: int) -> str | None:
    """Returns the hint for `insert(e(Y, Y.k = 1))`, a condition with the tuple, and `A(X.k = 1)`, without a
    variable."""
    words = [lexeme.text for lexeme in piece.lexemes[max(0, index - 5) : index]]
    match [*words, piece.lexemes[index].text]:
        case [("insert" | "delete" | "update" | "ins" | "del" | "upd") as kind, "(", relation, "(", variable, ","]:
            return f"conditions stand after the tuple: `{kind}({relation}({variable}), …)`"
        case [*_, ("insert" | "delete" | "update") as kind, "(", relation, "(", variable, "."]:
            return f"the tuple comes first: `{kind}({relation}({variable}), {variable}.…)`"
        case [*_, label, "(", variable, "."]:
            return f"the variable of the event comes first: `{label}({variable}, {variable}.…)`"
        case _:
            return None


def _span(source: Source, lexeme: Lexeme) -> Span:
    return Span(source, lexeme.start, lexeme.end)


explained = Explainer(CODES, VOCABULARY, _hint)
