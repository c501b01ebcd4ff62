"""Random texts of rules and constraints on events: each by itself, and in themes of which some law may make use; and
random streams."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from cera.model.events.event import Event
from cera.testing import event
from properties.local_runs import in_order

LABELS = ("p", "q", "r")


def _chosen(chance: random.Random, *options: str) -> str:
    """Returns one of several texts, with labels L and M, numbers N and C, and comparisons OP filled in."""
    return filled(chance, chance.choice(options))


def filled(chance: random.Random, text: str) -> str:
    text = text.replace("LBL", chance.choice(LABELS)).replace("MBL", chance.choice(LABELS))
    text = text.replace("FBL", chance.choice(LABELS)).replace("NUM", str(chance.choice((1, 1, 2, 3))))
    text = text.replace("CON", str(chance.randint(0, 4)))
    text = text.replace("OP", chance.choice(("<", "<=", ">", ">=", "=", "!=")))
    return text.replace("LEN", chance.choice(("4", "5", "10")))


def _rule(chance: random.Random, number: int) -> str:
    body = _chosen(
        chance,
        "Range LENsec: hX(k(K), n(count(V))) <- LBL(k(K), v(V)).",
        "Range LENsec: hX(k(K), n(sum(V))) <- LBL(k(K), v(V)) and V OP CON.",
        "Range LENsec Slide 2sec: hX(k(K), n(last(V))) <- LBL(k(K), v(V)).",
        "Range LENsec: hX(n(count(V))) <- LBL(k(NUM), v(V)).",
        "Range LENsec: hX(k(K), v(V), n(count(W))) <- LBL(k(K), v(V)) and MBL(k(K), v(W)).",
        "hX(k(K), v(V)) <- LBL(k(K), v(V)) and V OP CON.",
        "hX(v(V)) <- LBL(k(NUM), v(V)) and V OP CON.",
        "hX(k(K), v(V), w(W)) <- i: LBL(k(K), v(V)) and j: MBL(k(K), v(W)) and i before j.",
        "hX(k(K), v(V), w(W)) <- i: LBL(k(K), v(V)) and j: MBL(k(K), v(W)) and V OP W and e(i) OP e(j).",
        "hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and w: from-end[i, LENsec] and while w: not MBL(k(K)).",
        "hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and w: from-end[i, LENsec] and while w: not MBL(k(K), v(V)).",
        "hX(k(K)) <- i: LBL(k(K)) and w: shift-forward[i, LENsec] and while w: not MBL(k(NUM)).",
    )
    return body.replace("X", str(number))


def _reader(chance: random.Random, number: int) -> str:
    """Returns a rule that reads what the first rule derives, which may be early."""
    body = _chosen(
        chance,
        "Range LENsec: hX(k(K), n(count(N))) <- h0(k(K), n(N)).",
        "hX(k(K), n(N)) <- i: h0(k(K), n(N)) and j: LBL(k(K)) and {i, j} within 8 sec.",
        "hX(k(K), v(V), w(W)) <- i: h0(k(K), v(V)) and j: MBL(k(K), v(W)) and j before i and {i, j} within 8 sec.",
        "hX(k(K)) <- i: LBL(k(K)) and w: extend[i, LENsec] and while w: not h0(k(K)).",
    )
    return body.replace("X", str(number))


def _special(rules: Sequence[str], chance: random.Random) -> str | None:
    """Returns a rule that joins what one of the rules joins, and asks for more; None if none of them joins."""
    joining = [
        each for each in rules if "i: " in each and "j: " in each and "Range" not in each and "while" not in each
    ]
    if not joining:
        return None
    rule = re.sub(r"^h\d", f"h{len(rules)}", chance.choice(joining)).removesuffix(".")
    if "v(W)" not in rule:
        rule = re.sub(r"j: (\w)\(k\(K\)\)", r"j: \1(k(K), v(W))", rule)
    name = "V" if "v(V)" in rule else "K"
    return filled(chance, f"{rule} and {chance.choice((f'{name} OP CON', f'{name} OP CON + K'))}.")


def random_constraint(chance: random.Random) -> str:
    return _chosen(
        chance,
        "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN i before j END",
        "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN e(i) <= e(j) END",
        "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K), v(V)) THEN e(i) <= b(j) END",
        "IF event i: LBL(k(K)) THEN exists = 1 event j: MBL(k(K)) and e(i) <= b(j) END",
        "IF event i: LBL(k(K)) THEN exists = 1 event j: MBL(k(K), v(V)) group-by {K} and e(i) <= b(j) END",
        "WHILE Range LENsec LET IN ANY CASE exists <= NUM event: LBL(k(K), v(V)) group-by {K} END END",
        "WHILE Range LENsec LET IN ANY CASE exists <= NUM event: LBL(k(K)) group-by {} END END",
        "WHILE Range LENsec LET IN ANY CASE exists <= NUM event: LBL(v(V)) END END",
        "IF event: LBL(v(V)) THEN V OP CON END",
        "IF event: LBL(v(V)) THEN V OP CON END",  # twice, because fewest rules have a condition that it guarantees
        "IF event: LBL(k(K)) THEN K != NUM END",
        "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K), v(W)) THEN V OP W END",
        "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K), v(W)) and V OP W THEN e(i) <= e(j) or V = CON END",
    )


BETWEEN = (
    "IF event f: FBL(k(K)) and event i: LBL(k(K)) and e(f) < e(i) "
    "THEN exists >= 1 event j: MBL(k(K)) and f before j and e(j) <= e(i) END"
)
#: Rules with constraints that some law may use on them, which random choice seldom brings together.
THEMES = (
    # join elimination
    (
        "hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and j: MBL(k(K)) and b(i) <= b(j) and e(j) <= e(i).",
        "IF event i: LBL(k(K)) THEN exists >= 1 event j: MBL(k(K)) and b(i) <= b(j) and e(j) <= e(i) END",
    ),
    (
        "hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and j: MBL(k(K), v(W)) and b(i) <= b(j) and e(j) <= e(i) and W OP CON.",
        "IF event i: LBL(k(K)) THEN event j: MBL(k(K), v(W)) and b(i) <= b(j) and e(j) <= e(i) and W OP CON END",
    ),
    (
        "hX(k(K), v(V)) <- f: FBL(k(K)) and j: MBL(k(K)) and i: LBL(k(K), v(V)) and f before j and e(j) <= e(i).",
        BETWEEN,
    ),
    (
        "Range LENsec: hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and j: MBL(k(K)) and b(i) <= b(j) and e(j) <= e(i).",
        "IF event i: LBL(k(K)) THEN exists >= 1 event j: MBL(k(K)) and b(i) <= b(j) and e(j) <= e(i) END",
    ),
    (
        "Range LENsec: hX(k(K), n(AGG(V))) <- i: LBL(k(K), v(V)) and j: MBL(k(K)) and b(i) <= b(j) and e(j) <= e(i).",
        "IF event i: LBL(k(K)) THEN exists = 1 event j: MBL(k(K)) and b(i) <= b(j) and e(j) <= e(i) END",
    ),
    # predicate elimination
    (
        "hX(k(K), v(V)) <- i: LBL(k(K), v(V)) and j: MBL(k(K)) and i before j and V >= CON.",
        "IF event: LBL(v(V)) THEN V > CON END",
    ),
    # predicate introduction
    (
        "Range LENsec: hX(k(K), n(AGG(V))) <- LBL(k(K), v(V)).",
        "WHILE Range LENsec LET IN ANY CASE exists <= NUM event: LBL(k(K)) group-by {K} END END",
    ),
    (
        "Range LENsec: hX(n(AGG(V))) <- LBL(k(K), v(V)).",
        "WHILE Range LENsec LET IN ANY CASE exists <= NUM event: LBL(v(V)) group-by {} END END",
    ),
    # only partner
    (
        "Range LENsec: hX(k(K), v(V), w(W)) <- i: LBL(k(K), v(V)) and j: MBL(k(K), v(W)).",
        "WHILE Range LENsec LET IN ANY CASE exists <= 1 event: MBL(k(K)) group-by {K} END END",
    ),
    (
        "Range LENsec: hX(k(K), n(AGG(V))) <- i: LBL(k(K), v(V)) and j: MBL(k(K)) and e(i) OP e(j).",
        "WHILE Range LENsec LET IN ANY CASE exists <= 1 event: MBL(k(K)) group-by {} END END",
    ),
    # refuted absence
    (
        "Range LENsec: hX(k(K), v(V)) <- LBL(k(K), v(V)) and not MBL(k(K), v(V)).",
        "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K), v(V)) THEN e(i) <= e(j) END",
    ),
    (
        "Range LENsec: hX(k(K), n(AGG(V))) <- LBL(k(K), v(V)) and not MBL(k(K)).",
        "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN i before j END",
    ),
    (
        "Range LENsec: hX(k(K), v(V)) <- LBL(k(K), v(V)) and not MBL(k(K)).",
        "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN e(i) <= e(j) END",
    ),
    (
        "Range LENsec Slide 2sec: hX(k(K), n(AGG(V))) <- LBL(k(K), v(V)) and not MBL(k(K), v(V)).",
        (
            "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K), v(V)) THEN i before j END "
            "IF event i: LBL(k(K)) and event j: FBL(k(K)) THEN i before j END "
            "IF event i: MBL(k(K)) and event j: FBL(k(K)) THEN e(i) <= e(j) END"
        ),
    ),
    (
        "Range LENsec: hX(k(K), v(V), w(W)) <- LBL(k(K), v(V)) and FBL(k(K), v(W)) and not MBL(k(K)).",
        (
            "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN i before j END "
            "IF event i: FBL(k(K)) and event j: MBL(k(K)) THEN e(i) <= e(j) END"
        ),
    ),
    # result by transformation
    (
        "Range LENsec: hX(k(K), n(AGG(V))) <- LBL(k(K), v(V)).",
        "IF event: LBL(v(V)) THEN V = CON END",
    ),
    (
        "Range LENsec Slide 2sec: hX(k(K), n(AGG(V)), m(max(W))) <- LBL(k(K), v(V)) and MBL(k(K), v(W)).",
        "IF event: LBL(k(K), v(V)) and event: MBL(k(K), v(W)) THEN V = CON and W = NUM END",
    ),
    (
        "Range LENsec: hX(n(AGG(V))) <- LBL(k(K), v(V)).",
        "IF event: LBL(v(V)) THEN V = CON END",
    ),
    # scan reduction
    (
        "hX(k(K), v(V), w(W)) <- i: LBL(k(K), v(V)) and j: MBL(k(K), v(W)).",
        "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K)) THEN V OP CON END",
    ),
    (
        "Range LENsec: hX(k(K), n(AGG(V))) <- i: LBL(k(K), v(V)) and j: MBL(k(K), v(W)).",
        "IF event i: LBL(k(K), v(V)) and event j: MBL(k(K)) THEN V OP CON and {i, j} within LEN sec END",
    ),
    (
        "hX(k(K)) <- i: LBL(k(K)) and j: MBL(k(K)).",
        "IF event i: LBL(k(K)) and event j: MBL(k(K)) THEN e(i) <= e(j) and {i, j} within LEN sec END",
    ),
)


def _theme(chance: random.Random, number: int) -> tuple[str, str]:
    """Returns a rule, and a constraint with the same labels and numbers."""
    rule, constraint = chance.choice(THEMES)
    rule = rule.replace("AGG", chance.choice(("count", "sum", "min", "max", "avg", "first", "last")))
    text = filled(chance, f"{rule}|{constraint}")
    rule, _, constraint = text.partition("|")
    return rule.replace("X", str(number)), constraint


def stream_of(chance: random.Random, most: int = 14) -> list[Event]:
    found: list[Event] = []
    for _ in range(chance.randint(3, most)):
        begin = chance.randint(20, 45)  # a stream takes what happened at the begin of 1970 for late
        end = begin + chance.choice((0, 0, 0, 1, 3, 6))
        values = "" if chance.random() < 0.1 else f", v{{{chance.randint(0, 4)}}}"
        twice = f", v{{{chance.randint(0, 4)}}}" if values and chance.random() < 0.1 else ""
        found.append(event(f"{chance.choice(LABELS)}{{k{{{chance.randint(1, 2)}}}{values}{twice}}}", begin, end))
    return in_order(dict.fromkeys(found))


def random_texts(seed: int) -> tuple[list[str], list[str]]:
    """Returns the rules and the constraints of a seed."""
    chance = random.Random(seed)
    rules = [_rule(chance, number) for number in range(chance.randint(1, 3))]
    constraints = [random_constraint(chance) for _ in range(chance.randint(1, 3))]
    if chance.random() < 0.6:
        rule, constraint = _theme(chance, 0)
        rules, constraints = [rule, *rules[1:]], [constraint, *constraints[1:]]
    more = random.Random(f"readers {seed}")
    if more.random() < 0.3:
        rules.append(_reader(more, len(rules)))
    if more.random() < 0.6 and (special := _special(rules, more)) is not None:
        rules.append(special)
    return rules, constraints
