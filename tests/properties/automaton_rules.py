"""Random rules about the events of an automaton."""

from __future__ import annotations

import random

from cera.automata.automaton import Automaton

TEXTS = (
    "hN(k(K)) <- i: A(k(K)) and j: B(k(K)).",
    "hN(k(K), x(X)) <- i: A(k(K), x(X)) and j: B(k(K)) and C(k(K)).",
    "hN(k(K)) <- i: A(k(K)) and j: B(k(K)) and {i, j} within 4 sec.",
    "hN(k(K)) <- i: A(k(K)) and w: from-end[i, 3 sec] and while w: not B(k(K)).",
    "Range 8 sec: hN(k(K), n(count(X))) <- A(k(K), x(X)).",
    "Range 6 sec: hN(k(K), n(count(X))) <- A(k(K), x(X)) and B(k(K)).",
)


def random_automaton_rules(chance: random.Random, automaton: Automaton) -> list[str]:
    labels = sorted({query.label for query in automaton.queries})
    found: list[str] = []
    for number in range(2):
        text = chance.choice(TEXTS).replace("N", str(number))
        for name in "ABC":
            text = text.replace(f"{name}(", f'"{chance.choice(labels)}"(')
        found.append(text)
    return found
