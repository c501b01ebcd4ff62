"""Derived events from typed columns: their terms, ids and causes, computed for many at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from cera.engines.spark.reading.source_tables import LEFT_OUT, RECORD
from cera.engines.spark.streaming.messages.left_out import LATE, StreamMetrics
from cera.engines.spark.streaming.messages.messages import OUTPUT, is_columns, unpack_columns, unpack_results
from cera.engines.spark.streaming.messages.stage_results import (
    ActionRequest,
    DerivedResult,
    LateEvent,
    RejectedRecord,
    Result,
    StateReport,
    VersionReport,
)
from cera.engines.spark.streaming.messages.worker_memory import settle
from cera.engines.spark.streaming.results.compact import KINDS, Shape
from cera.model.columns.column_hashes import Hashes, event_hashes, hexadecimal, timer_hashes
from cera.model.events.states import is_early_answer
from cera.model.terms.json_terms import term_text
from cera.wording import in_python

#: The columns of answers over recorded events.
_ANSWER = pa.schema(
    [
        *(("id", pa.string()), ("begin", pa.int64()), ("end", pa.int64()), ("label", pa.string())),
        *(("term", pa.string()), ("rule", pa.string()), ("causes", pa.map_(pa.string(), pa.string()))),
        *(("recipient", pa.string()), ("transport", pa.string())),
    ]
)
_WITH_LEFT_OUT = pa.schema([*_ANSWER, (LEFT_OUT, pa.string()), (RECORD, pa.string())])
_DIGITS = 32
#: How many rows are finished at a time.
_CHUNK = 20_000


def derived_events(
    messages: DataFrame, shapes: Sequence[Shape], metrics: StreamMetrics, *, left_out: bool = False
) -> DataFrame:
    """Returns the derived events among the results, with the columns of answers over recorded events.

    With `left_out`, late and rejected ones as well, with LEFT_OUT and RECORD. All of them are counted.
    """
    schema = _WITH_LEFT_OUT if left_out else _ANSWER
    payloads = metrics.results(messages.where(F.col("operator") == OUTPUT).select("payload"))
    return payloads.mapInArrow(_FinishStage(tuple(shapes), schema), from_arrow_schema(schema))


class _FinishStage:
    """Stage that makes rows of the payloads of results, and of what was left out if the schema has columns for it."""

    def __init__(self, shapes: tuple[Shape, ...], schema: pa.Schema) -> None:
        self.shapes = shapes
        self.schema = schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        kept: dict[int, list[pa.Table]] = {}
        for batch in batches:
            for payload in batch.column(0).to_pylist():
                if is_columns(payload):
                    number, data = unpack_columns(payload)
                    kept.setdefault(number, []).append(pa.ipc.open_stream(data).read_all())
                    if sum(table.num_rows for table in kept[number]) >= _CHUNK:
                        yield self._finished(number, kept.pop(number))
                elif rows := self._rows(unpack_results(payload)):
                    yield self._batch({name: [row.get(name) for row in rows] for name in self.schema.names}, len(rows))
        for number, tables in kept.items():
            yield self._finished(number, tables)
        settle()

    def _rows(self, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Returns the results that are complete by themselves, as far as they are wanted."""
        found = [row for result in results if (row := _row(result)) is not None]
        return found if LEFT_OUT in self.schema.names else [row for row in found if LEFT_OUT not in row]

    def _finished(self, number: int, tables: Sequence[pa.Table]) -> pa.RecordBatch:
        table = pa.concat_tables(tables, promote_options="default").combine_chunks()
        return self._batch(finished(self.shapes[number], table), table.num_rows)

    def _batch(self, known: Mapping[str, Any], rows: int) -> pa.RecordBatch:
        """Returns rows with the columns that are known; the others are null."""
        arrays = [
            pa.nulls(rows, field.type) if field.name not in known else _array(known[field.name], field.type)
            for field in self.schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _row(result: Result) -> dict[str, Any] | None:
    """Returns the columns of a result that is complete by itself; None for one that is not a row of the answer."""
    match result:
        case DerivedResult() if is_early_answer(result.label):
            return None
        case DerivedResult():
            return {**result._asdict(), "causes": list(json.loads(result.causes).items())}
        case LateEvent(fields):
            event = fields.occurrence.event
            own = {"id": event.id, "term": term_text(event.term), LEFT_OUT: LATE}
            return {**own, "begin": fields.begin, "end": fields.end, "label": fields.label}
        case RejectedRecord(reason=reason, text=text):
            return {LEFT_OUT: in_python(reason), RECORD: text}
        case ActionRequest() | StateReport() | VersionReport():
            return None
        case _:
            assert_never(result)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def finished(shape: Shape, table: pa.Table) -> dict[str, pa.Array]:
    """Returns the columns of the events of a shape, from a table as `compact` writes it."""
    known = {name: _whole(table.column(name)) for name in table.column_names}
    begins, ends = _numbers(known["begin"]), _numbers(known["end"])
    children = {
        child: {kind: known[name] for kind, _ in KINDS.values() if (name := f"{kind} {number}") in known}
        for number, child in enumerate(shape.children)
    }
    rows = table.num_rows
    return {
        "id": _texts(hexadecimal(event_hashes(shape.label, children, begins, ends)), rows),
        "begin": known["begin"],
        "end": known["end"],
        "label": pa.repeat(shape.label, rows),
        "term": _terms(shape.label, children),
        "rule": pa.repeat(shape.rule, rows),
        "causes": _causes(shape, known, rows),
    }


def _causes(shape: Shape, known: Mapping[str, pa.Array], rows: int) -> pa.MapArray:
    """Returns the ids of the causes; that of a timer is computed, as everywhere."""
    ids: dict[str, Hashes] = {}
    for place, name in enumerate(shape.events):
        ids[name] = np.stack([_numbers(known[f"event {2 * place + half}"]).view(np.uint64) for half in (0, 1)])
    for place, timer in enumerate(shape.timers):
        begins, ends = (_numbers(known[f"timer {2 * place + edge}"]) for edge in (0, 1))
        ids[timer.identifier] = timer_hashes(
            f"timer:{timer.kind}", ids[timer.anchor], str(timer.duration), begins, ends
        )
    items = _texts(hexadecimal(*(ids[name] for name in shape.causes)), rows * len(ids))
    keys = pa.array(shape.causes).take(pa.array(np.tile(np.arange(len(ids)), rows)))
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * len(ids))
    return pa.MapArray.from_arrays(offsets, keys, items)


def _terms(label: str, children: Mapping[str, Mapping[str, pa.Array]]) -> pa.Array:
    """Returns the JSON of the terms."""
    parts: list[str | pa.Array] = []
    before = f"{{{_quoted(label)}: {{"
    for child, components in children.items():
        texts = [_written(kind, array) for kind, array in components.items()]
        parts += [f"{before}{_quoted(child)}: ", texts[0] if len(texts) == 1 else pc.coalesce(*texts)]
        before = ", "
    return pc.binary_join_element_wise(*parts, "}}", "")


def _written(kind: str, array: pa.Array) -> pa.Array:
    if kind == "fraction":
        return pa.array([None if number is None else repr(number) for number in array.to_pylist()], pa.string())
    if kind != "string":
        return array.cast(pa.string())
    encoded = array.dictionary_encode()
    return pa.array([_quoted(text) for text in encoded.dictionary.to_pylist()], pa.string()).take(encoded.indices)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _texts(digits: bytes, rows: int) -> pa.Array:
    """Returns texts of 32 digits each, row after row."""
    offsets = np.arange(rows + 1, dtype=np.int32) * _DIGITS
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(digits))


def _numbers(array: pa.Array) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = array.to_numpy()
    return numbers


def _whole(chunks: pa.ChunkedArray) -> pa.Array:
    return chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()
