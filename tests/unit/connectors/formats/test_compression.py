"""Compressed files are read as what they hold; damaged ones are rejected from where they are damaged."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from cera.connectors.files import Rejected, event_files
from cera.connectors.ordering import OrderedEvents
from cera.connectors.records.layout import Layout
from cera.connectors.source import source_of
from cera.model.time.time_text import TimeFormat

FLAT = Layout("type", "ts", times=TimeFormat("s"))
CONTENTS = {
    "jsonl": '{"type": "temp", "ts": 2, "n": 1}\n{"type": "temp", "ts": 1, "n": 2}\n',
    "csv": "type,ts,n\ntemp,2,1\ntemp,1,2\n",
    "json": '[{"type": "temp", "ts": 2, "n": 1}, {"type": "temp", "ts": 1, "n": 2}]',
}


def compressed(text: str, ending: str) -> bytes:
    data = text.encode()
    return gzip.compress(data) if ending == "gz" else zstandard.compress(data)


@pytest.mark.parametrize("ending", ["gz", "zst", "GZ"])
@pytest.mark.parametrize("format_", CONTENTS)
def test_a_compressed_file_has_the_events_of_the_plain_one(tmp_path: Path, format_: str, ending: str) -> None:
    path = tmp_path / f"log.{format_}.{ending}"
    path.write_bytes(compressed(CONTENTS[format_], ending.lower()))
    plain = tmp_path / f"log.{format_}"
    plain.write_text(CONTENTS[format_])
    events = list(source_of(str(plain)).events(FLAT))
    assert list(source_of(str(path)).events(FLAT)) == events
    assert [
        found.event for found in source_of(str(path)).occurrences(FLAT) if not isinstance(found, Rejected)
    ] == events
    with OrderedEvents([source_of(str(path))], FLAT) as ordered:
        assert [found.end // 1_000_000 for found in ordered if not isinstance(found, Rejected)] == [1, 2]


def test_compressed_files_of_a_folder_are_read_by_the_ending_before(tmp_path: Path) -> None:
    for ending in ("gz", "zst"):
        (tmp_path / f"{ending}.csv.{ending}").write_bytes(compressed(CONTENTS["csv"], ending))
    (tmp_path / "notes.txt.gz").write_bytes(gzip.compress(b"x"))
    found = event_files(tmp_path, FLAT)
    assert [each.format for each in found if not isinstance(each, Rejected)] == ["csv", "csv"]
    [other] = [each for each in found if isinstance(each, Rejected)]
    assert "known endings are .jsonl, .ndjson, .json, .csv, .xml, also with .gz or .zst behind" in other.reason


def test_several_members_in_one_file_are_all_read(tmp_path: Path) -> None:
    one, two = CONTENTS["jsonl"].splitlines(keepends=True)
    for ending in ("gz", "zst"):
        path = tmp_path / f"log.jsonl.{ending}"
        path.write_bytes(compressed(one, ending) + compressed(two, ending))
        assert len(list(source_of(str(path)).events(FLAT))) == 2


@pytest.mark.parametrize("ending", ["gz", "zst"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "none of it"])
def test_damaged_data_is_rejected_where_it_is_damaged(tmp_path: Path, ending: str, damage: str) -> None:
    text = "".join(f'{{"type": "temp", "ts": {n}, "n": {n * 7919 % 1009}}}\n' for n in range(20_000))
    data = bytearray(compressed(text, ending))
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[len(data) // 2] ^= 0xFF
        data[len(data) // 2 + 1] ^= 0xFF
    else:
        data = bytearray(b"nothing of the kind")
    path = tmp_path / f"log.jsonl.{ending}"
    path.write_bytes(data)
    found = list(source_of(str(path)).occurrences(FLAT))
    reasons = [each.reason for each in found if isinstance(each, Rejected)]
    assert any("could not be read further: the compressed data is damaged" in reason for reason in reasons), reasons
    assert len(found) - len(reasons) < 20_000
