"""Answers in columns as results of a stage: packed as columns where their rule has a shape, else written one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cera.engines.columns.evaluation import AnswerBlock
from cera.engines.columns.event_tables import Attribute, EventTable, occurrences_of
from cera.engines.columns.rows import Column, Events
from cera.engines.columns.strings import Strings
from cera.engines.spark.streaming.messages.messages import pack_columns
from cera.engines.spark.streaming.messages.stage_results import DerivationKey, DerivedResult
from cera.engines.spark.streaming.results.compact import Shape
from cera.model.columns.arrow_buffers import array_of
from cera.model.columns.column_hashes import Hashes, hexadecimal
from cera.model.columns.flat_events import arrow_stream
from cera.model.events.occurrence import Occurrence
from cera.model.terms.json_terms import term_text


def packed_blocks(blocks: Sequence[AnswerBlock], shapes: Sequence[Shape], strings: Strings) -> Iterator[bytes]:
    """Yields the payload of the answers of each rule that has a shape."""
    numbers = {shape.rule: number for number, shape in enumerate(shapes)}
    for block in blocks:
        if block.rule in numbers:
            number = numbers[block.rule]
            yield pack_columns(number, arrow_stream(_shaped(block, shapes[number], strings)))


def _shaped(block: AnswerBlock, shape: Shape, strings: Strings) -> pa.Table:
    """Returns the columns that `compact_columns` finishes."""
    columns: dict[str, Any] = {"begin": array_of(block.begin), "end": array_of(block.end)}
    for place, name in enumerate(shape.children):
        columns.update((f"{kind} {place}", array) for kind, array in _typed(block.children[name], strings))
    for place, name in enumerate(shape.events):
        for half, values in enumerate(block.causes[name].ids):
            columns[f"event {2 * place + half}"] = array_of(values.view(np.int64))
    for place, timer in enumerate(shape.timers):
        events = block.causes[timer.identifier]
        columns[f"timer {2 * place}"] = array_of(events.begin)
        columns[f"timer {2 * place + 1}"] = array_of(events.end)
    return pa.table(list(columns.values()), list(columns))


def _typed(column: Column, strings: Strings) -> Iterator[tuple[str, pa.Array]]:
    """Yields the values as a column for each of their types."""
    values = column.values
    match column.kind:
        case "string":
            used, codes = np.unique(values, return_inverse=True)
            texts = pa.array([strings.text(code) for code in used.tolist()], pa.string())
            yield "string", texts.take(array_of(codes))
        case "boolean":
            yield "boolean", array_of(values)
        case _:
            whole = np.floor(values) == values
            if whole.any():
                integers = np.where(whole, values, 0.0).astype(np.int64)
                yield "integer", array_of(integers) if whole.all() else pa.array(integers, mask=~whole)
            if not whole.all():
                yield "fraction", pa.array(values, mask=whole) if whole.any() else array_of(values)


def derived_events(block: AnswerBlock, strings: Strings) -> list[Occurrence]:
    """Returns the answers as events, in their order."""
    return occurrences_of([_table(block, strings)])


def derived_results(block: AnswerBlock, strings: Strings) -> list[DerivedResult]:
    """Returns the answers as results, each with its first derivation, in the order of their ends."""
    order = np.argsort(block.end, kind="stable")
    ordered = block.take(order)
    table = _table(ordered, strings)
    ids = _digits(table.ids(np.arange(len(table))))
    names = tuple(ordered.causes)
    digits = [_digits(ordered.causes[name].ids) for name in names]
    keys = _keys(ordered, dict(zip(names, digits, strict=True)))
    events = occurrences_of([table])
    causes = [dict(zip(names, each, strict=True)) for each in zip(*digits, strict=True)] or [{}] * len(events)
    return [
        DerivedResult(
            id_,
            event.begin,
            event.end,
            event.label,
            term_text(event.term),
            block.rule,
            json.dumps(cause, ensure_ascii=False),
            None,
            None,
            key,
        )
        for id_, event, cause, key in zip(ids, events, causes, keys, strict=True)
    ]


def _keys(block: AnswerBlock, digits: dict[str, list[str]]) -> Iterator[DerivationKey]:
    """Yields the sort key of each derivation, as `derivation_key` has it."""
    parts: list[Sequence[Any]] = []
    rows = len(block.end)
    for name in sorted(digits):
        events: Events = block.causes[name]
        parts += [[name] * rows, events.end.tolist(), events.begin.tolist(), digits[name]]
    for row in zip(*parts, strict=True) if parts else [()] * rows:
        yield (0, block.rule, *row)


def _table(block: AnswerBlock, strings: Strings) -> EventTable:
    children = {name: Attribute(column.kind, column.values, None) for name, column in block.children.items()}
    return EventTable(block.label, block.begin, block.end, children, strings)


def _digits(ids: Hashes) -> list[str]:
    """Returns the ids as texts."""
    digits = hexadecimal(ids).decode()
    return [digits[place : place + 32] for place in range(0, len(digits), 32)]
