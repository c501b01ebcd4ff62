"""The fast reader of JSON lines accepts and rejects exactly what the ordinary one does, for the same reasons.

It cannot show that the fast way is ever taken: `test_plain_lines_are_read_without_terms` does.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from cera.connectors import fast_jsonl
from cera.connectors.files import EventFile
from cera.connectors.formats import jsonl
from cera.connectors.read_times import scan, scan_times
from cera.connectors.records.layout import Layout, Rejected
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from properties.holding import holds_for
from properties.mutation import EVENT_PIECES, damaged

TEXTS = st.sampled_from(("a", "", ":", 'x":', "a:b", "{}", "ü", "\\", "at", "term", "2006-09-18T09:00:00Z"))
NUMBERS = (
    st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from((1.0, -0.0, 2.0**63, 1e22, 2**63, 2**63 - 1, -(2**63), -(2**63) - 1))
)
SCALARS = TEXTS | NUMBERS | st.booleans() | st.none()
CHILDREN = st.dictionaries(TEXTS, SCALARS, max_size=3)
BODIES = CHILDREN | SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(TEXTS, CHILDREN, max_size=2)
MICROSECONDS = st.integers(-(2**54), 2**54).map(lambda time: time / 1_000_000) | st.integers(0, 10**15).map(
    lambda time: time / 1_000
)
TIMES = MICROSECONDS | NUMBERS | st.sampled_from(("2006-09-18T09:00:00Z", "1.5", "2026", 1, 2, 3, True, None))
POINTS = st.fixed_dictionaries({"at": TIMES, "term": st.dictionaries(TEXTS, BODIES, min_size=1, max_size=1)})
INTERVALS = st.fixed_dictionaries({"begin": TIMES, "end": TIMES, "term": st.dictionaries(TEXTS, BODIES, max_size=2)})
STATES = st.fixed_dictionaries(
    {"begin": TIMES, "end": TIMES, "state": st.sampled_from((True, 1, False, "x")), "term": st.just({"on": {"k": 1}})}
)
RECORDS = (
    POINTS
    | STATES
    | INTERVALS
    | st.fixed_dictionaries({"term": BODIES}, optional={"at": TIMES, "id": SCALARS, "rule": TEXTS, "begin": TIMES})
)
SEPARATORS = st.sampled_from(((", ", ": "), (",", ":"), (" , ", " : "), (",\t", "\t:")))
DAMAGE = st.none() | st.integers(0, 2**32)
UNITS = st.sampled_from((None, "s", "ms", "us"))


@st.composite
def lines(draw: st.DrawFn) -> tuple[bytes, Layout]:
    """Records, some of them damaged, and the layout to read them with."""
    written = []
    for record in draw(st.lists(RECORDS, min_size=1, max_size=4)):
        text = json.dumps(record, separators=draw(SEPARATORS), ensure_ascii=draw(st.booleans()))
        seed = draw(DAMAGE)
        written.append(text if seed is None else _damaged(text, random.Random(seed)))
    ends = draw(st.sampled_from(("\n", "\r\n", " \n", "\n\n")))
    return ends.join(written).encode("utf-8", "surrogatepass"), Layout(times=TimeFormat(draw(UNITS)))


SIMPLE = st.sampled_from(("a", "", ":", "ü", 0, 1, -0.0, 0.5, 16.0, -2, 10**17, 1e300, 2**63, "x\ty", "\\", True, None))


@st.composite
def lines_of_one_shape(draw: st.DrawFn) -> tuple[bytes, Layout]:
    """Lines that differ in their values alone, at least most of them."""
    keys = draw(st.lists(st.sampled_from(("a", "at", "term", "ü", "{}", ":")), max_size=3, unique=True))
    inner = draw(st.lists(st.sampled_from(("a", "old", "{}")), max_size=2, unique=True))
    separators = draw(SEPARATORS)
    written = []
    for _ in range(draw(st.integers(2, 5))):
        record = {"at": draw(TIMES), "term": {"e": {key: draw(SIMPLE) for key in keys}}}
        for key in inner:
            record["term"]["e"][key] = {name: draw(SIMPLE) for name in keys}
        text = json.dumps(record, separators=separators, ensure_ascii=False)
        seed = draw(DAMAGE) if draw(st.integers(0, 4)) == 0 else None
        written.append(text if seed is None else _damaged(text, random.Random(seed)))
    ends = draw(st.sampled_from(("\n", "\n", "\r\n", "\n\n")))
    data = ends.join(written) + draw(st.sampled_from(("", ends)))
    return data.encode("utf-8", "surrogatepass"), Layout(times=TimeFormat(draw(UNITS)))


ISO_TIMES = st.builds(
    lambda date, between, clock, fraction, offset: f"{date}{between}{clock}{fraction}{offset}",
    st.sampled_from(("2026-03-29", "2026-10-25", "2026-02-30", "0001-01-01", "9999-12-31", "1937-07-01", "2026-1-2")),
    st.sampled_from("TTT t"),
    st.sampled_from(("01:59:59", "02:30:00", "02:00:01", "00:00:10", "23:59:60", "24:00:00", "10:00", "03:00:00")),
    st.sampled_from(("", ".5", ".120", ".123456", ".1234567", ".123456999", ".0000000001", ",5", ".")),
    st.sampled_from(("Z", "Z", "+02:00", "+01:00", "-0330", "+24:00", "+01", "", "", "z", " ")),
)
NAMES = ("type", "ts", "te", "no", "at", "begin", "end", "label", "term", "x", "y", "held")
FLAT_VALUES = SIMPLE | TIMES | st.sampled_from(("a", "b", "a" * 32)) | st.dictionaries(st.just("z"), SIMPLE, max_size=1)
LAYOUTS = st.builds(
    Layout,
    label_field=st.sampled_from((None, "type", "type", "ts")),
    time_field=st.sampled_from((None, "ts", "ts")),
    end_field=st.sampled_from((None, None, "te")),
    id_field=st.sampled_from((None, None, "no", "type", "at", "rule")),
    label=st.sampled_from((None, None, "e", "")),
    times=st.builds(TimeFormat, UNITS, st.sampled_from(("UTC", "Europe/Berlin", "Europe/Amsterdam"))),
    state_field=st.sampled_from((None, None, "held")),
)


@st.composite
def flat_lines_of_one_shape(draw: st.DrawFn) -> tuple[bytes, Layout]:
    """Lines of flat records that differ in their values alone, at least most of them."""
    layout = draw(LAYOUTS)
    names = draw(st.lists(st.sampled_from(NAMES), max_size=5, unique=True))
    named = [name for name in (layout.label_source, *(layout.time_source or ("at",))) if name is not None]
    names = list(dict.fromkeys(draw(st.permutations([*names, *named]))))
    separators = draw(SEPARATORS)
    times = draw(st.sampled_from((ISO_TIMES, ISO_TIMES, TIMES)))
    written = []
    for _ in range(draw(st.integers(2, 5))):
        record = {
            name: draw(
                st.sampled_from(("a", "b", ""))
                if name == layout.label_source
                else times
                if name in named
                else FLAT_VALUES
            )
            for name in names
        }
        text = json.dumps(record, separators=separators, ensure_ascii=False)
        seed = draw(DAMAGE) if draw(st.integers(0, 6)) == 0 else None
        written.append(text if seed is None else _damaged(text, random.Random(seed)))
    data = "\n".join(written) + draw(st.sampled_from(("", "\n")))
    return data.encode("utf-8", "surrogatepass"), layout


def _damaged(text: str, chance: random.Random) -> str:
    """The text with a slip in it, or with a field given twice."""
    if chance.random() < 0.5:
        return damaged(text, EVENT_PIECES, chance)
    places = [i for i, character in enumerate(text) if character == "{"]
    if not places:
        return text
    place = chance.choice(places) + 1
    key = chance.choice(('"a"', '"at"', '"term"', '"a" ', '":"'))
    return f"{text[:place]}{key}:1,{text[place:]}"


def as_read(found: Any) -> Any:
    return found if isinstance(found, Rejected | Event) else found.event


@holds_for(lines() | lines_of_one_shape() | flat_lines_of_one_shape(), short=750, long=40_000)
def test_the_fast_reader_reads_what_the_ordinary_one_reads(drawn: tuple[bytes, Layout]) -> None:
    data, layout = drawn
    if not layout.is_plain:
        return
    expected = list(jsonl.read(io.BytesIO(data), "f", layout))
    for reader in (fast_jsonl.read, fast_jsonl.read_chunks):
        found = [as_read(item) for item in reader(io.BytesIO(data), "f", layout)]
        assert found == expected
        # 1 and 1.0 are equal to Python, and ids tell them apart
        assert [e.id for e in found if isinstance(e, Event)] == [e.id for e in expected if isinstance(e, Event)]


@holds_for(lines() | lines_of_one_shape() | flat_lines_of_one_shape(), short=250, long=20_000)
def test_the_pass_over_times_leaves_no_event_out(drawn: tuple[bytes, Layout]) -> None:
    data, layout = drawn
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(data)
        file.flush()
        found = scan_times(EventFile(Path(file.name), "jsonl"), layout)
    events = [item for item in jsonl.read(io.BytesIO(data), "f", layout) if isinstance(item, Event)]
    expected = scan((event.begin, event.end) for event in events)
    assert found.records >= expected.records
    assert found.disorder >= expected.disorder
    assert found.longest >= expected.longest
    if expected.first_end is not None and expected.last_end is not None:
        assert found.first_end is not None
        assert found.last_end is not None
        assert found.first_end <= expected.first_end
        assert found.last_end >= expected.last_end
    if found.records == expected.records:
        assert found == expected
