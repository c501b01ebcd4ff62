"""Literals of their parts: which prefix is the evaluation time, which the kind, which the identifier.

    while i: not event j: p(X)      Range 1h: i: p(X)      a: auction(auctionID(A)): bid(itemID(I))

A word before an atom is its identifier, and the evaluation time where another prefix or `not` follows, or `while`
precedes. A word and an interval (an atom, a window, a timer) before an atom are an evaluation time that is declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.diagnostics import Span
from cera.languages.atoms.parts import (
    KindPrefix,
    MisplacedError,
    Negated,
    Part,
    Prefixed,
    Term,
    Word,
    query_atom,
)
from cera.languages.atoms.syntax import Kind
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Literal,
    Query,
    Timer,
    TimerLiteral,
    WindowLiteral,
)
from cera.languages.text.nodes import Identifier
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded
from cera.model.expressions.expression import And, Comparison, Expression, Not, Or, Temporal, Variable, Within

#: A prefix that names what follows: `i`, `event i`, `state`.
Name = Word | KindPrefix
#: A prefix that is an interval of time by itself.
Time = Term | Unbounded | Now | Sliding | Between | Timer
Prefix = Name | Time

_NOT_A_CONDITION = (Literal, TimerLiteral, WindowLiteral)
_ORDER = "the order is `while time: not event i: p(X)`, of which all but the atom may be missing"


@dataclass(frozen=True)
class Sorted:
    """Prefixes by what they are, each with its place."""

    time: EvaluationTime | None
    kind: Kind | None
    identifier: Identifier | None


def sort(prefixes: Sequence[Prefix], *, time_first: bool) -> Sorted:
    """Returns what the prefixes of an atom are. With `time_first` a word alone is an evaluation time."""
    time: EvaluationTime | None = None
    rest = list(prefixes)
    match rest:
        case [
            Word() | KindPrefix() as name,
            (Term() | Unbounded() | Now() | Sliding() | Between() | Timer()) as found,
            *_,
        ]:
            time, rest = declared(name, found), rest[2:]
        case [(Term() | Unbounded() | Now() | Sliding() | Between() | Timer()) as found, *_]:
            time, rest = declared(None, found), rest[1:]
        case [Word() as name, *others] if time_first or others:
            time, rest = _identifier(name), rest[1:]
        case _:
            pass
    match rest:
        case []:
            return Sorted(time, None, None)
        case [Word() as name]:
            return Sorted(time, None, _identifier(name))
        case [KindPrefix() as name]:
            return Sorted(time, name.kind, name.identifier)
        case _:
            raise MisplacedError("there are more prefixes before the atom than it can have", rest[0].span, _ORDER)


def declared(name: Name | None, time: Time) -> EvaluationTime:
    """Returns an evaluation time with its identifier."""
    kind = name.kind if isinstance(name, KindPrefix) else None
    identifier = name.identifier if isinstance(name, KindPrefix) else None if name is None else _identifier(name)
    span = _around(name.span if name is not None else None, time.span)
    match time:
        case Term():
            return Literal(query_atom(time), kind, identifier, span=span)
        case Timer():
            return TimerLiteral(time, kind, identifier, span)
        case _:
            return WindowLiteral(time, _of_window(kind, identifier, span), span)


def _of_window(kind: Kind | None, identifier: Identifier | None, span: Span | None) -> Identifier | None:
    if kind is not None:
        hint = "leave it out: `w: Range 1h`"
        raise MisplacedError(f"a window is neither an event nor a state, found '{kind}'", span, hint)
    return identifier


def literal_of(part: Part) -> Query:
    """Returns the literal, timer, window or condition that a conjunct is."""
    before, is_while, core = _prefixes(part)
    negated = isinstance(core, Negated)
    after: list[Prefix] = []
    if isinstance(core, Negated):
        if not before and isinstance(condition := condition_of(core), Not):
            return condition
        after, nested_while, core = _prefixes(core.part)
        if nested_while or isinstance(core, Negated):
            raise MisplacedError("`not` stands right before an atom", core.span, _ORDER)
    match core:
        case Unbounded() | Now() | Sliding() | Between() | Timer():
            return _interval(before, core, part.span, plain=not (negated or is_while))
        case Comparison() | Temporal() | Within() | Not() if not before and not after:
            return core
        case Comparison() | Temporal() | Within() | Not():
            raise MisplacedError("a condition has neither an evaluation time nor an identifier", part.span, _ORDER)
        case Word() | Term() | Variable():
            return _literal(before, after, core, part.span, negated=negated, is_while=is_while)
        case Conjunction() | Disjunction() if negated:
            hint = "negate each atom: `not p(X) and not q(X)`; of several together, derive one by a rule of its own"
            raise MisplacedError("a negation is of one atom or of conditions", core.span, hint)
        case _:
            query_atom(core)  # says what is expected
            raise AssertionError(core)


def _literal(
    before: list[Prefix], after: list[Prefix], core: Part, span: Span | None, *, negated: bool, is_while: bool
) -> Literal:
    found = sort(before, time_first=is_while or negated)
    if is_while and found.time is None:
        raise MisplacedError("after `while` an evaluation time is expected", span, "write `while i: p(X)`")
    if not negated:
        return Literal(query_atom(core), found.kind, found.identifier, False, found.time, span)
    if found.kind is not None or found.identifier is not None:
        raise MisplacedError("the kind and the identifier of a negated atom stand after `not`", span, _ORDER)
    named = sort(after, time_first=False)
    if named.time is not None:
        raise MisplacedError("the evaluation time of a negated atom stands before `not`", named.time.span, _ORDER)
    return Literal(query_atom(core), named.kind, named.identifier, True, found.time, span)


def _interval(
    before: list[Prefix], core: Unbounded | Now | Sliding | Between | Timer, span: Span | None, *, plain: bool
) -> TimerLiteral | WindowLiteral:
    match before:
        case [] if plain and isinstance(core, Timer):
            return TimerLiteral(core, span=span)
        case [Word() | KindPrefix() as name] if plain:
            found = declared(name, core)
            assert isinstance(found, TimerLiteral | WindowLiteral)
            return found
        case [] if plain:
            hint = "give it an identifier, `w: Range 1h`, or write it before an atom: `Range 1h: p(X)`"
            raise MisplacedError("this window says nothing by itself", span, hint)
        case _:
            what = "timer" if isinstance(core, Timer) else "window"
            hint = f"before a {what} only its identifier may stand"
            raise MisplacedError(f"a {what} has no evaluation time and cannot be negated", span, hint)


def _prefixes(part: Part) -> tuple[list[Prefix], bool, Part]:
    """Returns the prefixes of a part, whether `while` precedes them, and what they stand before."""
    found: list[Prefix] = []
    is_while = False
    while isinstance(part, Prefixed):
        if part.is_while and found:
            raise MisplacedError("`while` stands before all other prefixes", part.span, _ORDER)
        is_while = is_while or part.is_while
        found.append(prefix_of(part.prefix))
        part = part.part
    return found, is_while, part


def prefix_of(part: Part | KindPrefix) -> Prefix:
    """Returns a part that can stand before a colon."""
    match part:
        case Word() | KindPrefix() | Term() | Unbounded() | Now() | Sliding() | Between() | Timer():
            return part
        case Variable():
            hint = f"`{part.name}` is a variable; an identifier begins with a small letter"
            raise MisplacedError("expected an identifier or an evaluation time before ':'", part.span, hint)
        case _:
            hint = "before a colon stand `event`, `state`, an identifier, an atom, a window or a timer"
            raise MisplacedError("expected an identifier or an evaluation time before ':'", part.span, hint)


def condition_of(part: Part) -> Expression | None:
    """Returns a part that consists of conditions as one condition, None if there is something else in it."""
    match part:
        case Comparison() | Temporal() | Within() | Not():
            return part
        case Negated():
            inside = condition_of(part.part)
            return None if inside is None else Not(inside, part.span)
        case Conjunction() | Disjunction():
            inner = [condition_of(each) for each in part.queries if not isinstance(each, _NOT_A_CONDITION)]
            operands = tuple(each for each in inner if each is not None)
            if len(operands) < len(part.queries):
                return None
            return And(operands, part.span) if isinstance(part, Conjunction) else Or(operands, part.span)
        case _:
            return None


def _identifier(word: Word) -> Identifier:
    if "." in word.name:
        raise MisplacedError("expected an identifier", word.span, "an identifier is a plain word without a dot")
    return Identifier(word.name, word.span)


def _around(first: Span | None, last: Span | None) -> Span | None:
    return last if first is None or last is None else Span(first.source, first.start, last.end)
