"""No bytes in the place of a state run anything: a session restores what it saved, or says that it is damaged."""

from __future__ import annotations

import marshal
import pickle
from contextlib import suppress
from random import Random

import pytest

import cera
from cera.engines.local.session import Session
from cera.engines.local.state_bytes import THINGS, restore, restore_plain, things
from cera.engines.spark.streaming.messages.marshalled import read_marshalled
from cera.errors import DataError, UsageError
from recorded_states import FIRST, FOLDER
from state_forging import around, attacks, mutated, saved, watched

ATTACKS = attacks()
#: What only the check of opcodes holds, which the state of streams is read without: these take memory, and run nothing.
EXHAUSTING = {"a place of the memo far away", "a place of the memo far away as text"}


def session_of(name: str) -> Session:
    session = cera.load(list(FIRST[name].texts)).session(max_delay="1 sec")
    session.push(*FIRST[name].before)
    return session


def prefix_of(session: Session) -> bytes:
    """What states of a program begin with, which is not a secret."""
    return session.save()[: len(b"state of a cera session ") + 16]


def check_refused(session: Session, state: bytes) -> None:
    before = session.live
    with watched(), pytest.raises(UsageError, match="the state is damaged: "):
        session.restore(state)
    assert session.live == before


@pytest.fixture(scope="module")
def session() -> Session:
    return session_of("average")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_session_refuses_a_forged_state(session: Session, attack: str) -> None:
    prefix, forged = prefix_of(session), ATTACKS[attack]
    check_refused(session, saved(prefix, forged))
    check_refused(session, saved(prefix, around(forged)))
    check_refused(session, saved(prefix, around(b"tagged " + forged)))


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_session_refuses_a_forged_state_in_the_place_of_an_old_one(session: Session, attack: str) -> None:
    forged = ATTACKS[attack] if ATTACKS[attack][:1] == b"\x80" else b"\x80" + ATTACKS[attack]
    check_refused(session, prefix_of(session) + forged)
    check_refused(session, prefix_of(session) + pickle.dumps((forged, 0, 0), protocol=5))


@pytest.mark.parametrize("attack", sorted(ATTACKS.keys() - EXHAUSTING))
def test_what_streams_keep_is_read_without_running_anything(attack: str) -> None:
    with watched():
        for data in (ATTACKS[attack], b"tagged " + ATTACKS[attack]):
            for read in (restore, restore_plain):
                with suppress(Exception):
                    read(data)


@pytest.mark.parametrize("attack", ["a function called", "os.system", "the stage that writes Python"])
def test_a_name_in_a_state_is_refused_with_the_name(attack: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"'[a-z_.A-Z]+' does not belong in a state"):
        restore(ATTACKS[attack])


def test_a_state_of_which_a_bit_changed_is_refused() -> None:
    for name in FIRST:
        session = session_of(name)
        state, start = session.save(), len(prefix_of(session))
        random = Random(name)
        for _ in range(20):
            at, bit = random.randrange(start, len(state)), 1 << random.randrange(8)
            check_refused(session, state[:at] + bytes([state[at] ^ bit]) + state[at + 1 :])


def fuzz(name: str, seed: int, tries: int) -> int:
    """Changes at random what a session saved, with a digest that fits; how many changes were refused."""
    random, session = Random(seed), session_of(name)
    prefix = prefix_of(session)
    old = (FOLDER / f"{name}.session").read_bytes()[len(prefix) :]
    body = session.save()[len(prefix) + 32 :]
    snapshot, _, _ = restore(body)
    old_snapshot, _, _ = restore(old)
    refused = 0
    for _ in range(tries):
        states = (
            saved(prefix, mutated(body, random)),
            saved(prefix, around(mutated(snapshot, random))),
            saved(prefix, around(mutated(old_snapshot, random))),
            prefix + b"\x80" + mutated(old[1:], random),
        )
        for state in states:
            with watched():
                refused += is_refused(session, state)
    return refused


def is_refused(session: Session, state: bytes) -> bool:
    try:
        session.restore(state)
    except UsageError as error:
        return str(error).startswith("the state is damaged: ")
    return False


@pytest.mark.parametrize("name", FIRST)
def test_states_that_were_changed_at_random_run_nothing(name: str) -> None:
    assert fuzz(name, 14, 40) > 80


@pytest.mark.long
@pytest.mark.parametrize("name", FIRST)
def test_many_states_that_were_changed_at_random_run_nothing(name: str) -> None:
    assert fuzz(name, 15, 5_000) > 10_000


@pytest.mark.parametrize("tag", THINGS)
def test_nothing_in_the_table_of_states_can_be_called_or_changed(tag: int) -> None:
    thing = things()[tag]
    if isinstance(thing, type):
        assert "__setstate__" in vars(thing), "pickle could set attributes of the class"
        assert not any(hasattr(thing, name) for name in ("append", "extend", "add", "__setitem__"))
        assert not any("__call__" in vars(base) for base in thing.__mro__)
    elif tag == 10:
        assert thing.__name__ == "_restored"
    else:
        assert not callable(thing)
        with pytest.raises(TypeError):
            thing.__setstate__({})


@pytest.mark.parametrize("tag", THINGS)
def test_tags_stay_what_they_are(tag: int) -> None:
    """A checkpoint has tags: another class under an old tag would be read as something else."""
    names = "State Bucket Occurrence TimerOccurrence Identified Event Interval Duration EventTuple Instance _restored"
    names += " Truth Truth.FALSE Truth.TRUE NoValue NoValue.DIFFERENT NoValue.MISSING WindowOccurrence Opening"
    assert THINGS[tag].partition(":")[2] == names.split()[tag]


def test_waiting_events_of_old_checkpoints_are_read_without_marshal() -> None:
    body = {"x": 1.5, "é": ["\u2028", True, None, -(2**62), 2**40], "again": "x" * 300, "": {"deep": {}}}
    events = [
        (1, 2, "a", body, None, True),
        (3, 2**50, "a" * 3, {"x": "ü" * 200}, "q", None),
        (1, 1, "e", {}, "", False),
    ]
    assert read_marshalled(marshal.dumps(events)) == events
    code = marshal.dumps(compile("1", "x", "eval"))
    random, written = Random(1), marshal.dumps(events)
    with watched():
        with pytest.raises(DataError, match="damaged"):
            read_marshalled(code)
        for _ in range(300):
            for data in (written, code):
                with suppress(DataError):
                    read_marshalled(mutated(data, random))
