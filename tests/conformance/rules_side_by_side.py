"""The rules of many programs as one program over one stream.

The labels of each get a prefix of its own, in its events and in the heads and queries of its rules; so none sees what
belongs to another. Answers are given back without it. It pays where each of the programs is a rule or two: Spark looks
through all that is below whenever a rule is added, so nine cases took twice as long in one run as each in its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import ENDING, OPENING, announced_end, is_opening, opening, state_term
from cera.model.expressions.constructs import ConstructTerm
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.modules.rules.module import rule_layers
from cera.rules.rule import Accumulation, EventQuery, Rule, RuleProgram
from module_runs import run_layers

Query = TypeVar("Query", EventQuery, Accumulation)


def answers_side_by_side(
    runs: Sequence[tuple[RuleProgram, Sequence[Event]]],
    engine: str,
    *,
    until: Time | None = None,
    timezone: str = "UTC",
) -> list[list[DerivedEvent]]:
    """Returns what an engine derives for each of several programs over its own events, in one run."""
    prefixes = {f"c{number}-": run for number, run in enumerate(runs)}
    rules = [_labelled(rule, prefix) for prefix, (program, _) in prefixes.items() for rule in program.rules]
    events = [_labelled_event(event, prefix) for prefix, (_, own) in prefixes.items() for event in own]
    program = RuleProgram(tuple(rules), runs[0][0].semantics)
    found: dict[str, list[DerivedEvent]] = {prefix: [] for prefix in prefixes}
    for derived in run_layers(rule_layers(program), events, engine, until=until, timezone=timezone).derived:
        prefix = derived.derivations[0].rule.partition("-")[0] + "-"
        found[prefix].append(_plain(derived, prefix))
    return list(found.values())


def _labelled_event(event: Event, prefix: str) -> Event:
    """Returns an event with a prefix before its label; the id of a state follows from that."""
    if not is_opening(event.label):
        return _renamed(event, prefix + event.label)
    term = state_term(event)
    labelled = Term(prefix + term.label, term.children, ordered=term.ordered)
    return opening(labelled, event.begin, announced_end(event.qualifier))


def _prefixed(label: str, prefix: str) -> str:
    """Returns a label with a prefix, which stands behind the mark of an opening or an ending."""
    kind = next((mark for mark in (OPENING, ENDING) if label.startswith(mark)), "")
    return f"{kind}{prefix}{label.removeprefix(kind)}"


def _labelled(rule: Rule, prefix: str) -> Rule:
    """The rule with a prefix before its name and its labels."""

    def queries(found: Sequence[Query]) -> tuple[Query, ...]:
        return tuple(replace(each, pattern=_labelled_pattern(each.pattern, prefix)) for each in found)

    branches = [
        replace(
            branch,
            events=queries(branch.events),
            collections=queries(branch.collections),
            absences=queries(branch.absences),
        )
        for branch in rule.branches
    ]
    head = replace(rule.head, label=prefix + rule.head.label) if isinstance(rule.head, ConstructTerm) else rule.head
    return replace(rule, name=prefix + rule.name, head=head, branches=tuple(branches))


def _labelled_pattern(pattern: Pattern, prefix: str) -> Pattern:
    match pattern:
        case TermPattern(label=str(label)):
            return replace(pattern, label=_prefixed(label, prefix))
        case VariablePattern(pattern=TermPattern() as inner):
            return replace(pattern, pattern=_labelled_pattern(inner, prefix))
        case _:
            raise AssertionError(f"{pattern} has no label")


def _plain(derived: DerivedEvent, prefix: str) -> DerivedEvent:
    def plain(event: Event) -> Event:
        return _renamed(event, event.label.replace(prefix, "", 1))

    ways = [
        replace(way, rule=way.rule.removeprefix(prefix), causes={name: plain(e) for name, e in way.causes.items()})
        for way in derived.derivations
    ]
    return replace(derived, event=plain(derived.event), derivations=tuple(ways))


def _renamed(event: Event, label: str) -> Event:
    return replace(event, term=Term(label, event.term.children, ordered=event.term.ordered))
