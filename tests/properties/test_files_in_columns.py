"""Recordings of several files, in order or not, are answered in columns as they are event by event.

The lines of the answers, those of rejected records, the messages and the exit status are the same, whatever the sizes
of blocks and batches are.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from cera.cli.main import main
from cera.connectors import read_times
from cera.engines.columns import csv_blocks, line_blocks, ordered_blocks, parquet_blocks
from cera.engines.columns.recording import ColumnsRecording
from cera.running import columns_flow
from hypothesis_profiles import examples
from unit.cli.command_line import FIRE

_ODD_LINES = ["{", '{"type": "temp"}', '{"type": "temp", "ts": 5, "value": [1]}', "", '{"type": 3, "ts": 1}', "NaN"]
_HEADER = "type,ts,area,sensor,value"


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many batches were answered, and how many recordings went on event by event."""
    found: Counter[str] = Counter()
    for owner, name in ((ColumnsRecording, "answer_tables"), (columns_flow.ColumnsFlow, "_hand_over")):
        called = getattr(owner, name)

        def watched(self: Any, *arguments: Any, name: str = name, called: Any = called) -> Any:
            found[name] += 1
            return called(self, *arguments)

        monkeypatch.setattr(owner, name, watched)
    return found


def _ends(chance: random.Random, disorder: int) -> Iterator[int]:
    at = chance.randrange(100)
    for _ in range(chance.choice([0, 1, 5, 40, 80])):
        at += chance.choice([0, 1, 1, 5, 30])
        yield max(0, at - chance.choice([0, 0, chance.randrange(disorder + 1)]))


def _with_odd(chance: random.Random, lines: list[str], others: list[str], odd: float) -> list[str]:
    found = []
    for line in lines:
        found += [chance.choice(others)] if chance.random() < odd else []
        found.append(line)
    return found


def _write(chance: random.Random, path: Path, text: str) -> None:
    """Writes a text, sometimes compressed, and the end of that sometimes lost."""
    if chance.random() < 0.8:
        path.write_text(text)
        return
    data = gzip.compress(text.encode())
    path.with_name(f"{path.name}.gz").write_bytes(data[:-9] if chance.random() < 0.3 else data)


def _columns(records: list[dict[str, Any]], names: list[str]) -> Iterator[pa.Array]:
    kinds = {"ts": pa.int64(), "value": pa.float64()}
    for name in names:
        yield pa.array([record[name] for record in records], kinds.get(name, pa.string()))


def _write_files(chance: random.Random, folder: Path) -> None:
    disorder, odd = chance.choice([0, 0, 3, 100]), chance.choice([0, 0, 0.05])
    for number in range(chance.choice([1, 1, 2, 3, 5])):
        rows = [
            (chance.choice(["temp", "temp", "smoke"]), end, f"a{chance.randrange(2)}", f"s{chance.randrange(3)}")
            for end in _ends(chance, disorder)
        ]
        values = [chance.choice([39, 40.5, 41, 55]) for _ in rows]
        names = _HEADER.split(",")
        records = [dict(zip(names, (*row, value), strict=True)) for row, value in zip(rows, values, strict=True)]
        match chance.choice(["jsonl", "jsonl", "json", "csv", "parquet"]):
            case "csv":
                lines = [",".join(map(str, (*row, value))) for row, value in zip(rows, values, strict=True)]
                lines = [_HEADER, *_with_odd(chance, lines, ["temp,x,a,s,1", "temp", '"', ",1,a,s,1"], odd)]
                _write(chance, folder / f"{number}.csv", "".join(f"{line}\n" for line in lines))
            case "json":
                lines = _with_odd(chance, [json.dumps(record) for record in records], _ODD_LINES, odd / 3)
                text = chance.choice([",", ", ", ",\n", "\n  , "]).join(lines)
                if chance.random() < 0.2:
                    text = ",\n".join(json.dumps(record, indent=1) for record in records)
                _write(chance, folder / f"{number}.json", chance.choice(["[%s]", '{"events": [\n%s]\n}\n']) % text)
            case "parquet":
                pq.write_table(
                    pa.table(dict(zip(names, _columns(records, names), strict=True))), folder / f"{number}.parquet"
                )
            case _:
                lines = _with_odd(chance, [json.dumps(record) for record in records], _ODD_LINES, odd)
                _write(chance, folder / f"{number}.jsonl", "".join(f"{line}\n" for line in lines))
    if chance.random() < 0.1:
        (folder / "other.txt").write_text("nothing")


def _run(folder: Path, *options: str) -> tuple[Result, str]:
    rejected = folder / "rejected.jsonl"
    rejected.unlink(missing_ok=True)
    files = (str(folder / "fire.xceq"), "--events", str(folder / "events"), "--engine", "local")
    layout = ("--label-field", "type", "--time-field", "ts", "--time-unit", "s")
    found = CliRunner().invoke(main, ["run", *files, *layout, "--rejected", str(rejected), *options])
    return found, rejected.read_text() if rejected.exists() else ""


@pytest.mark.parametrize("tried", [examples(40), pytest.param(3_000, marks=pytest.mark.long)])
def test_files_have_the_answers_and_the_rejected_records_that_they_have_event_by_event(
    tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ways: Counter[str]
) -> None:
    for seed in range(tried):
        chance = random.Random(seed)
        folder = tmp_path / str(seed)
        (folder / "events").mkdir(parents=True)
        (folder / "fire.xceq").write_text(FIRE)
        _write_files(chance, folder / "events")
        block = chance.choice([100, 1_000, 1 << 22])
        for module in (line_blocks, csv_blocks, parquet_blocks):
            monkeypatch.setattr(module, "BLOCK", block)
        monkeypatch.setattr(read_times, "_LARGE", chance.choice([0, 1 << 22]))
        monkeypatch.setattr(read_times, "_BLOCK", block)
        monkeypatch.setenv(columns_flow.SWITCH, "0")
        options = ("--strict",) if chance.random() < 0.2 else ()
        expected, rejected = _run(folder, *options)
        monkeypatch.setenv(columns_flow.SWITCH, "1")
        monkeypatch.setattr(columns_flow, "BATCH", chance.choice([1, 7, 1_000]))
        for name, values in {"_PIECE": (5, 1_000), "_FEW": (1, 20), "_SMALL": (0, 0, 1_000)}.items():
            monkeypatch.setattr(ordered_blocks, name, chance.choice(values))
        monkeypatch.setattr(ordered_blocks, "_MOST_WAITING", chance.choice([20, 1_000, 1_000]))
        found, rejected_now = _run(folder, *options)
        assert rejected_now == rejected, seed
        assert found.exit_code == expected.exit_code, (seed, found.stderr, found.exception)
        assert found.stdout == expected.stdout, seed
        assert found.stderr == expected.stderr, seed
    assert ways["answer_tables"] > tried // 4
