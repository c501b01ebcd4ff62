"""The model theory by enumeration: every trace and every substitution there could be, judged by `Theory.entails`.

Nothing here uses `enumeration.matches`, which is what the engine does; so the two can be held against each other. What
this cannot catch is a mistake that `entails` itself makes; the conformance tests are for that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from cera.engines.reference.construction import construct_terms
from cera.engines.reference.entailment import Interpretation, Theory, Trace, interval_of, timer_event, window_events
from cera.engines.reference.enumeration import Match
from cera.model.events.event import Event
from cera.model.events.window_events import window_event
from cera.model.matching import patterns
from cera.model.matching.matching import match, substitution_key
from cera.model.terms.term import Value, value_key
from cera.model.time.interval import Interval, hull
from cera.rules.rule import BoundedWindow, Branch, Rule, auxiliary_windows, gathered_order

#: More combinations than this are not tried.
MOST_COMBINATIONS = 4_000


class TooLargeError(Exception):
    """There are too many combinations to try them all."""


def entailed(theory: Theory, events: Interpretation, branch: Branch) -> Iterator[tuple[Trace, Mapping[str, Value]]]:
    """Every (τ, σ) with I, σ, τ ⊨ B^t, where t is the hull of τ, once; raises TooLargeError when there is too much.

    τ is without the windows that only serve other literals, for some choice of these.
    """
    candidates = _candidates(theory, events, branch)
    values = _values(theory, events, branch)
    sizes = [*(len(c) for c in candidates.values()), *(len(v) for v in values.values())]
    if math.prod(sizes) > MOST_COMBINATIONS:
        raise TooLargeError
    auxiliary, known = auxiliary_windows(branch), set[object]()
    for chosen in itertools.product(*candidates.values()):
        trace = dict(zip(candidates, chosen, strict=True))
        kept = {name: event for name, event in trace.items() if name not in auxiliary}
        interval = hull(event.interval for name, event in kept.items() if name not in branch.gathered)
        for bound in itertools.product(*values.values()):
            substitution = {name: value for name, value in zip(values, bound, strict=True) if value is not None}
            found = (frozenset(kept.items()), substitution_key(substitution))
            if found not in known and theory.entails(events, substitution, trace, branch, interval):
                known.add(found)
                yield kept, substitution


def with_auxiliary_windows(trace: Trace, branch: Branch) -> list[Trace]:
    """τ with each choice of the windows that only serve other literals, which a match does not have."""
    found = [dict(trace)]
    for window in branch.windows:
        if window.identifier not in trace:
            found = [{**each, window.identifier: one} for each in found for one in window_events(window, each)]
    return found


def _candidates(theory: Theory, events: Interpretation, branch: Branch) -> dict[str, list[Event]]:
    """The events that each identifier could stand for."""
    found: dict[str, list[Event]] = {}
    for query in branch.events:
        found[query.identifier] = [event for event in events if match(query.pattern, event.term)]
    for timer in branch.absolute_timers:
        found[timer.identifier] = list(theory.timer_events(timer.timer))
    waiting = list(branch.relative_timers)
    while waiting:
        relative = next(timer for timer in waiting if timer.anchor in found)
        made = (timer_event(relative, anchor) for anchor in found[relative.anchor])
        found[relative.identifier] = [event for event in made if event is not None]
        waiting.remove(relative)
    for window in branch.windows:
        if isinstance(window, BoundedWindow):
            several = itertools.product(*(found[name] for name in window.over))
            events_of = (dict(zip(window.over, each, strict=True)) for each in several)
            found[window.identifier] = list({event for each in events_of for event in window_events(window, each)})
            continue
        around = {event.interval for name in window.over for event in found[name]}
        intervals = {each for interval in around for each in window.period.windows(interval)}
        found[window.identifier] = [window_event(window.period, interval) for interval in sorted(intervals)]
    return found


def _values(theory: Theory, events: Interpretation, branch: Branch) -> dict[str, list[Value | None]]:
    """The values that each variable could have: what any positive pattern binds it to on any event, and None for one
    that an `optional` may leave unbound."""
    found: dict[str, dict[object, Value | None]] = {}
    timers = [event for timer in branch.absolute_timers for event in theory.timer_events(timer.timer)]
    for pattern in branch.positive_patterns():
        for name in patterns.bound_variables(pattern):
            found.setdefault(name, {})
        for name in patterns.optional_variables(pattern):
            found.setdefault(name, {})[None] = None
        for event in (*events, *timers):
            for answer in match(pattern, event.term):
                for name, value in answer.items():
                    found.setdefault(name, {})[value_key(value)] = value
    return {name: list(values.values()) for name, values in found.items()}


def satisfies(theory: Theory, events: Interpretation, rule: Rule) -> bool:
    """I ⊨ h ← B: for all τ, with Σ_τ = {σ | I, σ, τ ⊨ B^t}, Σ_τ is empty or Σ_τ(h)^t ⊆ I (Fig. 12, ERR-12)."""
    traces: dict[frozenset[tuple[str, Event]], list[Match]] = {}
    for branch in rule.branches:
        for trace, values in entailed(theory, events, branch):
            remaining = {name: event for name, event in trace.items() if name not in branch.gathered}
            gathered = tuple(trace[name] for name in gathered_order(branch))
            for collected in _collected(theory, events, branch, trace, values):
                match_ = Match(remaining, (*gathered, *collected), values, interval_of(trace, branch))
                traces.setdefault(frozenset(remaining.items()), []).append(match_)
    return all(
        Event(term, moment(rule, matches[0].interval)) in events
        for matches in traces.values()
        for term, _ in construct_terms(rule.head, matches, theory)
    )


def moment(rule: Rule, interval: Interval) -> Interval:
    """The time of an event that a rule derives from what has an interval."""
    return Interval(interval.end, interval.end) if rule.momentary else interval


def _collected(
    theory: Theory, events: Interpretation, branch: Branch, trace: Trace, values: Mapping[str, Value]
) -> Iterator[tuple[Event, ...]]:
    """The events that the collections could have found: those that would do if they were alone in the world.

    The practical semantics folds an aggregate over them, not over Σ_τ alone (ERR-07); the formal one does not look.
    """
    alone = {event: Interpretation([event]) for event in events}
    choices = [
        [
            event
            for event in events
            if theory.entails(alone[event], values, trace, collection, trace[collection.window].interval, branch)
        ]
        for collection in branch.collections
    ]
    yield from (tuple(chosen) for chosen in itertools.product(*choices))
