"""Files read in blocks have the events that the ordinary reader finds, whatever lines are in them.

A block that is columns has exactly the events of its lines, none of which is rejected; one that is not is left to the
ordinary reader, with its numbers of lines. The scan of times before covers all events that are read.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from cera.connectors import read_times
from cera.connectors.fast_jsonl import occurrences, read_file_occurrences
from cera.connectors.files import EventFile, read_event_file
from cera.connectors.records.layout import Layout, Rejected
from cera.engines.columns import csv_blocks, line_blocks
from cera.engines.columns.block_readers import blocks_of
from cera.engines.columns.event_tables import occurrences_of
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import Occurrence
from cera.model.time.time_text import TimeFormat
from hypothesis_profiles import examples

_EPOCH = datetime(2024, 2, 28, 22, tzinfo=UTC)
_OFFSETS = [timezone(timedelta(hours=hours)) for hours in (-5, 0, 1, 2)]


def _time_text(chance: random.Random, at: int) -> str:
    moment = (_EPOCH + timedelta(milliseconds=at)).astimezone(chance.choice(_OFFSETS))
    text = moment.isoformat(chance.choice("TTT "), timespec=chance.choice(["auto", "milliseconds", "microseconds"]))
    return text.replace("+00:00", chance.choice(["Z", "+00:00"]))


def _number(chance: random.Random, at: int) -> object:
    return at


_ODD_NUMBERS: list[object] = [2**63, -(2**63), 2**53, 1e300, 1e-7, -0.0]
_ODD_VALUES: list[object] = [*_ODD_NUMBERS, True, None, "x" * 70, 'q"\\', "é😀", [1], {"n": 1}, ""]
_ODD_DAYS = ["2024-02-30T00:00:00Z", "2024-02-29", "2024-02-29T10:00:60Z", "2024"]
_ODD_TIMES: list[object] = [*_ODD_DAYS, None, "", "1", 1.5, True, 10**18]


def _fields(chance: random.Random, odd: bool) -> dict[str, object]:
    found: dict[str, object] = {"sensor": f"s{chance.randrange(4)}", "value": chance.choice([1, 2.5, 40.125, -3])}
    if chance.random() < 0.2:
        found["wet"] = chance.random() < 0.5
    if odd and chance.random() < 0.5:
        found[chance.choice(["value", "sensor", "new", "", "at", "{}"])] = chance.choice(_ODD_VALUES)
    return found


def flat_record(chance: random.Random, time: object, odd: bool) -> str:
    record = {"type": chance.choice("ab"), "ts": time, **_fields(chance, odd)}
    if odd and chance.random() < 0.3:
        record["ts"] = chance.choice(_ODD_TIMES)
    if odd and chance.random() < 0.1:
        record["type"] = chance.choice(["", None, 7, "c"])
    return _written(chance, record, odd)


def event_object(chance: random.Random, time: object, odd: bool) -> str:
    record: dict[str, Any] = {"at": time, "term": {chance.choice("ab"): _fields(chance, odd)}}
    if chance.random() < 0.1:
        record = {"begin": time, "end": time, "term": record["term"]}
    if odd and chance.random() < 0.3:
        record.update(
            chance.choice([{"id": "x"}, {"state": True}, {"begin": time}, {"at": None}, {"term": {}}, {"x": 1}])
        )
    return _written(chance, record, odd)


_ODD_TEXTS = ["", "007", "1e5", "+5", "-0", "1.", " 7", "true", "3,5", "9" * 30, "x" * 70, "é", "7\r", "a\\b"]
_ODD_CELLS = [*_ODD_TEXTS, *_ODD_DAYS, 'q"', '"q"', 'a"b""c', '"a\nb"', '"']


def csv_row(chance: random.Random, time: object, odd: bool) -> str:
    cells = [chance.choice("ab"), str(time), f"s{chance.randrange(4)}", chance.choice(["1", "2.5", "-3.25", ""])]
    cells.append(chance.choice(["true", "false", ""]))
    if odd:
        place = chance.randrange(5)
        cells[place] = chance.choice([*_ODD_CELLS, f'"{cells[place]}"'])
    if odd and chance.random() < 0.2:
        cells = cells[: chance.randrange(5)] or [""]
    if chance.random() < 0.2:
        cells = [cell if '"' in cell else f'"{cell}"' for cell in cells]
    return chance.choice(",,,,;").join(cells) if odd else ",".join(cells)


def _written(chance: random.Random, record: dict[str, Any], odd: bool) -> str:
    items = list(record.items())
    if odd and chance.random() < 0.3:
        chance.shuffle(items)
    text = json.dumps(dict(items), ensure_ascii=chance.random() < 0.3, separators=(", ", ": "))
    return _spoilt(chance, text) if odd and chance.random() < 0.4 else text


def _spoilt(chance: random.Random, text: str) -> str:
    match chance.randrange(6):
        case 0:
            return text[: chance.randrange(len(text))]
        case 1:
            place = chance.randrange(len(text))
            return text[:place] + chance.choice('{}",:\\ 0\t\x00') + text[place:]
        case 2:
            return text.replace(", ", ', "value": 7, ', 1)
        case 3:
            return text + chance.choice(["}", " x", text, "\r", " "])
        case 4:
            return chance.choice(["", "null", "[]", " ", "NaN"])
        case _:
            return text.replace("1", chance.choice(["NaN", "01", "1e2", "1.", "-", "Infinity"]), 1)


Make = Callable[[random.Random, object, bool], str]
Time = Callable[[random.Random, int], object]
FLAT = {"label_field": "type", "time_field": "ts"}
CASES: dict[str, tuple[Make, Time, Layout]] = {
    "flat, numbers": (flat_record, _number, Layout(**FLAT, times=TimeFormat("ms"))),
    "flat, texts": (flat_record, _time_text, Layout(**FLAT)),
    "flat, one label": (
        flat_record,
        _time_text,
        Layout(label="x", time_field="ts", times=TimeFormat(timezone="Asia/Tokyo")),
    ),
    "objects, numbers": (event_object, _number, Layout(times=TimeFormat("ms"))),
    "objects, texts": (event_object, _time_text, Layout()),
    "csv, numbers": (csv_row, _number, Layout(**FLAT, times=TimeFormat("ms"))),
    "csv, texts": (csv_row, _time_text, Layout(**FLAT, string_fields=frozenset(("value",)))),
}


def _events(records: list[Occurrence | Rejected]) -> Counter[tuple[int, int, str]]:
    return Counter((each.begin, each.end, each.id) for each in records if isinstance(each, Occurrence))


def _rejected(records: list[Occurrence | Rejected]) -> list[Rejected]:
    return [each for each in records if isinstance(each, Rejected)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("tried", [examples(60), pytest.param(3_000, marks=pytest.mark.long)])
def test_blocks_have_the_events_of_their_lines(
    name: str, tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, time, layout = CASES[name]
    monkeypatch.setattr(read_times, "_LARGE", 0)
    columns = others = 0
    for seed in range(tried):
        chance = random.Random(seed)
        size = chance.choice([1, 300, 1_000, 1 << 20])
        for module, attribute in ((line_blocks, "BLOCK"), (csv_blocks, "BLOCK"), (read_times, "_BLOCK")):
            monkeypatch.setattr(module, attribute, size)
        at, odd, lines = 0, chance.choice([0.0, 0.03, 0.3]), []
        for _ in range(chance.randrange(1, 40)):
            at += chance.choice([0, 1, 500, 3_600_000])
            lines.append(make(chance, time(chance, at), chance.random() < odd))
        format = "csv" if make is csv_row else "jsonl"
        path = tmp_path / f"events.{format}"
        if format == "csv":
            lines.insert(0, "type,ts,sensor,value,wet")
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass") + chance.choice([b"", b"\n"]))
        file = EventFile(path, format)
        expected = list(read_file_occurrences(file, layout))
        found: list[Occurrence | Rejected] = []
        blocks = blocks_of(file, layout, Strings())
        if blocks is None:
            continue
        for block in blocks:
            records = list(blocks.rest(block) if block.is_last else block.records())
            found += records
            if block.tables is None:
                others += 1
            else:
                columns += 1
                assert not any(isinstance(each, Rejected) for each in records), seed
                assert _events(occurrences_of(block.tables.values())) == _events(records), seed
        assert [each for each in found if isinstance(each, Rejected)] == [
            e for e in expected if isinstance(e, Rejected)
        ]
        assert _events(found) == _events(expected), seed
        _check_scan(read_times.scan_times(file, layout), expected)
    assert columns > tried // 10
    assert others > tried // 10


@pytest.mark.parametrize("name", [name for name, (make, *_) in CASES.items() if make is not csv_row])
@pytest.mark.parametrize("tried", [examples(60), pytest.param(3_000, marks=pytest.mark.long)])
def test_arrays_have_the_events_of_their_elements(
    name: str, tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, time, layout = CASES[name]
    monkeypatch.setattr(read_times, "_LARGE", 0)
    columns = 0
    for seed in range(tried):
        chance = random.Random(seed)
        size = chance.choice([300, 1_000, 1 << 20])
        for module, attribute in ((line_blocks, "BLOCK"), (read_times, "_BLOCK")):
            monkeypatch.setattr(module, attribute, size)
        odd = chance.choice([0.0, 0.0, 0.03, 0.3])
        lines = [make(chance, time(chance, at * 500), chance.random() < odd) for at in range(chance.randrange(40))]
        text = chance.choice([",", ", ", ",\n", " ,\n\n "]).join(lines)
        if chance.random() < 0.2:
            text = text.replace(": ", chance.choice([":\n", ":\r\t", ":},{"]), chance.choice([1, -1]))
        text = chance.choice(["[%s]", "[\n%s\n]\n", '{"events": [%s]}', "\ufeff[%s]", "[%s", "[%s]]"]) % text
        path = tmp_path / "events.json"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        file = EventFile(path, "json")
        expected = list(occurrences(read_event_file(file, layout)))
        assert [_known(each) for each in read_file_occurrences(file, layout)] == [_known(each) for each in expected], (
            seed
        )
        found: list[Occurrence | Rejected] = []
        blocks = blocks_of(file, layout, Strings())
        assert blocks is not None
        for block in blocks:
            columns += block.tables is not None
            found += blocks.rest(block) if block.is_last else occurrences_of((block.tables or {}).values())
        assert _events(found) == _events(expected), seed
        assert _rejected(found) == _rejected(expected), seed
        _check_scan(read_times.scan_times(file, layout), expected)
    assert columns > tried // 10


def _known(record: Occurrence | Rejected) -> object:
    return record if isinstance(record, Rejected) else (record.begin, record.end, record.id)


def _check_scan(scan: read_times.TimeScan, records: list[Occurrence | Rejected]) -> None:
    events = [each for each in records if isinstance(each, Occurrence)]
    latest = None
    for event in events:
        latest = event.end if latest is None else max(latest, event.end)
        assert latest - event.end <= scan.disorder
        assert event.end - event.begin <= scan.longest
        assert scan.first_end is not None
        assert scan.last_end is not None
        assert scan.first_end <= event.end <= scan.last_end
