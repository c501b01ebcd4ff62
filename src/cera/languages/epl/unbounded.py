"""Rules that remember events for ever (EP501).

A relaxed sequence [E1, E2] and `prior(E1, E2)` remember every E1, since E2 may come at any time; in the chronicle
context, every E1 that is not used; in the recent context, the last only. A `within` around them bounds that.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.epl.printer import print_event
from cera.languages.epl.syntax import Context, Event, Module, Negation, Prior, Relaxed, Rule, Within, parts

_LONGEST = 60


def unbounded(module: Module) -> Iterator[Diagnostic]:
    for rule in module.rules:
        for event in _remembering(rule.event, rule.context):
            yield _warning(rule, event)


def _remembering(event: Event, context: Context) -> Iterator[Relaxed | Prior]:
    """The outermost sequences that remember without a limit."""
    match event:
        case Within():
            return
        case Relaxed() | Prior() if context != "recent":
            yield event
        case Negation():
            yield from _remembering(event.event, "unrestricted")
        case _:
            for part in parts(event):
                yield from _remembering(part, context)


def _warning(rule: Rule, event: Relaxed | Prior) -> Diagnostic:
    first, *_ = event.events
    text = _shortened(print_event(event))
    kept = "every" if rule.context != "chronicle" else "every unused"
    message = f"the rule `{rule.name.name}` remembers {kept} `{_shortened(print_event(first))}` for ever"
    hint = f"`{text} within 1 hour` would forget it after an hour"
    return Diagnostic("EP501", "warning", message, event.span, hint)


def _shortened(text: str) -> str:
    """Long events with their brackets and without what is in the middle."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}…{text[-1]}"
