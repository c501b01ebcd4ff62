"""The fixpoint theory: immediate consequence and the intended model (Defs. 0.9 and 0.10 of seed 000).

    T_P(I)  = I ∪ {e^t | a rule h ← B of P and a τ with e ∈ Σ_τ(h), Σ_τ = {σ | I, σ, τ ⊨ B^t}}
    M_0     = E
    M_i     = T_{P_1 ∪ … ∪ P_i}^ω(M_{i-1})        (ERR-14)

T_P is monotone only within a stratum (ERR-13). The rules of the strata below are at their fixpoint already when a
stratum begins, so only its own rules are applied. Written to be read; slow on purpose.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.engines.reference.construction import construct_terms
from cera.engines.reference.entailment import Interpretation, Theory
from cera.engines.reference.enumeration import Match, matches
from cera.errors import EngineError, RecursionLimitError
from cera.model.events.event import Derivation, DerivedEvent, Event, in_output_order
from cera.model.terms.term import MAX_DEPTH, MAX_SIZE
from cera.modules.module import RECURSION_LIMIT
from cera.rules.analysis.strata import Dependency, dependencies, recursive_components, stratify
from cera.rules.rule import Rule
from cera.wording import Setting


@dataclass
class Model:
    """M_{P,E} as it grows: the events that happen, how each was derived, and what RAISE rules send."""

    events: Interpretation
    #: The names of the recursive rules.
    recursive: frozenset[str] = frozenset()
    base: frozenset[Event] = field(init=False)
    derivations: dict[Event, dict[object, Derivation]] = field(default_factory=dict)
    raised: dict[Event, tuple[Rule, dict[object, Derivation]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.base = frozenset(self.events)

    def record(self, rule: Rule, event: Event, derivation: Derivation) -> None:
        known = self.derivations if rule.recipient is None else None
        if known is not None:
            known.setdefault(event, {}).setdefault(derivation.key, derivation)
        else:
            self.raised.setdefault(event, (rule, {}))[1].setdefault(derivation.key, derivation)

    def derived(self) -> list[DerivedEvent]:
        """Returns the derived and the raised events in the order of output."""
        found = {event: tuple(ways.values()) for event, ways in self.derivations.items()}
        ordered = first_ones_first(found, self.base, self.recursive)
        deduced = [DerivedEvent(event, ways) for event, ways in ordered.items()]
        messages = first_ones_first({e: tuple(ways.values()) for e, (_, ways) in self.raised.items()}, (), ())
        sent = [DerivedEvent(event, messages[event], rule.recipient) for event, (rule, _) in self.raised.items()]
        return in_output_order([*deduced, *sent])


def consequences(
    rule: Rule, events: Interpretation, theory: Theory, new: frozenset[Event] | None = None
) -> Iterator[tuple[Event, Derivation]]:
    """Yields every e^t that the rule derives from I, with its derivation; with `new`, only if it needs one of these."""
    traces: dict[frozenset[tuple[str, Event]], list[Match]] = {}
    for branch in rule.branches:
        for match in matches(theory, events, branch, new):
            traces.setdefault(frozenset(match.trace.items()), []).append(match)
    qualifier = rule.recipient.qualifier if rule.recipient else None
    names = rule.identifiers
    for found in traces.values():
        interval, trace = found[0].interval, found[0].trace
        causes = {name: trace[name] for name in names if name in trace}
        for term, group in construct_terms(rule.head, found, theory):
            collected = dict.fromkeys(event for match in group for event in match.collected)
            yield Event(term, interval, qualifier), Derivation(rule.name, causes, tuple(collected))


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
    recursive = frozenset(rule.name for component in recursive_components(rules) for rule in component)
    model = Model(Interpretation(base), recursive)
    counter = _Counter(recursive, limit)
    for stratum in strata if strata is not None else stratify(rules).strata:
        _to_fixpoint(stratum, model, theory, depends, counter)
    return model


def _to_fixpoint(
    stratum: Sequence[Rule], model: Model, theory: Theory, depends: Sequence[Dependency], counter: _Counter
) -> None:
    """Computes T^ω within a stratum: applies its rules together until nothing new comes."""
    pending = list(stratum)
    last: frozenset[Event] | None = None  # what the round before added; a rule of a stratum that is applied again
    while pending:  # neither groups nor negates what is new, so that looking at its matches with new events is enough
        new: dict[Event, None] = {}
        productive: set[str] = set()
        for rule in pending:
            for event, derivation in _guarded(rule, model, theory, last):
                model.record(rule, event, derivation)
                if rule.recipient is None and event not in model.events:
                    productive.add(rule.name)
                    if event not in new:
                        counter.count(rule)
                    new[event] = None
        model.events.add(new)
        last = frozenset(new)
        # a rule can have something new only if a rule that it queries had
        affected = {dependency.rule.name for dependency in depends if dependency.on.name in productive}
        pending = [rule for rule in stratum if rule.name in affected]


@dataclass
class _Counter:
    """A counter of the events that recursive rules derive, which stops a recursion that does not end."""

    recursive: frozenset[str]
    limit: int
    derived: int = 0

    def count(self, rule: Rule) -> None:
        if rule.name not in self.recursive:
            return
        self.derived += 1
        if self.derived > self.limit:
            raise RecursionLimitError(
                f"rule '{rule.name}'{_place(rule)} is recursive and has derived more than {self.limit:,} events; "
                "it may never end. Exclude its own events from its query, or raise the limit "
                f"({Setting.RECURSION_LIMIT})"
            )


def _guarded(
    rule: Rule, model: Model, theory: Theory, new: frozenset[Event] | None
) -> Iterator[tuple[Event, Derivation]]:
    """Yields the consequences of a rule, with errors that name it.

    A term that is too large counts as undefined, unless what is `new` in a recursion has grown to it.
    """
    before = theory.too_large
    try:
        yield from consequences(rule, model.events, theory, new)
    except EngineError as error:
        raise type(error)(f"in rule '{rule.name}': {error.message}") from error
    if theory.too_large > before and new is not None and rule.name in model.recursive:
        raise RecursionLimitError(
            f"rule '{rule.name}'{_place(rule)} derives a term that is nested deeper than {MAX_DEPTH} levels or "
            f"has more than {MAX_SIZE:,} nodes; a recursion that wraps its own events does not end"
        )


def _place(rule: Rule) -> str:
    return f" ({rule.span})" if rule.span else ""


#: The derivations of each event.
Derivations = Mapping[Event, Iterable[Derivation]]


def first_ones_first(
    derivations: Derivations, given: Container[Event], recursive: Container[str]
) -> dict[Event, tuple[Derivation, ...]]:
    """Returns the derivations of each event by height, rule and causes; the first one leads back to the input.

    In a recursion an event can be derived from what was derived from it. Its *height* is that of the lowest tree of
    derivations above the input, so that the causes of the derivation on top of a lowest tree are all lower than the
    event. Only the derivations of recursive rules are ordered by it: those of others are never circular, and the
    engines that run no recursion need not know of heights to give the same order.
    """
    circular = any(one.rule in recursive for ways in derivations.values() for one in ways)
    height = heights(derivations, given) if circular else {}

    def rank(one: Derivation) -> int:
        return 1 + max(height.get(cause, 0) for cause in one.causes.values()) if one.rule in recursive else 0

    return {event: tuple(sorted(ways, key=lambda one: (rank(one), one.key))) for event, ways in derivations.items()}


def heights(derivations: Derivations, given: Container[Event]) -> dict[Event, int]:
    """Returns the least h with h(e) = 0 for a given event and for a timer, and else h(e) = 1 + the greatest h of its
    causes, in the derivation in which that is least."""
    known: dict[Event, int] = {event: 0 for event in derivations if event in given}
    missing: list[int] = []  # of each derivation: how many causes have no height yet
    users: dict[Event, list[int]] = {}
    made: list[Event] = []
    for event, ways in derivations.items():
        for one in ways:
            causes = {c for c in (*one.causes.values(), *one.collected) if c in derivations and c not in known}
            for cause in causes:
                users.setdefault(cause, []).append(len(made))
            missing.append(len(causes))
            made.append(event)
    level = [event for event, count in zip(made, missing, strict=True) if not count and event not in known]
    height = 0
    while level:
        height += 1
        new = [event for event in dict.fromkeys(level) if event not in known]
        known.update(dict.fromkeys(new, height))
        level = []
        for event in new:
            for number in users.get(event, ()):
                missing[number] -= 1
                if not missing[number]:
                    level.append(made[number])
    return known
