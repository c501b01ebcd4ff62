"""Random texts of rules about events in states, and of constraints on both; and random streams with states."""

from __future__ import annotations

import random

from cera.model.events.event import Event
from cera.testing import state
from properties.constrained_rules import filled, random_constraint, stream_of
from properties.local_runs import in_order

_IN = "unbounded: hX(k(K), v(V)) <- state s: o(k(K)) and while s: i: LBL(k(K), v(V))"
_BESIDE = "unbounded: hX(k(K), v(V)) <- state s: o(k(K)) and i: LBL(k(K), v(V))"
#: Rules whose answers wait for windows, and may be early.
WAITING = (
    f"{_IN} and w: from-end[i, LENsec] and while w: not MBL(k(K)).",
    f"{_IN} and w: extend[i, LENsec] and while w: not MBL(k(K)).",
    f"{_IN.replace('o(k(K))', 'o()')} and w: from-end[i, LENsec] and while w: not MBL(k(K)).",
)
#: Rules whose answers are over all of a state, and may be certain before it ends.
WHOLE = (
    "o(k(K)): hX(k(K), n(count(V))) <- LBL(k(K), v(V)).",
    "o(k(K)): hX(k(K), v(V), m(max(W))) <- i: LBL(k(K), v(V)) and j: LBL(k(K), v(W)) and i before j.",
    "unbounded: hX(k(K)) <- state s: o(k(K)) and while s: not LBL(k(K)).",
    "unbounded: hX() <- state s: o() and while s: not LBL(k(NUM)).",
    "unbounded: hX(k(K)) <- state s: o(k(K)) and while s: not LBL(k(K), v(V)) and while s: not FBL(k(K)).",
    "unbounded: hX(k(K), v(V)) <- state s: o(k(K)) and while s: i: FBL(k(K), v(V)) and while s: not LBL(k(K), v(V)).",
    "unbounded: hX(k(K)) <- state s: o(k(K)) and while s: i: FBL(k(K)) and while s: not LBL(k(K)).",
)
RULES = (
    *WAITING,
    f"{_IN} and while s: j: MBL(k(K), v(W)) and i before j.",
    f"{_IN} and j: MBL(k(K)) and FBL(k(K)).",
    "o(k(K)): hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and j: MBL(k(K)).",
    # states that may open later
    f"{_BESIDE} and j: MBL(k(K)).",
    f"{_BESIDE} and w: from-end[i, LENsec] and while w: not MBL(k(K)).",
    *WHOLE,
    # what waits for the end of a state
    "o(k(K)): hX(k(K), n(count(V))) <- LBL(k(K), v(V)).",
    "unbounded: hX(k(K)) <- state s: o(k(K)) and while s: not LBL(k(K)).",
    f"{_IN} and w: extend[s, LENsec] and while w: not MBL(k(K)).",
    "Range LENsec: hX(k(K), n(count(V))) <- state s: o(k(K)) and while s: LBL(k(K), v(V)).",
)
ORDERS = (
    "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN e(i) <= e(j) END",
    "IF event i: MBL(k(K)) and event j: FBL(k(K)) THEN i before j END",
)
IN_STATES = (
    "IF state s: o(k(K)) and while s: event i: LBL(k(K)) and while s: event j: MBL(k(K)) THEN e(i) <= e(j) END",
    "IF state s: o(k(K)) and while s: event: LBL(k(K), v(V)) THEN V OP CON END",
    "WHILE state: o(k(K)) LET IN ANY CASE exists <= NUM event: LBL(k(K)) group-by {K} END END",
)


def random_state_texts(chance: random.Random) -> tuple[list[str], list[str]]:
    """Returns rules and constraints, of which orders have the labels of a rule."""
    rules: list[str] = []
    constraints: list[str] = []
    for number in range(chance.randint(1, 2)):
        order = chance.choice((ORDERS[0], ORDERS[1], "|".join(ORDERS)))
        text = f"{chance.choice((*RULES, *WAITING, *WAITING, *WHOLE))}|{order}"
        rule, *ordered = filled(chance, text).split("|")
        rules.append(rule.replace("X", str(number)))
        constraints += ordered
    if chance.random() < 0.5:
        constraints.append(filled(chance, chance.choice(IN_STATES)))
    if chance.random() < 0.2:
        constraints.append(random_constraint(chance))
    return rules, constraints


def stream_with_states(chance: random.Random, most: int = 14) -> list[Event]:
    """Returns a stream in which states overlap, touch, have no length or do not end."""
    found = stream_of(chance, most)
    for _ in range(chance.randint(1, 4)):
        begin = chance.randint(18, 40)
        end = None if chance.random() < 0.15 else begin + chance.choice((0, 2, 5, 10, 20, 30))
        found.append(state(f"o{{k{{{chance.randint(1, 2)}}}}}", begin, end))
    return in_order(dict.fromkeys(found))
