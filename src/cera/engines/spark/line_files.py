"""Answers as JSON lines that Spark's Python workers write into files of a folder, one file for each part of the output.

The parts are in the order of output, and so are the lines of each, so that one after the other they are the whole. A
part appears when all of it is written: a task that is tried again, or twice at once, writes the same part.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame

from cera.connectors.event_lines import derived_line, state_line
from cera.model.events.event import Event, Recipient
from cera.model.events.states import is_opening, state_label
from cera.model.terms.json_terms import sort_key, term_from_json
from cera.model.time.interval import Interval, Time, point
from cera.model.time.time_text import TimeFormat

#: The columns of answers: rows that are not written have no `term`, and events of the input no `rule`; `causes` is an
#: array of the names and ids, in their order.
ANSWER = ("end", "begin", "id", "label", "term", "qualifier", "rule", "causes", "recipient", "transport")

Row = tuple[Any, ...]

COUNTS = "label string, derived bigint, written bigint"
_COUNTS = pa.schema([("label", pa.string()), ("derived", pa.int64()), ("written", pa.int64())])

#: Numbers that Java may have written with another last digit.
_LONG_NUMBER = re.compile(r"[0-9.]{16}|[0-9]e")

_BUFFER = 1 << 20


class Lines:
    """Writes rows of answers as `cera run` writes events, from their texts, without making events of them."""

    def __init__(self, times: TimeFormat) -> None:
        self._times = times
        #: The texts of names and of times that were written already.
        self._names: dict[str, str] = {}
        self._written: dict[Time, str] = {}

    def line(self, row: Row) -> str:
        end, begin, id_, label, term, qualifier, rule, causes, recipient, transport = row
        if rule is None and is_opening(label):
            return _dumps(state_line(Event(term_from_json(json.loads(term)), point(begin), qualifier), self._times))
        if state_label(label) is not None:
            read = term_from_json(json.loads(term))
            event = Event(read, point(begin) if is_opening(label) else Interval(begin, end))
            return _dumps(derived_line(event, rule, dict(causes), None, self._times))
        if _LONG_NUMBER.search(term):
            term = _dumps(json.loads(term))
        start = f'{{"begin": {self._time(begin)}, "end": {self._time(end)}, "term": {term}, '
        if rule is None:
            named = "" if qualifier is None else f', "source_id": {_dumps(qualifier)}'
            return f'{start}"id": "{id_}"{named}}}'
        sent = ""
        if recipient is not None:
            to = {"recipient": recipient, **({} if transport is None else {"transport": transport})}
            sent = f', "to": {_dumps(to)}'
        named = ", ".join([f'{self._name(name)}: "{cause}"' for name, cause in causes])
        return f'{start}"rule": {self._name(rule)}, "id": "{id_}", "causes": {{{named}}}{sent}}}'

    def _time(self, time: Time) -> str:
        found = self._written.get(time)
        if found is None:
            if len(self._written) > 10_000:
                self._written.clear()
            found = self._written[time] = _dumps(self._times.format(time))
        return found

    def _name(self, name: str) -> str:
        found = self._names.get(name)
        if found is None:
            found = self._names[name] = _dumps(name)
        return found


def in_output_order(rows: Iterator[Row]) -> Iterator[Row]:
    """Sorts rows that are in the order of end and begin by their terms as well."""
    for _, together in groupby(rows, key=itemgetter(0, 1)):
        same = list(together)
        yield from same if len(same) == 1 else sorted(same, key=_key)


def _key(row: Row) -> tuple[Any, ...]:
    term, qualifier, recipient, transport = row[4], row[5], row[8], row[9]
    if recipient is not None:
        qualifier = Recipient(recipient, transport).qualifier
    return sort_key(term) if term else (), qualifier or ""


@dataclass(frozen=True)
class WriteLines:
    """Runs in the workers: writes the rows of a part into a file, and counts them by label."""

    folder: Path
    times: TimeFormat

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        derived: Counter[str] = Counter()
        written: Counter[str] = Counter()
        rows = (row for batch in batches for row in zip(*(_values(part) for part in batch.columns), strict=True))
        lines = Lines(self.times)
        context = TaskContext.get()
        assert context is not None
        part = self.folder / f"{context.partitionId():09d}"
        unfinished = part.with_name(f".{part.name}.{context.taskAttemptId()}")
        with unfinished.open("wb", _BUFFER) as file:
            for row in in_output_order(rows):
                label = row[3]
                if row[6] is not None:
                    derived[label] += 1
                if row[4] is not None:
                    written[label] += 1
                    file.write(lines.line(row).encode("utf-8", "backslashreplace") + b"\n")
        os.replace(unfinished, part)
        counts = [(label, derived[label], written[label]) for label in sorted(derived | written)]
        yield pa.RecordBatch.from_pydict(
            {name: [row[place] for row in counts] for place, name in enumerate(_COUNTS.names)}, _COUNTS
        )


def _values(part: pa.Array) -> list[Any]:
    """Returns the values of a column; causes as pairs."""
    if not pa.types.is_list(part.type):
        return part.to_pylist()  # type: ignore[no-any-return]
    entries = part.flatten()
    pairs = list(zip(entries.field(0).to_pylist(), entries.field(1).to_pylist(), strict=True))
    ends = iter(part.value_lengths().fill_null(0).to_pylist())
    found, first = [], 0
    for length in ends:
        found.append(pairs[first : first + length])
        first += length
    return found


def write_parts(ordered: DataFrame, write: WriteLines) -> tuple[Counter[str], int]:
    """Writes rows that are sorted in parts; returns how many of each label were derived, and how many were written."""
    derived: Counter[str] = Counter()
    written = 0
    for row in ordered.select(*ANSWER).mapInArrow(write, COUNTS).collect():
        derived[row["label"]] += row["derived"]
        written += row["written"]
    return +derived, written


def join_parts(folder: Path, target: Path) -> None:
    """Joins the parts in a folder into one file, and removes them."""
    parts = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if not parts:
        target.touch()
        return
    os.replace(parts[0], target)
    with target.open("ab") as whole:
        for part in parts[1:]:
            with part.open("rb") as file:
                shutil.copyfileobj(file, whole, _BUFFER)
            part.unlink()


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
