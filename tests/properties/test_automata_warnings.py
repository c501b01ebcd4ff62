"""What is said to never fire does not: it is led to a state of its own, in which no instance ever is."""

from __future__ import annotations

import random
from dataclasses import replace

from cera.automata.automaton import Automaton, State, Transition
from cera.automata.module import AutomatonModule
from cera.automata.structure import Structure
from cera.diagnostics import Source, Span
from cera.errors import MatchLimitError
from cera.languages.ihta.dead_parts import impossible
from cera.modules.module import Settings
from hypothesis_profiles import examples
from properties.automata_cases import random_automaton, random_events


def test_a_transition_that_can_never_fire_leads_nowhere() -> None:
    tried = 0
    for seed in range(examples(400)):
        chance = random.Random(seed)
        automaton = _marked(random_automaton(chance))
        dead = [each.span.start for each in impossible(Structure(automaton)) if each.span is not None]
        for number in dead:
            changed = _led_away(automaton, number)
            if changed is None:
                continue
            tried += 1
            module = AutomatonModule(changed, run_limit=200)
            for _ in range(3):
                events = random_events(chance, automaton, chance.randint(4, 9))
                try:
                    found = module.definition(Settings()).answer(events, None).derived
                except MatchLimitError:
                    continue
                assert not any(one.event.label.endswith("Never") for one in found), f"seed {seed}, transition {number}"
    assert tried > examples(400) // 20


def _marked(automaton: Automaton) -> Automaton:
    """The automaton whose transitions have their numbers as places."""
    source = Source("numbers", " " * len(automaton.transitions))
    marked = [replace(each, span=Span(source, n, n)) for n, each in enumerate(automaton.transitions)]
    return replace(automaton, transitions=tuple(marked))


def _led_away(automaton: Automaton, number: int) -> Automaton | None:
    """The automaton in which a transition leads to a state `Never`; None if it creates or ends instances."""
    transition = automaton.transitions[number]
    if transition.source is None or transition.source[:-1] != transition.target[:-1] or transition.level is not None:
        return None
    around = transition.target[:-1]
    changed: Transition = replace(transition, target=(*around, "Never"))
    transitions = [changed if n == number else each for n, each in enumerate(automaton.transitions)]
    return replace(automaton, root=_with_never(automaton.root, around), transitions=tuple(transitions))


def _with_never(state: State, path: tuple[str, ...]) -> State:
    if len(path) == 1:
        return replace(state, children=(*state.children, State("Never")))
    return replace(
        state,
        children=tuple(_with_never(child, path[1:]) if child.name == path[1] else child for child in state.children),
    )
