"""Evaluation times: windows that cannot be, and rules that need another one than they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.diagnostics import Diagnostic, Note, Span
from cera.languages.atoms.syntax import Origin
from cera.languages.atoms.windows import check_gaps
from cera.languages.streamlog.extents import disjoint, is_empty
from cera.languages.streamlog.scopes import rule_scope
from cera.languages.streamlog.syntax import (
    Conjunction,
    Disjunction,
    EvaluationTime,
    Leaf,
    Literal,
    Module,
    Program,
    Query,
    Rule,
    TimerLiteral,
    WindowLiteral,
    anchored,
    leaves,
)
from cera.languages.streamlog.values import aggregates
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded
from cera.model.expressions.expression import DateTime, walk
from cera.model.time.durations import Duration
from cera.model.time.time_text import TimeError, parse_datetime

_BOUNDED = "give it a window or a state as evaluation time, as in `Range 1h:` or `auction(auctionID(A)):`"


def check_windows(program: Program) -> Iterator[Diagnostic]:
    """Reports windows without length (SL301), with gaps (SL302) or of months (SL306), and bad times (SL003)."""
    for declaration in program.declarations:
        if isinstance(declaration, Origin):
            yield from _time(declaration.text, declaration.span)
        elif declaration.refresh == Duration():
            hint = "write for example `refresh 1h`"
            yield Diagnostic("SL301", "error", "a relation cannot be read again without pause", declaration.span, hint)
    for module in program.modules:
        yield from _window(module.time)
        for leaf in (leaf for rule in module.rules for leaf in leaves(rule.query)):
            yield from _window(
                leaf.time if isinstance(leaf, Literal) else leaf if isinstance(leaf, WindowLiteral) else None
            )


def _window(time: EvaluationTime | None) -> Iterator[Diagnostic]:
    match time:
        case WindowLiteral(window=Sliding() as window):
            yield from _sliding(window)
        case WindowLiteral(window=Between() as window):
            for each in (*walk(window.begin), *walk(window.end)):
                if isinstance(each, DateTime):
                    for text in each.texts:
                        yield from _time(text, each.span)
            for each in (window.begin, window.end):
                if isinstance(each, expressions.Literal) and isinstance(each.value, str):
                    yield from _time(each.value, each.span)
            if is_empty(time):
                hint = "the earlier bound comes first: `[now - 1h, now]`"
                yield Diagnostic("SL301", "error", "this window ends before it begins", window.span, hint)
        case _:
            pass


def _sliding(window: Sliding) -> Iterator[Diagnostic]:
    lengths = [window.range] if window.slide is None else [window.range, window.slide]
    if Duration() in lengths:
        hint = "write for example `Range 1h Slide 30min`"
        yield Diagnostic("SL301", "error", "a window and its steps have a length", window.span, hint)
    elif any(length.months for length in lengths):
        message = "months and years have no fixed length, so windows of them cannot be counted"
        yield Diagnostic("SL306", "error", message, window.span, "write days: `Range 30 days`")
    else:
        yield from check_gaps(window, "SL302")


def _time(text: str, span: Span | None) -> Iterator[Diagnostic]:
    try:
        parse_datetime(text, "UTC")
    except TimeError as error:
        yield Diagnostic("SL003", "error", str(error), span)


def check_times(module: Module, rule: Rule) -> Iterator[Diagnostic]:
    """Reports evaluation times that no rule can have: unbounded (SL303), disjoint (SL304), windows alone (SL305)."""
    declared = rule_scope(module, rule).times
    yield from _unbounded(module, rule, declared)
    yield from _disjoint(module, rule, declared)
    if _is_window(module, rule, declared) and not _has_positive(rule.query):
        part = "an alternative in its body" if any(map(_is_positive, leaves(rule.query))) else "its body"
        message = f"nothing has to happen for this rule: {part} has no positive literal"
        hint = "ask for an event or a state, or take one as evaluation time: windows come and go by themselves"
        yield Diagnostic("SL305", "error", message, rule.head.span, hint)


def _unbounded(module: Module, rule: Rule, declared: Mapping[str, EvaluationTime]) -> Iterator[Diagnostic]:
    if not _never_ends(module, rule, declared):
        return
    note = () if module.time is None else (Note("the evaluation time is all of time", module.time.span),)
    asked = [leaf for leaf in leaves(rule.query) if isinstance(leaf, Literal)]
    open_ended = [each for each in asked if each.time is None or _is_unbounded(each.time, declared)]
    for each in (literal for literal in open_ended if literal.negated):
        message = f"that there is no `{each.atom.label}` is known at the end of time only"
        hint = "say for how long, `while i: not p(X)`, or " + _BOUNDED
        yield Diagnostic("SL303", "error", message, each.span, hint, note)
    if any(not each.negated for each in open_ended):
        for value in aggregates(rule):
            message = "this aggregate is known at the end of time only"
            yield Diagnostic("SL303", "error", message, value.span, _BOUNDED, note)


def _never_ends(module: Module, rule: Rule, declared: Mapping[str, EvaluationTime]) -> bool:
    """Returns whether the evaluation time is all of time: by what is written, or because nothing else is."""
    if module.time is not None:
        return _is_unbounded(module.time, declared)
    for leaf in leaves(rule.query):
        match leaf:
            case WindowLiteral() if not _is_unbounded(leaf, declared):
                return False
            case TimerLiteral():
                return False
            case Literal(negated=False, kind="state"):
                return False
            case Literal(negated=False, kind=None, identifier=Identifier()):
                return False  # it may be a state, which then is the evaluation time
            case _:
                pass
    return True


def _is_unbounded(time: EvaluationTime, declared: Mapping[str, EvaluationTime]) -> bool:
    known = declared.get(time.name) if isinstance(time, Identifier) else time
    return isinstance(known, WindowLiteral) and isinstance(known.window, Unbounded)


def _is_window(module: Module, rule: Rule, declared: Mapping[str, EvaluationTime]) -> bool:
    """Returns whether the evaluation time is a window that comes by itself, or there is none."""
    if module.time is None:
        return True
    known = declared.get(module.time.name) if isinstance(module.time, Identifier) else module.time
    return isinstance(known, WindowLiteral) and isinstance(known.window, Unbounded | Now | Sliding | Between)


def _has_positive(query: Query) -> bool:
    match query:
        case Conjunction():
            return any(map(_has_positive, query.queries))
        case Disjunction():
            return all(map(_has_positive, query.queries))
        case _:
            return _is_positive(query)


def _is_positive(leaf: Leaf) -> bool:
    """Returns whether something has to happen for a leaf, be it the time that it is evaluated in."""
    match leaf:
        case Literal():
            return not leaf.negated or anchored(leaf.time) is not None
        case TimerLiteral():
            return anchored(leaf) is not None
        case _:
            return False


def _disjoint(module: Module, rule: Rule, declared: Mapping[str, EvaluationTime]) -> Iterator[Diagnostic]:
    if module.time is None:
        return
    for leaf in leaves(rule.query):
        if isinstance(leaf, Literal) and leaf.time is not None and disjoint(module.time, leaf.time, declared):
            message = "the evaluation time of this literal and that of its module have no time in common"
            note = Note("this is the evaluation time of the module", module.time.span)
            hint = "a literal is evaluated where both hold; leave out one of them"
            yield Diagnostic("SL304", "error", message, leaf.time.span, hint, (note,))
