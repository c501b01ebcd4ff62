"""Random texts of rules of which several rows give one answer, and constraints on their events: rows differ in what the
answer does not show, or come at different times.
"""

from __future__ import annotations

import random

from properties.constrained_rules import filled

#: Those with arithmetic show less than the values in them.
HEADS = ("k(K)", "k(K), v(V)", "k(K * 0)", "k(K mod 2), v(V)", "v(V)", "k(K), v(V - V)")
TIMERS = ("from-end", "from-start", "extend", "shift-forward", "extend-begin", "shorten-begin")
ANCHORS = (
    "i: LBL(k(K), v(V))",
    "i: LBL(k(K), v(V)) and j: FBL(k(K))",
    "i: LBL(k(K), v(V)) and j: FBL(k(K)) and i before j",
    "i: LBL(k(K), v(V)) and j: FBL(k(K)) and e(j) <= e(i)",
)
#: What an answer waits for, and which labels come no later than which.
WAITS = ("w: TIMER[i, LENsec] and while w: not MBL(k(K))", "w: TIMER[i, LENsec] and while w: not MBL(k(K), v(V))")
GATHERED = (
    "Range LENsec: hX(HEAD, n(count(V))) <- LBL(k(K), v(V)).",
    "Range LENsec Slide 2sec: hX(HEAD, n(max(V))) <- LBL(k(K), v(V)).",
    "Range LENsec: hX(HEAD) <- i: LBL(k(K), v(V)) and not MBL(k(K)).",
)
ORDER = "IF event i: {}(k(K)) and event j: {}(k(K)) THEN {} END"
OTHERS = (
    "WHILE Range LENsec LET IN ANY CASE exists <= NUM event: LBL(k(K)) group-by {K} END END",
    "IF event: LBL(v(V)) THEN V = CON END",
)


def random_trace_texts(chance: random.Random) -> tuple[list[str], list[str]]:
    """Returns a rule and constraints, some of which say what comes before its own answers."""
    if chance.random() < 0.6:
        rule = f"unbounded: hX(HEAD) <- {chance.choice(ANCHORS)} and {chance.choice(WAITS)}."
    else:
        rule = chance.choice(GATHERED)
    rule = rule.replace("HEAD", chance.choice(HEADS)).replace("TIMER", chance.choice(TIMERS)).replace("X", "0")
    rule, *others = filled(chance, "|".join((rule, *(each for each in OTHERS if chance.random() < 0.3)))).split("|")
    last = chance.choice(("p", "q", "r", "h0"))
    asked = sorted({label for label in "pqr" if f"{label}(" in rule} - {last})
    known = asked if chance.random() < 0.5 else [chance.choice("pqr")]
    return [rule], [
        *(ORDER.format(each, last, chance.choice(("e(i) <= e(j)", "i before j"))) for each in known),
        *others,
    ]
