"""States that were written long ago are read, and their programs go on from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cera.engines.local.session import Session
from cera.engines.local.state import State
from cera.engines.local.state_bytes import dump, restore
from cera.instances.instance import Instance, NoValue
from cera.model.events.event import DerivedEvent
from cera.model.events.occurrence import Identified, Truth
from cera.model.terms.term import Term
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval
from cera.testing import event
from recorded_states import (
    FIRST,
    FOLDER,
    RECORDED,
    TAGGED,
    begin_stream,
    resume_stream,
    session_of,
    stream_of,
)

#: The folders of states, and whose states are in each.
STATES = [(FOLDER, name) for name in FIRST] + [(TAGGED, name) for name in RECORDED]
EACH = pytest.mark.parametrize(("folder", "name"), STATES, ids=[f"{folder.name}-{name}" for folder, name in STATES])


def rest(session: Session, name: str) -> list[DerivedEvent]:
    """Of one time, what modules detect comes in an order that differs from process to process."""
    found = [*session.push(*RECORDED[name].after), *session.close()]
    return sorted(found, key=lambda one: (one.event.output_key, one.derivations[0].key))


@EACH
def test_a_session_goes_on_from_an_old_state(folder: Path, name: str) -> None:
    whole, restored = session_of(name), session_of(name)
    whole.push(*RECORDED[name].before)
    restored.restore((folder / f"{name}.session").read_bytes())
    assert restored.live == whole.live
    expected = rest(whole, name)
    assert rest(restored, name) == expected != []


@pytest.mark.parametrize("name", RECORDED)
def test_a_session_goes_on_from_a_state_of_today(name: str) -> None:
    whole, restored = session_of(name), session_of(name)
    whole.push(*RECORDED[name].before)
    restored.restore(whole.save())
    assert rest(restored, name) == rest(whole, name)


@EACH
def test_a_stream_goes_on_from_an_old_state(folder: Path, name: str) -> None:
    pytest.importorskip("pyspark")
    one = RECORDED[name]
    whole, resumed = stream_of(name), stream_of(name)
    begin_stream(whole, name)
    resume_stream(resumed, folder / f"{name}.stream")
    before = len(whole.by_kind.derived)
    for stream in (whole, resumed):
        for batch in (one.after[1:], (event("the-end", one.end),), ()):
            stream.batch(batch)
    assert sorted(resumed.by_kind.derived, key=repr) == sorted(whole.by_kind.derived[before:], key=repr) != []


def test_every_recorded_state_belongs_to_a_program() -> None:
    for folder, names in ((FOLDER, FIRST), (TAGGED, RECORDED)):
        expected = {f"{name}.{kind}" for name in names for kind in ("session", "stream")}
        assert {path.name for path in folder.iterdir() if path.suffix in (".session", ".stream")} == expected


def check_one_of_each(found: list[Any]) -> None:
    state, occurrence, identified, timer, false, term, happened, interval, duration, tuple_, leaf, whole, *plain = found
    assert isinstance(state, State)
    assert state.stores[0]["k"].rows[0][0] is Truth.TRUE
    assert state.stores[0]["k"].rows[0][1] is state.waiting[0][3][0] is occurrence is timer.anchor
    assert state.ticks == [None, (7, (happened,))]
    assert (occurrence.content, occurrence.qualifier, occurrence.number) == ({"x": 1.5, "y": "z"}, "q", 4)
    assert isinstance(identified, Identified)
    assert (identified.content, identified.h1, identified.h2) == ({"x": 1}, -5, 7)
    assert (timer.kind, timer.duration) == ("from-end", Duration(1, 2))
    assert false is Truth.FALSE
    assert term == happened.term == Term("t", [Term("u", [1, "v", True]), 2.5], ordered=True)
    assert (interval, happened.qualifier, duration) == (Interval(3, 4), "own", Duration(0, 5))
    assert (tuple_.fields, tuple_.end) == ({"x": 1}, 2)
    assert leaf.fields == {"x": 1, "d": NoValue.DIFFERENT, "m": NoValue.MISSING}
    assert isinstance(whole, Instance)
    assert whole.bound == (("E", (leaf,)),)
    assert plain == [{1, 2}, frozenset({3}), None, b"x", 2**63 - 1, -1.5, "é\u2028"]


def test_everything_that_states_consist_of_is_read_by_its_old_name_and_by_its_tag() -> None:
    old = (FOLDER / "one_of_each.pickle").read_bytes()
    check_one_of_each(restore(old))
    check_one_of_each(restore(dump(restore(old))))


def test_no_class_has_a_name_in_a_state_of_today() -> None:
    data = dump(restore((FOLDER / "one_of_each.pickle").read_bytes()))
    assert b"cera" not in data
    assert b"Occurrence" not in data
