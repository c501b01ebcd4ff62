"""Memory that only grows: events (EP501), and histories of a partitioned module (EP504).

A relaxed sequence [E1, E2] and `prior(E1, E2)` remember every E1, since E2 may come at any time; in the chronicle
context, every E1 that is not used; in the recent context, the last only. So does (E1, *:F, E2), if F can go on while
another E1 occurs. An event that exports no variables, such as a disjunction, is remembered as one thing. A `within`
around them bounds that.

In a partitioned module the next event of a value may come at any time, so what a rule remembers of its history stays
until then, unless `within` says until when it is of use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cera.datalog.forgetting import kept_for_ever
from cera.datalog.normal import normal_rules, without_copies
from cera.datalog.stage_numbers import stage_numbers
from cera.diagnostics import Diagnostic
from cera.languages.epl.printer import label_text, print_event
from cera.languages.epl.syntax import (
    AnyEvent,
    Basic,
    Context,
    Event,
    Module,
    Negation,
    Prior,
    RelaxedSequence,
    Rule,
    Sequence,
    Star,
    Within,
    basics,
    parts,
    walk,
)
from cera.languages.epl.translation import program_of, translate
from cera.languages.epl.variables import visible_outside, with_variables
from cera.languages.text.nodes import EventType

_LONGEST = 60


def unbounded(module: Module) -> Iterator[Diagnostic]:
    for rule in module.rules:
        named = with_variables(rule).event
        remembering = {id(event) for event in _remembering(named, rule.context)}
        for written, event in zip(walk(rule.event), walk(named), strict=True):
            if id(event) in remembering:
                assert isinstance(written, RelaxedSequence | Prior | Sequence)
                yield _warning(rule, written)


def _remembering(event: Event, context: Context) -> Iterator[RelaxedSequence | Prior | Sequence]:
    """Yields the outermost sequences that remember without a limit."""
    match event:
        case Within():
            return
        case RelaxedSequence() | Prior() if context == "chronicle" or (
            context != "recent" and _has_variables(event.events)
        ):
            yield event
        case Sequence() if _goes_on(event):
            yield event
        case Negation():
            yield from _remembering(event.event, "unrestricted")
        case _:
            for part in parts(event):
                yield from _remembering(part, context)


def _has_variables(events: tuple[Event, ...]) -> bool:
    """Returns whether something before the last event has a variable, so that its occurrences are different."""
    return any(visible_outside(event) for event in events[:-1])


def _goes_on(sequence: Sequence) -> bool:
    """Returns whether a star can last while an event before it occurs again."""
    for place, event in enumerate(sequence.events[1:], 1):
        before = sequence.events[:place]
        types = {basic.type for one in before for basic in basics(one)}
        if isinstance(event, Star) and any(map(visible_outside, before)) and _may_be(event.event, types):
            return True
    return False


def _may_be(event: Event, types: Collection[EventType]) -> bool:
    """Returns whether an event may end at a stage where one of some types occurs."""
    match event:
        case AnyEvent() | Negation():
            return True
        case Basic():
            return event.type in types
        case _:
            return any(_may_be(part, types) for part in parts(event))


def _warning(rule: Rule, event: RelaxedSequence | Prior | Sequence) -> Diagnostic:
    first, *_ = event.events
    text = _shortened(print_event(event))
    kept = "every" if rule.context != "chronicle" else "every unused"
    message = f"the rule `{rule.name.name}` remembers {kept} `{_shortened(print_event(first))}` for ever"
    hint = f"`{text} within 1 hour` would forget it after an hour"
    return Diagnostic("EP501", "warning", message, event.span, hint)


def _shortened(text: str) -> str:
    """Shortens long events to their brackets and their beginning."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}…{text[-1]}"


def kept_histories(module: Module) -> Iterator[Diagnostic]:
    """Notes the first rule of a partitioned module because of which histories are never dropped (EP504)."""
    if module.partition is None:
        return
    rule = next((each for each in module.rules if _keeps(each, module)), None)
    if rule is not None:
        attribute = label_text(module.partition)
        message = f"the rule `{rule.name.name}` remembers something of every value of `{attribute}` for ever"
        hint = "with `within` around its sequences a value is forgotten some time after its last event"
        yield Diagnostic("EP504", "note", message, rule.name.span, hint)


def _keeps(rule: Rule, module: Module) -> bool:
    translated = translate(with_variables(rule).event, module.monitored, rule.context, copies=False)
    rules, _ = without_copies(list(normal_rules(program_of([translated]))))
    return not set(kept_for_ever(rules)) <= set(stage_numbers(rules, [translated.predicate]))
