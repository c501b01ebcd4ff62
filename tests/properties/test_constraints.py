"""Violations that are certain at a time depend on nothing that happens later.

Random constraints in random modules over random streams: what is certain up to a time in the whole recording is what is
found in the recording that is cut there. It cannot catch what is wrong in both, for which there are the entries of the
papers (`tests/conformance/test_escl_entries.py`).
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from cera.constraints.semantics import Verdict
from cera.constraints.stream import Happening
from cera.model.events.states import OPEN
from conformance.constraints import SECOND, by_definition, event, state
from hypothesis_profiles import examples

COUNTS = ("= 0", ">= 1", "<= 1", "= 2", "(= 0 or >= 2)", "!= 1")
MODULES = (
    *("state: s(k(K))", "event m: e(k(K))", "Range 10 sec", "Range 10 sec Slide 5 sec", "now"),
    *("[now - 5 sec, now]", "from-end[event: a(k(K)), 5 sec]", "from-start[state: s(k(K)), 4 sec]"),
)
LITERALS = ("event: a(k(K))", "event: b(k(K), v(V))", "state: s(k(K))", "event: e(k(K))")


def constraint(choose: random.Random) -> str:
    def literal() -> str:
        return choose.choice(LITERALS)

    count = choose.choice(COUNTS)
    head = choose.choice(
        [
            *(
                f"exists {count} {literal()}",
                f"exists {count} {literal()} group-by {{}}",
                f"not {literal()}",
                literal(),
            ),
            *(f"{literal()} or exists {count} {literal()}", "exists >= 1 event x: b(k(K), v(W)) and W > 1"),
        ]
    )
    body = choose.choice(
        [
            *(
                None,
                literal(),
                f"{literal()} and not {literal()}",
                f"exists = N {literal()}",
                f"exists >= 2 {literal()}",
            ),
            "event i: a(k(K)) and event j: b(k(K), v(V)) and i before j",
        ]
    )
    written = f"IN ANY CASE {head} END" if body is None else f"IF {body} THEN {head} END"
    return f"WHILE {choose.choice(MODULES)} LET {written} END"


def stream(choose: random.Random) -> list[Happening]:
    found: list[Happening] = [event("zero", 0), event("zero", 60)]
    for _ in range(choose.randint(3, 9)):
        at, label, key = choose.randint(0, 20), choose.choice("abes"), choose.randint(1, 2)
        if label == "s":
            end = choose.choice([None, at + choose.randint(0, 8)])
            found.append(state("s", at, end, k=key))
        else:
            found.append(event(label, at, at + choose.choice([0, 0, 3]), k=key, v=choose.randint(0, 3)))
    return found


def cut(happenings: list[Happening], until: int) -> list[Happening]:
    """Returns what is known at a time: events that have ended, and states that have begun."""
    last = until * SECOND
    events = [each for each in happenings if each.kind == "event" and each.end <= last]
    states = [each for each in happenings if each.kind == "state" and each.begin <= last]
    opened = [each if each.end <= last else replace(each, end=OPEN) for each in states]
    return [*events, *opened]


def certain(verdict: Verdict, until: int) -> set[object]:
    return {
        (each.clause.name, each.at, each.values, each.expected, each.found)
        for each in verdict.violations
        if each.at <= until * SECOND
    }


@pytest.mark.parametrize("seed", range(4))
def test_what_is_certain_does_not_depend_on_what_comes_later(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(examples(150)):
        text, happenings = constraint(choose), stream(choose)
        until = choose.randint(1, 24)
        whole, early = by_definition(text, happenings), by_definition(text, cut(happenings, until), until=until)
        assert certain(early, until) == certain(whole, until), (
            text,
            [str(h.term) + str(h.interval) for h in happenings],
        )
