"""Labels that are patterns: they mean what attributes mean, and the processor does what the definitions say."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from cera.automata.automaton import Automaton, Constant, Declaration, EventQuery, Reference, Value
from cera.automata.module import AutomatonModule
from cera.errors import MatchLimitError
from cera.languages.ihta.checks import check
from cera.model.events.event import Event
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.terms.term import Term
from cera.modules.module import Settings
from hypothesis_profiles import examples
from properties.automata_cases import random_automaton, random_events
from properties.test_automata import Told, processed, told


def with_patterns(automaton: Automaton, chance: random.Random | None) -> Automaton:
    """The automaton with patterns for its queries: the same ones, or with a chance others."""
    return replace(
        automaton,
        transitions=tuple(
            replace(each, label=replace(each.label, query=_pattern(each.label.query, chance)))
            for each in automaton.transitions
        ),
    )


def _pattern(query: EventQuery | None, chance: random.Random | None) -> EventQuery | None:
    if query is None:
        return None
    children: list[Pattern] = []
    for (attribute,), value in query.attributes:
        inner: Pattern = TermPattern(attribute, (_leaf(value, chance),), total=False)
        children.append(Descendant(inner) if chance is not None and chance.random() < 0.1 else inner)
    if chance is not None and chance.random() < 0.4:
        children.append(chance.choice(_more(query)))
    declared = tuple(value for _, value in query.attributes if isinstance(value, Declaration))
    is_total = chance is not None and chance.random() < 0.1
    return EventQuery(query.label, (), TermPattern(query.label, tuple(children), total=is_total), declared)


def _leaf(value: Value, chance: random.Random | None) -> Pattern:
    match value:
        case Constant():
            return ScalarPattern(value.value)
        case Reference():
            return VariablePattern(value.variable)
        case Declaration():
            inner = RegexPattern("[a-z]+") if chance is not None and chance.random() < 0.1 else None
            return VariablePattern(value.variable, inner)


def _more(query: EventQuery) -> list[Pattern]:
    """Parts that look at more than the query does. What they refer to, the query refers to as well."""
    marked = TermPattern("x", (ScalarPattern(3),), total=False)
    found: list[Pattern] = [Without(marked), OptionalPattern(marked)]
    if "X" in query.referenced:
        found.append(Without(TermPattern("y", (VariablePattern("X"),), total=False)))
    return found


def defined(module: AutomatonModule, events: list[Event]) -> Told:
    return told(module.definition(Settings()).answer(events, None).derived)


@pytest.mark.parametrize("seeds", [pytest.param(examples(150), id="short")])
def test_a_pattern_of_attributes_means_what_the_attributes_mean(seeds: int) -> None:
    """The events have each attribute once, so that a pattern matches in one way at most."""
    for seed in range(seeds):
        chance = random.Random(seed)
        automaton = random_automaton(chance, keyed=chance.random() < 0.7)
        events = random_events(chance, automaton, chance.randint(3, 9))
        one = AutomatonModule(automaton, run_limit=300)
        other = AutomatonModule(with_patterns(automaton, None), run_limit=300)
        assert one.partition == other.partition
        try:
            expected, _ = processed(one, events, random.Random(seed))
        except MatchLimitError:
            continue
        found, _ = processed(other, events, random.Random(seed))
        assert found == expected, f"seed {seed}"


@pytest.mark.parametrize(
    "seeds", [pytest.param(examples(200), id="short"), pytest.param(3_000, id="long", marks=pytest.mark.long)]
)
def test_the_processor_matches_patterns_as_the_definitions_do(seeds: int) -> None:
    """Here attributes have several values, and stand there twice, so that a pattern can match in several ways."""
    reported = 0
    for seed in range(seeds):
        chance = random.Random(seed)
        automaton = with_patterns(random_automaton(chance, keyed=chance.random() < 0.7), chance)
        if any(each.severity == "error" for each in check(automaton)):
            continue
        events = [_doubled(event, chance) for event in random_events(chance, automaton, chance.randint(3, 7))]
        module = AutomatonModule(automaton, run_limit=200)
        try:
            expected = defined(module, events)
        except MatchLimitError:
            continue
        found, _ = processed(module, events, chance)
        assert found == expected, f"seed {seed}"
        reported += len(found)
    assert reported > 2 * seeds


def _doubled(event: Event, chance: random.Random) -> Event:
    children = list(event.term.children)
    if chance.random() < 0.4:
        children.append(Term("x", [chance.choice((1, 2, 3, "b", Term("x", [1])))]))
    if chance.random() < 0.2:
        children.append(Term(chance.choice(("y", "k")), [chance.randint(1, 3), chance.randint(1, 3)]))
    return Event(Term(event.label, children), event.interval)
