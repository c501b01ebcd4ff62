"""States that were written before they had tags are read, and their programs go on from them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import cera
from cera.engines.local.session import Session
from cera.engines.local.state import State
from cera.engines.local.state_bytes import dump, restore
from cera.engines.spark.streaming.identified import Identified
from cera.instances.instance import Instance, Untold
from cera.model.durations import Duration
from cera.model.events import DerivedEvent
from cera.model.interval import Interval
from cera.model.occurrence import Truth
from cera.model.terms import Term
from cera.testing import event
from recorded_states import FOLDER, RECORDED

_DELAYED = ("average", "layers", "types")


def session_of(name: str) -> Session:
    return cera.load(list(RECORDED[name].texts)).session(max_delay="2 sec" if name in _DELAYED else "0 sec")


def rest(session: Session, name: str) -> list[DerivedEvent]:
    return [*session.push(*RECORDED[name].after), *session.close()]


@pytest.mark.parametrize("name", RECORDED)
def test_a_session_goes_on_from_an_old_state(name: str) -> None:
    whole, restored = session_of(name), session_of(name)
    whole.push(*RECORDED[name].before)
    restored.restore((FOLDER / f"{name}.session").read_bytes())
    assert restored.live == whole.live
    expected = rest(whole, name)
    assert rest(restored, name) == expected != []


@pytest.mark.parametrize("name", RECORDED)
def test_a_session_goes_on_from_a_state_of_today(name: str) -> None:
    whole, restored = session_of(name), session_of(name)
    whole.push(*RECORDED[name].before)
    restored.restore(whole.save())
    assert rest(restored, name) == rest(whole, name)


@pytest.mark.parametrize("name", RECORDED)
def test_a_stream_goes_on_from_an_old_state(name: str) -> None:
    pytest.importorskip("pyspark")
    from cera.engines.spark.streaming.module_operators import layered_operators
    from properties.streaming_runs import MicroBatches

    program, one = cera.load(list(RECORDED[name].texts)), RECORDED[name]
    streams = [
        MicroBatches(layered_operators(program.layers, max_duration=1_000_000, buckets=2), 3_000_000) for _ in range(2)
    ]
    for batch in (one.before[:2], one.before[2:], (), one.after[:1]):
        streams[0].batch(batch)
    known: Any = json.loads((FOLDER / f"{name}.stream").read_text())
    streams[1].watermark, streams[1].latest = known["watermark"], known["latest"]
    for (_, layer), store in zip(known["layers"], streams[1].stores.values(), strict=True):
        store.values = {(key, bucket): (base64.b64decode(data),) for key, bucket, data in layer["values"]}
        store.timers = {(time, (key, bucket)) for time, key, bucket in layer["timers"]}
    before = len(streams[0].of_kind("derived"))
    for stream in streams:
        for batch in (one.after[1:], (event("the-end", 1_000),), ()):
            stream.batch(batch)
    assert streams[1].of_kind("derived") == streams[0].of_kind("derived")[before:] != []


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
    assert leaf.fields == {"x": 1, "d": Untold.DIFFERENT, "m": Untold.MISSING}
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
