"""Cardinalities that are propagated through rules, held against what the rules derive.

Cardinalities are measured on a random stream, so that they hold of it; those that follow for the heads of random rules
must then hold of the answers of the reference engine. What this cannot see: bounds that are wider than need be.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from cera.constraints.cardinalities.cardinality import Cardinality
from cera.constraints.cardinalities.propagation import Premises, propagated
from cera.constraints.numbers import NO_NUMBER, CountSet, compared
from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name
from cera.model.events.event import Event
from cera.model.expressions.atoms import Atom
from cera.model.terms.term import Term, value_key
from cera.model.time.periodic_windows import Period
from cera.program import load
from cera.testing import SECOND, event
from hypothesis_profiles import examples
from module_runs import run_by_definition

LAST = 24
PERIODS = [Period(r * SECOND, s * SECOND) for r, s in ((2, 2), (3, 1), (4, 2), (4, 4), (6, 3), (8, 4), (5, 3))]


def _stream(chance: random.Random, *, flat: bool, points: bool) -> list[Event]:
    found = []
    for _ in range(chance.randint(4, 22)):
        children = [Term("x", [chance.randint(1, 2)]), Term("y", [chance.randint(1, 3)])]
        if not flat and chance.random() < 0.2:
            children.append(Term("x", [chance.randint(1, 2)]))
        begin = chance.randint(0, LAST - 2)
        end = begin if points or chance.random() < 0.6 else begin + chance.randint(1, 2)
        found.append(event(Term(chance.choice("abc"), children), begin, end))
    for label in "ab" if chance.random() < 0.5 else "":  # in every window there is one of these
        children = [Term("x", [chance.randint(1, 2)]), Term("y", [chance.randint(1, 3)])]
        found += [event(Term(label, children), at) for at in range(LAST)]
    return list(dict.fromkeys(found))


def _value(chance: random.Random, names: str) -> Name | Fixed:
    return Fixed(chance.randint(1, 2)) if chance.random() < 0.15 else Name(chance.choice(names))


def _atom(chance: random.Random) -> FlatAtom:
    places = [((attribute,), 1, 0) for attribute in "xy" if chance.random() < 0.8]
    return FlatAtom(
        chance.choice("abc"),
        "event",
        tuple((place, _value(chance, "ABCD"[index] * 3 + "A")) for index, place in enumerate(places)),
    )


def _matches(atom: FlatAtom, one: Event) -> list[dict[str, object]]:
    """Returns the substitutions under which an atom matches an event."""
    found: list[dict[str, object]] = [{}] if one.label == atom.label else []
    for ((name,), _, _), value in atom.places:
        values = [each.children[0] for each in one.term.children if isinstance(each, Term) and each.label == name]
        more = []
        for known in found:
            for other in values:
                key = value_key(other)
                if isinstance(value, Fixed):
                    more += [known] if key == value_key(value.value) else []
                elif known.get(value.name, key) == key:
                    more.append({**known, value.name: key})
        found = more
    return found


def _numbers(
    atom: FlatAtom, group: frozenset[str], period: Period, events: Sequence[Event]
) -> tuple[set[int], set[int]]:
    """Returns the numbers of events in the windows inside of the stream, and in all of them."""
    inside, everywhere = set(), set()
    for begin in range(-12 * period.slide, LAST * SECOND + period.slide, period.slide):
        groups: dict[object, set[int]] = {} if group else {(): set()}
        for number, one in enumerate(events):
            if begin <= one.begin and one.end < begin + period.length:
                for found in _matches(atom, one):
                    groups.setdefault(tuple(sorted((k, v) for k, v in found.items() if k in group)), set()).add(number)
        sizes = {len(each) for each in groups.values()}
        everywhere |= sizes
        if begin >= 0 and begin + period.length <= LAST * SECOND:
            inside |= sizes
    return inside, everywhere


def _measured(chance: random.Random, events: Sequence[Event]) -> Cardinality:
    """Returns a cardinality that holds of a stream."""
    atom, period = _atom(chance), chance.choice(PERIODS)
    group = frozenset(name for name in atom.variables if chance.random() < 0.4)
    inside, everywhere = _numbers(atom, group, period, events)
    inside = everywhere if group else inside  # of groups that occur
    low, high = min(inside, default=0), max(everywhere, default=0)
    numbers = CountSet(((low, high),))
    if chance.random() < 0.4 and everywhere <= inside and inside:
        numbers = NO_NUMBER
        for each in inside:
            numbers = numbers.union(compared("=", each))
    elif chance.random() < 0.2:
        numbers = CountSet(((low, None),))
    return Cardinality(atom, Atom(atom.label), group, numbers, period, (), ("measured",))


def _rule(chance: random.Random, number: int) -> str:
    """Returns a rule as text."""
    body, variables = [], set[str]()
    labels = "abc" if not number else "abcd"
    for _ in range(chance.choice((1, 1, 2, 2, 3))):
        attributes = []
        for attribute in "xy":
            if chance.random() < 0.75:
                value = str(chance.randint(1, 2)) if chance.random() < 0.15 else chance.choice("XYZ")
                variables |= {value} if value.isalpha() else set()
                attributes.append(f"{attribute}({value})")
        body.append(f"{chance.choice(labels)}({', '.join(attributes)})")
    text = (" or " if chance.random() < 0.2 and len(body) > 1 else " and ").join(body)
    known = sorted(variables)
    if " or " in text:
        known = [name for name in known if all(f"({name})" in each for each in body)]
    elif known and chance.random() < 0.25:
        text += f" and {chance.choice(known)} > 1"
    elif chance.random() < 0.2:
        inner = f"x({chance.choice(known)})" if known and chance.random() < 0.6 else ""
        text += f" and not {chance.choice('abc')}({inner})"
    head = [f"{attribute}({chance.choice(known)})" for attribute in "xy" if known and chance.random() < 0.7]
    if known and chance.random() < 0.15 and " or " not in text and " not " not in text:
        head = [*head[:1], f"n(count({chance.choice(known)}))"]
    period = chance.choice(PERIODS)
    window = f"Range {period.length // SECOND} sec Slide {period.slide // SECOND} sec"
    return f"{window}:\n  {'de'[number]}({', '.join(head)}) <- {text}."


def _held(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    flat, points = chance.random() < 0.8, chance.random() < 0.7
    events = _stream(chance, flat=flat, points=points)
    known = [_measured(chance, events) for _ in range(chance.randint(2, 8))]
    text = "\n".join(_rule(chance, number) for number in range(chance.choice((1, 2))))
    program = load(text)
    if any(each.severity == "error" for each in program.check()):
        return Counter(refused=1)
    answers = [each.event for each in run_by_definition(program.rules, events).derived]
    premises = Premises(0 if points else 2 * SECOND, ("a", "b", "c") if flat else ())
    seen: Counter[str] = Counter()
    for each in propagated(program.rules, known, premises):
        derived = [one for one in answers if one.label == each.atom.label]
        inside, everywhere = _numbers(each.atom, each.group, each.period, derived)
        shown = f"{text}\n{each}\n{known}\n{events}\n{derived}"
        assert all(number in each.numbers for number in inside), shown
        high = each.numbers.ranges[-1][1]
        assert high is None or max(everywhere, default=0) <= high, shown
        seen["derived"] += 1
        seen["bounded"] += high is not None
        seen["from below"] += 0 not in each.numbers
        seen["grouped"] += bool(each.group)
    return seen


def test_propagated_cardinalities_hold_of_what_rules_derive() -> None:
    number = examples(200)
    seen = sum((_held(seed) for seed in range(number)), Counter())
    assert seen["bounded"] >= number // 5
    assert seen["grouped"] >= number // 8
    assert seen["from below"] >= number // 100


@pytest.mark.long
def test_propagated_cardinalities_hold_for_long() -> None:
    for seed in range(1_000, 11_000):
        _held(seed)
