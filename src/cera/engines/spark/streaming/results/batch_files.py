"""Output files of micro-batches: one for each batch, named after it, written whole or not at all.

A batch that is run again after a kill gives the same rows, and its file replaces the one it wrote before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cera.connectors import event_lines
from cera.engines.spark.streaming.messages.stage_results import (
    DerivedResult,
    LateEvent,
    RejectedRecord,
    first_derivations,
)
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.events.states import early_answer_of, is_early_answer, state_label, state_of
from cera.model.terms.json_terms import term_from_json, term_text
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat
from cera.wording import Setting

_TABLE = pa.schema(
    [
        pa.field("begin", pa.timestamp("us", "UTC")),
        pa.field("end", pa.timestamp("us", "UTC")),
        pa.field("label", pa.string()),
        pa.field("term", pa.string()),
        pa.field("rule", pa.string()),
        pa.field("id", pa.string()),
        pa.field("causes", pa.map_(pa.string(), pa.string())),
        pa.field("to", pa.struct([("recipient", pa.string()), ("transport", pa.string())])),
    ]
)
#: One more column of programs that derive states.
_STATE = pa.field("state", pa.bool_())


@dataclass(frozen=True)
class BatchFiles:
    """A folder of files, one for each batch that has something to write."""

    setting: Setting
    folder: Path
    run: str

    def write(self, batch: int, ending: str, write: Callable[[Path], object]) -> None:
        target = self.folder / f"{self.run}-{batch:09d}.{ending}"
        unfinished = self.folder / f".{target.name}.unfinished"
        try:
            write(unfinished)
            with unfinished.open("rb") as written:
                os.fsync(written.fileno())
            os.replace(unfinished, target)
        except OSError as error:
            raise UsageError(f"{self.setting}: {target} cannot be written: {error.strerror or error}") from error

    def write_lines(self, batch: int, lines: Sequence[str]) -> None:
        if lines:
            data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
            self.write(batch, "jsonl", lambda path: path.write_bytes(data))

    def write_table(self, batch: int, derived: Sequence[DerivedResult], *, states: bool = False) -> None:
        if derived:
            table = derived_table(derived, states=states)
            self.write(batch, "parquet", lambda path: pq.write_table(table, path))


def in_order(derived: Sequence[DerivedResult]) -> list[DerivedResult]:
    """Returns the derived events of a batch, each once with its first derivation, in the order of output."""
    return sorted(first_derivations(derived), key=_output_key)


def _output_key(result: DerivedResult) -> tuple[int, int, Any, str]:
    return (result.end, result.begin, term_from_json(json.loads(result.term)).key, result.recipient or "")


def derived_line(result: DerivedResult, times: TimeFormat) -> str:
    """Returns a derived event as a line, as `cera run` writes it."""
    if (event := _event_without_end(result)) is not None:
        causes = json.loads(result.causes)
        return json.dumps(event_lines.derived_line(event, result.rule, causes, None, times), ensure_ascii=False)
    line: dict[str, Any] = {
        "begin": times.format(result.begin),
        "end": times.format(result.end),
        "term": json.loads(result.term),
        "rule": result.rule,
        "id": result.id,
        "causes": json.loads(result.causes),
    }
    if result.recipient is not None:
        transport = {} if result.transport is None else {"transport": result.transport}
        line["to"] = {"recipient": result.recipient, **transport}
    if result.known is not None:
        line[event_lines.KNOWN] = times.format(result.known)
    if result.completes is not None:
        line[event_lines.COMPLETES] = json.loads(result.completes)
    return json.dumps(line, ensure_ascii=False)


def derived_table(derived: Sequence[DerivedResult], *, states: bool = False) -> pa.Table:
    """Returns derived events as columns, times as timestamps and terms as JSON.

    In a program that derives `states` there is a column of that name, and the end of an open state is null.
    """
    return pa.Table.from_pylist([_row(one) for one in derived], schema=_TABLE.append(_STATE) if states else _TABLE)


def _row(one: DerivedResult) -> dict[str, Any]:
    event = _event_without_end(one)
    state = None if event is None else state_of(event)
    shown = state if event is None or state is not None else early_answer_of(event)
    return {
        "begin": one.begin,
        "end": one.end if shown is None else shown.end,
        "label": one.label if shown is None else shown.term.label,
        "term": one.term if shown is None else term_text(shown.term),
        "rule": one.rule,
        "id": one.id if shown is None else shown.id,
        "causes": list(json.loads(one.causes).items()),
        "to": None if one.recipient is None else {"recipient": one.recipient, "transport": one.transport},
        "state": state is not None,
    }


def _event_without_end(result: DerivedResult) -> Event | None:
    """Returns the opening or the ending of a state, or an answer whose state is open; None for other events."""
    if state_label(result.label) is None and not is_early_answer(result.label):
        return None
    return Event(term_from_json(json.loads(result.term)), Interval(result.begin, result.end))


def late_line(late: LateEvent, times: TimeFormat) -> str:
    return json.dumps(event_lines.base_line(late.event.occurrence.event, times), ensure_ascii=False)


def rejected_line(record: RejectedRecord, words: Callable[[str], str]) -> str:
    found = {"place": record.place, "reason": words(record.reason), "text": record.text}
    return json.dumps(found, ensure_ascii=False)
