"""Constraints whose verification remembers events for good: EC501."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cera.algebra.unbounded_state import never_dropped
from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule
from cera.constraints.queries import Literal
from cera.constraints.retention import kept_for_good
from cera.constraints.translation.clause_rules import ByRules, EventByEvent
from cera.constraints.translation.layers import verifications
from cera.diagnostics import Diagnostic, Note, Span
from cera.modules.module import Module
from cera.rules.rule import RuleProgram


def check_constraint_state(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yields a warning for each constraint of which some events are kept for good."""
    for module in modules:
        if isinstance(module, ConstraintModule):
            warned: set[str] = set()
            for clause, found in verifications(module):
                kept = _kept(clause, found, module) if clause.constraint not in warned else []
                if kept:
                    warned.add(clause.constraint)
                    yield _warning(clause, kept)


def _kept(clause: Clause, found: ByRules | EventByEvent, module: ConstraintModule) -> list[Span]:
    """Returns the places of the literals whose events are kept for good."""
    if not isinstance(found, ByRules):
        return list(dict.fromkeys(span for each in kept_for_good(clause) if (span := each.atom.span) is not None))
    kept = never_dropped(RuleProgram(found.rules, relations=module.relations))
    return list(dict.fromkeys(span for spans in kept.values() for span in spans if span is not None))


def _warning(clause: Clause, kept: list[Span]) -> Diagnostic:
    first, *others = kept
    reason, hint = _reason(clause)
    message = f"to verify `{clause.constraint}`, these events are remembered for good: {reason}"
    return Diagnostic("EC501", "warning", message, first, hint, tuple(Note("so are these", span) for span in others))


def _reason(clause: Clause) -> tuple[str, str]:
    """Returns why events are kept, and what can be said against it."""
    if not any(isinstance(part, Literal) for part in clause.body):
        said = "say in which window or state: `WHILE Range 1 day LET … END`, `WHILE state: p(X) LET … END`"
        return "nothing says in which time they are counted", said
    head = [part for each in clause.head for part in each if isinstance(part, Literal)]
    if len(head) == 1 and head[0].time is None and head[0].kind != "relation":
        timer = "`event w: from-end[i, 1h]` in the body and `while w:` before the head"
        return "nothing says how much later the others can come", f"say until when: {timer}, or `WHILE … LET`"
    apart = "say how far apart they are, `{i, j} within max 1h`, or in which state or time all of them lie"
    return "nothing says how much later the others can come", f"{apart}: `WHILE … LET`"
