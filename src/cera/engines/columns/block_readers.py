"""The reader that takes a file in blocks, by its format."""

from __future__ import annotations

from cera.connectors.files import EventFile
from cera.connectors.ordering import OrderedEvents
from cera.connectors.records.layout import Layout, Rejected
from cera.engines.columns.event_blocks import EventBlocks
from cera.engines.columns.strings import Strings


def has_blocks(layout: Layout) -> bool:
    """Returns whether records in a layout can be read in blocks."""
    return layout.is_plain and layout.id_field is None and layout.state_field is None


def blocks_of(file: EventFile, layout: Layout, strings: Strings) -> EventBlocks | None:
    """Returns the blocks of a file; None if its records are read one by one."""
    if not has_blocks(layout):
        return None
    match file.format:
        case "jsonl":
            from cera.engines.columns.line_blocks import LineBlocks

            return LineBlocks(file, layout, strings)
        case "json":
            from cera.engines.columns.json_blocks import JsonBlocks

            return JsonBlocks(file, layout, strings)
        case "csv":
            from cera.engines.columns.csv_blocks import CsvBlocks, csv_head

            head = csv_head(file, layout)
            return None if head is None else CsvBlocks(file, layout, head, strings)
        case "parquet" if layout.time_source is not None:
            from cera.engines.columns.parquet_blocks import ParquetBlocks  # takes a while to import

            return ParquetBlocks(file, layout, strings)
        case _:
            return None


def accepts_all(recording: OrderedEvents, layout: Layout) -> bool:
    """Returns whether all records of a recording are events, so far as blocks show it."""
    return recording.files is not None and all(_accepts_all(file, layout) for file, _ in recording.files)


def _accepts_all(file: EventFile, layout: Layout) -> bool:
    blocks = blocks_of(file, layout, Strings())
    if blocks is None:
        return False
    try:
        for block in blocks:
            records = blocks.rest(block) if block.is_last else block.records()
            if block.tables is None and any(isinstance(record, Rejected) for record in records):
                return False
    except OSError:
        return False
    return True
