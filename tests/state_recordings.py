"""One recording with states in every format that events come in, and a program that asks for them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from cera.connectors.records.layout import Layout
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.testing import event, state

PROGRAM = """\
DETECT came{ var D } ON and { state s: door{{ id{ var D } }}, event v: visit{{ door{ var D } }} } where { v in s } END

DETECT nobody{ var D } ON and { state s: door{{ id{ var D } }}, while s: not visit{{ door{ var D } }} } END

DETECT visits[ var D, count(var N) ]
ON and { state s: door{{ id{ var D } }}, while s: collect visit{{ door{ var D }, no{ var N } }} }
END

DETECT shut{ var D } ON and { event v: visit{{ door{ var D } }}, while v: not state door{{ id{ var D } }} } END

DETECT passed{ var T } ON event t: train{{ no{ var T } }} END
"""

#: Flat records: in seconds, and without what is null. A state opens, another comes whole, the first is closed, a third
#: stays open, and an event lasts.
RECORDS: tuple[Mapping[str, Any], ...] = (
    {"label": "door", "begin": 0, "state": True, "id": "d1"},
    {"label": "door", "begin": 60, "end": 120, "state": True, "id": "d2"},
    {"label": "train", "begin": 70, "end": 90, "state": False, "no": 7},
    {"label": "visit", "begin": 100, "end": 100, "door": "d1", "no": 1},
    {"label": "visit", "begin": 110, "end": 110, "state": False, "door": "d3", "no": 2},
    {"label": "visit", "begin": 240, "end": 240, "door": "d1", "no": 3},
    {"label": "door", "begin": 0, "end": 300, "state": True, "id": "d1"},
    {"label": "door", "begin": 310, "state": True, "id": "d4"},
    {"label": "visit", "begin": 320, "end": 320, "door": "d4", "no": 4},
)
COLUMNS = ("label", "begin", "end", "state", "id", "door", "no")
#: The answers by label, begin and end.
ANSWERS = (
    (100, 100, {"came": "d1"}),
    (70, 90, {"passed": 7}),
    (110, 110, {"shut": "d3"}),
    (60, 120, {"nobody": "d2"}),
    (240, 240, {"came": "d1"}),
    (0, 300, {"visits": ["d1", 2]}),
    (320, 320, {"came": "d4"}),
)
#: Options for flat records with these names.
OPTIONS = ("--label-field", "label", "--state-field", "state", "--time-unit", "s")
LAYOUT = Layout(label_field="label", state_field="state", times=TimeFormat("s"))


def rows() -> list[dict[str, Any]]:
    """Returns the records with all columns, null where there is nothing."""
    return [{name: record.get(name) for name in COLUMNS} for record in RECORDS]


def events() -> list[Event]:
    """Returns the events and openings that the records are."""
    found = []
    for record in RECORDS:
        children = ", ".join(f"{n}{{{json.dumps(v)}}}" for n, v in record.items() if n in ("id", "door", "no"))
        term, begin, end = f"{record['label']}{{{children}}}", record["begin"], record.get("end")
        found.append(state(term, begin, end) if record.get("state") else event(term, begin, end))
    return found


def objects() -> list[dict[str, Any]]:
    """Returns the records as event objects."""
    return [
        {
            "begin": record["begin"],
            "end": record.get("end"),
            "state": record.get("state"),
            "term": {record["label"]: {name: record[name] for name in ("id", "door", "no") if name in record}},
        }
        for record in RECORDS
    ]


def _lines(records: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _write_csv(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number, row in enumerate(rows()):
            mark = (
                row["state"] if row["state"] is None else str(row["state"]).lower() if number % 2 else int(row["state"])
            )
            writer.writerow([mark if name == "state" else row[name] for name in COLUMNS])


def _wrapped(record: Mapping[str, Any]) -> str:
    times = "".join(f" {n}={quoteattr(str(record[n]).lower())}" for n in ("begin", "end", "state") if n in record)
    children = "".join(f"<{n}>{record[n]}</{n}>" for n in ("id", "door", "no") if n in record)
    return f"<event{times}><{record['label']}>{children}</{record['label']}></event>"


def _flat_element(record: Mapping[str, Any]) -> str:
    children = "".join(f"<{n}>{v}</{n}>" for n, v in record.items() if n not in ("label", "state", "begin", "end"))
    times = "".join(f" {n}={quoteattr(str(record[n]))}" for n in ("begin", "end") if n in record)
    mark = f"<state>{int(record['state'])}</state>" if "state" in record else ""
    return f"<{record['label']}{times}>{mark}{children}</{record['label']}>"


def _write_parquet(path: Path, **renamed: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(rows())
    pq.write_table(table.rename_columns([renamed.get(name, name) for name in table.column_names]), path)


def _write_marked_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    marked = [{**row, "state": None if row["state"] is None else int(row["state"])} for row in rows()]
    pq.write_table(pa.Table.from_pylist(marked), path)


#: Names of files, how each is written, and the options that it is read with.
FILES: Mapping[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "objects.jsonl": (lambda path: path.write_text(_lines(objects())), ("--time-unit", "s")),
    "flat.jsonl": (lambda path: path.write_text(_lines(RECORDS)), OPTIONS),
    "nulls.jsonl": (lambda path: path.write_text(_lines(rows())), OPTIONS),
    "flat.json": (lambda path: path.write_text(json.dumps(rows())), OPTIONS),
    "flat.csv": (_write_csv, OPTIONS),
    "wrapped.xml": (lambda path: path.write_text(f"<r>{''.join(map(_wrapped, RECORDS))}</r>"), ("--time-unit", "s")),
    "flat.xml": (
        lambda path: path.write_text(f"<r>{''.join(map(_flat_element, RECORDS))}</r>"),
        ("--state-field", "state", "--time-unit", "s"),
    ),
}
#: The same for files that only Spark reads.
PARQUET: Mapping[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    # without options, a column `id` is that of events
    "own.parquet": (lambda path: _write_parquet(path, id="door_id"), ("--time-unit", "s")),
    "flat.parquet": (_write_parquet, OPTIONS),
    "marked.parquet": (_write_marked_parquet, OPTIONS),
}
