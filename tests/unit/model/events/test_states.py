"""States as events: their openings, their endings, and the ids of both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.model.events.occurrence import Opening, occurrence
from cera.model.events.states import (
    ENDING,
    OPEN,
    OPENING,
    announced_end,
    ending,
    shown_label,
    state_label,
    state_term,
    with_endings,
)
from cera.model.terms.term_text import parse_term
from cera.model.time.containment import is_in_state, shares_time, states_share_time
from cera.model.time.interval import Interval
from cera.testing import event, seconds, state

AUCTION = "auction{id{1}}"


def test_the_opening_and_the_ending_of_a_state_have_one_id() -> None:
    opened = state(AUCTION, 10, 20)
    ended = ending(opened, seconds(20))
    assert opened.id == ended.id == occurrence(opened).id == occurrence(ended).id
    assert (ended.begin, ended.end) == (seconds(10), seconds(20))
    assert Opening(occurrence(opened), OPEN).relabelled(ended.label, seconds(20)).id == opened.id


def test_the_id_of_a_state_is_one_of_its_term_and_begin_and_not_of_its_end() -> None:
    assert state(AUCTION, 10).id == state(AUCTION, 10, 20).id == state(AUCTION, 10, 30).id
    assert len({state(AUCTION, 10).id, state(AUCTION, 11).id, state("auction{id{2}}", 10).id}) == 3
    assert event(AUCTION, 10).id != state(AUCTION, 10).id


def test_an_opening_announces_the_end_that_its_record_has() -> None:
    assert announced_end(state(AUCTION, 10, 20).qualifier) == seconds(20)
    assert announced_end(state(AUCTION, 10).qualifier) is None
    assert announced_end("m-17") is None


def test_labels_and_terms_are_those_that_the_source_wrote() -> None:
    opened = state(AUCTION, 10)
    assert [state_label(label) for label in (opened.label, ending(opened, seconds(20)).label)] == ["auction", "auction"]
    assert state_term(opened) == state_term(ending(opened, seconds(20))) == parse_term(AUCTION)
    assert shown_label(f"{OPENING}on") == shown_label(f"{ENDING}on") == "state on"
    assert (state_label("auction"), shown_label("auction")) == (None, "auction")


def test_a_recording_has_each_state_once_and_its_first_end() -> None:
    bid = event("bid", 12)
    records = [state(AUCTION, 10), bid, state(AUCTION, 10, 30), state(AUCTION, 10, 20), state("auction{id{2}}", 10)]
    found = with_endings(records)
    opened = state(AUCTION, 10)
    assert found == [bid, opened, state("auction{id{2}}", 10), ending(opened, seconds(20))]


def test_an_ending_without_an_opening_is_left_out_of_a_recording() -> None:
    opened = state(AUCTION, 10)
    assert with_endings([ending(opened, seconds(20))]) == []
    assert with_endings([ending(opened, seconds(20)), replace(opened, qualifier=None)])[1:] == [
        ending(opened, seconds(20))
    ]


@pytest.mark.parametrize(
    ("times", "expected"),
    [((5, 5), False), ((10, 10), False), ((10, 11), True), ((15, 15), True), ((20, 20), True), ((15, 21), False)],
)
def test_what_closes_a_state_is_in_it_and_what_opened_it_is_not(times: tuple[int, int], expected: bool) -> None:
    assert is_in_state(Interval(*times), Interval(10, 20)) is expected
    assert not is_in_state(Interval(*times), Interval(10, 10))


@pytest.mark.parametrize(
    ("held", "in_window", "in_state"),
    [
        ((0, 10), False, False),
        ((0, 11), True, True),
        ((20, 30), True, False),
        ((21, 30), False, False),
        ((10, 10), True, True),
        ((20, 20), True, True),
        ((21, 21), False, False),
        ((15, OPEN), True, True),
    ],
)
def test_states_share_time_with_closed_windows_and_with_states(
    held: tuple[int, int], in_window: bool, in_state: bool
) -> None:
    assert shares_time(Interval(10, 20), Interval(*held)) is in_window
    assert states_share_time(Interval(10, 20), Interval(*held)) is in_state
