"""The rules of many cases as one program over one stream.

The labels of a case get a prefix of its own, in its events and in the heads and queries of its rules; so no case sees
what belongs to another. Answers are given back without it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import ENDING, OPENING, announced_end, is_opening, opening, state_term
from cera.model.expressions.constructs import ConstructTerm, ConstructValue
from cera.model.expressions.expression import Variable
from cera.model.matching.patterns import Pattern, TermPattern, VariablePattern
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.modules.rules.module import rule_layers
from cera.rules.rule import Accumulation, EventQuery, Rule, RuleProgram
from conformance.case_folders import Case
from module_runs import run_layers

Query = TypeVar("Query", EventQuery, Accumulation)


#: Spark has a table of its own for so many labels.
MOST_LABELS = 20


def runs_of(cases: Iterable[Case]) -> list[list[Case]]:
    """Returns the cases of each run: several that are answered as they would be alone, or a single one."""
    found: dict[Hashable, list[list[Case]]] = {}
    for case in cases:
        runs = found.setdefault(_shared_by(case) or case.id, [[]])
        if len(_labels([*runs[-1], case])) > MOST_LABELS:
            runs.append([])
        runs[-1].append(case)
    return [run for runs in found.values() for run in runs]


def _labels(cases: Iterable[Case]) -> set[tuple[Case, str]]:
    return {(case, event.label) for case in cases for event in case.stream}


def _shared_by(case: Case) -> Hashable | None:
    """Returns what all cases of one run have in common; None if a case has to run by itself.

    Spark takes other ways where all events are points of time, and where all are flat.
    """
    layers = case.program.layers
    declared = case.program.rules.calendars or case.program.rules.relations
    if layers.modules or declared or not all(map(_can_be_labelled, layers.rules)):
        return None
    points = all(event.begin == event.end for event in case.stream)
    flat = all(_is_flat(event.term) for event in case.stream)
    return case.program.rules.semantics, case.until, case.times.timezone, points, flat


def _is_flat(term: Term) -> bool:
    fields = [child for child in term.children if isinstance(child, Term) and len(child.children) == 1]
    return len(fields) == len(term.children) and not any(isinstance(field.children[0], Term) for field in fields)


def _can_be_labelled(rule: Rule) -> bool:
    """Tells whether every query names its label, no whole event becomes a part of another one, and no timer ticks by
    the clock: it would do so as long as the events of any case last."""
    if any(branch.absolute_timers for branch in rule.branches):
        return False
    for pattern in _patterns(rule):
        match pattern:
            case TermPattern(label=str()):
                pass
            case VariablePattern(name, TermPattern(label=str())) if rule.head == ConstructValue(Variable(name)):
                pass
            case _:
                return False
    return True


def _patterns(rule: Rule) -> Iterator[Pattern]:
    for branch in rule.branches:
        yield from (query.pattern for query in (*branch.events, *branch.accumulations))


def answers(cases: Sequence[Case], engine: str) -> dict[Case, list[DerivedEvent]]:
    """Returns what an engine derives for each of the cases, all of one run."""
    runs = [(case.program.rules, case.stream) for case in cases]
    found = answers_side_by_side(runs, engine, until=cases[0].until, timezone=cases[0].times.timezone)
    return dict(zip(cases, found, strict=True))


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
