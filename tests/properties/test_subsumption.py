"""Subsumption of conjunctive queries, held against what they match on random streams.

Wherever the special query holds, the general one must hold with the substitution. What this cannot see: substitutions
that are not found, because subsumption is not complete.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from cera.constraints.binding import Binding, UnsafeError, plan
from cera.constraints.bodies import Bodies
from cera.constraints.clause import Clause
from cera.constraints.stream import Extent, Happening, Stream
from cera.constraints.subsumption.atoms import Fixed
from cera.constraints.subsumption.conjunctive import of_body
from cera.constraints.subsumption.subsumption import Match, subsumptions
from cera.model.evaluation.evaluator import Evaluator
from cera.model.terms.term import value_key
from conformance.constraints import SECOND, clauses_of, event, state
from hypothesis_profiles import examples

_WINDOWS = (
    "unbounded",
    "Range 4 sec",
    "Range 8 sec",
    "Range 4 sec Slide 2 sec",
    "Range 6 sec",
    "Range 6 sec Slide 3 sec",
)


def _body(chance: random.Random, most: int) -> str:
    """Returns the body of a constraint."""
    parts: list[str] = []
    names: list[tuple[str, str]] = []
    variables: list[str] = []
    for number in range(chance.randint(1, most)):
        kind = chance.choice(("event", "event", "event", "state"))
        name = f"i{number}"
        attributes = []
        for attribute in "xy":
            if chance.random() < 0.6:
                value = chance.choice(("X", "Y", "Z", "1", "2"))
                variables += [value] if value.isalpha() else []
                attributes.append(f"{attribute}({value})")
        inside = [other for other, _ in names] if chance.random() < 0.3 else []
        time = f"while {chance.choice(inside)}: " if inside else ""
        parts.append(f"{time}{kind} {name}: {chance.choice('pq' if kind == 'event' else 's')}({', '.join(attributes)})")
        names.append((name, kind))
    events = [name for name, kind in names if kind == "event"]
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        match chance.randint(0, 4):
            case 0 if len(events) > 1:
                one, other = chance.sample(events, 2)
                sign, edges = chance.choice(("<", "<=", ">", ">=", "=")), chance.choice(("bb", "be", "eb", "ee"))
                moved = chance.choice(("", "", " + 1 sec", " - 1 sec", " + 2 sec"))
                parts.append(f"{edges[0]}({one}) {sign} {edges[1]}({other}){moved}")
            case 1 if len(events) > 1:
                one, other = chance.sample(events, 2)
                parts.append(
                    chance.choice((f"{one} before {other}", f"{{{one}, {other}}} within {chance.randint(1, 4)} sec"))
                )
            case 2 if variables:
                right = chance.choice((*variables, "1", "2"))
                parts.append(f"{chance.choice(variables)} {chance.choice(('<', '<=', '>', '>=', '=', '!='))} {right}")
            case 3:
                value = chance.choice((*variables, "1", "2", "W"))
                time = f"while {chance.choice([name for name, _ in names])}: " if chance.random() < 0.5 else ""
                parts.append(f"{time}not event: {chance.choice('pq')}(x({value}))")
            case 4:
                count = chance.choice(("= 0", "<= 1", ">= 1", ">= 0"))
                parts.append(
                    f"exists {count} event: {chance.choice('pq')}(x({chance.choice(('1', 'V'))})) group-by {{}}"
                )
            case _:
                pass
    return " and ".join(parts)


def _weakened(chance: random.Random, text: str) -> str:
    """Returns a body that often follows: some parts less, some constants variables."""
    parts = [part for part in text.split(" and ") if chance.random() < 0.8]
    found = " and ".join(parts) or text
    for constant, variable in (("(1)", "(V1)"), ("(2)", "(V2)")):
        if chance.random() < 0.4 and " not " not in found and "exists" not in found:
            found = found.replace(constant, variable)
    return found


def _clause(text: str, window: str) -> Clause | None:
    try:
        [clause] = clauses_of(f"WHILE {window} LET IF {text} THEN exists >= 1 event: seen() END END")
        plan(clause.body)
    except (AssertionError, UnsafeError):
        return None
    return clause


def _stream(chance: random.Random) -> Stream:
    found: list[Happening] = []
    for _ in range(chance.randint(2, 9)):
        at = chance.randint(10, 22)
        values = {name: chance.randint(1, 3) for name in "xy" if chance.random() < 0.95}
        if chance.random() < 0.75:
            end = at + (chance.randint(0, 3) if chance.random() < 0.5 else 0)
            found.append(event(chance.choice("pq"), at, end, **values))
        else:
            found.append(state("s", at, at + chance.randint(0, 6) if chance.random() < 0.8 else None, **values))
    found.sort(key=lambda each: (each.end, each.begin, each.term.key))
    return Stream(tuple(found), Extent(0, 60 * SECOND, 0))


def _bindings(clause: Clause, stream: Stream) -> Iterator[Binding]:
    bodies = Bodies(stream, Evaluator((), "UTC"))
    return bodies.bindings(plan(clause.body), Binding())


def _agrees(match: Match, special: Binding, general: Binding) -> bool:
    for name, value in match.values.items():
        wanted = value.value if isinstance(value, Fixed) else special.values.get(value.name)
        if name in general.values and (wanted is None or value_key(wanted) != value_key(general.values[name])):
            return False
    for name, other in match.identifiers.items():
        one, two = general.items.get(name), special.items.get(other)
        if name in match.covers or one is None or two is None:
            continue
        if (one.happening, one.interval) != (two.happening, two.interval):
            return False
    return True


def _held(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    text, window = _body(chance, 3), chance.choice(_WINDOWS)
    general_text = _weakened(chance, text) if chance.random() < 0.8 else _body(chance, 2)
    general_window = window if chance.random() < 0.6 else chance.choice(_WINDOWS)
    special, general = _clause(text, window), _clause(general_text, general_window)
    if special is None or general is None:
        return Counter(refused=1)
    matches = subsumptions(of_body(general.body), of_body(special.body))
    seen = Counter(tried=1, subsumed=bool(matches), windows=bool(matches) and window != general_window)
    for _ in range(3 if matches else 0):
        stream = _stream(chance)
        generals = list(_bindings(general, stream))
        for binding in _bindings(special, stream):
            seen["bindings"] += 1
            for match in matches:
                assert any(_agrees(match, binding, each) for each in generals), (
                    f"{general_window}: {general_text}\n{window}: {text}\n{match}\n{binding.values}\n"
                    + "\n".join(f"{each.kind} {each.term} {each.begin} {each.end}" for each in stream.happenings)
                )
    return seen


def test_wherever_a_query_holds_one_that_subsumes_it_does() -> None:
    number = examples(300)
    seen = sum((_held(seed) for seed in range(number)), Counter())
    assert seen["subsumed"] >= number // 6
    assert seen["bindings"] >= number // 4
    assert seen["windows"] >= number // 40


@pytest.mark.long
def test_wherever_a_query_holds_one_that_subsumes_it_does_for_long() -> None:
    for seed in range(1_000, 21_000):
        _held(seed)
