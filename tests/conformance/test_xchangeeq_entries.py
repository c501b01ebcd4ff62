"""X-09, X-31, X-32, X-34: names of timers, terms of an algebra, and recursion without an end (seed 001).

What the programs of seed 001 answer is in the folders of `entries`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from cera.errors import RecursionLimitError
from cera.program import load
from cera.testing import SECOND, event
from conformance.case_folders import list_cases

TIMER = "DETECT t{} ON and { event j: x{{}}, event t: %s[j, 5 sec] } END"


#: The timers by their canonical names, each with its others.
TIMERS = {
    "extend": ("extends", "extend-end"),
    "shorten": ("shorten-end",),
    "extend-begin": (),
    "shorten-begin": (),
    "shift-forward": (),
    "shift-backward": (),
    "from-end": (),
    "from-end-backward": (),
    "from-start": ("from-begin",),
    "from-start-backward": ("from-begin-backward",),
}


@pytest.mark.parametrize("name", TIMERS)
@pytest.mark.parametrize("prefix", ["", "timer:"])
def test_X_09_a_timer_is_the_same_by_each_of_its_names(prefix: str, name: str) -> None:
    canonical = load(TIMER % name).checked()
    assert all(load(TIMER % f"{prefix}{other}").checked() == canonical for other in (name, *TIMERS[name]))


Span = tuple[int, int]
SPANS = [(begin, end) for begin in range(4) for end in range(begin, 4)]


def sequence(first: Span | None, second: Span | None) -> Span | None:
    """first ; second, of an algebra of intervals."""
    return (first[0], second[1]) if first and second and first[1] < second[0] else None


def conjunction(one: Span | None, other: Span | None) -> Span | None:
    """one ^ other."""
    return (min(one[0], other[0]), max(one[1], other[1])) if one and other else None


@pytest.mark.parametrize(
    ("rule", "term"),
    [
        ("x31", lambda a, b, c, d: sequence(a, conjunction(b, sequence(c, d)))),
        ("x32", lambda a, b, c, d: sequence(sequence(a, conjunction(b, c)), d)),
    ],
)
def test_X_31_X_32_what_the_case_expects_is_a_term_of_three_operators_in_an_algebra(
    rule: str, term: Callable[..., Span | None]
) -> None:
    [case] = [case for case in list_cases() if "X-31" in case.entries]
    given = {(one.label, one.begin // SECOND, one.end // SECOND) for one in case.stream}
    assert given == {(label, *span) for label in "abcd" for span in SPANS}
    expected = {
        tuple(line["term"][rule].values()): (line["begin"], line["end"])
        for line in case.expected
        if rule in line["term"]
    }
    assert expected == {
        tuple(f"{begin} to {end}" for begin, end in four): found
        for four in itertools.product(SPANS, repeat=4)
        if (found := term(*four))
    }


SEQUENCE = "DETECT sequence[var X, var Y] ON and { event x: var X, event y: var Y } where {x before y} END"


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_X_34_on_a_long_stream_it_stops_with_an_error_that_names_the_rule(engine: str) -> None:
    stream = [event(f"a{{{i}}}", i) for i in range(40)]
    with pytest.raises(RecursionLimitError, match=r"'sequence'.*recursive"):
        load(SEQUENCE).run(stream, engine=engine, recursion_limit=100)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_recursion_that_wraps_its_own_events_stops_with_an_error(engine: str) -> None:
    with pytest.raises(RecursionLimitError, match="'a'"):
        load("DETECT a{var X} ON event e: var X -> a{{}} END").run([event("a{}", 0)], engine=engine)
