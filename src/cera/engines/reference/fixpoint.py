"""The fixpoint theory: immediate consequence and the intended model (Defs. 0.9 and 0.10 of seed 000).

    T_P(I)  = I ∪ {e^t | a rule h ← B of P and a τ with e ∈ Σ_τ(h), Σ_τ = {σ | I, σ, τ ⊨ B^t}}
    M_0     = E
    M_i     = T_{P_1 ∪ … ∪ P_i}^ω(M_{i-1})        (ERR-14)

T_P is monotone only within a stratum (ERR-13). The rules of the strata below are at their fixpoint already when a
stratum begins, so only its own rules are applied. Written to be read; slow on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter

from cera.engines.reference.construction import construct_terms
from cera.engines.reference.entailment import Interpretation, Theory
from cera.engines.reference.enumeration import Match, matches
from cera.errors import EngineError, RecursionLimitError
from cera.model.events.answer_limits import (
    RECURSION_LIMIT,
    WAYS_PER_EVENT,
    dense_recursion,
    endless_recursion,
    wrapping_recursion,
)
from cera.model.events.derivation_ranks import ranks
from cera.model.events.event import Derivation, DerivedEvent, Event, in_output_order
from cera.model.events.traces import with_causes
from cera.model.time.interval import Interval, Time
from cera.rules.analysis.strata import Dependency, dependencies, recursive_components, stratify
from cera.rules.rule import Rule


@dataclass
class Model:
    """M_{P,E} as it grows: the events that happen, how each was derived, and what RAISE rules send."""

    events: Interpretation
    #: The numbers of the sets of rules that depend on each other, by the names of these rules.
    cycles: Mapping[str, int] = field(default_factory=dict)
    base: frozenset[Event] = field(init=False)
    derivations: dict[Event, dict[object, Derivation]] = field(default_factory=dict)
    raised: dict[Event, tuple[Rule, dict[object, Derivation]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.base = frozenset(self.events)

    def record(self, rule: Rule, event: Event, derivation: Derivation) -> bool:
        """Adds a derivation; returns whether it is new."""
        if rule.recipient is None:
            ways = self.derivations.setdefault(event, {})
        else:
            ways = self.raised.setdefault(event, (rule, {}))[1]
        return ways.setdefault(derivation.key, derivation) is derivation

    def derived(self) -> list[DerivedEvent]:
        """Returns the derived and the raised events in the order of output."""
        found = {event: tuple(ways.values()) for event, ways in self.derivations.items()}
        ordered = first_ones_first(found, self.base, self.cycles)
        deduced = [DerivedEvent(event, ways) for event, ways in ordered.items()]
        messages = first_ones_first({e: tuple(ways.values()) for e, (_, ways) in self.raised.items()}, (), {})
        sent = [DerivedEvent(event, messages[event], rule.recipient) for event, (rule, _) in self.raised.items()]
        return in_output_order([*deduced, *sent])


def consequences(
    rule: Rule,
    events: Interpretation,
    theory: Theory,
    new: frozenset[Event] | None = None,
    count: Callable[[Time], None] = lambda end: None,
) -> Iterator[tuple[Event, Derivation]]:
    """Yields every e^t that the rule derives from I, with its derivation; with `new`, only if it needs one of these.

    `count` takes the end of each trace as it is found, and may raise: all are found before the first event is built.
    """
    traces: dict[frozenset[tuple[str, Event]], list[Match]] = {}
    for branch in rule.branches:
        for match in matches(theory, events, branch, new):
            of_trace = traces.setdefault(frozenset(match.trace.items()), [])
            if not of_trace:
                count(match.interval.end)
            of_trace.append(match)
    qualifier = rule.recipient.qualifier if rule.recipient else None
    for found in traces.values():
        interval, trace = found[0].interval, found[0].trace
        if rule.momentary:
            interval = Interval(interval.end, interval.end)
        causes = {name: trace[identifier] for name, identifier in rule.causes if identifier in trace}
        for term, group in construct_terms(rule.head, found, theory):
            collected = dict.fromkeys(event for match in group for event in match.collected)
            if rule.traced:
                term = with_causes(term, causes)
            yield Event(term, interval, qualifier), Derivation(rule.title, causes, tuple(collected))


def immediate_consequence(rules: Iterable[Rule], events: Interpretation, theory: Theory) -> Interpretation:
    """Returns T_P(I); rules that send their events away (RAISE) add nothing."""
    derived = [event for rule in rules if rule.recipient is None for event, _ in consequences(rule, events, theory)]
    return Interpretation([*events, *derived])


def intended_model(
    rules: Sequence[Rule],
    base: Iterable[Event],
    theory: Theory,
    *,
    strata: Sequence[Sequence[Rule]] | None = None,
    limit: int = RECURSION_LIMIT,
) -> Model:
    """Returns M_{P,E}. Every stratification gives the same model (X-28), so another one may be given for a test."""
    depends = dependencies(rules)
    cycles = {rule.name: number for number, cycle in enumerate(recursive_components(rules)) for rule in cycle}
    model = Model(Interpretation(base), cycles)
    counter = _Counter(cycles, limit)
    for stratum in strata if strata is not None else stratify(rules).strata:
        _to_fixpoint(stratum, model, theory, depends, counter)
    return model


def _to_fixpoint(
    stratum: Sequence[Rule], model: Model, theory: Theory, depends: Sequence[Dependency], counter: _Counter
) -> None:
    """Computes T^ω within a stratum: applies its rules together until nothing new comes.

    The new events of a recursion are taken from time to time, so that one that does not end is found before everything
    that could follow at later times is derived.
    """
    recursive = any(rule.name in model.cycles for rule in stratum)
    pending = list(stratum)
    last: frozenset[Event] | None = None  # what was taken last; a rule of a stratum that is applied again
    waiting: dict[Event, set[str]] = {}  # neither groups nor negates it, so its matches with new events are enough
    while pending or waiting:
        for rule in pending:
            for event, derivation in _guarded(rule, model, theory, last, counter):
                if model.record(rule, event, derivation):
                    counter.count_way(rule, event)
                if rule.recipient is None and event not in model.events:
                    if event not in waiting:
                        counter.count(rule, event)
                    waiting.setdefault(event, set()).add(rule.name)
        first = min((event.end for event in waiting), default=None)
        taken = [event for event in waiting if not recursive or event.end == first]
        productive = frozenset[str]().union(*(waiting.pop(event) for event in taken))
        model.events.add(taken)
        last = frozenset(taken)
        # a rule can have something new only if a rule that it queries had
        affected = {dependency.rule.name for dependency in depends if dependency.on.name in productive}
        pending = [rule for rule in stratum if rule.name in affected]


@dataclass
class _Counter:
    """A counter of the events that recursive rules derive at each time, and in how many ways, which stops a recursion
    that does not end."""

    recursive: Container[str]
    limit: int
    derived: Counter[Time] = field(default_factory=Counter)
    ways: Counter[Time] = field(default_factory=Counter)

    def count(self, rule: Rule, event: Event) -> None:
        if rule.name not in self.recursive:
            return
        self.derived[event.end] += 1
        if self.derived[event.end] > self.limit:
            raise endless_recursion(rule.name, rule.head.span, self.limit)

    def count_way(self, rule: Rule, event: Event) -> None:
        self._count_in(self.ways, rule, event.end)

    def of_one_round(self, rule: Rule) -> Callable[[Time], None]:
        """Returns a counter of the traces of a rule in one round."""
        return partial(self._count_in, Counter(), rule)

    def _count_in(self, ways: Counter[Time], rule: Rule, end: Time) -> None:
        if rule.name in self.recursive:
            ways[end] += 1
            if ways[end] > self.limit * WAYS_PER_EVENT:
                raise dense_recursion(rule.name, rule.head.span, self.limit)


def _guarded(
    rule: Rule, model: Model, theory: Theory, new: frozenset[Event] | None, counter: _Counter
) -> Iterator[tuple[Event, Derivation]]:
    """Yields the consequences of a rule, with errors that name it.

    A term that is too large counts as undefined, but ends a recursion: it has grown to that.
    """
    before = theory.too_large
    try:
        yield from consequences(rule, model.events, theory, new, counter.of_one_round(rule))
    except RecursionLimitError:
        raise
    except EngineError as error:
        raise type(error)(f"in rule '{rule.name}': {error.message}") from error
    if theory.too_large > before and rule.name in model.cycles:
        raise wrapping_recursion(rule.name, rule.head.span)


#: The derivations of each event.
Derivations = Mapping[Event, Iterable[Derivation]]


def first_ones_first(
    derivations: Derivations, given: Container[Event], cycles: Mapping[str, int]
) -> dict[Event, tuple[Derivation, ...]]:
    """Returns the derivations of each event by rank, rule and causes; the first one leads back to the input.

    `cycles` are the numbers of the sets of rules that depend on each other, by the names of their rules.
    """
    recursive = [(event, one) for event, ways in derivations.items() for one in ways if one.rule in cycles]
    causes = {
        event: cycles[one.rule]
        for event, one in recursive
        if event not in given and len({cycles.get(way.rule) for way in derivations[event]}) == 1
    }

    def counting(event: Event, one: Derivation) -> set[Event]:
        """Returns the causes with the interval of the event that only the same rules derive."""
        inside = (cause for cause in one.causes.values() if causes.get(cause) == cycles[one.rule])
        return {cause for cause in inside if cause.interval == event.interval}

    found = ranks([(event, counting(event, one)) for event, one in recursive])
    ranked = {(event, one.key): rank for (event, one), rank in zip(recursive, found, strict=True)}

    def ordered(event: Event, ways: Iterable[Derivation]) -> Iterator[Derivation]:
        several = [replace(one, rank=ranked[event, one.key]) if one.rule in cycles else one for one in ways]
        yield from sorted(several, key=attrgetter("order"))

    return {event: tuple(ordered(event, ways)) for event, ways in derivations.items()}
