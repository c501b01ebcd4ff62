"""A file with an array of records as tables of events, block by block, where each record is a line or could be one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from cera.connectors.fast_jsonl import read_file_occurrences
from cera.connectors.files import EventFile
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.json_arrays import array_lines
from cera.connectors.records.layout import Layout, Rejected
from cera.engines.columns import line_blocks
from cera.engines.columns.event_blocks import EventBlock
from cera.engines.columns.line_blocks import BlockReader
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import Occurrence


class JsonBlocks:
    """The blocks of a file. Behind one that is not columns the ordinary reader reads the whole file, which knows its
    lines, and leaves out what was read before."""

    def __init__(self, file: EventFile, layout: Layout, strings: Strings) -> None:
        self._file = file
        self._layout = layout
        self._reader = BlockReader(file.shown, layout, strings)
        #: How many records were read before the last block, and with it.
        self._before = self._after = 0

    def __iter__(self) -> Iterator[EventBlock]:
        with open_events(self._file.path) as stream:
            for lines in array_lines(stream, line_blocks.BLOCK):
                found = None if lines is None else self._reader.block(lines, 1)
                self._before = self._after
                if found is None or found[1].tables is None:
                    yield EventBlock(partial(iter, ()), None, is_last=True)
                    return
                self._after += found[0]
                yield found[1]

    def rest(self, block: EventBlock | None = None) -> Iterator[Occurrence | Rejected]:
        """Returns the records behind the last block, or from this one on, as the ordinary reader reads them."""
        read = self._after if block is None else self._before
        return islice(read_file_occurrences(self._file, self._layout), read, None)
