"""Damaged programs give diagnostics, damaged event files give events and rejected records; nothing else comes out.

What fails is written out with its seed; `damaged_program(seed)` and `damaged_file(seed)` make it again.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from cera.connectors.files import Layout, Rejected
from cera.connectors.source import source_of
from cera.diagnostics import Source, Span, render
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.printer import format_source
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.program import Program
from hypothesis_profiles import examples
from properties.generator import CALENDARS, seeded_case
from properties.mutation import EVENT_PIECES, PROGRAM_PIECES, damaged

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"XC\d{3}")

#: The long search looks at 20,000 of each, cut into parts that run beside each other.
SHORT, PART = examples(300), 1_000
PARTS = [
    pytest.param(range(SHORT), id="short"),
    *(
        pytest.param(range(first, first + PART), id=f"from {first}", marks=pytest.mark.long)
        for first in range(SHORT, SHORT + 20 * PART, PART)
    ),
]


@cache
def sample_programs() -> tuple[str, ...]:
    """The programs of the examples and of the parser's tests, and generated ones."""
    files = sorted((ROOT / "examples").glob("*/*.xceq")) + sorted(
        (ROOT / "tests").glob("languages/xchangeeq/ok/*.xceq")
    )
    directives = 'CALENDARS "calendars.toml"\nSEMANTICS formal\nSOURCE a, "b c"\n'
    generated = (seeded_case(seed, recursive=seed % 7 == 0).text for seed in range(60))
    return (*(file.read_text() for file in files), directives, *generated)


def damaged_program(seed: int) -> str:
    chance = random.Random(seed)
    return damaged(chance.choice(sample_programs()), PROGRAM_PIECES, chance)


@pytest.mark.parametrize("seeds", PARTS)
def test_a_damaged_program_gives_nothing_but_diagnostics(seeds: range) -> None:
    for seed in seeds:
        text = damaged_program(seed)
        try:
            look_at(text)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r} for the program\n{text}") from error


def look_at(text: str) -> None:
    source = Source("damaged.xceq", text)
    program = Program((source,), calendars=CALENDARS)
    for diagnostic in program.check():
        assert CODE.fullmatch(diagnostic.code)
        assert diagnostic.severity in ("error", "warning")
        assert diagnostic.message
        for span in (diagnostic.span, *(note.span for note in diagnostic.notes)):
            assert_inside(span, source)
        assert render(diagnostic)
        assert diagnostic.as_json()
    [recognition] = program.recognitions
    if not recognition.parsed.diagnostics:
        formatted = format_source(source)
        assert parse(Source("formatted.xceq", formatted)).program == recognition.parsed.modules[0].syntax
        assert format_source(Source("formatted.xceq", formatted)) == formatted


def assert_inside(span: Span | None, source: Source) -> None:
    if span is not None:
        assert span.source is source
        assert 0 <= span.start <= span.end <= len(source.text)


@dataclass(frozen=True)
class Sample:
    """An event file, its ending and how it is to be read."""

    ending: str
    text: str
    layout: Layout


FLAT = Layout(label_field="type", time_field="ts", end_field="te", id_field="key", times=TimeFormat("ms"))
SAMPLES = (
    Sample(
        "jsonl",
        '{"at": 5, "term": {"a": {"k": 1, "v": "x"}}}\n'
        '{"begin": "1970-01-01T00:00:05Z", "end": "1970-01-01T01:00:09.5+01:00", '
        '"term": {"b": [1, {"k": 2}]}, "id": "n1"}\n'
        '{"at": 7.25, "term": {"c": {"{}": [{"x": 1}, {"x": 2.5}, true, "y"]}}}\n',
        Layout(),
    ),
    Sample("jsonl", '{"type": "a", "ts": 5, "te": 9, "key": 7, "k": {"x": [1, 2]}, "n": null}\n' * 2, FLAT),
    Sample("json", '[{"at": 5, "term": {"a": {"k": 1}}}, {"begin": 1, "end": 2, "term": {"b": []}}]', Layout()),
    Sample(
        "json", '{"events": [\n  {"type": "a", "ts": 1, "te": 2}, {"type": "b", "ts": 3, "te": 3, "v": NaN}]}', FLAT
    ),
    Sample("csv", 'type,ts,te,key,k,"a ""v"""\na,5,9,n1,1,x\nb,7,7,,true,"two\nlines"\n\nc,8,8,n3,2.5,\n', FLAT),
    Sample("csv", "label,at,k\na,5,1\nb,1970-01-01T00:00:07Z,x\n", Layout()),
    Sample(
        "xml",
        '<?xml version="1.0" encoding="UTF-8"?>\n<events>\n'
        '  <event begin="60" end="63"><temp><area>a</area><value unit="C">40</value></temp></event>\n'
        '  <event at="7" id="n1"><n:b xmlns:n="urn:x"><c/>text &amp; more<d>2.5</d></n:b></event>\n</events>\n',
        Layout(),
    ),
    Sample("xml", '<l><a ts="5" te="9"><k>1</k></a><b><ts>7</ts><te>8</te><v><w>x</w></v></b></l>', FLAT),
    Sample("xml", '<events><event at="5"><a><k>1</k></a></event></events>', Layout(xml_types="string")),
)


def damaged_file(seed: int) -> tuple[Sample, bytes]:
    chance = random.Random(seed)
    sample = chance.choice(SAMPLES)
    data = damaged(sample.text, EVENT_PIECES, chance).encode("utf-8", "surrogateescape")
    if chance.random() < 0.1 and data:
        at = chance.randrange(len(data))
        data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
    return sample, data


@pytest.mark.parametrize("seeds", PARTS)
def test_a_damaged_event_file_gives_events_and_rejected_records(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        sample, data = damaged_file(seed)
        file = tmp_path / f"damaged.{sample.ending}"
        file.write_bytes(data)
        try:
            for record in source_of(str(file)).events(sample.layout):
                look_at_record(record, str(file))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r} for the {sample.ending} file\n{data!r}") from error


def look_at_record(record: Event | Rejected, file: str) -> None:
    if isinstance(record, Rejected):
        assert record.place.startswith(file)
        assert record.reason
        record.text.encode("utf-8")  # what is shown can be written out
    else:
        assert record.begin <= record.end
        assert len(record.id) == 32
        assert record.term.label or record.term.children or str(record)
