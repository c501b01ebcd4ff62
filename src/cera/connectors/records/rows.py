"""Events that are in Python already: dicts, pandas and Polars DataFrames, Arrow tables, events.

Rows are flat records or, with a field `term`, event objects. Only libraries that the caller has imported are needed:
tables are recognised by their names and methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from cera.connectors.records.layout import RECORD_ERRORS, TIME_FIELDS, Layout, RecordError, Rejected, rejected
from cera.connectors.records.python_values import checked_text, plain
from cera.connectors.records.record_times import is_state
from cera.connectors.records.records import event_from_object, flat_event
from cera.errors import UsageError
from cera.model.events.event import DerivedEvent, Event
from cera.model.message_text import did_you_mean
from cera.model.terms.json_terms import describe
from cera.wording import Setting

#: How many rows of a table are made at a time.
_CHUNK = 10_000

#: Looks at the columns of a table; raises UsageError if they will not do.
Check = Callable[[Sequence[str]], None]

_EXPECTED = "dicts, a DataFrame of pandas or Polars, an Arrow table, events, or the path of a file or folder"
_FRAMES = ("pandas.DataFrame", "polars.DataFrame")


def read_rows(data: object, layout: Layout) -> Iterator[Event | Rejected]:
    """Returns the events of rows in their order, and rejections of rows that are not events.

    Raises UsageError at once where the data is of a kind that cannot be read, or a table lacks a column.
    """
    return _events(table_rows(data, lambda columns: _check_layout(columns, layout)), layout)


def _events(rows: Iterable[object], layout: Layout) -> Iterator[Event | Rejected]:
    for number, row in enumerate(rows):
        if isinstance(row, Event):
            yield row
        elif isinstance(row, DerivedEvent):
            yield row.event
        else:
            try:
                yield _event(row, layout)
            except RECORD_ERRORS as error:
                yield rejected(f"rows[{number}]", str(error), repr(row))


def _event(row: object, layout: Layout) -> Event:
    if not isinstance(row, Mapping):
        raise RecordError(f"a row is a dict or a cera.Event, found {_found(row)}")
    if layout.times.pattern is not None and any(isinstance(row.get(name), date) for name in _time_fields(layout)):
        layout = replace(layout, times=replace(layout.times, pattern=None))  # the pattern is for texts
    record = {}
    for name, value in row.items():
        try:
            if isinstance(name, str):
                checked_text(name)
            made = plain(value, layout.times.timezone)
        except RECORD_ERRORS as error:
            raise RecordError(f"in the field `{name}`: {error}") from None
        if made is not None:
            record[name] = made
    if layout.envelope is not None or ("term" in record and not layout.is_flat):
        return event_from_object(record, layout)
    if layout.label_source is not None and layout.label_source not in row:
        hint = did_you_mean(layout.label_source, [name for name in row if isinstance(name, str)])
        fields = ", ".join(map(str, row)) or "no fields at all"
        raise RecordError(
            f"no label: there is no field `{layout.label_source}`{hint}, found {fields}; name it with "
            f"{Setting.LABEL_FIELD}, or give all of them one with {Setting.LABEL}"
        )
    for name in _needed(record, layout):
        if name is not None and name in row and name not in record:
            raise RecordError(f"the field `{name}` is null, and an event needs its label and time")
    return flat_event(record, layout)


def _needed(record: Mapping[str, object], layout: Layout) -> Sequence[str | None]:
    """Returns the fields that a row has to have; a state may have no end."""
    begin, end = layout.time_source or (None, None)
    return (layout.label_source, begin, None if is_state(record, layout.state_field) else end)


def _time_fields(layout: Layout) -> Sequence[str]:
    return layout.time_source or TIME_FIELDS


def table_rows(data: object, check: Check) -> Iterable[object]:
    """Returns the rows as they are; `check` gets the columns of a table, and raises UsageError if they will not do."""
    match _kind(data):
        case "pandas.DataFrame":
            return _pandas(data, check)
        case "polars.DataFrame":
            _check_columns(getattr(data, "columns", []), check)
            return data.iter_rows(named=True)  # type: ignore[attr-defined, no-any-return]
        case "polars.LazyFrame":
            raise UsageError("a LazyFrame of Polars has no rows yet; give frame.collect()")
        case "pyspark.DataFrame":
            raise UsageError("a DataFrame of Spark is answered by Spark: use program.detect, not program.run")
        case "pandas.Series" | "polars.Series":
            raise UsageError(f"a column alone has no events; expected {_EXPECTED}")
        case _:
            pass
    if _is_arrow(data):
        return _arrow(data, check)
    if isinstance(data, Mapping | Event | DerivedEvent):
        raise UsageError("one record is given; put it into a list: run([record])")
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise UsageError(f"events are {_EXPECTED}; found {_found(data)}")
    return _unpacked(data, check)


def _unpacked(rows: Iterable[object], check: Check) -> Iterator[object]:
    """Yields the rows, and those of tables and record batches among them."""
    for row in rows:
        if not isinstance(row, Mapping | Event | DerivedEvent) and (_is_arrow(row) or _kind(row) in _FRAMES):
            yield from table_rows(row, check)
        else:
            yield row


def _found(value: object) -> str:
    return "None" if value is None else describe(value)


def _is_arrow(data: object) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "to_batches")


def is_spark_frame(data: object) -> bool:
    return _kind(data) == "pyspark.DataFrame"


def _kind(data: object) -> str:
    """Returns the name of the data's type: `pandas.DataFrame` for those of pandas, of whatever module and subclass."""
    for one in type(data).__mro__:
        package = one.__module__.partition(".")[0]
        if package in ("pandas", "polars", "pyspark") and one.__name__ in ("DataFrame", "LazyFrame", "Series"):
            return f"{package}.{one.__name__}"
    return ""


def _pandas(frame: Any, check: Check) -> Iterator[dict[str, object]]:
    names = list(frame.columns)
    _check_columns(names, check)

    def rows() -> Iterator[dict[str, object]]:
        for start in range(0, len(frame), _CHUNK):
            part = frame.iloc[start : start + _CHUNK]
            columns = [part.iloc[:, number].tolist() for number in range(len(names))]
            yield from (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))

    return rows()


def _arrow(table: Any, check: Check) -> Iterator[dict[str, object]]:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise UsageError("Arrow tables need pyarrow: pip install pyarrow") from error
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    elif not isinstance(table, pa.Table | pa.RecordBatchReader):
        table = pa.RecordBatchReader.from_stream(table)
    _check_columns(table.schema.names, check)

    def rows() -> Iterator[dict[str, object]]:
        for batch in table.to_batches(max_chunksize=_CHUNK) if isinstance(table, pa.Table) else table:
            yield from (
                pa.Table.from_batches([batch])
                .cast(_without_nanoseconds(batch.schema), safe=False)
                .to_pylist(maps_as_pydicts="lossy")
            )

    return rows()


def _without_nanoseconds(schema: Any) -> Any:
    import pyarrow as pa

    fields = (
        field.with_type(pa.timestamp("us", field.type.tz))
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns"
        else field
        for field in schema
    )
    return pa.schema(list(fields))


def _check_columns(names: Sequence[object], check: Check) -> None:
    """Raises UsageError where a table cannot be read by the names of its columns."""
    for number, name in enumerate(names):
        if not isinstance(name, str):
            raise UsageError(f"the columns of a table have texts as names; column {number} is called {name!r}")
        if name in names[:number]:
            raise UsageError(f"the table has the column `{name}` twice")
    check([name for name in names if isinstance(name, str)])


def _check_layout(texts: Sequence[str], layout: Layout) -> None:
    """Raises UsageError where no row of a table with these columns could be an event."""
    missing = None if "term" in texts and not layout.is_flat else layout.missing_column(texts)
    if missing is not None:
        named = (layout.label_source, *(layout.time_source or ()), layout.state_field)
        lacking = [name for name in named if name and name not in texts]
        hint = did_you_mean(lacking[0], texts) if lacking else ""
        raise UsageError(f"the table has {missing}{hint}; its columns are {', '.join(texts)}")
