"""Automata without hierarchy, data and time are plain nondeterministic ones: what they accept, by a library for these.

A word is an instance: its letters are events with its key, and `over` after them is an event that end states accept
only. So a word is accepted iff its instance has no violation. Letters at one time are accepted iff some order of them
is. This cannot catch mistakes in what instances, variables and times mean.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import permutations

import pytest
from automata.fa.nfa import NFA

from cera.automata.automaton import Automaton, Declaration, EventQuery, Label, Reference, State, Transition
from cera.automata.module import VIOLATION, AutomatonModule
from cera.model.events.event import DerivedEvent, Event
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.modules.module import Settings
from cera.testing import SECOND
from module_runs import run_layers, side_by_side

LETTERS = "abc"
Words = Mapping[int, str]


def random_nfa(chance: random.Random) -> NFA:
    states = range(chance.randint(1, 5))
    arrows: dict[int, dict[str, set[int]]] = {state: {} for state in states}
    for _ in range(chance.randint(1, 10)):
        arrows[chance.choice(states)].setdefault(chance.choice(LETTERS), set()).add(chance.choice(states))
    for letter in LETTERS:  # a letter that no transition has is no event of the automaton
        arrows[chance.choice(states)].setdefault(letter, set()).add(chance.choice(states))
    ends = {state for state in states if chance.random() < 0.4}
    return NFA(states=set(states), input_symbols=set(LETTERS), transitions=arrows, initial_state=0, final_states=ends)


def as_automaton(nfa: NFA) -> AutomatonModule:
    def query(label: str) -> EventQuery:
        return EventQuery(label, ((("k",), Reference("K")),))

    children = [State(f"Q{state}", is_start=state == nfa.initial_state) for state in sorted(nfa.states)]
    root = State("Nfa", (("k", Reference("K")),), children=(*children, State("Done", is_end=True)))
    entering = Label(EventQuery("begin", ((("k",), Declaration("K")),)))
    transitions = [Transition(None, ("Nfa", f"Q{nfa.initial_state}"), entering)]
    for source, arrows in nfa.transitions.items():
        for letter, targets in arrows.items():
            for target in targets:
                transitions.append(Transition(("Nfa", f"Q{source}"), ("Nfa", f"Q{target}"), Label(query(letter))))
    for state in nfa.final_states:
        transitions.append(Transition(("Nfa", f"Q{state}"), ("Nfa", "Done"), Label(query("over"))))
    if not nfa.final_states:  # then nothing is accepted, but `over` has to be an event of the automaton
        transitions.append(Transition(("Nfa", "Done"), ("Nfa", "Done"), Label(query("over"))))
    return AutomatonModule(Automaton(root, tuple(transitions)))


def stream(words: Words, *, together: bool = False) -> list[Event]:
    """The words as events, each an instance; their letters one after the other, or at one time."""
    found = []
    for key, word in words.items():
        times = [0, *(1 if together else place for place in range(1, len(word) + 1)), len(word) + 1]
        for place, (label, time) in enumerate(zip(("begin", *word, "over"), times, strict=True)):
            term = Term(label, [Term("k", [key]), Term("place", [place])])
            at = (100 * key + time) * SECOND
            found.append(Event(term, Interval(at, at)))
    return found


def rejected(found: Sequence[DerivedEvent]) -> set[int]:
    """The words that are violations."""
    keys: set[int] = set()
    for one in found:
        if one.event.label == VIOLATION:
            [instance] = [c for c in one.event.term.children if isinstance(c, Term) and c.label == "instance"]
            [name] = instance.children
            assert isinstance(name, Term)
            [key] = name.children
            assert isinstance(key, int)
            keys.add(key)
    return keys


def random_words(chance: random.Random, count: int, longest: int) -> Words:
    return {key: "".join(chance.choices(LETTERS, k=chance.randint(0, longest))) for key in range(count)}


@pytest.mark.parametrize(
    "automata",
    [pytest.param(80, id="short", marks=pytest.mark.slow), pytest.param(2_000, id="long", marks=pytest.mark.long)],
)
def test_words_are_accepted_as_a_library_for_automata_accepts_them(automata: int) -> None:
    accepted = 0
    for seed in range(automata):
        chance = random.Random(seed)
        nfa = random_nfa(chance)
        module, words = as_automaton(nfa), random_words(chance, 20, 6)
        expected = {key for key, word in words.items() if not nfa.accepts_input(word)}
        assert rejected(run_layers(side_by_side(module), stream(words), "local").derived) == expected, f"seed {seed}"
        few = {key: word for key, word in words.items() if key < 3}
        by_definition = module.definition(Settings()).answer(stream(few), None)
        assert rejected(by_definition.derived) == expected & few.keys(), f"seed {seed}"
        accepted += len(words) - len(expected)
    assert accepted > automata  # of 20 words each


@pytest.mark.parametrize(
    "automata",
    [pytest.param(60, id="short", marks=pytest.mark.slow), pytest.param(1_000, id="long", marks=pytest.mark.long)],
)
def test_letters_at_one_time_are_accepted_in_any_order(automata: int) -> None:
    some_order_only = 0
    for seed in range(automata):
        chance = random.Random(seed)
        nfa = random_nfa(chance)
        words = random_words(chance, 10, 4)
        orders = {key: [nfa.accepts_input(order) for order in permutations(word)] for key, word in words.items()}
        expected = {key for key, accepts in orders.items() if not any(accepts)}
        layers = side_by_side(as_automaton(nfa))
        assert rejected(run_layers(layers, stream(words, together=True), "local").derived) == expected, f"seed {seed}"
        some_order_only += sum(any(accepts) and not all(accepts) for accepts in orders.values())
    assert some_order_only > automata // 4
