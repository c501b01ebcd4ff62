"""Strings of a block by their places, each once: they are compared as words of eight bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cera.connectors.formats.byte_columns import BlockBytes, Places
from cera.model.columns.arrow_buffers import numbers_in

#: Longer strings are left to another reader, in words.
_MOST_WORDS = 8


@dataclass(frozen=True)
class StringColumn:
    """Strings by their places in `texts`."""

    texts: Sequence[str]
    places: Places


class StringReader:
    """A reader of strings, which knows those of the blocks before. `unusual` is what none of them may have."""

    def __init__(self, unusual: re.Pattern[str] | None = None) -> None:
        self._unusual = unusual
        #: The texts of words that were seen, and their places among all texts.
        self._known: dict[Any, int] = {}
        self._texts: list[str] = []

    def read(self, block: BlockBytes, starts: Places, ends: Places) -> StringColumn | None:
        """Returns the strings between some places; None if one is long or unusual."""
        width = max(-(-int((ends - starts).max(initial=0)) // 8), 1)
        if width > _MOST_WORDS:
            return None
        words = block.padded(starts, ends, width)
        type_ = pa.uint64() if width == 1 else pa.binary(8 * width)
        encoded = pa.Array.from_buffers(type_, len(words), [None, pa.py_buffer(words)]).dictionary_encode()
        keys = encoded.dictionary.to_pylist()
        known = list(map(self._known.get, keys))
        if None in known:
            for place, key in enumerate(keys):
                if known[place] is None:
                    known[place] = self._learn(key)
                    if known[place] is None:
                        return None
        return StringColumn(self._texts, np.array(known, np.int64)[numbers_in(encoded.indices)])

    def _learn(self, key: int | bytes) -> int | None:
        """Returns the place of a new text; None if it is not a string as it stands."""
        data = (key.to_bytes(8, "little") if isinstance(key, int) else key).rstrip(b"\0")
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        if self._unusual is not None and self._unusual.search(text):
            return None
        self._known[key] = len(self._texts)
        self._texts.append(text)
        return self._known[key]
