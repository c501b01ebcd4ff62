"""Labels of events and of states (S-09): a label may be both only where each use says which it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cera.diagnostics import Diagnostic, Note, Span
from cera.languages.atoms.syntax import Kind
from cera.languages.streamlog.syntax import Literal, Program, Rule, anchored, literals


@dataclass(frozen=True)
class Use:
    """A label at a place; its kind if that is said there. A head that says nothing derives an event."""

    label: str
    kind: Kind | None
    span: Span | None


def uses(program: Program) -> Iterator[Use]:
    """Yields the labels of a program, relations apart, in the order of the text."""
    relations = {relation.name for relation in program.relations}
    for module in program.modules:
        times = [time for time in (anchored(module.time),) if time is not None]
        yield from _uses(times, relations)
        for rule in module.rules:
            yield Use(rule.head.atom.label, rule.head.kind or "event", rule.head.atom.span)
            yield from _uses([*_ends(rule), *literals(rule.query)], relations)


def check_kinds(program: Program) -> Iterator[Diagnostic]:
    """Reports labels of events and of states where it is not said which is meant (SL103)."""
    kinds: dict[str, dict[Kind, Use]] = {}
    found = list(uses(program))
    for use in found:
        if use.kind is not None:
            kinds.setdefault(use.label, {}).setdefault(use.kind, use)
    for use in found:
        known = kinds.get(use.label, {})
        if use.kind is None and len(known) > 1:
            notes = tuple(Note(f"here it is {_article(kind)}", other.span) for kind, other in sorted(known.items()))
            message = f"`{use.label}` is the label of events and of states"
            hint = f"say which is meant, `event: {use.label}(…)` or `state: {use.label}(…)`, or rename one of them"
            yield Diagnostic("SL103", "error", message, use.span, hint, notes)


def _ends(rule: Rule) -> list[Literal]:
    return [] if rule.head.until is None else [rule.head.until]


def _uses(found: list[Literal], relations: set[str]) -> Iterator[Use]:
    return (Use(each.atom.label, each.kind, each.atom.span) for each in found if each.atom.label not in relations)


def _article(kind: Kind) -> str:
    return "an event" if kind == "event" else "a state"
