"""Events on their way to operators: what waits for its time is in checkpoints, which are read for ever."""

from __future__ import annotations

import marshal
import pickle

from cera.engines.spark.streaming.messages.messages import (
    LatePolicy,
    event_count,
    first_end,
    pack_events,
    unpack_events,
)
from cera.model.events.occurrence import occurrence
from cera.testing import event

EVENTS = [event('a{b{1}, c{"x"}}', 3), event("a[b{c{d{1}}}, e{}]", 2), event("timeless{}", 5)]
POLICIES = [LatePolicy.REPORT, LatePolicy.DROP, LatePolicy.TAKE]
#: Begin, end, label, JSON of the content, id of the source, and whether the event is reported if it is late.
PLAIN = [
    (3_000_000, 3_000_000, "a", {"b": 1, "c": "x"}, None, True),
    (2_000_000, 2_000_000, "a", [{"b": {"c": {"d": 1}}}, {"e": {}}], None, False),
    (5_000_000, 5_000_000, "timeless", {}, None, None),
]
HEADER = (2_000_000).to_bytes(8, "little") + (3).to_bytes(8, "little")


def test_events_are_packed_as_plain_tuples() -> None:
    payload = pack_events([*zip(map(occurrence, EVENTS), POLICIES, strict=True)])
    assert payload[:17] == b"P" + HEADER
    assert pickle.loads(payload[17:]) == PLAIN
    assert b"cera" not in payload
    assert (first_end(payload), event_count(payload)) == (2_000_000, 3)


def test_events_are_read_from_plain_tuples() -> None:
    for payload in (b"P" + HEADER + pickle.dumps(PLAIN), b"E" + HEADER + marshal.dumps(PLAIN)):
        events, policies = unpack_events(payload)
        assert [each.event for each in events] == EVENTS
        assert policies == POLICIES
