"""The column `term` is one text for one term: over recorded events, in streams, and as `cera run` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cera.connectors.event_lines import event_line
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import point
from cera.model.time.time_text import TimeFormat
from cera.program import load
from cera.testing import SECOND
from module_runs import run_locally

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

#: Heads that are flat, nested, lists, with several children of one name or optional ones, made of columns or in Python.
PROGRAM = """
DETECT flat{ zone{ var T }, area{ var V } } ON reading{{ text{ var T }, value{ var V } }} END
DETECT nested{ b{ y{ var V }, x[ var T, var V ] }, a{ var V } } ON reading{{ text{ var T }, value{ var V } }} END
DETECT several{ v{ var V }, v{ 3 }, var T } ON reading{{ text{ var T }, value{ var V } }} END
DETECT perhaps{ z{ var V }, optional a{ var N } } ON reading{{ value{ var V }, optional more{ var N } }} END
DETECT mean{ of{ avg(all var V) }, max{ max(all var V) } }
ON and { event r: reading{{}}, event w: from-end-backward[r, 1 min], while w: collect reading{{ value{ var V } }} } END
DETECT whole{ all var X } ON reading{{ var X }} END
"""
COLUMNS = "label string, at bigint, text string, value double, more int"
TEXTS = ['a"b\\c/d', "tab\t \x01\x1f\x0b \\u001F", "grün 😀 \u2028", "", "{}", "\x7f"]
VALUES = [0.1, 4.5, 2.0, -0.001, 1e-4, 1.5e-5, 12345678.5, 123456789012.25, 1e16, 1e22, -3.5e-200, 2 / 3, 1e100, 0.0]
ROWS: list[dict[str, Any]] = [
    {"label": "reading", "at": place, "text": TEXTS[place % len(TEXTS)], "value": value}
    | ({"more": place} if place % 2 else {})
    for place, value in enumerate(VALUES)
]


def as_run_writes() -> list[tuple[str, str]]:
    """The ids and texts of terms in the lines of `cera run`."""
    events = [
        Event(term_from_json({"reading": {k: v for k, v in row.items() if k not in ("label", "at")}}), point(at))
        for row in ROWS
        if (at := row["at"] * SECOND) is not None
    ]
    lines = [event_line(one, TimeFormat()) for one in run_locally(load(PROGRAM).rules, events).derived]
    return sorted((line["id"], json.dumps(line["term"], ensure_ascii=False)) for line in lines)


def test_batch_and_stream_write_the_text_that_run_writes(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "1.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (folder / "2.json").write_text(json.dumps({"label": "end", "at": 9_999}) + "\n")
    program = load(PROGRAM)
    recorded = program.detect(spark.read.schema(COLUMNS).json(str(folder))).collect()
    assert sorted((row["id"], row["term"]) for row in recorded) == as_run_writes()

    rows = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(folder))
    writer = program.detect(rows, max_delay="0 sec").writeStream.format("memory").queryName("term_texts")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    query.processAllAvailable()
    query.stop()
    streamed = spark.table("term_texts").collect()
    assert sorted((row["id"], row["term"]) for row in streamed) == as_run_writes()
