"""Types inside of others take over their limits where that changes no answer: they forget, and detect the same."""

from __future__ import annotations

from random import Random

import pytest

import cera
from cera.model.events.event import Event
from cera.testing import event

THREE = "T := unrestricted A ; B ; C within 10 sec as t(a: A.n, b: B.n, c: C.n)"
FOUR = "T := unrestricted A ; B ; C ; D within 10 sec as t(a: A.n, d: D.n)"
KEYED = "T := unrestricted (A ; B where A.k = B.k) ; C within 10 sec as t(a: A.n, b: B.n, c: C.n)"
COMPARED = "T := unrestricted (A ; B where A.k < B.k) ; C within 10 sec as t(a: A.n, b: B.n, c: C.n)"
NEWEST = "T := recent A ; B ; C within 10 sec as t(a: A.n, b: B.n, c: C.n)"


def history(random: Random, count: int) -> list[Event]:
    events, time = [], 0
    for number in range(count):
        time += random.choice((0, 1, 1, 2, 6))
        events.append(event(f"{random.choice('ABCD')}{{n{{{number}}}, k{{{random.randrange(3)}}}}}", time))
    return events


@pytest.mark.parametrize("text", [THREE, FOUR, KEYED, COMPARED, NEWEST])
def test_the_same_is_detected_as_by_the_definitions(text: str) -> None:
    program = cera.load(text)
    detected = 0
    for seed in range(12):
        events = history(Random(seed), 16)
        local, reference = (program.run(events, engine=engine).derived for engine in ("local", "reference"))
        assert [str(one.event) for one in local] == [str(one.event) for one in reference], seed
        detected += len(local)
    assert detected > 3


@pytest.mark.parametrize(("text", "most"), [(THREE, 200), (FOUR, 900), (KEYED, 200)])
def test_what_is_remembered_stays_flat(text: str, most: int) -> None:
    program = cera.load(text)
    assert [each.code for each in program.state_warnings] == []
    session = program.session()
    for second in range(400):
        session.push(event(f"{'ABCD'[second % 4]}{{n{{{second}}}, k{{1}}}}", second))
        assert session.live < most


def test_a_type_that_selects_does_not_take_over_a_limit() -> None:
    """Without what is too old another one would be the newest."""
    text = "T := unrestricted (chronicle (A ; B)) ; C within 10 sec as t()"
    assert [each.code for each in cera.load(text).state_warnings] == ["CE501"]


def test_a_state_from_before_goes_on_and_is_forgotten() -> None:
    program = cera.load(THREE)
    session = program.session()
    session.push(*(event(f"A{{n{{{n}}}}}", 1) for n in range(5)))
    again = program.session()
    again.restore(session.save())
    found = again.push(event("B{n{9}}", 2), event("C{n{10}}", 3), event("A{n{1}}", 400), event("A{n{2}}", 401))
    assert len(found) == 5
    assert again.live <= 2
