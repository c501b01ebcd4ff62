"""Random constraints of the kinds that rules can say, and some that they cannot, over random streams."""

from __future__ import annotations

import random
from dataclasses import dataclass

from cera.constraints.clause import Clause
from cera.constraints.module import ConstraintModule
from cera.constraints.stream import Happening
from cera.constraints.translation.clause_rules import ByRules, rules_of
from cera.rules.rule import Rule, RuleProgram
from conformance.constraints import clauses_of, diagnostics_of, event, state

COUNTS = ("= 0", ">= 1", "<= 1", "= 1", "!= 1", ">= 2", "<= 0", "!= 0")
MODULES = (
    *("state: s(k(K))", "event m: e(k(K))", "Range 10 sec", "Range 10 sec Slide 5 sec", "unbounded"),
    *("from-end[event: a(k(K)), 5 sec]", "from-start[state: s(k(K)), 4 sec]", "from-start[event: e(k(K)), 4 sec]"),
    *("extend[event: e(k(K)), 2 sec]", "from-end[state: s(k(K)), 4 sec]", "from-end-backward[event: a(k(K)), 5 sec]"),
    *("shorten[event: e(k(K)), 1 sec]", "extend[state: s(k(K)), 2 sec]", "shift-forward[event: a(k(K)), 3 sec]"),
)
LITERALS = (
    *("event: a(k(K))", "event: b(k(K), v(V))", "state: s(k(K))", "event: e(k(K))"),
    *("event: b(v(V))", "event: a()", "state: r(k(K))"),
)
PAIRS = (
    *("event i: a(k(K)) and event j: b(k(K), v(V))", "state i: s(k(K)) and event j: b(k(K), v(V))"),
    *("state i: s(k(K)) and state j: r(k(K))", "event i: e(k(K)) and event j: e(k(K))"),
)
RELATIONS = ("before", "after", "meets", "during", "overlaps", "starts", "finishes", "equals", "contains", "met-by")
TIMES = (
    *("{i, j} within max 4 sec", "{i, j} within min 3 sec", "{i, j} within exact 3 sec", "{i, j} apart-by min 2 sec"),
    *("{i, j} apart-by (min 1 sec and max 3 sec)", "e(i) + 2 sec <= b(j)", "b(i) < b(j)", "e(j) < e(i)"),
)
VALUES = ("V > 1", "V != K", "V = 2", "K < V")


def constraint(choose: random.Random) -> str:
    """Returns the text of a constraint, which may be wrong."""
    body, head = _about_two(choose) if choose.random() < 0.5 else _about_one(choose)
    written = f"IN ANY CASE {head} END" if body is None else f"IF {body} THEN {head} END"
    return f"WHILE {choose.choice(MODULES)} LET {written} END" if choose.random() < 0.75 else written


def _about_one(choose: random.Random) -> tuple[str | None, str]:
    one, other, count = choose.choice(LITERALS), choose.choice(LITERALS), choose.choice(COUNTS)
    heads = [
        *(f"exists {count} {one}", f"exists {count} {one} group-by {{}}", f"not {one}", one),
        *(f"exists {count} event: b(k(K), v(V)) group-by {{K}}", f"{one} or exists {count} {other}"),
    ]
    first, second = choose.choice(LITERALS), choose.choice(LITERALS)
    bodies = [None, first, f"{first} and not {second}", f"exists {choose.choice(('>= 1', '>= 2', '= 1'))} {first}"]
    return choose.choice(bodies), choose.choice(heads)


def _about_two(choose: random.Random) -> tuple[str, str]:
    pair, one, count = choose.choice(PAIRS), choose.choice(LITERALS), choose.choice(COUNTS)

    def condition() -> str:
        values = VALUES if "V" in pair else ("K = 1",)
        return choose.choice([*TIMES, *values, *(f"i {choose.choice(RELATIONS)} j" for _ in range(2))])

    body = f"{pair} and {condition()}" if choose.random() < 0.6 else pair
    if choose.random() < 0.2 and "event j" in pair:
        atom = one.partition(": ")[2]
        body = f"{pair} and event t: from-end[j, 3 sec] and while t: event x: {atom}"
    if choose.random() < 0.2:
        body = f"{pair} and {{i, j}} apart-by min 1 {one}"
    heads = [
        *(condition(), f"{condition()} or {condition()}", f"({condition()} and {condition()}) or {condition()}"),
        *(f"while i: exists {count} {one}", f"while j: {one}", f"while i: exists {count} {one} or {condition()}"),
        *(
            f"while {choose.choice('ij')}: event x: e(k(K)) and x {choose.choice(RELATIONS)} i",
            f"{{i, j}} apart-by no {one}",
        ),
        *(f"while {time}{{i, j}}: exists {count} {one}" for time in ("intersection", "cover-all")),
    ]
    return body, choose.choice(heads)


def stream(choose: random.Random) -> list[Happening]:
    found: list[Happening] = [event("zero", 0), event("zero", 60)] if choose.random() < 0.5 else []
    for _ in range(choose.randint(5, 14)):
        at, label, key = choose.randint(0, 20), choose.choice("aabbbessr"), choose.choice([1, 1, 1, 2])
        if label in "sr":
            end = choose.choice([None, *(at + choose.randint(0, 8) for _ in range(3))])
            found.append(state(label, at, end, k=key))
        else:
            length = choose.choice([0, 0, 3, 5]) if label == "e" else 0
            found.append(event(label, at, at + length, k=key, v=choose.randint(0, 3)))
    return found


@dataclass(frozen=True)
class Translated:
    """The clauses of a constraint that rules can say, and the rules."""

    text: str
    module: ConstraintModule
    program: RuleProgram


def translated(text: str, name: str = "m") -> Translated | None:
    """Returns the clauses of a text that are rules; None if there are none, or the text is wrong."""
    if any(each.severity == "error" for each in diagnostics_of(text)):
        return None
    clauses: list[Clause] = []
    rules: list[Rule] = []
    for clause in clauses_of(text):
        found = rules_of(clause, name)
        if isinstance(found, ByRules):
            clauses.append(clause)
            rules += found.rules
    return Translated(text, ConstraintModule(name, tuple(clauses)), RuleProgram(tuple(rules))) if rules else None


def random_case(choose: random.Random, name: str = "m") -> Translated:
    """Returns a constraint of which rules can say something."""
    while (found := translated(constraint(choose), name)) is None:
        pass
    return found
