"""A driver decides the same steps however its events are cut into pieces, in order or not."""

from __future__ import annotations

import random

import pytest

from cera.diagnostics import Source
from cera.model.events.occurrence import Occurrence
from cera.modules.driving import Driver
from cera.program import load

RULES = """\
unbounded:
  pair(n(N)) <- i: a(n(N)) and j: b(n(N)).
  quiet(n(N)) <- i: a(n(N)) and w: from-end[i, 3s] and while w: not b(n(N)).
Range 10s:
  counted(n(N), number(count(V))) <- a(n(N), v(V)).
"""
SECOND = 1_000_000


def events_of(seed: int, *, shuffled: bool) -> list[Occurrence]:
    """Returns events at few times, so that many coincide, and some that no rule asks for."""
    chance = random.Random(seed)
    times = sorted(chance.randrange(40) for _ in range(60))
    if shuffled:
        chance.shuffle(times)
    found = []
    for number, at in enumerate(times):
        content = {"n": chance.randrange(3), "v": number}
        found.append(Occurrence(at * SECOND, at * SECOND, chance.choice("abc"), content))
    return found


def driver_of(late: list[int]) -> Driver:
    """Returns a driver without a delay, which notes the ends of events that come too late."""
    processor = load(Source("rules.slog", RULES)).processor(max_duration=0)
    return Driver(processor, 0, lambda event: late.append(event.end))


def answers_of(events: list[Occurrence], size: int) -> tuple[list[tuple[int, str]], list[int]]:
    """Returns the ends and ids of the answers in their order, and the ends of the events that came too late."""
    late: list[int] = []
    driver = Driver(
        load(Source("rules.slog", RULES)).processor(max_duration=0), 0, lambda event: late.append(event.end)
    )
    found = [each for at in range(0, len(events), size) for each in driver.push(events[at : at + size])]
    found += driver.close()
    return sorted((each.end, each.occurrence.id) for each in found), late


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_pieces_of_any_size_give_the_same_answers(seed: int, shuffled: bool) -> None:
    expected = answers_of(events_of(seed, shuffled=shuffled), 1)
    assert expected[0]
    assert bool(expected[1]) == shuffled
    for size in (2, 3, 7, 60):
        assert answers_of(events_of(seed, shuffled=shuffled), size) == expected


def test_a_piece_that_begins_too_late_is_sorted_event_by_event() -> None:
    late: list[int] = []
    driver = Driver(
        load(Source("rules.slog", RULES)).processor(max_duration=0), 0, lambda event: late.append(event.end)
    )

    def point(at: int) -> Occurrence:
        return Occurrence(at, at, "a", {"n": 1, "v": at})

    driver.push([point(1), point(5), point(9)])
    driver.push([point(8), point(9), point(10)])
    assert (late, driver.arrived, driver.closed_to) == ([8], 5, 9)
